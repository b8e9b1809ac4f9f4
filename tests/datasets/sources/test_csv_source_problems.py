"""CSV files that cannot be read: the file, the line, the column and the remedy are named."""

from __future__ import annotations

import sys

import pytest
from data_helpers import PACKERS, refused, written
from source_helpers import rows_of

from river_oa3.datasets.sources import csv_chunks, open_source


@pytest.mark.parametrize(
    ("row", "found"), [("1", 1), ("1,2,3", 3), ("1,2,", 3), (" ", 1), ('"1,2"', 1)]
)
def test_a_row_with_another_number_of_fields_is_refused(tmp_path, row, found):
    path = written(tmp_path, "toy.csv", f'a,b\n1,"x\ny"\n\n{row}\n5,6\n')
    with refused(str(path), "line 5", "expected 2 fields", f"found {found}", "write as many"):
        rows_of(path)


def test_a_row_with_another_number_of_fields_is_found_in_a_later_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_chunks, "LONGEST", 100)
    path = written(tmp_path, "toy.csv", "a,b\n" + "1,2\n" * 500 + "1\n" + "1,2\n" * 500)
    with refused("line 502", "found 1"):
        rows_of(path)


def test_a_header_longer_than_the_rows_is_refused(tmp_path):
    with refused("line 2", "expected 3 fields", "found 2"):
        rows_of(written(tmp_path, "toy.csv", "a,b,c\n1,2\n3,4\n"))


def test_columns_of_one_name_are_numbered_and_that_is_said(tmp_path):
    path = written(tmp_path, "toy.csv", "a,b,,a ,a (2), b,a,\n1,2,3,4,5,6,7,8\n")
    source = open_source(path)
    assert source.columns == ["a", "b", "", "a (3)", "a (2)", "b (2)", "a (4)", "(2)"]
    assert source.remarks == [
        f"{path}, line 1: 3 columns are called 'a': those behind the first are taken as 'a (3)', "
        "'a (4)'; rename them, or leave one out with --drop 'a (3)'",
        f"{path}, line 1: 2 columns are called 'b': those behind the first are taken as 'b (2)'; "
        "rename them, or leave one out with --drop 'b (2)'",
        f"{path}, line 1: 2 columns are called '': those behind the first are taken as '(2)'; "
        "rename them, or leave one out with --drop '(2)'",
    ]


