"""Which class is the positive one."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from data_helpers import refused

from river_oa3.datasets import stream


def with_labels(*labels, **options):
    return stream("toy", np.ones((len(labels), 1)), list(labels), **options).y.tolist()


@pytest.mark.parametrize(
    ("positive", "negative"), [(True, False), (1, 0), (1.0, -1.0), ("1", "0"), ("True", "False")]
)
def test_the_usual_positive_class_needs_no_name_however_common_it_is(positive, negative):
    assert with_labels(positive, negative, positive) == [True, False, True]


@pytest.mark.parametrize("labels", [["spam", "ham", "ham"], [1, 2, 2], [2, 1, 1], [-1, 0, 0]])
def test_of_two_other_classes_the_rarer_one_is_positive(labels):
    assert with_labels(*labels) == [True, False, False]


def test_two_other_classes_of_one_size_are_refused():
    with refused("ham (1)", "spam (1)", "--positive"):
        with_labels("spam", "ham")


@pytest.mark.parametrize(
    ("positive", "labels"),
    [
        ("ham", ["ham", "spam", "spam"]),
        ("1", [1, 2, 3]),
        ("1", [1.0, 2.0, 3.0]),
        ("1", [True, False, False]),
        ("True", [True, False, False]),
        ("true", [True, False, False]),
        ("1.0", [1, 0, 0]),
        (1, ["1", "2", "3"]),
        (np.float64(1), [1, 2, 3]),
        ("-1", [-1, 1, 1]),
        ("+1", [1, -1, -1]),
        (False, [False, True, True]),
    ],
)
def test_a_named_class_is_found_as_text_or_as_a_number(positive, labels):
    assert with_labels(*labels, positive=positive) == [True, False, False]


def test_the_class_that_is_spelled_the_same_comes_before_an_equal_number():
    assert with_labels("1", "1.0", "2", positive="1.0") == [False, True, False]


def test_labels_in_an_array_and_in_a_list_give_the_same():
    labels = np.array([3, 1, 3, 2])
    assert with_labels(*labels, positive=3) == [True, False, True, False]
    assert stream("toy", np.ones((4, 1)), labels, positive=3).y.tolist() == [1, 0, 1, 0]


def test_a_class_that_is_not_there_is_refused_with_the_classes():
    with refused("'eggs'", "ham (2)", "spam (1)", "--positive"):
        with_labels("spam", "ham", "ham", positive="eggs")


def test_three_classes_are_refused_with_their_counts():
    with refused("3 classes", "b (2), a (1), c (1)", "--positive"):
        with_labels("a", "b", "b", "c")


def test_no_more_than_ten_classes_are_listed():
    with refused("1,000 classes", "and 990 more", "--positive") as _:
        with_labels(*range(1000))


@pytest.mark.parametrize("labels", [[1, 1], [0, 0], ["spam", "spam"], [True, True]])
def test_one_class_alone_is_refused(labels):
    with refused("both classes are needed", "longer part"):
        with_labels(*labels)


def test_one_class_alone_is_refused_when_it_is_named():
    with refused("both classes are needed"):
        with_labels(1, 1, positive=1)


@pytest.mark.parametrize("missing", [None, math.nan, np.nan, pd.NA, pd.NaT])
def test_a_missing_label_is_refused_with_its_event(missing):
    with refused("event 2 has no label", "drop"):
        with_labels(1, missing, 0)


def test_a_missing_label_in_an_array_is_refused_with_its_event():
    with refused("event 3 has no label", "drop"):
        stream("toy", np.ones((3, 1)), np.array([1.0, 0.0, np.nan]))
