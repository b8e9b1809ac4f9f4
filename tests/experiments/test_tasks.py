"""One method over one order of the events."""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.experiments.tasks import TUNING, Part, order_of


@given(st.integers(0, 10**6), st.integers(0, 50))
def test_a_permutation_has_every_row_once(stream, seed, number):
    order = order_of(stream, Part(0, len(stream), number), seed)
    assert sorted(order) == list(range(len(stream)))


def test_permutations_differ_by_number(stream):
    orders = [order_of(stream, Part(0, len(stream), number), 0).tobytes() for number in range(50)]
    assert len(set(orders)) == 50


def test_permutations_differ_by_seed(stream):
    orders = [order_of(stream, Part(0, len(stream), 0), seed).tobytes() for seed in range(50)]
    assert len(set(orders)) == 50


def test_permutations_do_not_repeat_under_the_next_seed(stream):
    """Permutation 1 of seed 0 is not permutation 0 of seed 1."""
    every = {
        order_of(stream, Part(0, len(stream), number), seed).tobytes()
        for seed in range(6)
        for number in range(6)
    }
    assert len(every) == 36


def test_no_permutation_is_the_order_in_which_they_came(stream):
    assert order_of(stream, Part(3, 9, None), 0).tolist() == [3, 4, 5, 6, 7, 8]


def test_a_part_is_the_start_of_a_permutation_of_all(stream):
    whole = order_of(stream, Part(0, len(stream), 4), 0)
    assert order_of(stream, Part(0, 10, 4), 0).tolist() == whole[:10].tolist()


def test_a_shuffle_within_a_part_keeps_to_it(stream):
    order = order_of(stream, Part(24, 120, 4, within=True), 0)
    assert sorted(order) == list(range(24, 120))
    assert order.tolist() != sorted(order)


def test_permutations_that_come_with_the_data_are_used_first(stream):
    given_orders = np.array([np.arange(len(stream))[::-1]])
    with_orders = dataclasses.replace(stream, permutations=given_orders)
    part = Part(0, len(stream), 0)
    assert order_of(with_orders, part, 7).tolist() == given_orders[0].tolist()
    drawn = [order_of(each, part._replace(permutation=1), 7) for each in (with_orders, stream)]
    assert drawn[0].tolist() == drawn[1].tolist()


def test_tuning_does_not_use_permutations_that_come_with_the_data(stream):
    orders = np.tile(np.arange(len(stream)), (30, 1))
    with_orders = dataclasses.replace(stream, permutations=orders)
    tuned = order_of(with_orders, Part(0, len(stream), TUNING), 0)
    assert tuned.tolist() != list(range(len(stream)))
