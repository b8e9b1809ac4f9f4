"""Tests of what does not depend on each other: one thing varies at a time."""

from __future__ import annotations

import pytest

__all__ = ["one_at_a_time"]


def one_at_a_time(test):
    """Run a test with the first value of every axis, and with each other value of one axis.

    For what is the same code whatever the other axis says: all learners read events by one reader.
    It stands above the marks that say what the axes are.
    """
    axes = [mark for mark in test.pytestmark if mark.name == "parametrize"]
    test.pytestmark = [mark for mark in test.pytestmark if mark.name != "parametrize"]
    names, values = [], []
    for mark in axes:
        mark_names = mark.args[0]
        if isinstance(mark_names, str):
            mark_names = [name.strip() for name in mark_names.split(",")]
        names += mark_names
        values.append(_cases(len(mark_names), list(mark.args[1]), mark.kwargs.get("ids")))
    usual = [cases[0] for cases in values]
    rows = [usual] + [
        [*usual[:i], case, *usual[i + 1 :]] for i, cases in enumerate(values) for case in cases[1:]
    ]
    params = [
        pytest.param(
            *(value for case, _ in row for value in case), id="-".join(id for _, id in row)
        )
        for row in rows
    ]
    return pytest.mark.parametrize(names, params)(test)


def _cases(n_names, values, ids):
    """The values of each case of an axis, and how it is called."""
    cases = [(value,) if n_names == 1 else tuple(value) for value in values]
    if callable(ids):
        return [(case, "-".join(str(ids(value)) for value in case)) for case in cases]
    if ids is None:
        return [(case, "-".join(map(str, case))) for case in cases]
    return list(zip(cases, ids, strict=True))
