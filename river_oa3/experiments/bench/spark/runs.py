"""One way of scoring, timed in a process of its own: `python -m ...runs FOLDER SHAPE CORES`."""

from __future__ import annotations

import json
import sys
import time
import typing
from collections.abc import Callable

import psutil

from river_oa3.experiments.bench.spark.data import model_of

__all__ = ["timed"]

REPEATS = 3


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


def timed(work: Callable[[], typing.Any], repeats: int = REPEATS) -> dict[str, typing.Any]:
    """The least time of a few; what is not this work, others on the machine have added."""
    elapsed, processor, result = [], [], None
    for _ in range(repeats):
        start, used = time.perf_counter(), processor_seconds()
        result = work()
        elapsed.append(time.perf_counter() - start)
        processor.append(processor_seconds() - used)
    return {"elapsed": min(elapsed), "processor": min(processor), "result": result}


def in_one_process(folder: str, shape: str) -> Callable[[], tuple[int, float]]:
    """Read, score, and add up."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    from river_oa3.scoring import Scorer
    from river_oa3.scoring.record_batches import Features, with_scores

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    events, scorer = ds.dataset(folder, format="parquet"), Scorer(model_of(shape))
    names = events.schema.names[1:]
    features = Features(tuple(names), shape == "map")

    def work() -> tuple[int, float]:
        positives, total = 0, 0.0
        for batch in events.to_batches(batch_size=20_000, use_threads=False):
            scored = with_scores(batch, scorer, "id", features, "", False, ["id"])
            positives += pc.sum(scored.column("label")).as_py() or 0
            total += pc.sum(scored.column("margin")).as_py() or 0.0
        return positives, total

    return work


def on_spark(folder: str, shape: str, cores: int) -> Callable[[], tuple[int, float]]:
    """The same, by as many threads of Spark."""
    from pyspark.sql import functions as F

    from river_oa3.spark import local_session, score

    session = local_session(f"local[{cores}]", "3g")
    session.sparkContext.setLogLevel("OFF")
    model = model_of(shape)

    def work() -> tuple[int, float]:
        frame = session.read.parquet(folder)
        features = "x" if shape == "map" else None
        scored = score(frame, model, "id", features, keep=["id"])
        sums = scored.agg(F.sum(F.col("label").cast("int")), F.sum("margin"))
        ((positives, total),) = sums.collect()
        return positives, total

    return work


def main(folder: str, shape: str, cores: str) -> None:
    """Print what was measured; 0 cores are one process without Spark."""
    import warnings

    warnings.simplefilter("ignore")
    work = on_spark(folder, shape, int(cores)) if int(cores) else in_one_process(folder, shape)
    print(json.dumps(timed(work)))


if __name__ == "__main__":
    main(*sys.argv[1:])
