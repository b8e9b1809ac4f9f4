"""Arrow's columns and maps become the events that dictionaries would have been."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from arrow_events import as_columns, as_maps, events_of, meant
from hypothesis import given
from hypothesis import strategies as st

from river_oa3 import AutoOA3Classifier, OA3Classifier
from river_oa3._core.category import kept_text
from river_oa3.scoring import rows_of_columns, rows_of_maps
from river_oa3.scoring.rows import Packed

numbers = st.none() | st.just(math.nan) | st.just(0.0) | st.floats(-1e9, 1e9)
LONG = "né" * 200
texts = st.none() | st.sampled_from(["", "red", "né", "0", LONG, LONG + "x", kept_text(LONG)])
column_events = st.lists(
    st.fixed_dictionaries({"a": numbers, "b": numbers, "colour": texts, "land": texts}),
    min_size=1,
    max_size=20,
)
map_events = st.lists(st.dictionaries(st.sampled_from("abcde"), numbers, max_size=5), max_size=20)
text_maps = st.lists(st.dictionaries(st.sampled_from("abc"), texts, max_size=3), max_size=20)


@given(column_events)
def test_columns_become_the_events_of_dictionaries(events):
    rows = rows_of_columns(as_columns(events, ("a", "b", "colour", "land")))
    assert events_of(rows) == [meant(x) for x in events]
    assert rows.errors == {}


@given(map_events)
def test_maps_become_the_events_of_dictionaries(events):
    assert events_of(rows_of_maps(as_maps(events))) == [meant(x) for x in events]


@given(text_maps)
def test_maps_of_texts_become_categories(events):
    rows = rows_of_maps(as_maps(events, pa.string()))
    assert events_of(rows) == [meant(x, texts="abc") for x in events]


@given(map_events, st.integers(0, 20), st.integers(0, 20))
def test_a_slice_of_maps_is_the_slice_of_its_events(events, start, length):
    rows = rows_of_maps(as_maps(events).slice(min(start, len(events)), length))
    assert events_of(rows) == [meant(x) for x in events][start:][:length]


@given(column_events, st.integers(0, 20), st.integers(0, 20))
def test_a_slice_of_columns_is_the_slice_of_its_events(events, start, length):
    whole = as_columns(events, ("a", "colour"))
    part = {name: column.slice(min(start, len(column)), length) for name, column in whole.items()}
    wanted = [{name: x[name] for name in ("a", "colour")} for x in events][start:][:length]
    assert events_of(rows_of_columns(part)) == [meant(x) for x in wanted]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.int8(), [1, None, -3]),
        (pa.int64(), [2**40, 0, None]),
        (pa.uint64(), [2**63, 1, None]),
        (pa.bool_(), [True, False, None]),
        (pa.float32(), [0.5, None, -2.0]),
        (pa.decimal128(10, 2), [Decimal("3.25"), None, Decimal("-0.50")]),
        (pa.null(), [None, None, None]),
    ],
)
def test_every_kind_of_number_is_taken_as_a_float(kind, values):
    rows = rows_of_columns({"a": pa.array(values, kind)})
    assert events_of(rows) == [meant({"a": value}) for value in values]


def test_a_dictionary_of_texts_is_as_good_as_its_texts():
    texts = pa.array(["red", None, "green", "red"])
    assert events_of(rows_of_columns({"colour": texts.dictionary_encode()})) == events_of(
        rows_of_columns({"colour": texts})
    )


def test_a_dictionary_that_holds_null_has_missing_values():
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["red", None]))
    assert events_of(rows_of_columns({"colour": encoded})) == [
        {"colour": "red"},
        {},
        {"colour": "red"},
    ]


def test_no_columns_are_no_events():
    assert len(rows_of_columns({})) == 0


# What one process refuses


def refusal(model, x):
    with pytest.raises((TypeError, ValueError)) as refused:
        model.predict_one(x)
    return str(refused.value)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinity_is_refused_in_the_words_of_one_process(value):
    rows = rows_of_columns({"b": pa.array([1.0, 2.0]), "a": pa.array([1.0, value])})
    assert rows.errors == {1: refusal(AutoOA3Classifier(), {"b": 2.0, "a": value})}
    assert rows.event(1) == {}


@pytest.mark.parametrize("value", [math.inf, math.nan, None])
def test_the_papers_learners_refuse_in_the_words_of_one_process(value):
    column = pa.array([value, 1.0])
    rows = rows_of_columns({"a": column}, is_raw=False)
    assert rows.errors == {0: refusal(OA3Classifier(), {"a": value})}
    maps = rows_of_maps(as_maps([{"a": value}, {"a": 1.0}]), is_raw=False)
    assert maps.errors == rows.errors


def test_the_papers_learners_refuse_texts_in_the_words_of_one_process():
    words = refusal(OA3Classifier(), {"colour": "red"})
    assert rows_of_columns({"colour": pa.array(["red"])}, is_raw=False).errors == {0: words}
    maps = as_maps([{}, {"colour": "red"}], pa.string())
    assert rows_of_maps(maps, is_raw=False).errors == {1: words}


def test_a_null_map_is_refused_and_an_empty_one_is_an_event():
    maps = pa.array([None, [], [("a", 1.0)]], pa.map_(pa.string(), pa.float64()))
    rows = rows_of_maps(maps)
    assert rows.errors == {0: refusal(AutoOA3Classifier(), None)}
    assert events_of(rows) == [{}, {}, {"a": 1.0}]


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 9)), max_size=4)))
def test_a_name_that_is_there_twice_is_refused(events):
    rows = rows_of_maps(pa.array(events, pa.map_(pa.string(), pa.float64())))
    for i, event in enumerate(events):
        if len(dict(event)) == len(event):
            assert i not in rows.errors
            assert rows.event(i) == meant(dict(event))
        else:
            names = [name for name, _ in event]
            again = next(name for k, name in enumerate(names) if name in names[:k])
            assert rows.errors[i] == f"feature {again!r} is there more than once"
            assert rows.event(i) == {}


numbers_of_three = st.lists(st.tuples(numbers | st.just(math.inf), numbers, texts), min_size=1)


@pytest.mark.parametrize("is_raw", [True, False])
@given(events=numbers_of_three)
def test_packed_numbers_are_the_same_rows_as_columns(is_raw, events):
    a, b, texts_ = (list(column) for column in zip(*events, strict=True))
    columns = {"a": pa.array(a, pa.float64()), "b": pa.array(b, pa.float64())}
    lists = pa.array([list(pair) for pair in zip(a, b, strict=True)], pa.list_(pa.float64()))
    alone = rows_of_columns(columns, is_raw)
    together = rows_of_columns({}, is_raw, Packed(lists, ("a", "b"), (0, 1)))
    assert_same(alone, together)
    # A text between them.
    text = pa.array(texts_, pa.string())
    alone = rows_of_columns({"a": columns["a"], "t": text, "b": columns["b"]}, is_raw)
    together = rows_of_columns({"t": text}, is_raw, Packed(lists, ("a", "b"), (0, 2)))
    assert_same(alone, together)


def assert_same(rows, others):
    np.testing.assert_array_equal(rows.data, others.data)
    assert [rows.names[i] for i in rows.indices] == [others.names[i] for i in others.indices]
    assert rows.indptr.tolist() == others.indptr.tolist()
    assert rows.errors.keys() == others.errors.keys()


def test_packed_numbers_are_refused_in_the_same_words():
    values = [[1.0, None, math.nan], [math.inf, 2.0, 3.0], [1.0, 2.0, 3.0]]
    lists = pa.array(values, pa.list_(pa.float64()))
    # A part of a longer list, as Arrow slices them.
    packed = Packed(pa.concat_arrays([lists, lists])[3:], ("a", "b", "c"), (0, 1, 2))
    columns = {
        name: pa.array([each[j] for each in values], pa.float64()) for j, name in enumerate("abc")
    }
    for is_raw in (True, False):
        expected = rows_of_columns(columns, is_raw).errors
        assert rows_of_columns({}, is_raw, packed).errors == expected
        assert 2 not in expected
        assert 1 in expected


# What is not UTF-8, which files and Spark may hold all the same


def texts_of(values):
    """Texts of any bytes."""
    offsets = np.cumsum([0, *(len(value or b"") for value in values)]).astype(np.int32)
    valid = np.packbits([value is not None for value in values], bitorder="little")
    buffers = [pa.py_buffer(valid.tobytes()), pa.py_buffer(offsets.tobytes())]
    content = pa.py_buffer(b"".join(value or b"" for value in values))
    return pa.Array.from_buffers(pa.string(), len(values), [*buffers, content])


def test_texts_that_are_not_utf8_are_refused_row_by_row():
    texts = texts_of([b"\xff", None, b"red", b"\xff\xfe", "é".encode()])
    for column in (texts, texts.dictionary_encode()):
        rows = rows_of_columns({"colour": column})
        words = "feature 'colour' is text that is not in UTF-8"
        assert rows.errors == {0: words, 3: words}
        assert events_of(rows) == [{}, {}, {"colour": "red"}, {}, {"colour": "é"}]


def test_names_and_texts_of_maps_that_are_not_utf8_are_refused_row_by_row():
    offsets = pa.array([0, 1, 2, 2, 3], pa.int32())
    ones = pa.array([1.0, 1.0, 1.0])
    maps = pa.MapArray.from_arrays(offsets, texts_of([b"a", b"\xff", b"b"]), ones)
    rows = rows_of_maps(maps)
    assert rows.errors == {1: "the name of a feature is text that is not in UTF-8"}
    assert events_of(rows) == [{"a": 1.0}, {}, {}, {"b": 1.0}]
    texts = texts_of([b"\xff", b"red", None])
    rows = rows_of_maps(pa.MapArray.from_arrays(offsets, pa.array(["a", "b", "c"]), texts))
    assert rows.errors == {0: "feature 'a' is text that is not in UTF-8"}
    assert events_of(rows) == [{}, {"b": "red"}, {}, {}]


def test_decimals_are_the_floats_that_python_makes_of_them():
    values = [Decimal(i) / 1000 for i in range(-999, 1000)] + [None]
    rows = rows_of_columns({"a": pa.array(values, pa.decimal128(12, 3))})
    wanted = [math.nan if value is None else float(value) for value in values]
    assert rows.data.tolist() == pytest.approx(wanted, rel=0, abs=0, nan_ok=True)
