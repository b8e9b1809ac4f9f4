"""The real data, where RIVER_OA3_DATA names a folder that has it."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from data_helpers import written

from river_oa3.datasets import DataError, paper


def real(name):
    folder = os.environ.get("RIVER_OA3_DATA")
    if not folder:
        pytest.skip("RIVER_OA3_DATA is not set")
    try:
        return paper.load(name)
    except DataError as error:
        if f"{name} is not in" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("name", list(paper.SETS))
def test_a_real_set_has_the_papers_numbers_or_says_what_it_is(name):
    found, known = real(name), paper.SETS[name]
    same = (len(found), found.positives) == (known.rows, known.positives)
    assert same or found.note


def test_w8a_comes_with_twenty_orders():
    found = real("w8a")
    if found.permutations is None:
        pytest.skip("these files of w8a have no permutations")
    assert found.permutations.shape == (20, 64_700)


def test_w8a_has_5455_empty_rows_202_of_them_positive():
    found = real("w8a")
    empty = np.diff(found.X.indptr) == 0
    assert (empty.sum(), found.y[empty].sum()) == (5_455, 202)


def test_w8a_in_libsvms_format_is_the_same_stream_in_seconds(tmp_path):
    found = real("w8a")
    lines = [
        f"{1 if y else -1} {' '.join(f'{index + 1}:{value:g}' for index, value in x.items())}\n"
        for x, y in found.events()
    ]
    written(tmp_path, "w8a", "".join(lines[:49_749]))
    written(tmp_path, "w8a.t", "".join(lines[49_749:]))
    start = time.perf_counter()
    again = paper.load("w8a", tmp_path)
    assert time.perf_counter() - start < 10
    assert (again.X != found.X).nnz == 0
    assert (again.y == found.y).all()
    assert again.names == found.names


def test_the_real_images_have_unit_length_after_scaling():
    X = real("CIFAR-10").unit_rows().X
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1.0, rtol=1e-12)