def test_a_header_of_numbers_is_refused_as_data(tmp_path):
    with refused("line 1", "must name the columns", "1.5, 0, -2e3", "row of names"):
        open_source(written(tmp_path, "toy.csv", "1.5,0,-2e3\n1,2,3\n"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_wide_encoding_without_a_mark_is_refused(tmp_path, encoding):
    with refused("UTF-16", f"--encoding {encoding}", "save it as UTF-8"):
        open_source(written(tmp_path, "toy.csv", "a,b\n1,2\n".encode(encoding)))


def test_latin_1_in_a_row_is_refused_by_line_and_column(tmp_path):
    path = written(tmp_path, "toy.csv", "a,b\n1,2\n3,café\n".encode("latin-1"))
    fix = "say --encoding latin-1 if it should read 'café', or save it as UTF-8"
    with refused(str(path), "line 3, column 'b'", f"byte 0xe9 is not UTF-8: {fix}"):
        rows_of(path)


def test_what_else_is_wrong_is_looked_for_in_a_text_that_is_not_utf_8(tmp_path):
    path = written(tmp_path, "toy.csv", "a,café\n1,2\n3,café €\n".encode("cp1252"))
    problems = []
    (batch,) = open_source(path).batches(problems)
    assert {name: cells.values.to_pylist() for name, cells in batch.columns.items()} == {
        "a": ["1", "3"],
        "café": ["2", "café €"],
    }
    assert len(problems) == 1
    assert "the name of column 2 is not UTF-8: say --encoding latin-1 if it" in problems[0]


def test_the_encoding_of_windows_is_told_from_latin_1(tmp_path):
    path = written(tmp_path, "toy.csv", "a,b\n1,2\n3,5 €\n".encode("cp1252"))
    with refused("line 3, column 'b': byte 0x80 is not UTF-8: say --encoding cp1252", "'5 €'"):
        rows_of(path)


def test_a_text_that_is_not_in_the_encoding_that_is_named(tmp_path):
    path = written(tmp_path, "toy.csv", "a,b\n1,2\n3,café\n".encode("latin-1"))
    with refused(f"{path} is not in the encoding shift_jis", "name another with --encoding"):
        rows_of(open_source(path, encoding="shift_jis"))
    with refused("--encoding latin-17 is no encoding that is known: give one such as latin-1"):
        open_source(path, encoding="latin-17")


def test_latin_1_in_the_header_is_refused_with_the_name(tmp_path):
    with refused("line 1", "column 2", "if it should read 'café'", "save it as UTF-8"):
        rows_of(written(tmp_path, "toy.csv", "a,café\n1,2\n".encode("latin-1")))


def test_a_nul_byte_is_refused_by_line_and_column(tmp_path):
    path = written(tmp_path, "toy.csv", "a,b\n" + "1,2\n" * 200 + "1,x\0y\n")
    with refused("line 202, column 'b'", "NUL", "get the file again"):
        rows_of(path)


@pytest.mark.parametrize("rest", ["", "x", "x\n", 'x""', "x\n4,5\n6,7\n"])
def test_a_quote_that_is_never_closed_is_refused_where_it_is_opened(tmp_path, rest):
    path = written(tmp_path, "toy.csv", f'a,b\n1,2\n3,"{rest}')
    with refused(str(path), "line 3, column 'b'", "never closed", "close it"):
        rows_of(path)


def test_a_quote_that_takes_in_the_fields_behind_it_is_named_and_not_the_fields(tmp_path):
    path = written(tmp_path, "toy.csv", 'a,b\n1,2\n"3,4\n5,6\n')
    with refused(str(path), "line 3, column 'a'", "never closed"):
        rows_of(path)


def test_too_few_fields_before_an_open_quote_are_named_first(tmp_path):
    path = written(tmp_path, "toy.csv", 'a,b\n1\n"3,4\n5,6\n')
    with refused("line 2", "expected 2 fields"):
        rows_of(path)


def test_a_quote_that_is_not_closed_for_long_is_refused_where_it_is_opened(tmp_path):
    path = written(tmp_path, "toy.csv", 'a,b\n1,2\n3,"' + "4,5\n" * 3_000_000)
    with refused("line 3", "longer than 4 MB", "close the quote"):
        rows_of(path)


def test_a_file_without_line_breaks_is_refused(tmp_path):
    with refused("line 1", "longer than 4 MB", "break the file into lines"):
        open_source(written(tmp_path, "toy.csv", "a" * 5_000_000))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_packed_file_that_is_cut_is_refused(tmp_path, suffix):
    text = b"".join(b"%d,%d\n" % (i, i * 7919 % 10_007) for i in range(100_000))
    packed = PACKERS[suffix](b"a,b\n" + text)
    path = written(tmp_path, f"toy.csv{suffix}", packed[: len(packed) // 2])
    with refused(str(path), "get the file again"):
        rows_of(path)


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\n\n\n", '"a\n",b\n'])
def test_a_header_without_rows_is_refused(tmp_path, text):
    with refused("toy.csv has no events", "at least one"):
        open_source(written(tmp_path, "toy.csv", text))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\r\n"])
def test_a_file_without_a_header_is_refused(tmp_path, content):
    with refused("toy.csv", "get the file again"):
        open_source(written(tmp_path, "toy.csv", content))


def test_a_packed_file_with_nothing_in_it_is_refused(tmp_path):
    with refused("is empty", "get the file again"):
        open_source(written(tmp_path, "toy.csv.gz", PACKERS[".gz"](b"")))


def test_a_csv_file_without_pyarrow_is_refused_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refused("toy.csv", "pip install 'river-oa3[tables]'"):
        open_source(written(tmp_path, "toy.csv", "a,b\n1,2\n"))
