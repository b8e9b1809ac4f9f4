from __future__ import annotations

import numpy as np
import pytest
from commands import QUICK, all_methods, command, events, parts, small, write_libsvm

from river_oa3 import datasets
from river_oa3.datasets.paper_rows import rows_for_paper

__all__ = ["parts", "small"]


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    X, y = events()
    return write_libsvm(tmp_path_factory.mktemp("data") / "small.libsvm", X, np.where(y, 1, -1))


@pytest.fixture(scope="session")
def stream(data):
    return rows_for_paper(datasets.open_stream(data))


@pytest.fixture(scope="session")
def compared(data, tmp_path_factory):
    """All methods on the small stream, in two processes."""
    return all_methods(tmp_path_factory.mktemp("compared") / "results", data, 2)


@pytest.fixture
def compare(small, data, tmp_path):
    """The command on the small stream and some quick methods, in this process."""

    def run(*arguments, folder="results"):
        quick = QUICK[2:] if "--in-order" in arguments else QUICK
        return command(tmp_path / folder, "compare", data, *quick, *arguments)

    return run
