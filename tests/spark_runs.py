"""An active stream over files, run here or in a process of its own that is killed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from batch_runs import in_batches, labelled_events, learner

from river_oa3 import budget

N_BATCHES, SIZE = 8, 200
LABELS = 260
EVENTS = labelled_events(N_BATCHES * SIZE, seed=3)
BATCHES = in_batches(EVENTS, SIZE)

# While a run is killed, each batch takes so many seconds longer: there is something to hit.
PAUSE = 0.4


def labels_of_batch(number):
    """Half of the labels come with their events, a quarter a batch later, and a quarter earlier."""
    now = [i for i in BATCHES[number] if i % 2 == 0 or (number == 0 and i % 4 == 3)]
    late = [i for i in BATCHES[number - 1] if i % 4 == 1] if number else []
    early = [i for i in BATCHES[number + 1] if i % 4 == 3] if number + 1 < N_BATCHES else []
    return {i: EVENTS[i][1] for i in (*late, *now, *early)}


# Which files of events and of labels a batch has.
AS_WRITTEN = [(range(number, number + 1),) * 2 for number in range(N_BATCHES)]


def write_files(folder, batches=AS_WRITTEN):
    """A file of events and one of labels for each batch."""
    for kind in ("events", "labels"):
        Path(folder, kind).mkdir(parents=True)
    kind = pa.map_(pa.string(), pa.float64())
    for number, (of_events, of_labels) in enumerate(batches):
        ids = [i for each in of_events for i in BATCHES[each]]
        x = pa.array([list(EVENTS[i][0].items()) for i in ids], kind)
        events = {"id": pa.array(ids, pa.int64()), "x": x}
        known = {i: y for each in of_labels for i, y in labels_of_batch(each).items()}
        labels = {
            "id": pa.array(known, pa.int64()),
            "label": pa.array(known.values(), pa.bool_()),
        }
        for kind_of, columns in (("events", events), ("labels", labels)):
            path = Path(folder, kind_of, f"{number:03}.parquet")
            pq.write_table(pa.table(columns), path)
            # Files are read in the order of their age, in whole seconds.
            os.utime(path, (1_700_000_000 + number,) * 2)
    return folder


def batches_in(checkpoint):
    """Which files of events and of labels each batch had, as Spark has written it down.

    A source of files notes a file before Spark notes the batch. Who is killed in between gets a
    batch with two files after the restart.
    """
    ends, batches = (-1, -1), []
    for path in sorted(Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda path: int(path.name)):
        _, _, *offsets = path.read_text().splitlines()
        new = tuple(json.loads(offset)["logOffset"] for offset in offsets)
        batches.append([range(a + 1, b + 1) for a, b in zip(ends, new, strict=True)])
        ends = new
    return batches


def frames(session, folder):
    def stream(kind, schema):
        reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(f"{folder}/{kind}")

    events = stream("events", "id bigint, x map<string,double>")
    return events, stream("labels", "id bigint, label boolean")


def limit():
    return budget.TotalBudget(LABELS)


def run_stream(session, folder, url, checkpoint, partitions=None, **kwargs):
    """Run until nothing is left to read; the model at the end."""
    from river_oa3.spark import ActiveStream

    stream = ActiveStream(learner(limit()), store=url, features="x")
    events, labels = frames(session, folder)
    if partitions is not None:
        events = events.repartition(partitions)
    try:
        query = stream.start(
            events,
            labels,
            checkpoint=str(checkpoint),
            trigger={"availableNow": True},
            **kwargs,
        )
        query.awaitTermination()
    finally:
        stream.close()
    return stream


def main(master, folder, url, checkpoint):
    """A driver that is killed, or comes to its end and says so."""
    import time

    from river_oa3.spark import local_session

    session = local_session(master, "1g")
    session.sparkContext.setLogLevel("OFF")

    def linger(frame, number):
        frame.count()
        time.sleep(PAUSE)

    run_stream(session, folder, url, checkpoint, then=linger)
    Path(folder, "done.json").write_text(json.dumps(True))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
