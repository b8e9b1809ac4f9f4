"""CSV files that can be read, in chunks."""

from __future__ import annotations

import csv
import io

import pytest
from data_helpers import PACKERS, written
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from source_helpers import rows_of, types_of

from river_oa3.datasets.sources import csv_chunks, open_source

TWO = [{"a": "1", "b": "x"}, {"a": "2", "b": None}]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,x\n2,\n",
        "a,b\n1,x\n2,",
        "a,b\r\n1,x\r\n2,\r\n",
        "a,b\r1,x\r2,\r",
        "\ufeffa,b\n1,x\n2,\n",
        '\ufeff"a","b"\n"1","x"\n"2",""\n',
        "a;b\n1;x\n2;\n",
        "a\tb\n1\tx\n2\t\n",
        "a|b\n1|x\n2|\n",
        "\n\na,b\n\n1,x\n\n\n2,\n\n\n",
    ],
)
def test_a_file_as_others_write_it_gives_the_same_rows(tmp_path, text):
    assert rows_of(written(tmp_path, "toy.csv", text)) == TWO


@pytest.mark.parametrize("suffix", [*PACKERS, ".GZ"])
def test_a_csv_file_is_unpacked(tmp_path, suffix):
    packed = PACKERS[suffix.lower()](b"a,b\n1,x\n2,\n")
    source = open_source(written(tmp_path, f"toy.csv{suffix}", packed))
    assert source.name == "toy"
    assert rows_of(source) == TWO


def test_every_column_of_a_csv_file_is_text(tmp_path):
    source = open_source(written(tmp_path, "toy.csv", "a,b,c,d\n1,true,2020-01-01,\n"))
    assert types_of(source) == [dict.fromkeys("abcd", "string")]
    assert (source.kind, source.columns) == ("CSV", ["a", "b", "c", "d"])


@pytest.mark.parametrize("text", ["NA", "null", "nan", " ", "?", "None"])
def test_nothing_but_an_empty_field_is_a_gap(tmp_path, text):
    assert rows_of(written(tmp_path, "toy.csv", f"a,b\n1,{text}\n")) == [{"a": "1", "b": text}]


def test_a_quoted_field_may_hold_separators_quotes_and_line_breaks(tmp_path):
    path = written(tmp_path, "toy.csv", 'a,b\n1,"x,""y""\r\nz"\n')
    assert rows_of(path) == [{"a": "1", "b": 'x,"y"\r\nz'}]


def test_a_quote_inside_a_field_is_a_quote(tmp_path):
    path = written(tmp_path, "toy.csv", 'a,b\n5" pipe,x\n6" pipe,y\n')
    assert [row["a"] for row in rows_of(path)] == ['5" pipe', '6" pipe']


@pytest.mark.parametrize("name", ["", "a b", "a" * 100_000, 'two\n"lines"', "größe", "1"])
def test_a_column_may_have_any_name(tmp_path, name):
    path = written(tmp_path, "toy.csv", f"{quoted(name)},y\n1,2\n")
    assert rows_of(path) == [{name: "1", "y": "2"}]


def test_blanks_around_a_name_are_no_part_of_it(tmp_path):
    source = open_source(written(tmp_path, "toy.csv", "Status ;\tBetrag;\u00a0a b\n1;2;3\n"))
    assert source.columns == ["Status", "Betrag", "a b"]
    assert source.remarks == []


