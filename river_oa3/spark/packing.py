"""What is sent from Java to Python: numbers of an event together, which takes half the time."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, types
from pyspark.sql import functions as F

from river_oa3.scoring.record_batches import Features

__all__ = ["Sent", "named", "packed"]

# All values of these are floats of 64 bits, or become such in the same way everywhere.
_NUMBERS = (types.IntegralType, types.FractionalType, types.BooleanType)


def named(name: str) -> Column:
    """A column by its name, whatever is in it."""
    return F.col("`" + name.replace("`", "``") + "`")


class Sent(typing.NamedTuple):
    """A frame to be sent, under names that Spark does not take apart, and what these stand for."""

    frame: DataFrame
    names: list[str]
    features: Features


def packed(frame: DataFrame, features: Features, others: Sequence[str]) -> Sent:
    """Pack features and other columns.

    Parameters
    ----------
    frame
        The frame.
    features
        Its features.
    others
        Columns that are sent as they are, features among them or not.

    """
    together = () if features.is_map else _packable(frame, features, others)
    alone = [name for name in features.columns if name not in together]
    names = list(dict.fromkeys([*others, *alone]))
    columns = [named(name) for name in names]
    if together:
        name = "oa3_numbers"
        while name in frame.columns:
            name += "_"
        names.append(name)
        columns.append(F.array(*(named(each).cast("double") for each in together)))
        features = features._replace(packed=together, packed_as=name)
    safe = [column.alias(f"c{i}") for i, column in enumerate(columns)]
    return Sent(frame.select(*safe), names, features)


def _packable(frame: DataFrame, features: Features, others: Sequence[str]) -> tuple[str, ...]:
    def is_number(name: str) -> bool:
        # Of a category, a double has not all digits.
        schema = features.schema
        return schema is None or schema.columns[name].kind == "number"

    found = [
        name
        for name in features.columns
        if name not in others and is_number(name) and _is_number(frame.schema[name].dataType)
    ]
    return tuple(found) if len(found) > 1 else ()


def _is_number(kind: types.DataType) -> bool:
    return isinstance(kind, _NUMBERS) and not isinstance(kind, types.DecimalType)
