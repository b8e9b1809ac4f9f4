"""LIBSVM's text format."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from data_helpers import PACKERS, as_libsvm, events, refused, written
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.datasets import open_stream
from river_oa3.datasets.libsvm import read_libsvm

entries = st.dictionaries(
    st.integers(0, 50), st.floats(allow_nan=False, allow_infinity=False), max_size=6
)
labelled = st.lists(st.tuples(entries, st.integers(-2, 5)), min_size=1, max_size=20)


@given(labelled, st.sampled_from(list(PACKERS)))
def test_libsvm_gives_back_what_was_written_packed_or_not(rows, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), f"toy{suffix}", PACKERS[suffix](as_libsvm(rows).encode()))
        X, labels = read_libsvm(path)
    assert labels.tolist() == [y for _, y in rows]
    expected = np.zeros((len(rows), X.shape[1]))
    for row, (x, _) in enumerate(rows):
        expected[row, list(x)] = list(x.values())
    assert (X.toarray() == expected).all()


def test_libsvm_columns_are_the_indices_of_the_file(tmp_path):
    path = written(tmp_path, "toy", "1 1:2 3:4\n-1 2:1\n")
    assert events(path) == [({1: 2.0, 3: 4.0}, True), ({2: 1.0}, False)]
    assert open_stream(path).names == [0, 1, 2, 3]


def test_libsvm_comments_blank_lines_and_query_ids_are_passed_over(tmp_path):
    text = "# head\n\n+1 qid:7 1:2 # tail 5:5\r\n   \n-1 qid:8\n"
    assert events(written(tmp_path, "toy", text)) == [({1: 2.0}, True), ({}, False)]


def test_libsvm_indices_may_stand_in_any_order(tmp_path):
    X, _ = read_libsvm(written(tmp_path, "toy", "1 3:30 1:10\n"))
    assert X.toarray().tolist() == [[0, 10, 0, 30]]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1 1:2 x:1", "index:value, found 'x:1'"),
        ("1 1:2:3", "index:value, found '1:2:3'"),
        ("1 5", "index:value, found '5'"),
        ("1 1:", "index:value, found '1:'"),
        ("1 1.5:2", "index:value, found '1.5:2'"),
        ("1 1_0:2", "index:value, found '1_0:2'"),
        ("1 1:2_0", "index:value, found '1:2_0'"),
        ("1 -1:2", "an index from 0"),
        ("1 1999999999:2", "an index from 0"),
        ("1 99999999999999999999:2", "an index from 0"),
        ("1 1:2 1:3", "each index once"),
        ("1:2 3:4", "a number as label"),
        ("spam 1:2", "a number as label"),
        ("1_0 1:2", "a number as label"),
        ("1,2 1:2", "one label, found several"),
        ("\x00\x01 1:2", "a number as label"),
    ],
)
def test_a_malformed_libsvm_line_is_refused_with_file_and_line(tmp_path, line, expected):
    path = written(tmp_path, "toy.txt", f"1 1:1\n\n{line}\n0 1:1\n")
    with refused(f"{path}, line 3: expected {expected}"):
        open_stream(path)


def test_a_libsvm_value_that_is_not_finite_is_refused(tmp_path):
    with refused("event 2", "feature 3", "fill it or drop"):
        open_stream(written(tmp_path, "toy", "1 1:1\n0 3:nan\n"))


def test_a_libsvm_label_that_is_missing_is_refused(tmp_path):
    with refused("event 2 has no label"):
        open_stream(written(tmp_path, "toy", "1 1:1\nnan 3:1\n"))


def test_a_libsvm_file_of_comments_alone_is_refused(tmp_path):
    with refused("no events"):
        open_stream(written(tmp_path, "toy", "# nothing\n"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_packed_file_that_is_cut_short_is_refused(tmp_path, suffix):
    text = "".join(f"{i % 2} 1:{i}\n" for i in range(1000)).encode()
    path = written(tmp_path, f"toy{suffix}", PACKERS[suffix](text)[:-20])
    with refused(str(path), "get the file again"):
        open_stream(path)


@pytest.mark.parametrize("name", ["toy", "toy.libsvm", "toy.svm", "toy.t", "toy.TXT", "toy.t.bz2"])
def test_libsvm_is_read_under_its_usual_names(tmp_path, name):
    content = PACKERS[".bz2" if name.endswith(".bz2") else ""](b"1 1:2\n0 2:1\n")
    found = open_stream(written(tmp_path, name, content))
    assert (found.name, len(found)) == ("toy", 2)
