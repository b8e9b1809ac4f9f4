"""JSON lines, in chunks."""

from __future__ import annotations

import json
import math

import pytest
from data_helpers import PACKERS, refused, written
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import rows_of, types_of

from river_oa3.datasets.sources import json_lines, open_source


def source_of(folder, *lines):
    return open_source(written(folder, "toy.jsonl", "\n".join(lines)))


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kind", [".jsonl", ".ndjson"])
def test_json_lines_are_unpacked(tmp_path, kind, suffix):
    packed = PACKERS[suffix](b'{"a": "x"}\r\n\n{"a": "y"}')
    source = open_source(written(tmp_path, f"toy{kind}{suffix}", packed))
    assert (source.kind, source.name, source.columns) == ("JSON lines", "toy", None)
    assert rows_of(source) == rows_of(source) == [{"a": "x"}, {"a": "y"}]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5, None], "double"),
        ([1.5, 2.5, None], "double"),
        ([1, True], "double"),
        ([True, False, None], "bool"),
        (["x", None], "string"),
        ([None, None], "null"),
    ],
)
def test_values_of_one_kind_keep_it(tmp_path, values, kind):
    source = source_of(tmp_path, *(json.dumps({"a": value}) for value in values))
    assert types_of(source) == [{"a": kind}]
    assert [row["a"] for row in rows_of(source)] == values


def test_a_number_among_texts_is_one(tmp_path):
    source = source_of(tmp_path, *(f'{{"a": {text}}}' for text in ('"x"', "1", "2.50", "true")))
    assert [row["a"] for row in rows_of(source)] == ["x", "1", "2.5", "true"]


def test_a_key_that_is_not_there_is_no_gap(tmp_path):
    source = source_of(tmp_path, '{"a": 1}', '{"b": null, "a": 2}', "{}")
    assert rows_of(source) == [{"a": 1.0}, {"b": None, "a": 2.0}, {}]


def test_a_key_that_is_everywhere_says_so(tmp_path):
    (batch,) = source_of(tmp_path, '{"a": 1}', '{"b": 3, "a": 2}').batches()
    assert batch.columns["a"].rows is None
    assert batch.columns["b"].rows.tolist() == [1]


def test_infinity_and_nan_are_numbers(tmp_path):
    first, second, third = rows_of(source_of(tmp_path, '{"a": Infinity}', '{"a": NaN}', "{}"))
    assert first == {"a": math.inf}
    assert math.isnan(second["a"])
    assert third == {}


@pytest.mark.parametrize("name", ["", "a" * 100_000, "two\nlines", "größe"])
def test_a_key_may_be_any_text(tmp_path, name):
    assert rows_of(source_of(tmp_path, json.dumps({name: 1}))) == [{name: 1.0}]


def test_a_byte_order_mark_is_passed_over(tmp_path):
    assert rows_of(written(tmp_path, "toy.jsonl", '\ufeff{"a": 1}\n')) == [{"a": 1.0}]


def test_the_line_of_an_object_counts_blank_ones(tmp_path):
    source = source_of(tmp_path, "", '{"a": 1}', "", " ", '{"a": 2}')
    assert source.where(1, "a") == f"{source.path}, line 5, column 'a'"
    assert source.where(7) == f"{source.path}, event 8"


@given(
    rows=st.lists(st.dictionaries(st.text("ab", max_size=2), st.text(max_size=3)), min_size=1),
    size=st.integers(1, 5),
)
def test_where_batches_end_does_not_matter(tmp_path_factory, rows, size):
    text = "\n".join(json.dumps(row) for row in rows)
    path = written(tmp_path_factory.mktemp("json"), "toy.jsonl", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "_BATCH_ROWS", size)
        assert rows_of(path) == rows


@pytest.mark.parametrize(
    "line", ["[1, 2]", "1", "null", '"a"', "{", '{"a": 1', "{'a': 1}", '{"a": 1} {"a": 2}', "a,b"]
)
def test_a_line_that_is_no_object_is_refused_by_its_number(tmp_path, line):
    source = source_of(tmp_path, '{"a": 1}', "", line)
    with refused(f"{source.path}, line 3", "one whole object on each line"):
        rows_of(source)


