"""All that is wrong with a table is said at once, each with what solves it."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from prepared import Memory, labels, problems

from river_oa3.datasets import DataError
from river_oa3.datasets.preparation import Options, Problems, profile

GOOD = {"a": [1.5, 2.5, 3.0, 7.0], "b": ["u", "v", "v", "u"]}


def look_at(columns, **options):
    return profile(Memory(columns), Options(**options))


def test_one_problem_reads_as_one_line():
    with pytest.raises(DataError) as caught:
        look_at(GOOD | {"y": [0, 1, 2, 2]})
    assert str(caught.value) == (
        "toy: column 'y': 3 classes, 2 (2), 0 (1), 1 (1): name the positive one with --positive "
        "(positive= in Python)"
    )


def test_several_problems_are_numbered():
    with pytest.raises(Problems) as caught:
        look_at(GOOD | {"c": [[1], [2], [3], [4]], "y": [0, 1, 2, 2]}, drop=("d",))
    lines = str(caught.value).splitlines()
    assert lines[0] == "toy cannot be used yet, 3 problems:"
    assert [line[:5] for line in lines[1:]] == ["  1. ", "  2. ", "  3. "]


def test_problems_can_be_sent_to_another_process():
    error = Problems("toy", ["one", "two"])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_problem_with_a_line_break_in_a_name_stays_on_its_line():
    assert len(str(Problems("t\noy", ["a\nb", "c"])).splitlines()) == 3


def test_everything_is_looked_at_though_there_is_no_label():
    with problems("name one with --label (label= in Python) of b, which has two values", "inf"):
        look_at({"a": [1.0, float("inf"), 3.0, 7.0], "b": ["u", "v", "v", "u"]})


def test_several_label_columns_are_named():
    with problems("several columns look like the label: name one with --label"):
        look_at(GOOD | {"y": labels(4), "target": labels(4)})


def test_a_second_label_column_may_be_dropped():
    assert look_at(GOOD | {"y": labels(4), "target": labels(4)}, drop=("target",)).label == "y"


def test_a_label_column_that_does_not_exist():
    with problems("no column is called 'spam': name one with --label (label= in Python) of a, b"):
        look_at(GOOD, label="spam")


def test_a_label_of_one_class():
    with problems("every event is of the one class 1: both classes are needed"):
        look_at(GOOD | {"y": [1] * 4})


def test_missing_labels():
    with problems("2 events have no label, first at event 2, column 'y': fill it in or drop"):
        look_at(GOOD | {"y": ["u", None, " ", "v"], "a": [1.5, 2.5, 3.0, 7.0]}, positive="u")


def test_a_label_column_without_any_label():
    with problems("4 events have no label, first at event 1, column 'y'"):
        look_at(GOOD | {"y": [None] * 4})


def test_a_label_of_very_many_classes():
    n = 10_001
    with problems("the label column 'y' has more than 10,000 classes: name another with --label"):
        look_at({"a": [i % 3 for i in range(n)], "y": [i + 0.5 for i in range(n)]})


def test_a_class_that_is_not_there():
    with problems("no event is of class 'eggs': name one of false (3), true (1) with --positive"):
        look_at(GOOD | {"y": labels(4)}, positive="eggs")


@pytest.mark.parametrize("option", ["drop", "keep", "category"])
def test_an_option_that_names_no_column(option):
    with problems(f"--{option} names 'c', which is no column: choose of a, b, y"):
        look_at(GOOD | {"y": labels(4)}, **{option: ("c",)})


@pytest.mark.parametrize("option", ["drop", "keep", "category"])
def test_an_option_that_names_the_label(option):
    with problems(f"--{option} names 'y', the label: leave it out of --{option}"):
        look_at(GOOD | {"y": labels(4)}, label="y", **{option: ("y",)})


def test_a_column_that_is_dropped_and_kept():
    with problems("column 'a' is to be dropped and kept at once"):
        look_at(GOOD | {"y": labels(4)}, drop=("a",), keep=("a",))


def test_an_infinite_number_is_named_by_its_place():
    with problems("event 3, column 'a': an infinite number: correct it, or leave the column out"):
        look_at(GOOD | {"a": [1.5, 2.5, float("inf"), 7.0], "y": labels(4)})


def test_an_infinite_number_in_a_text():
    with problems("--drop 'a b'"):
        look_at(GOOD | {"a b": ["1.5", "2.5", "-inf", "7"], "y": labels(4)})


@pytest.mark.parametrize(
    "cells", [[[1], [2], [3], [4]], [{"u": 1}] * 4, [b"u", b"v", b"w", b"x"]], ids=str
)
def test_cells_that_cannot_be_a_feature(cells):
    with problems("which cannot be a feature: leave the column out with --drop c"):
        look_at(GOOD | {"c": pa.array(cells), "y": labels(4)})


def test_cells_that_cannot_be_a_feature_may_be_dropped():
    found = look_at(GOOD | {"c": [[1], [2], [3], [4]], "y": labels(4)}, drop=("c",))
    assert list(found.columns) == ["a", "b"]


def test_nothing_left_to_learn_from():
    with problems("no column is left to learn from, 'a' (constant, the same value in all 4 rows)"):
        look_at({"a": [1] * 4, "y": labels(4)})


def test_a_date_as_a_category():
    with problems("column 'a' is a date, not a category: leave it out of --category"):
        look_at({"a": ["2024-01-01", "2024-01-02"] * 2, "y": labels(4)}, category=("a",))


@pytest.mark.parametrize("sample", [0.0, -1.0, 1.5, float("nan")])
def test_a_sample_that_is_no_amount(sample):
    with pytest.raises(Problems, match="neither a share nor a number of rows"):
        look_at(GOOD | {"y": labels(4)}, sample=sample)


def test_a_sample_with_one_class():
    with problems("the sample of 1 rows has no"):
        look_at(GOOD | {"y": labels(4)}, sample=1)