@pytest.mark.parametrize("kind", ["utf-16", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path, kind):
    path = written(tmp_path, "toy.csv", "größe,b\n1,é\n".encode(kind))
    source = open_source(path)
    assert rows_of(source) == [{"größe": "1", "b": "é"}]
    assert source.where(0, "b") == f"{path}, line 2, column 'b'"


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kind", ["latin-1", "cp1252", "utf-16-le", "utf-16-be", "utf-8"])
def test_an_encoding_may_be_named(tmp_path, kind, suffix, monkeypatch):
    monkeypatch.setattr(csv_chunks, "LONGEST", 100)
    text = "größe,b\n" + '1,é\n2,"ü\nß"\n' * 200
    path = written(tmp_path, f"toy.csv{suffix}", PACKERS[suffix](text.encode(kind)))
    rows = [{"größe": "1", "b": "é"}, {"größe": "2", "b": "ü\nß"}]
    assert rows_of(open_source(path, encoding=kind)) == rows * 200


def test_separators_in_quotes_are_not_counted(tmp_path):
    path = written(tmp_path, "toy.csv", '"a,b,c,d,e";y\n1;2\n')
    assert rows_of(path) == [{"a,b,c,d,e": "1", "y": "2"}]


def test_a_tsv_file_is_split_at_tabs_whatever_else_its_header_holds(tmp_path):
    path = written(tmp_path, "toy.tsv", "a,b,c,d\ty\n1\t2\n")
    assert rows_of(path) == [{"a,b,c,d": "1", "y": "2"}]


def test_a_file_may_have_one_column(tmp_path):
    assert rows_of(written(tmp_path, "toy.csv", "a\nx\n\ny\n")) == [{"a": "x"}, {"a": "y"}]


def test_a_csv_file_is_read_as_often_as_is_needed(tmp_path):
    source = open_source(written(tmp_path, "toy.csv", "a,b\n1,x\n2,\n"))
    assert rows_of(source) == rows_of(source) == TWO


def test_the_line_of_a_row_counts_blank_lines_and_those_in_quotes(tmp_path):
    path = written(tmp_path, "toy.csv", '"a\n",b\n\n1,"x\ny"\n\n2,z\n')
    source = open_source(path)
    assert source.where(0) == f"{path}, line 4"
    assert source.where(1, "b") == f"{path}, line 7, column 'b'"


def test_a_row_that_does_not_exist_is_placed_by_its_number(tmp_path):
    path = written(tmp_path, "toy.csv", "a,b\n1,x\n")
    assert open_source(path).where(8) == f"{path}, event 9"


def in_small_chunks(text, size):
    """The chunks of a text when this many bytes are read at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_chunks, "LONGEST", size)
        return list(csv_chunks.chunks(io.BytesIO(text.encode()), ","))


def python_rows(text):
    return [row for row in csv.reader(io.StringIO(text, newline="")) if row]


@settings(max_examples=500)
@given(text=st.text(alphabet='ab,"\r\n', max_size=150), size=st.integers(20, 60))
def test_a_file_is_cut_between_rows_alone(text, size):
    try:
        chunks = [chunk.decode() for chunk in in_small_chunks(text, size)]
    except csv_chunks.CutError:
        assume(False)
    assert "".join(chunks) == text
    assert [row for chunk in chunks for row in python_rows(chunk)] == python_rows(text)


@given(field=st.text(alphabet='a",\n', max_size=60), rest=st.integers(0, 40))
def test_where_a_file_is_cut_does_not_depend_on_what_quotes_hold(field, rest):
    text = f"x,{quoted(field)},y\n" * 3 + "z" * rest
    assert "".join(chunk.decode() for chunk in in_small_chunks(text, 200)) == text


# As files have them: quotes around a field, inside it, and after one that is quoted.
FIELDS = st.one_of(
    st.text('ab"', max_size=4).filter(lambda text: not text.startswith('"')),
    st.builds(
        lambda a, b: quoted(a) + b, st.text('a,"\n', max_size=4), st.sampled_from(["", 'b"'])
    ),
)
LINES = st.builds(lambda a, b: f"{a},{b}\n", FIELDS, FIELDS)


@given(text=st.lists(LINES, min_size=1).map("".join))
def test_rows_are_those_that_python_reads(tmp_path_factory, text):
    path = written(tmp_path_factory.mktemp("csv"), "toy.csv", f"c,d\n{text}")
    expected = [[field or None for field in row] for row in python_rows(text)]
    assert [[row["c"], row["d"]] for row in rows_of(path)] == expected


def test_a_file_of_many_chunks_gives_every_row_once(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_chunks, "LONGEST", 1_000)
    lines = [f'{i},"{i}\nb"' for i in range(2_000)]
    source = open_source(written(tmp_path, "toy.csv", "a,b\n" + "\n".join(lines)))
    assert [row["a"] for row in rows_of(source)] == [str(i) for i in range(2_000)]
    done = [batch.done for batch in source.batches()]
    assert len(done) > 10
    assert done == sorted(done)
    assert done[-1] == 1.0
