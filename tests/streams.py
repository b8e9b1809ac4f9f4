"""Streams for the tests: made from a seed, or drawn by hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

Event = dict[str, float]


def emerging(
    n: int, *, seed: int = 0, scale: float = 1.0, first: int = 3, last: int = 300
) -> list[tuple[Event, bool]]:
    """Sparse labelled events of length `scale` whose features grow from `first` to `last` kinds."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(last)
    events = []
    for i in range(n):
        kinds = first + (last - first) * i // n
        slots = rng.choice(kinds, size=min(kinds, int(rng.integers(1, 9))), replace=False)
        values = rng.standard_normal(len(slots))
        values /= np.linalg.norm(values)
        y = bool(values @ truth[slots] + 0.1 * rng.standard_normal() > 0)
        names = [f"f{slot}" for slot in slots]
        events.append((dict(zip(names, (scale * values).tolist(), strict=True)), y))
    return events


def at_the_hinge(margin: float, y: bool) -> bool:
    """Whether rounding decides if there is a loss: no two ways of computing agree there."""
    return abs((margin if y else -margin) - 1) < 1e-6


names = st.integers(0, 19).map("f{}".format)
magnitudes = st.floats(0.01, 10.0)
values = st.one_of(magnitudes, magnitudes.map(lambda value: -value), st.just(0.0))
events = st.dictionaries(names, values, max_size=8)
loss_weights = st.sampled_from([0.0, 0.5, 1.0, 3.0])

labelled = st.lists(st.tuples(events, st.booleans(), loss_weights), min_size=1, max_size=40)
"""Lists of (x, y, w)."""

parameters = st.fixed_dictionaries(
    {
        "eta": st.floats(0.01, 2.0),
        "gamma": st.floats(0.1, 10.0),
        "rho": st.floats(0.2, 20.0),
    }
)
sketch_sizes = st.integers(1, 6)


def with_other_key_order(stream):
    rng = np.random.default_rng(5)
    return [({name: x[name] for name in rng.permutation(sorted(x)).tolist()}, y) for x, y in stream]
