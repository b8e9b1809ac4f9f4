from __future__ import annotations

import itertools

import pytest
from databases import postgresql_server, without_tables

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgresql():
    with postgresql_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The URL of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/asks-{next(_numbers)}.db"
    return without_tables(request.getfixturevalue("postgresql"))


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    """What `PendingLabels` takes as its store: nothing, or an empty one."""
    return None if request.param == "memory" else f"sqlite:///{tmp_path}/asks.db"
