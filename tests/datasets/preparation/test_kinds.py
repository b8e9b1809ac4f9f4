"""What a column is taken for."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from prepared import Memory, column_of

from river_oa3.datasets.preparation import Wishes, profile
from river_oa3.datasets.preparation.column_profile import date_text
from river_oa3.datasets.preparation.names import is_called_an_id

UNIQUE_WORDS = [f"w{i:x}z" for i in range(200)]
SENTENCES = [f"word{i} and some more of them" for i in range(100)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2.5", " 12 ", "-3e4"] * 5, "number"),
        (["1", "NA", "?", "", None, "n/a", "nan", "3"] * 5, "number"),
        ([1, 2, 2] * 5, "number"),
        ([1.5, None, float("nan")] * 5, "number"),
        ([Decimal("1.5"), None] * 5, "number"),
        (["1_000", "2"] * 5, "number"),
        (["true", "FALSE", "True", " false"] * 5, "flag"),
        (["true", "NA", "false"] * 5, "flag"),
        ([True, False, None] * 5, "flag"),
        (["FR", "DE", "NA"] * 5, "category"),
        (["1", "2", "many"] * 5, "category"),
        (["true", "false", "maybe"] * 5, "category"),
        (["NA", "?"] * 5, "category"),
        (["one two three four", "five six seven eight"] * 10, "category"),
        ([f"w{i % 2000}" for i in range(5000)], "wide"),
        (SENTENCES, "text"),
        (["2024-01-31", "2023-12-01", None] * 5, "date"),
        (["2024-01-31T10:00:00Z", "2023-12-01T10:00:00+02:00"] * 5, "date"),
        (["31.1.2024", "1.12.2023"] * 5, "date"),
        (["2024/1/31", "2023/12/01 5:07"] * 5, "date"),
        (["1/31/2024", "12/1/2023"] * 5, "date"),
        (["31/1/2024", "1/12/2023", "NA"] * 5, "date"),
        (["31/1/2024", "1/31/2024"] * 5, "category"),
        (["2024-02-30", "2024-02-01"] * 5, "category"),
        ([dt.date(2024, 1, 31), dt.date(2023, 1, 1), None] * 5, "date"),
        ([dt.datetime(2024, 1, 31, 5), dt.datetime(2023, 1, 1)] * 5, "date"),
        ([dt.time(5, 30), dt.time(6)] * 5, "category"),
        ([None, None, ""] * 5, "empty"),
        (pa.nulls(20), "empty"),
        ([7] * 20, "constant"),
        (["x"] * 20, "constant"),
        (["2024-01-31"] * 20, "constant"),
        ([True] * 20, "constant"),
        ([7, None] * 10, "number"),
        (UNIQUE_WORDS, "id"),
        (UNIQUE_WORDS[:49], "category"),
        (list(range(50)), "id"),
        (list(range(49)), "number"),
        ([str(i) for i in range(100, 200)], "id"),
        ([i * i for i in range(100)], "number"),
        ([i + 0.5 for i in range(100)], "number"),
    ],
)
@pytest.mark.parametrize("batch", [3, 1000])
def test_a_column_is_taken_for(cells, expected, batch):
    assert column_of(cells, batch=batch).kind == expected


@pytest.mark.parametrize(
    "text",
    [
        "Jan 31, 2024",
        "January 31st, 2024",
        "31-Jan-2024",
        "31-JAN-24",
        "31 January 2024",
        "Wed, 31 Jan 2024 10:15:00 GMT",
        "1/31/24",
        "31/1/24",
        "31-1-2024",
        "31.01.24",
        "1/31/2024 12:15 PM",
        "Jan 31, 2024, 3:15 PM",
    ],
)
def test_a_date_is_read_however_it_is_written(text):
    found = column_of([text, "", text] * 7)
    assert found.dates is not None
    assert date_text(found.dates.earliest)[:10] == "2024-01-31"


@pytest.mark.parametrize(
    ("text", "hour"),
    [("12:05 am", 0), ("1:05 AM", 1), ("11:05 AM", 11), ("12:05 PM", 12), ("1:05pm", 13)],
)
def test_hours_of_half_days(text, hour):
    found = column_of([f"1/31/2024 {text}"] * 20)
    assert date_text(found.dates.earliest) == f"2024-01-31 {hour:02}:05:00"


@pytest.mark.parametrize("text", ["1.10.24", "Mon", "may", "5 Janitors 2024x", "10.0.0.24"])
def test_what_is_no_date(text):
    assert column_of([text, "other"] * 10).dates is None


def test_whole_numbers_that_are_all_distinct_are_an_id_where_they_are_called_one():
    cells = pa.array([i * i for i in range(20)])
    columns = {"order_id": cells, "paid": cells, "y": [0, 1] * 10}
    found = profile(Memory(columns), Wishes()).columns
    assert (found["order_id"].kind, found["paid"].kind) == ("id", "number")


@pytest.mark.parametrize(
    "name", ["id", "ID", "order_id", "orderId", "orderID", "orderid", "row", "Invoice No", "guid"]
)
def test_a_name_says_id(name):
    assert is_called_an_id(name)


@pytest.mark.parametrize("name", ["paid", "valid", "grid", "amount", "", "piano", "monkey"])
def test_a_name_does_not_say_id(name):
    assert not is_called_an_id(name)


def test_a_text_in_the_last_row_makes_texts_of_numbers():
    cells = [str(i % 7) for i in range(200_000)] + ["seven"]
    found = column_of(cells)
    assert found.kind == "category"
    assert found.values == ("0", "1", "2", "3", "4", "5", "6", "seven")


def test_a_text_in_the_last_row_makes_texts_of_many_numbers():
    found = column_of([str(i % 5000) for i in range(100_000)] + ["seven"])
    assert (found.kind, found.distinct, found.is_exact) == ("wide", 5001, True)


def test_numbers_and_flags_in_one_column_of_json_are_numbers():
    class Mixed(Memory):
        def _cells(self, start, n):
            found = super()._cells(start, n)
            values = pa.array([True, False] * 5) if start == 0 else pa.array([2.0] * 10)
            return found | {"a": found["a"]._replace(values=values)}

    source = Mixed({"a": [0.0] * 20, "y": [0, 1] * 10}, batch=10)
    assert profile(source, Wishes()).columns["a"].kind == "number"
