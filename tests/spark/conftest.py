from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")

from river_oa3.spark.sessions import java_problem, local_session


def pytest_collection_modifyitems(items):
    """One worker runs them all: a session takes long to start, and much memory."""
    problem = java_problem()
    for item in items:
        if "tests/spark/" in item.nodeid.replace("\\", "/"):
            item.add_marker(pytest.mark.xdist_group("spark"))
            if problem is not None:
                item.add_marker(pytest.mark.skip(reason=problem))


@pytest.fixture(scope="session")
def spark():
    session = local_session("local[2]", "1g")
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
