"""Spark Connect, where nobody gets at the driver's Java: in a process of its own, as it must be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="pyspark's extra 'connect' is not installed")

ROWS = 60


def main(folder):
    """Score raw rows, and say what was found and what is refused."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from messy_tables import messy_model, messy_rows, scores_of
    from pyspark.sql import SparkSession

    from river_oa3.spark import ActiveStream, score

    rows = {row["payment"]: row for row in messy_rows(ROWS)}
    pq.write_table(pa.Table.from_pylist(list(rows.values())), f"{folder}/rows.parquet")
    model = messy_model(messy_rows(300, seed=1))
    session = SparkSession.builder.remote("local[1]").getOrCreate()
    frame = session.read.parquet(f"{folder}/rows.parquet")
    found = score(frame, model).collect()
    told = {
        "session": type(session).__module__,
        "rows": len(found),
        "alike": sum(
            scores_of(model, rows[row["payment"]]).items() <= row.asDict().items() for row in found
        ),
    }
    try:
        score(frame, model, direct=True)
    except ValueError as error:
        told["direct"] = str(error)
    try:
        stream = ActiveStream(model.classifier, store=f"sqlite:///{folder}/asks.db", id="payment")
        stream.start(frame, checkpoint=f"{folder}/checkpoint")
    except TypeError as error:
        told["stream"] = str(error)
    Path(folder, "told.json").write_text(json.dumps(told))
    session.stop()


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("connect")
    paths = [str(Path(__file__).parents[1]), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    # The server listens on a port that is free.
    environment["SPARK_TESTING"] = "1"
    ran = subprocess.run(
        [sys.executable, __file__, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads((folder / "told.json").read_text())


def test_raw_rows_are_scored_as_the_model_says_row_by_row(told):
    assert told["session"].startswith("pyspark.sql.connect.")
    assert told["alike"] == told["rows"] == ROWS


def test_what_needs_the_drivers_java_is_refused_by_name(told):
    assert told["direct"].endswith("Spark Connect does not say which files are behind it")
    assert "which a session of Spark Connect has not" in told["stream"]


if __name__ == "__main__":
    main(*sys.argv[1:])
