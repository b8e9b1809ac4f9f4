"""Warnings about what may be wrong with a table."""

from __future__ import annotations

import re

import numpy as np
import pytest
from prepared import Memory, labels, prepared

from river_oa3.datasets.preparation import Options

N = 800
RANDOM = np.random.default_rng(5)
Y = RANDOM.random(N) < 0.2
NOISE = RANDOM.normal(size=N)


def warnings(columns, y=Y, **options):
    source = Memory({"noise": NOISE[: len(y)], **columns, "y": y})
    return prepared(source, Options(**options)).warnings


ENOUGH_ALONE = {
    "a number": np.where(Y, 5.0, 1.0) + NOISE / 100,
    "a number with a decimal comma": [
        f"{5 * y}," + f"{x:.3f}"[-2:] for x, y in zip(NOISE, Y, strict=True)
    ],
    "a number that is lower": np.where(Y, -5.0, 1.0) + NOISE / 100,
    "a category": np.where(Y, "closed", "open"),
    "many categories": np.where(Y, "c", "o").astype(object) + (np.arange(N) % 9).astype(str),
    "a flag": Y,
    "a gap": [None if y else x for x, y in zip(NOISE, Y, strict=True)],
    "a gap among texts": [None if y else "u" for y in Y],
    "a date": np.where(Y, "2024-01-31", "2023-12-01"),
}


@pytest.mark.parametrize("what", ENOUGH_ALONE)
def test_a_column_that_leaks_the_label_is_named(what):
    found = warnings({"a b": list(ENOUGH_ALONE[what])})
    assert len(found) == 1
    assert "column 'a b' may leak the label: it alone separates the classes" in found[0]
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


