from __future__ import annotations

import pytest
from commands import Small, events, write_parts

from river_oa3 import datasets
from river_oa3.experiments import Goal, Plan, compare


@pytest.fixture
def small(monkeypatch):
    return Small(monkeypatch)


@pytest.fixture(scope="session")
def stream():
    X, y = events()
    return datasets.stream("small", X, y).unit_rows()


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="session")
def compared(stream):
    """All methods on the small stream, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        return compare(stream, Plan(20, Goal("sum"), permutations=3, seed=2))
