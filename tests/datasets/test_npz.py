"""NumPy's archives of arrays."""

from __future__ import annotations

import contextlib
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from data_helpers import csr_parts, events, refused, saved, toy, written
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.datasets import DataError, open_stream
from river_oa3.datasets.npz import read_npz


def test_a_dense_archive_is_read(tmp_path):
    path = saved(tmp_path, X=np.array([[3, 4], [0, 2], [0, 0]], np.uint8), y=np.array([1, -1, -1]))
    assert events(path) == list(toy().events())


def test_a_sparse_archive_is_read(tmp_path):
    assert events(saved(tmp_path, **csr_parts())) == list(toy().events())


def test_permutations_in_an_archive_come_with_the_stream(tmp_path):
    orders = np.array([[2, 1, 0]], dtype=np.uint16)
    found = open_stream(saved(tmp_path, **csr_parts(permutations=orders)))
    assert found.permutations.tolist() == [[2, 1, 0]]


def test_y_is_used_where_no_class_is_named(tmp_path):
    path = saved(tmp_path, **csr_parts(y_raw=np.array([5, 6, 7])))
    assert open_stream(path).y.tolist() == [True, False, False]


def test_a_class_of_y_raw_can_be_named(tmp_path):
    path = saved(tmp_path, **csr_parts(y_raw=np.array([5, 6, 7])))
    assert open_stream(path, positive="7").y.tolist() == [False, False, True]


def test_a_class_of_y_can_be_named_where_there_is_no_y_raw(tmp_path):
    path = saved(tmp_path, **csr_parts())
    assert open_stream(path, positive="-1").y.tolist() == [False, True, True]


@pytest.mark.parametrize("missing", ["y", "data", "indices", "indptr", "shape"])
def test_an_archive_without_an_array_is_refused_with_its_name(tmp_path, missing):
    arrays = csr_parts()
    del arrays[missing]
    with refused(f"no array {missing}"):
        open_stream(saved(tmp_path, **arrays))


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": np.array([0, 1, 2])},
        {"indices": np.array([0, -1, 1])},
        {"indices": np.array([0, 1])},
        {"indices": np.array([0.0, 1.0, 1.0])},
        {"indptr": np.array([0, 2, 1, 3])},
        {"indptr": np.array([0, 2, 3])},
        {"indptr": np.array([0, 2, 3, 4])},
        {"indptr": np.array([0, 1, 2, 2])},
        {"indptr": np.array([1, 2, 3, 3])},
        {"indptr": np.array([], dtype=np.int64)},
        {"shape": np.array([4, 2])},
        {"shape": np.array([3])},
        {"shape": np.array(3)},
        {"data": np.array(3)},
    ],
)
def test_csr_parts_that_do_not_fit_together_are_refused(tmp_path, changes):
    with refused("no sound CSR", "save it again"):
        open_stream(saved(tmp_path, **csr_parts(**changes)))


@pytest.mark.parametrize("content", [b"no archive", b"PK\x03\x04 and no more", b"\x93NUMPY"])
def test_a_file_that_is_no_archive_is_refused(tmp_path, content):
    with refused("cannot read", "numpy.savez"):
        open_stream(written(tmp_path, "toy.npz", content))


def test_an_array_alone_is_refused(tmp_path):
    np.save(tmp_path / "toy.npy", np.eye(3))
    with refused("cannot read", "numpy.savez"):
        read_npz((tmp_path / "toy.npy").rename(tmp_path / "toy.npz"))


class Trap:
    sprung = False

    def __reduce__(self):
        return setattr, (Trap, "sprung", True)


@pytest.mark.parametrize("wrap", [pickle.dumps, None])
def test_nothing_is_ever_unpickled(tmp_path, wrap):
    if wrap is None:
        path = saved(tmp_path, **csr_parts(y=np.array([Trap(), 1, 0], dtype=object)))
    else:
        path = written(tmp_path, "toy.npz", wrap(Trap()))
    with refused("cannot read"):
        open_stream(path)
    assert not Trap.sprung


@given(st.integers(0, 2000), st.integers(0, 255))
def test_a_damaged_archive_is_refused_or_still_sound(position, byte):
    with tempfile.TemporaryDirectory() as folder:
        path = saved(Path(folder), **csr_parts())
        content = bytearray(path.read_bytes())
        content[position % len(content)] = byte
        path.write_bytes(content)
        with contextlib.suppress(DataError):
            assert len(open_stream(path)) == 3
