"""Plain values come back as they were: nothing is rounded, and no type becomes another."""

from __future__ import annotations

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_oa3._core.category import Category
from river_oa3.files.values import from_json, on_a_line, shown, to_json

_scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.decimals(allow_nan=False, places=3)
)
_keys = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4
) | st.builds(Category, st.text(), st.text())
plain_values = st.recursive(
    _scalars | _keys,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=10,
)


def through_json(value):
    return from_json(json.loads(json.dumps(to_json(value), allow_nan=False)))


def typed(value):
    """The value with the types of all its parts."""
    if isinstance(value, dict):
        return dict, [(typed(key), typed(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [typed(part) for part in value]
    return type(value), repr(value)


@given(plain_values)
def test_value_comes_back_as_it_was(value):
    assert typed(through_json(value)) == typed(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -0.0, 2**53 + 1, {"$int": 1}, {1: 2}]
)
def test_value_that_json_lacks_comes_back_as_it_was(value):
    assert typed(through_json(value)) == typed(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [(np.float64(0.1), 0.1), (np.int8(3), 3), (np.bool_(True), True), (np.str_("a"), "a")],
)
def test_scalars_of_numpy_become_pythons(value, plain):
    assert typed(through_json(value)) == typed(plain)


@pytest.mark.parametrize(
    "value", [{1, 2}, b"raw", object(), 2**5000, Decimal("1E+5000"), np.ones(2)]
)
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match="cannot be stored"):
        to_json(value)


def test_value_that_holds_itself_is_refused():
    value = []
    value.append(value)
    with pytest.raises(TypeError, match="nested more than 50 deep"):
        to_json(value)


@pytest.mark.parametrize(
    "content",
    [
        {"$int": "1"},
        {"$int": "0x1"},
        {"$int": "0x" + "f" * 10_000},
        {"$float": "1.5"},
        {"$decimal": "x"},
        {"$decimal": "1E+99999999"},
        {"$tuple": 1},
        {"$dict": [[1]]},
        {"$dict": [[1, 2], [1.0, 3]]},
        {"$dict": [[[], 1]]},
        {"$category": ["a"]},
        {"$category": ["a", 1]},
        {"$class": "os.system"},
        {"$tuple": [], "$dict": []},
    ],
    ids=str,
)
def test_json_that_no_value_becomes_is_refused(content):
    with pytest.raises(ValueError, match=r"must be|no value|twice|cannot be"):
        from_json(content)


@given(st.text() | plain_values)
def test_what_is_shown_is_short_and_printable(value):
    for text in (shown(value), on_a_line(value)):
        assert text.isascii()
        assert text.isprintable()
        assert len(text) <= 300
