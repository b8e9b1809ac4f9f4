"""Events as Arrow's columns and maps, for the tests of batches."""

from __future__ import annotations

import math

import pyarrow as pa

from river_oa3._core.category import kept_text

NUMBERS = ["a", "b", "year"]
TEXTS = ["colour", "land"]


def as_columns(events, names=(*NUMBERS, *TEXTS)):
    """A column per name; what an event leaves out is null."""
    kinds = {name: pa.string() if name in TEXTS else pa.float64() for name in names}
    return {name: pa.array([x.get(name) for x in events], kinds[name]) for name in names}


def as_maps(events, values=None):
    values = pa.float64() if values is None else values
    return pa.array([list(x.items()) for x in events], pa.map_(pa.string(), values))


def meant(x, texts=TEXTS):
    """What counts of an event: neither a zero nor a text that is missing, but a number that is."""
    counted = {}
    for name, value in x.items():
        if isinstance(value, str):
            counted[name] = kept_text(value)
        elif value is None or math.isnan(value):
            if name not in texts:
                counted[name] = None
        elif value:
            counted[name] = float(value)
    return counted


def events_of(rows):
    return [rows.event(i) for i in range(len(rows))]