@pytest.mark.parametrize(
    ("cells", "how"),
    [
        (["1,250", "3,125"], "if decimals stand behind the comma, say --decimal ,; if not, write"),
        (["$3", "$12.50"], "write them as 1234.5"),
        (["7%", "8 %"], "write them as 1234.5"),
        (["1,234.56", "12,345.00"], "write them as 1234.5"),
        (["85.200 EUR", "9.200 EUR"], "write them as 1234.5"),
        (["1.200 EUR", "n/a"], "write them as 1234.5"),
    ],
)
def test_numbers_that_are_written_in_another_way(cells, how):
    (found,) = warnings({"a": cells * (N // 2)})
    said = f"column 'a' is taken for texts, though values such as {cells[0]!r} look like numbers"
    assert found.startswith(f"{said}: {how}")


def test_amounts_of_which_few_have_thousands_are_almost_numbers():
    cells = [f"{1.5 + i % 990:,.2f}" for i in range(N)]
    cells[1::97] = [f"{1234.56 + i:,.2f}" for i in range(len(cells[1::97]))]
    assert warnings({"a": cells}) == [
        "column 'a' is taken for texts, though values such as '1,234.56' look like numbers: write "
        "them as 1234.5"
    ]


@pytest.mark.parametrize("cells", [["LH 400", "AF 117"], ["12", "12 b"], ["10.0.0.1", "10.0.0.2"]])
def test_what_has_a_number_in_it_is_not_almost_one(cells):
    assert warnings({"a": cells * (N // 2)}) == []


def test_a_decimal_comma_may_be_said_to_be_one():
    assert warnings({"a": ["1,250", "3,125"] * (N // 2)}, decimal=",") == []


def test_codes_with_a_zero_in_front_are_no_numbers():
    assert warnings({"zip": (["01067", "10115", "80331"] * N)[:N]}) == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["EUR", "eur", "USD"], "'EUR' and 'eur'"),
        (["New  York", "new york", "Rome"], "'New  York' and 'new york'"),
    ],
)
def test_values_that_differ_in_capitals_alone(values, said):
    assert warnings({"a": (values * N)[:N]}) == [
        "column 'a' has values that differ in nothing but capitals or blanks, "
        f"{said}: each is a value of its own; write them in one way if they are the same"
    ]


def test_answers_in_any_capitals_are_the_same():
    assert warnings({"a": ["yes", "Yes", "NO", "no"] * (N // 4)}) == []


def test_a_word_among_numbers_is_said_to_be_a_gap():
    cells = [str(i % 60) if i % 10 else "k.A." for i in range(N)]
    assert warnings({"Alter": cells}) == [
        "column 'Alter' has numbers and the word 'k.a.', which is taken for a gap: if it is a "
        "value, say --category Alter"
    ]
    assert warnings({"Alter": cells}, category=("Alter",)) == []


def test_numbers_that_may_be_versions():
    cells = ["1.1", "1.10", "1.9", "2.4"] * (N // 4)
    assert warnings({"app": cells}) == [
        "column 'app' has '1.1' and '1.10', which are the same number: if they are versions or "
        "codes, say --category app"
    ]
    assert warnings({"app": ["1.1", "1.0", "1", "2.4"] * (N // 4)}) == []
    assert warnings({"app": (["1.10", "1.50", "2.40"] * N)[:N]}) == []


def test_versions_in_a_column_that_is_called_so_are_categories():
    cells = ["1.1", "1.10", "1.9", "2.4"] * (N // 4)
    found = prepared(Memory({"app_version": cells, "b": NOISE, "y": Y}))
    assert found.profile.columns["app_version"].kind == "category"
    assert found.warnings == []


def test_a_number_that_only_grows():
    counts = np.cumsum(RANDOM.integers(0, 40, N))
    assert warnings({"total": counts}) == [
        "column 'total' only grows from row to row, so that later numbers are ones that no model "
        "has seen: if it counts rows or time, leave it out with --drop total; if the file was "
        "sorted by it, sort it by time"
    ]
    assert warnings({"total": -counts}) == []
    counts[400] = 0
    assert warnings({"total": counts}) == []


def test_a_number_that_grows_with_the_date_of_rows_in_any_order():
    order = RANDOM.permutation(N)
    days = np.datetime64("2024-01-01T00:00:00") + np.arange(N) * 3571
    counts = np.cumsum(RANDOM.integers(1, 40, N))
    columns = {"when": days[order], "total": counts[order], "size": NOISE}
    assert warnings(columns) == [
        "column 'total' only grows with the date in 'when', so that later numbers are ones that no "
        "model has seen: if it counts rows or time, leave it out with --drop total"
    ]


def test_a_value_of_its_own_in_each_row():
    assert warnings({"mail": [f"{name}@a.org" for name in range(N)]}) == [
        "column 'mail' has high cardinality, another value in nearly every row, and nothing "
        "can be learned from a value that occurs once: leave it out with --drop mail, or give what "
        "the values share a column of its own"
    ]


def some(share, y=Y):
    """A share of these rows, at random."""
    return y & (RANDOM.random(len(y)) < share)


LEAKS = {
    "a gap that is filled in later": (
        [f"c{i % 97}" if leaks else None for i, leaks in enumerate(some(0.95))],
        "have a value in it",
    ),
    "an amount that is filled in later": (
        [i % 97 + 0.5 if leaks else None for i, leaks in enumerate(some(0.9))],
        "have a value in it",
    ),
    "an amount that is zero for nearly everybody": (
        [i % 97 + 0.5 if leaks else 0.0 for i, leaks in enumerate(some(0.9))],
        "have something other than '0' in it",
    ),
    "a category of positives alone": (
        np.where(some(0.6), "high", np.where(NOISE > 0.0, "low", "medium")),
        "have 'high' in it",
    ),
    "a gap of positives alone": (
        [None if leaks else "paid" for leaks in some(0.7)],
        "have no value in it",
    ),
    "a team of nearly all positives and few others": (
        [
            f"t{i % 3}" if y or x > 2.6 else None
            for i, (x, y) in enumerate(zip(NOISE, some(0.93), strict=True))
        ],
        "have a value in it",
    ),
}


@pytest.mark.parametrize("what", LEAKS)
def test_what_positives_alone_have_is_named(what):
    cells, said = LEAKS[what]
    (found,) = warnings({"a": list(cells)})
    assert re.search(r"leak the label: [0-9.]+ % of the positives and [0-9.]+ % of the oth", found)
    assert said in found
    assert found.endswith(
        "if it is filled in only once the label is known, leave it out with --drop a"
    )


def test_a_leak_is_said_in_numbers():
    y = np.arange(2000) % 10 == 0
    cells = [None if row % 200 == 0 or not positive else "r" for row, positive in enumerate(y)]
    source = Memory({"refund": cells, "noise": RANDOM.normal(size=2000), "y": y})
    assert prepared(source).warnings == [
        "column 'refund' may leak the label: 95 % of the positives and 0 % of the others have a "
        "value in it; if it is filled in only once the label is known, leave it out with --drop "
        "refund"
    ]


def honest(seed):
    """Columns of which each says something, as those of a good table do."""
    random = np.random.default_rng(seed)
    y = random.random(N) < 0.1
    return {
        "risky country": np.where(random.random(N) < np.where(y, 0.4, 0.04), "XX", "FR"),
        "rare merchants": [f"m{i}" for i in random.integers(0, 300, N)],
        "rare value": np.where(random.random(N) < 0.01, "odd", "usual"),
        "found at night": np.where(random.random(N) < np.where(y, 0.7, 0.1), "night", None),
        "amount": np.round(np.exp(random.normal(3.0 + 2.0 * y, 1.0)), 0),
        "items": random.poisson(np.where(y, 3.0, 1.0)),
        "y": y,
    }


@pytest.mark.parametrize("seed", range(20))
def test_honest_columns_are_not_named(seed):
    found = prepared(Memory(honest(seed))).warnings
    assert [each for each in found if not each.startswith("whole numbers with few")] == []


def test_codes_that_tell_more_as_a_category():
    random = np.random.default_rng(0)
    n = 10_000
    merchants = random.permutation(200)
    codes = random.integers(0, 200, n)
    y = random.random(n) < np.where(merchants[codes] < 20, 0.6, 0.05)
    amounts = random.integers(0, 1000, n)
    y |= random.random(n) < np.where((amounts > 300) & (amounts < 400), 0.5, 0.0)
    source = Memory({"merchant.id": codes, "amount": amounts, "y": y})
    (found,) = prepared(source).warnings
    assert re.fullmatch(
        r"column 'merchant\.id' predicts the label better as a category than as a number "
        r"\(area under the ROC curve 0\.6[0-9] and 0\.5[0-9] on rows held out\): "
        r"say --category merchant\.id",
        found,
    )
    assert prepared(source, Options(category=("merchant.id",))).warnings == []


def test_codes_of_which_a_few_are_in_most_rows_tell_more_as_a_category():
    random = np.random.default_rng(0)
    n = 20_000
    merchants = random.zipf(1.3, n) % 900
    odds = random.normal(0.0, 1.2, 900)[merchants] - 3.8
    y = random.random(n) < 1.0 / (1.0 + np.exp(-odds))
    counts = random.zipf(1.6, n).clip(max=2000)
    source = Memory({"merchant.id": merchants * 7919 % 90_000, "count": counts, "y": y})
    (found,) = prepared(source).warnings
    assert found.endswith("say --category merchant.id")


@pytest.mark.parametrize(
    "chances",
    [
        lambda amounts: 1.0 / (1.0 + np.exp(3.0 - amounts / 500.0)),
        lambda amounts: np.where((amounts > 300) & (amounts < 400), 0.5, 0.03),
        lambda amounts: 0.1 + 0.09 * np.sin(amounts / 60.0),
        lambda amounts: np.full(len(amounts), 0.05),
    ],
    ids=["rising", "a band", "waves", "noise"],
)
def test_amounts_are_not_taken_for_codes(chances):
    for seed in range(10):
        random = np.random.default_rng(seed)
        amounts = random.integers(0, 1000, 20_000)
        y = random.random(20_000) < chances(amounts)
        assert prepared(Memory({"amount": amounts, "y": y})).warnings == []


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
