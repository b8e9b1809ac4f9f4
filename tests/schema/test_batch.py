"""A batch becomes the sparse rows of the features that its rows become one by one."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from river_oa3 import Schema
from river_oa3._core.category import Category, kept_text
from river_oa3.schema import Column
from river_oa3.schema.batch import Encoder

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=9)
DATES = st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1))
ZONES = st.sampled_from(["", "Z", "+02:00", "-0530", " UTC"])
ZONED = pa.timestamp("ms", "Europe/Berlin")


def days(form):
    return st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)).map(lambda day: day.strftime(form))


# Of each: the column, its cells, and their type in Arrow.
CELLS = {
    "numbers": ("number", NUMBERS.map(repr) | st.integers().map(str) | TEXTS, pa.string()),
    "padded numbers": ("number", NUMBERS.map(lambda number: f" {number}\t"), pa.string()),
    "commas": (
        Column("number", decimal=",", gaps=("k.A.",)),
        st.sampled_from(["1.234,5", "-,5", "1.5", "K.A.", "12", ",", "1e5"]),
        pa.string(),
    ),
    "floats": ("number", st.floats(), pa.float64()),
    "short floats": ("number", st.floats(width=32), pa.float32()),
    "integers": ("number", st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "decimals": ("number", st.decimals(-1000, 1000, places=3), pa.decimal128(9, 3)),
    "flags as numbers": ("number", st.booleans(), pa.bool_()),
    "categories": ("category", TEXTS | st.sampled_from(["1.0", "NA", "1"]), pa.string()),
    "codes": ("category", st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "floats as categories": ("category", st.floats(), pa.float64()),
    "flags as categories": ("category", st.booleans(), pa.bool_()),
    "dates as categories": ("category", st.dates(), pa.date32()),
    "a dictionary": ("category", st.sampled_from("abc"), pa.dictionary(pa.int8(), pa.string())),
    "long words": ("text", st.integers(0, 2).map(lambda n: f"a {'b' * 300}{n}"), pa.string()),
    "texts": ("text", st.lists(TEXTS, max_size=6).map(" ".join), pa.large_string()),
    "dates": ("date", DATES.map(str) | TEXTS, pa.string()),
    "zoned dates": (
        "date",
        st.tuples(DATES, ZONES).map(lambda pair: f"{pair[0]}{pair[1]}"),
        pa.string(),
    ),
    "days": ("date", days("%Y-%m-%d"), pa.string()),
    "german days": (Column("date", hours=False), days("%d.%m.%Y"), pa.string()),
    "british days": (Column("date", day_first=True), days("%d/%m/%Y"), pa.string()),
    "american days": (Column("date", day_first=False), days("%m/%d/%Y"), pa.string()),
    "days of doubt": ("date", days("%m/%d/%Y"), pa.string()),
    "formatted days": (Column("date", form="%d %b %Y"), days("%d %b %Y"), pa.string()),
    "seconds": (Column("date", form="seconds"), st.integers(-(10**12), 10**12), pa.int64()),
    "typed dates": ("date", DATES, pa.timestamp("us")),
    "fine dates": ("date", DATES, pa.timestamp("ns")),
    "dates in a zone": (
        "date",
        DATES.map(lambda date: date.replace(microsecond=0, tzinfo=dt.UTC)),
        ZONED,
    ),
    "typed days": ("date", st.dates(), pa.date32()),
    "times": ("time", st.times().map(str) | st.sampled_from(["9:05 pm", "24:00"]), pa.string()),
    "typed times": ("time", st.times(), pa.time64("us")),
    "flags": ("boolean", st.sampled_from(["true", "NO", " 1", "maybe"]), pa.string()),
    "typed flags": ("boolean", st.booleans(), pa.bool_()),
    "lists": ("category", st.lists(st.integers(0, 3)), pa.list_(pa.int64())),
}
GAPS = ["", " ", "NA", "?", "nan", None]
ROWS = 8


def by_row(schema, rows):
    """The features of each row without its zeros, as a model keeps them, or what is wrong."""
    found = []
    for row in rows:
        try:
            x = schema.transform_one(row)
        except ValueError as error:
            found.append(str(error))
        else:
            found.append({k: kept(v) for k, v in x.items() if v != 0.0})
    return found


def kept(value):
    return kept_text(value) if isinstance(value, str) else value


def by_batch(schema, batches):
    """The same from the sparse rows."""
    encoder, found = Encoder(schema), []
    for columns, n in batches:
        errors = {}
        rows = encoder.encode(columns, n, errors)
        assert rows.data.all()
        assert rows.indices.dtype == np.int32
        stops = np.cumsum(rows.counts)
        for row, (start, stop) in enumerate(zip(stops - rows.counts, stops, strict=True)):
            if row in errors:
                assert start == stop
                found.append(str(errors[row]))
                continue
            entries = zip(rows.indices[start:stop], rows.data[start:stop], strict=True)
            pairs = [entry(encoder.names[j], value) for j, value in entries]
            assert len(dict(pairs)) == len(pairs)
            found.append(dict(pairs))
    return found


def entry(name, value):
    if isinstance(name, Category):
        assert value == 1.0
        return name.name, name.value
    return name, None if math.isnan(value) else float(value)


@pytest.mark.parametrize("kind", CELLS)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_batch_is_its_rows(kind, data):
    column, cell, type_ = CELLS[kind]
    gaps = GAPS if pa.types.is_string(type_) or pa.types.is_large_string(type_) else [None]
    cells = data.draw(st.lists(cell | st.sampled_from(gaps), min_size=ROWS, max_size=ROWS))
    if kind == "fine dates":  # beyond them there is none in nanoseconds
        cells = [c if c is None or c.year > 1700 else None for c in cells]
    values = pa.array(cells, type_)
    # As Arrow gives them back: a float of 32 bits is another one than was drawn.
    python = values.cast(pa.timestamp("us")) if kind == "fine dates" else values
    rows = [{"c": cell, "other": i} for i, cell in enumerate(python.to_pylist())]
    schema = Schema({"c": column, "other": "number"})
    cut = data.draw(st.integers(0, ROWS))
    batches = [
        ({"c": values[a:b], "other": pa.array(range(a, b))}, b - a)
        for a, b in ((0, cut), (cut, ROWS))
    ]
    assert by_batch(schema, batches) == by_row(schema, rows)


@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "a": st.none() | st.floats(-2, 2),
                "b": st.sampled_from(["u", "v w", ""]),
                "c": st.sampled_from(["u", "v", None]),
                "x": st.none(),
            },
        ),
        min_size=1,
    ),
    sparse=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_rows_that_lack_columns_are_encoded_alike(rows, sparse):
    kinds = zip("abc", ("number", "text", "category"), sparse, strict=True)
    schema = Schema({name: Column(kind, sparse=flag) for name, kind, flag in kinds})
    columns = {}
    for name in "abcx":
        having = [i for i, row in enumerate(rows) if name in row]
        if having:
            values = pa.array([rows[i][name] for i in having])
            columns[name] = (values, np.array(having, dtype=np.int64))
    found = by_batch(schema, [(columns, len(rows))])
    # A batch has the columns that any of its rows has.
    expected = [
        text.split(" It has")[0] if isinstance(text, str) else text for text in by_row(schema, rows)
    ]
    assert [
        text.split(" It has")[0] if isinstance(text, str) else text for text in found
    ] == expected


def test_the_first_bad_row_is_refused_where_nobody_asks_for_the_errors():
    encoder = Encoder(Schema({"a": "number", "b": "number"}))
    with pytest.raises(ValueError, match="column 'b' holds 'x', not a number"):
        encoder.encode({"a": pa.array(["1", "2", "y"]), "b": pa.array(["1", "x", "3"])}, 3)


def test_text_that_is_not_utf_8_is_refused_in_its_row_alone():
    values = pa.array([b"red", b"\xff", b"blue"]).view(pa.binary()).cast(pa.string(), safe=False)
    errors = {}
    rows = Encoder(Schema({"c": "category"})).encode({"c": values}, 3, errors)
    assert list(errors) == [1]
    assert rows.counts.tolist() == [1, 0, 1]
