"""Sums are those of the numbers themselves: nothing is rounded, and no order matters."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from river_oa3._core.exact_sums import SQUARE_UNIT, UNIT, exact_sums

finite = st.floats(allow_nan=False, allow_infinity=False)


def sums(*stretches):
    starts = np.cumsum([0, *map(len, stretches)])
    values = np.array([value for stretch in stretches for value in stretch], dtype=np.float64)
    return [
        (n, Fraction(total, 2**UNIT), Fraction(squares, 2**SQUARE_UNIT))
        for n, total, squares in exact_sums(values, starts)
    ]


def wanted(stretch):
    numbers = [Fraction(value) for value in stretch if value != 0.0]
    return len(numbers), sum(numbers), sum(number**2 for number in numbers)


@given(st.lists(st.lists(finite, max_size=20), max_size=5))
def test_sums_are_those_of_fractions(stretches):
    assert sums(*stretches) == [wanted(stretch) for stretch in stretches]


def test_the_largest_and_the_smallest_numbers_are_added_up():
    tiny, largest = 5e-324, sys.float_info.max
    stretch = [largest, largest, tiny, -tiny, -tiny, -largest, sys.float_info.min]
    assert sums(stretch) == [wanted(stretch)]


def test_many_numbers_are_carried():
    n, largest = 100_000, 2**53 - 1
    assert sums([float(largest)] * n) == [(n, n * largest, n * largest**2)]
