"""Warnings about what may be wrong with a table."""

from __future__ import annotations

import numpy as np
import pytest
from prepared import Memory, labels, prepared

from river_oa3.datasets.preparation import Wishes

N = 800
RANDOM = np.random.default_rng(5)
Y = RANDOM.random(N) < 0.2
NOISE = RANDOM.normal(size=N)


def warnings(columns, y=Y, **wishes):
    source = Memory({"noise": NOISE[: len(y)], **columns, "y": y})
    return prepared(source, Wishes(**wishes)).warnings


GIVEAWAYS = {
    "a number": np.where(Y, 5.0, 1.0) + NOISE / 100,
    "a number that is lower": np.where(Y, -5.0, 1.0) + NOISE / 100,
    "a category": np.where(Y, "closed", "open"),
    "many categories": np.where(Y, "c", "o").astype(object) + (np.arange(N) % 9).astype(str),
    "a flag": Y,
    "a gap": [None if y else x for x, y in zip(NOISE, Y, strict=True)],
    "a gap among texts": [None if y else "u" for y in Y],
    "a date": np.where(Y, "2024-01-31", "2023-12-01"),
}


@pytest.mark.parametrize("what", GIVEAWAYS)
def test_a_column_that_gives_the_label_away_is_named(what):
    found = warnings({"a b": list(GIVEAWAYS[what])})
    assert len(found) == 1
    assert "column 'a b' alone tells the classes apart" in found[0]
    assert "--drop 'a b'" in found[0]


@pytest.mark.parametrize(
    "cells",
    [
        np.where(Y, 1.0, 0.0) + NOISE / 2,
        np.where(RANDOM.random(N) < 0.05, ~Y, Y),
        RANDOM.permutation(N) * 7.5,
        [f"w{i % 390}" for i in range(N)],
    ],
)
def test_a_column_that_merely_helps_is_not_named(cells):
    assert warnings({"a": list(cells)}) == []


def test_few_rows_of_a_class_give_nothing_away():
    y = np.arange(N) % 28 == 0
    assert np.count_nonzero(y) == 29
    assert warnings({"a": y * 5.0 + NOISE / 100}, y=y) == []


def test_no_positive_in_the_first_tenth():
    y = np.arange(N) >= 200
    y[300:] = False
    found = warnings({}, y=y)
    assert found[0].startswith("no positive event among the first 200 of 800: ")


def test_dates_of_which_none_tells_the_day_from_the_month():
    found = warnings({"a": ["3/4/2024", "4/5/2024"] * (N // 2)})
    assert "column 'a' has dates such as '3/4/2024'" in found[0]
    assert warnings({"a": ["13/4/2024", "4/5/2024"] * (N // 2)}) == []
    assert warnings({"a": ["3.4.2024", "4.5.2024"] * (N // 2)}) == []


@pytest.mark.parametrize("cells", [["12,5", "3,25"], ["$3", "$12.50"], ["7%", "8 %"]])
def test_numbers_that_are_written_in_another_way(cells):
    found = warnings({"a": cells * (N // 2)})
    assert f"column 'a' is taken for texts, though values such as {cells[0]!r}" in found[0]


def test_whole_numbers_that_may_be_codes():
    columns = {"zone": np.arange(N) % 5, "grade": np.arange(N) % 7, "real": np.arange(N) % 5 / 2}
    assert warnings(columns) == [
        "whole numbers with few values, 'zone', 'grade': if they are codes and not amounts, say "
        "--category zone"
    ]
    assert warnings({"zone": np.arange(N) % 5}, category=("zone",)) == []
    assert warnings({"old": np.arange(N) % 2}) == []


def test_a_table_without_oddities_has_no_warnings():
    assert prepared(Memory({"a": NOISE, "y": labels(N)})).warnings == []
