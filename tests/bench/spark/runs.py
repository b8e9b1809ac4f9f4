"""Ways of scoring, timed in a process of their own: `python -m ...runs FOLDER SHAPE CORES`.

It runs the way that each line of its input names, and prints what that took.
"""

from __future__ import annotations

import json
import sys
import time
import typing
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psutil

from ..spark.data import model_of

__all__ = ["ALONE", "DIRECT", "READS", "SENDS", "THROUGH_JAVA"]

# In a batch, as Spark is told.
ROWS = 10_000

# Gives the number of positives, if it has found out.
Way = Callable[[], int | None]

ALONE = "one process"
DIRECT = "Spark"
THROUGH_JAVA = "Spark through Java"
# Parts of the way through Java.
READS = "Java reads, no more"
SENDS = "Java sends to Python"


def processor_seconds() -> float:
    """What this process, and all that it has started, have used so far."""
    this = psutil.Process()
    total = 0.0
    for process in [this, *this.children(recursive=True)]:
        try:
            used = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        # Those that have ended count with the parent that waited for them.
        total += used.user + used.system + used.children_user + used.children_system
    return total


def in_one_process(folder: str, shape: str) -> dict[str, Way]:
    """Read, score, and add up, by the code that workers run, with one thread."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from river_oa3.scoring import Scorer
    from river_oa3.scoring.parquet_parts import Files, parts_of
    from river_oa3.scoring.record_batches import Features, with_scores

    pa.set_cpu_count(1)
    sizes = {str(path): path.stat().st_size for path in sorted(Path(folder).iterdir())}
    schema = pq.read_schema(min(sizes))
    features = Features(tuple(schema.names[1:]), shape == "map")
    parts = [part for task in parts_of(sizes, 1, sum(sizes.values()), 1) for part in task]
    files = Files([parts], schema, ROWS, True, frozenset(features.columns))
    scorer = Scorer(model_of(shape))

    def work() -> int:
        positives, total = 0, 0.0
        for batch in files.read(0):
            scored = with_scores(batch, scorer, "id", features, "", False, ["id"])
            positives += pc.sum(scored.column("label")).as_py() or 0
            total += pc.sum(scored.column("margin")).as_py() or 0.0
        return positives

    return {ALONE: work}


def on_spark(folder: str, shape: str, cores: int) -> dict[str, Way]:
    """The same, by as many threads of Spark; and parts of it."""
    import pyarrow as pa
    from pyspark.sql import functions as F

    from river_oa3.scoring.record_batches import Features
    from river_oa3.spark import local_session, score
    from river_oa3.spark.packing import packed

    session = local_session(
        f"local[{cores}]", "3g", spark__sql__execution__arrow__maxRecordsPerBatch=str(ROWS)
    )
    session.sparkContext.setLogLevel("OFF")
    model, frame = model_of(shape), session.read.parquet(folder)

    features = "x" if shape == "map" else None
    sent = packed(frame, Features(tuple(frame.columns[1:]), shape == "map"), ["id"])

    def scored(direct: bool) -> int:
        found = score(frame, model, "id", features, keep=["id"], direct=direct)
        sums = found.agg(F.sum(F.col("label").cast("int")), F.sum("margin"))
        ((positives, _),) = sums.collect()
        return int(positives)

    def read() -> None:
        frame.write.format("noop").mode("overwrite").save()

    def count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch([pa.array([batch.num_rows])], ["n"])

    def send() -> None:
        sent.frame.mapInArrow(count, "n long").agg(F.sum("n")).collect()

    return {
        DIRECT: lambda: scored(True),
        THROUGH_JAVA: lambda: scored(False),
        READS: read,
        SENDS: send,
    }


def timed(work: Way) -> dict[str, typing.Any]:
    start, used = time.perf_counter(), processor_seconds()
    positives = work()
    elapsed = time.perf_counter() - start
    return {"elapsed": elapsed, "processor": processor_seconds() - used, "positives": positives}


def main(folder: str, shape: str, cores: str) -> None:
    """Print what each way took that is asked for; 0 cores are one process without Spark."""
    import warnings

    warnings.simplefilter("ignore")
    ways = on_spark(folder, shape, int(cores)) if int(cores) else in_one_process(folder, shape)
    for line in sys.stdin:
        print(json.dumps(timed(ways[line.strip()])), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
