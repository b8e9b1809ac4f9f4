"""Small products stay in one thread, and BLAS is left as it was."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest
from scipy.linalg import cython_blas

from river_oa3._core import blas

STORY = """
import hashlib, pickle
import numpy as np
from river_oa3 import OA3Classifier
rng = np.random.default_rng(0)
model = OA3Classifier()
for _ in range(100):
    x = rng.normal(size=300) / 20
    model.learn_one({f"f{j}": value for j, value in enumerate(x.tolist())}, bool(x.sum() > 0))
print(hashlib.sha256(pickle.dumps(model)).hexdigest())
"""


def story(threads):
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(
        [sys.executable, "-c", STORY],
        env={**os.environ, **dict.fromkeys(names, str(threads))},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_model_does_not_depend_on_the_number_of_threads():
    if not blas.controls_blas():
        pytest.skip("the BLAS of this scipy has no switch that this package knows")
    assert story(1) == story(2) == story(4)


LEFT_AS_BEFORE = """
import ctypes
from scipy.linalg import cython_blas
from river_oa3 import OA3Classifier
library = ctypes.CDLL(cython_blas.__file__)
library.scipy_openblas_set_num_threads(2)
model = OA3Classifier()
for i in range(200):
    model.learn_one({j: 1.0 / (1 + (i * j) % 7) for j in range(100)}, i % 2 == 0)
print(library.scipy_openblas_get_num_threads())
"""


def test_number_of_threads_is_left_as_it_was():
    library = ctypes.CDLL(cython_blas.__file__)
    if not hasattr(library, "scipy_openblas_set_num_threads"):
        pytest.skip("this scipy does not come with its own OpenBLAS")
    done = subprocess.run(
        [sys.executable, "-c", LEFT_AS_BEFORE], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "2"
