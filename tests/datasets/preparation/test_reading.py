"""Cells as numbers, dates and hashes, against Python's own reading of them."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_oa3.datasets.preparation.dates import GAP, as_timestamps
from river_oa3.datasets.preparation.distinct import KEPT, Distinct, hash_values
from river_oa3.datasets.preparation.number_scan import NumberScan
from river_oa3.datasets.preparation.reading import as_numbers, as_texts
from river_oa3.schema import values

FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBER_TEXTS = st.one_of(
    FINITE.map(repr),
    st.text("0123456789.eE+-_ ", max_size=10),
    st.sampled_from(["inf", "-Infinity", "nan", "1e400", "\xa07", "\uff17", "0x10", "1,5"]),
)


def number_or_none(text):
    try:
        return float(text.strip())
    except ValueError:
        return None


@settings(deadline=None)
@given(st.lists(NUMBER_TEXTS, min_size=1, max_size=4))
def test_a_text_is_a_number_where_python_reads_it(texts):
    expected = [math.nan if t.strip().lower() in values.GAPS else number_or_none(t) for t in texts]
    found = as_numbers(pa.array(texts))
    if None in expected:
        assert found is None
    else:
        np.testing.assert_array_equal(found, expected)


@settings(deadline=None)
@given(st.lists(st.decimals(-1000, 1000, places=7), min_size=1, max_size=5))
def test_a_decimal_is_the_nearest_float(decimals):
    found = as_numbers(pa.array(decimals, pa.decimal128(20, 7)))
    np.testing.assert_array_equal(found, [float(number) for number in decimals])


def test_a_large_integer_is_the_nearest_float():
    found = as_numbers(pa.array([2**53 + 1, 2**62 + 1, None]))
    np.testing.assert_array_equal(found, [2.0**53, 2.0**62, math.nan])


@settings(deadline=None)
@given(st.lists(FINITE, min_size=1, max_size=5))
def test_a_number_is_spelled_so_that_it_reads_as_itself(numbers):
    assert [float(text) for text in as_texts(pa.array(numbers)).to_pylist()] == numbers


DATE_TEXTS = [
    "2024-01-31",
    "2024-01-31 05:07",
    "2024-01-31T05:07:09.5",
    "2024-01-31T05:07:09.123456789",
    "2024-01-31T05:07:09Z",
    "2024-01-31 05:07:09 UTC",
    "2024-01-31 05:07:09+02:00",
    "2024-01-31 05:07:09 -0530",
    "2024/1/31",
    "2024/01/31 5:07",
    "31.1.2024",
    "31.01.2024 17:05:33",
    "3/4/2024",
    "03/04/2024 5:07",
    "3-4-2024",
    "3/4/24",
    "31.01.24",
    "Jan 5, 2024",
    "05-Jan-24",
    "Fri, 5 Jan 2024 17:05:33",
    "3/4/2024 5:07 PM",
    "1969-12-31 23:59:59.999999",
]


def microseconds(text, day_first):
    """What a row's date is read as."""
    return (values.date(text, day_first) - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)


@pytest.mark.parametrize("day_first", [True, False])
@pytest.mark.parametrize("text", DATE_TEXTS)
def test_a_date_of_a_file_is_read_as_that_of_a_row(text, day_first):
    assert as_timestamps(pa.array([text, None, "NA"]), day_first).tolist() == [
        microseconds(text, day_first),
        GAP,
        GAP,
    ]


def test_dates_of_all_forms_may_stand_in_one_column():
    found = as_timestamps(pa.array(DATE_TEXTS), True).tolist()
    assert found == [microseconds(text, True) for text in DATE_TEXTS]


@pytest.mark.parametrize(
    "text", ["2024-13-01", "2024-02-30", "31/31/2024", "2024", "20240131", "x", "12:30"]
)
def test_what_is_not_a_date_is_not_read_as_one(text):
    assert as_timestamps(pa.array(["2024-01-31", text]), True) is None


def test_nanoseconds_before_1970_are_rounded_as_python_does():
    cells = pa.array([-1], pa.int64()).cast(pa.timestamp("ns"))
    assert as_timestamps(cells).tolist() == [-1]


@pytest.mark.parametrize("values", [range(0), range(5), range(KEPT - 1)])
def test_distinct_values_are_counted_as_long_as_they_are_few(values):
    distinct = Distinct()
    for _ in range(2):
        distinct.add(hash_values(np.array(values, dtype=np.float64)))
    assert (distinct.count, distinct.is_exact) == (len(values), True)


@pytest.mark.parametrize("as_text", [str, "user {}".format])
def test_many_distinct_values_are_estimated_to_a_few_per_cent(as_text):
    distinct = Distinct()
    for start in range(0, 200_000, 50_000):
        distinct.add(hash_values(pa.array([as_text(i) for i in range(start, start + 60_000)])))
    assert not distinct.is_exact
    assert distinct.count == pytest.approx(210_000, rel=0.03)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1).filter(str.strip), unique=True, max_size=20))
def test_texts_that_differ_have_hashes_that_differ(texts):
    texts = [text for text in texts if number_or_none(text) is None]
    padded = pa.array(["before", *texts], pa.string()).slice(1)
    assert len(set(hash_values(padded).tolist())) == len(texts)


def test_long_texts_are_hashed_in_parts():
    texts = [f"{'x' * 100_000}{i}" for i in range(200)]
    assert len(set(hash_values(pa.array(texts)).tolist())) == 200


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(-1e6, 1e6), max_size=20), max_size=5))
def test_mean_and_deviation_do_not_depend_on_the_chunks(chunks):
    scan, everything = NumberScan(), [number for chunk in chunks for number in chunk]
    for chunk in chunks:
        scan.add(np.array(chunk), 0)
    assert scan.count == len(everything)
    if everything:
        assert scan.mean == pytest.approx(np.mean(everything), abs=1e-6)
        assert scan.deviation == pytest.approx(np.std(everything), abs=1e-3, rel=1e-6)
        assert (scan.smallest, scan.largest) == (min(everything), max(everything))


def test_the_mean_of_the_largest_numbers_is_finite():
    scan = NumberScan()
    for _ in range(2):
        scan.add(np.array([1.7e308, 1.7e308, -1.7e308]), 0)
    assert math.isfinite(scan.mean)