def test_an_object_in_an_object_is_flattened(tmp_path):
    line = '{"a": {"b": 1, "c": {"d": "x", "e": {}}}, "f": {"b": true}, "g": 2}'
    assert rows_of(source_of(tmp_path, line)) == [{"a.b": 1.0, "a.c.d": "x", "f.b": True, "g": 2.0}]


def test_a_key_that_is_an_object_in_some_lines_alone(tmp_path):
    source = source_of(tmp_path, '{"a": {"b": 1}}', '{"a": null}', '{"a": 3}')
    assert rows_of(source) == [{"a.b": 1.0}, {"a": None}, {"a": 3.0}]


def test_a_key_that_is_called_as_one_in_an_object_is_refused(tmp_path):
    with refused("line 1: key 'a.b' stands twice, once as a key in an object: rename one"):
        rows_of(source_of(tmp_path, '{"a": {"b": 1}, "a.b": 2}'))


def test_lists_are_of_a_type_that_is_no_feature(tmp_path):
    source = source_of(tmp_path, '{"a": 1, "b": 2}', '{"a": [1, 2], "b": 3}')
    assert types_of(source) == [{"a": "list<item: null>", "b": "double"}]


@pytest.mark.parametrize("suffix", PACKERS)
def test_an_encoding_may_be_named(tmp_path, suffix):
    content = PACKERS[suffix]('{"größe": "é"}\n'.encode("latin-1"))
    path = written(tmp_path, f"toy.jsonl{suffix}", content)
    assert rows_of(open_source(path, encoding="latin-1")) == [{"größe": "é"}]


@pytest.mark.parametrize("other", ["1", '"x"'])
@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_number_beyond_floats_is_refused_by_line_and_column(tmp_path, digits, other):
    source = source_of(tmp_path, f'{{"a": {other}}}', f'{{"a": {"9" * digits}}}')
    with refused(f"{source.path}, line 2, column 'a'", "too large", "write it as a text"):
        rows_of(source)


def test_a_key_that_stands_twice_is_refused_by_its_line(tmp_path):
    source = source_of(tmp_path, '{"a": 1}', '{"b": 1, "a": 1, "b": 2}')
    with refused(f"{source.path}, line 2", "'b'", "twice", "rename"):
        rows_of(source)


@pytest.mark.parametrize("line", ['{"a": ' + "[" * 100_000, '{"a":' * 100_000, "[" * 900])
def test_deep_nesting_is_refused_by_its_line(tmp_path, line):
    source = source_of(tmp_path, '{"a": 1}', line)
    with refused(f"{source.path}, line 2", "one whole object on each line"):
        rows_of(source)


def test_half_a_character_in_a_text_is_refused_by_line_and_column(tmp_path):
    source = source_of(tmp_path, '{"a": "x"}', '{"a": "\\ud800"}')
    with refused(f"{source.path}, line 2, column 'a'", "half a character", "replace it"):
        rows_of(source)


def test_half_a_character_in_a_key_is_refused_by_its_line(tmp_path):
    source = source_of(tmp_path, '{"a": "x"}', '{"\\ud800": 1}')
    with refused(f"{source.path}, line 2", "half a character", "rename it"):
        rows_of(source)


def test_what_is_not_utf_8_is_refused_by_its_line(tmp_path):
    content = '{"a": "x"}\n{"a": "é"}\n'.encode("latin-1")
    with refused("toy.jsonl, line 2", "0xe9", "--encoding latin-1", "save it as UTF-8"):
        rows_of(written(tmp_path, "toy.jsonl", content))


def test_a_line_that_would_fill_the_memory_is_refused(tmp_path):
    with refused("toy.jsonl, line 1", "longer than 16 MB", "one object on each line"):
        rows_of(written(tmp_path, "toy.jsonl", b"[" + b"1," * 9_000_000))


def test_json_lines_that_are_all_blank_are_refused(tmp_path):
    with refused("toy.jsonl has no events"):
        rows_of(written(tmp_path, "toy.jsonl", "\n \n"))


def test_packed_json_lines_that_are_cut_are_refused(tmp_path):
    text = "".join(f'{{"a": {i * 7919 % 10_007}}}\n' for i in range(50_000))
    packed = PACKERS[".gz"](text.encode())
    with refused("toy.jsonl.gz", "get the file again"):
        rows_of(written(tmp_path, "toy.jsonl.gz", packed[: len(packed) // 2]))
