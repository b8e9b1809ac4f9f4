"""What a column is taken for."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal

import pyarrow as pa
import pytest
from prepared import Memory, column_of

from river_oa3.datasets.preparation import Options, profile
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
        (["true", "FALSE", "True", " false"] * 5, "boolean"),
        (["true", "NA", "false"] * 5, "boolean"),
        (["yes", "No", "Yes", None] * 5, "boolean"),
        (["Y", "n", "?"] * 5, "boolean"),
        (["f", "m"] * 5, "category"),
        ([True, False, None] * 5, "boolean"),
        (["FR", "DE", "NA"] * 5, "category"),
        (["1", "2", "many"] * 5, "category"),
        (["true", "false", "maybe"] * 5, "category"),
        (["NA", "?"] * 5, "category"),
        (["one two three four", "five six seven eight"] * 10, "category"),
        ([f"w{i % 2000}" for i in range(5000)], "category"),
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
        ([dt.time(5, 30), dt.time(6)] * 5, "time"),
        (["12:30:05", "9:15", None, "00:00:00.5"] * 5, "time"),
        (["12:30 PM", "1:05am"] * 5, "time"),
        ([f"{i // 60:02}:{i % 60:02}:17" for i in range(1400)], "time"),
        (["12:30", "25:00"] * 5, "category"),
        (["13:05 pm", "1:05 am"] * 5, "category"),
        ([None, None, ""] * 5, "empty"),
        (pa.nulls(20), "empty"),
        ([7] * 20, "constant"),
        (["x"] * 20, "constant"),
        (["2024-01-31"] * 20, "constant"),
        ([True] * 20, "constant"),
        ([7, None] * 10, "number"),
        (UNIQUE_WORDS, "category"),
        ([f"anna{i}@mail.org" for i in range(200)], "category"),
        ([str(uuid.UUID(int=i * 7**40 % 2**128)) for i in range(200)], "id"),
        ([f"{i * 7**20 % 2**64:016x}" for i in range(2000)], "id"),
        ([f"p-{i:06}" for i in range(200)], "id"),
        ([f"INV-2024-{i * 7919 % 100_003}" for i in range(2000)], "id"),
        ([f"p-{i:06}" for i in range(49)], "category"),
        ([f"p-{i % 100:06}" for i in range(200)], "category"),
        ([f"+49 30 {i * 7919 % 1_000_003}" for i in range(200)], "category"),
        ([f"+49 {i % 9} 30 {i * 7919 % 1_000_003}" for i in range(2000)], "category"),
        (["01234", "10115", "99999"] * 20, "category"),
        (["0", "0.5", "-0.5", "00.5"] * 20, "number"),
        ([f"{i:05}" for i in range(1000)], "id"),
        (["1.10", "1.9.1", "2.0"] * 20, "category"),
        (list(range(50)), "id"),
        (list(range(49)), "number"),
        ([str(i) for i in range(100, 200)], "id"),
        ([i * i for i in range(100)], "number"),
        ([i * i for i in range(100)][::-1], "number"),
        ([1000 - 7 * i for i in range(100)], "id"),
        ([1001 + 3 * i + i % 3 for i in range(100)], "id"),
        ([i * 77 % 100 for i in range(100)], "id"),
        ([i * 77 % 101 for i in range(100)], "number"),
        ([2**60 + i for i in range(200)], "id"),
        ([str(2**60 + 64 * i) for i in range(2000)], "id"),
        ([2**62 + i * (2**22 + i) for i in range(200)], "id"),
        ([2**62 + 64 * (i * 77 % 201) for i in range(201)], "id"),
        ([2**62 + i * 7919 % 1500 for i in range(9000)], "category"),
        ([2**62 + i % 7 for i in range(200)], "category"),
        ([str(-(2**62) - i % 7) for i in range(200)], "category"),
        ([2**60 * (i % 7) for i in range(200)], "number"),
        ([2.0**62 * (1 + i % 7) for i in range(200)], "number"),
        ([20240101 + 100 * (i % 12) + i % 28 for i in range(200)], "date"),
        ([str(20240101 + 100 * (i % 12) + i % 28) for i in range(200)], "date"),
        ([20240101 + 100 * (i % 12) + i % 31 for i in range(200)], "number"),
        ([1_700_000_000 + 7919 * i % 10_000_019 for i in range(200)], "date"),
        ([1_700_000_000_000 + 7919 * i % 10_000_019 for i in range(200)], "date"),
        ([1_700_000_000.25 + 7919 * i for i in range(200)], "date"),
        ([1_000_000_000 + 79_190_017 * i % 5_000_000_029 for i in range(200)], "number"),
        ([1_700_000_000 + i for i in range(200)], "id"),
        (["1.234,56", "12,5", "7", "NA", "-1.000"] * 20, "number"),
        (["1,234", "2,345", "7"] * 20, "category"),
        (["1,234.56", "12,345.00"] * 20, "category"),
        ([*map(str, range(40)), *["k.A.", "K.A."] * 4], "number"),
        ([*map(str, range(40)), *["k.A."] * 50], "category"),
        ([*map(str, range(40)), "low", "high"], "category"),
        ([*map(str, range(40)), "40+"], "category"),
        ([*[f"{i},5" for i in range(40)], *["k.A."] * 4], "number"),
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


def test_numbers_in_other_writings_say_how_they_are_written():
    found = column_of(["1.234,56", "12,5", "7", "-1.000", ""] * 20)
    assert (found.decimal, found.smallest, found.largest) == (",", -1000.0, 1234.56)
    assert (found.gaps, found.distinct, found.values) == (20, 4, ("-1000", "12.5", "1234.56", "7"))


@pytest.mark.parametrize("batch", [3, 1000])
def test_one_word_among_numbers_is_a_gap(batch):
    cells = [str(i % 60) if i % 10 else ("k.A.", "K.A.")[i % 20 > 9] for i in range(600)]
    found = column_of(cells, batch=batch)
    assert (found.kind, found.gaps, found.gap_words) == ("number", 60, ("k.a.",))
    assert (found.distinct, found.smallest, found.largest) == (54, 1.0, 59.0)


@pytest.mark.parametrize(
    ("cells", "form", "earliest", "latest"),
    [
        ([20240131, 20231201] * 9, "%Y%m%d", "2023-12-01", "2024-01-31"),
        ([1706659200, 1701388800] * 9, "seconds", "2023-12-01", "2024-01-31"),
        (["1706659200000", "1701388800000"] * 9, "milliseconds", "2023-12-01", "2024-01-31"),
    ],
)
def test_numbers_that_are_dates_in_a_column_that_is_called_so(cells, form, earliest, latest):
    columns = {"booked_at": cells, "amount": cells, "y": [0, 1] * 9}
    found = profile(Memory(columns), Options()).columns
    dates = found["booked_at"].dates
    assert (dates.form, date_text(dates.earliest), date_text(dates.latest)) == (
        form,
        earliest,
        latest,
    )
    # Two different numbers may be anything.
    assert found["amount"].kind == "number"


def test_whole_numbers_that_are_all_distinct_are_an_id_where_they_are_called_one():
    cells = pa.array([i * i for i in range(20)])
    columns = {"order_id": cells, "paid": cells, "y": [0, 1] * 10}
    found = profile(Memory(columns), Options()).columns
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
    found = column_of([str(i % 5000) for i in range(100_000)] + ["seven", "eight", "nine"])
    assert (found.kind, found.distinct, found.is_exact) == ("category", 5003, True)


def test_numbers_and_flags_in_one_column_of_json_are_numbers():
    class Mixed(Memory):
        def _cells(self, start, n):
            found = super()._cells(start, n)
            values = pa.array([True, False] * 5) if start == 0 else pa.array([2.0] * 10)
            return found | {"a": found["a"]._replace(values=values)}

    source = Mixed({"a": [0.0] * 20, "y": [0, 1] * 10}, batch=10)
    assert profile(source, Options()).columns["a"].kind == "number"
