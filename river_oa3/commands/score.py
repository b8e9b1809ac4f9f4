"""`river-oa3 score`: what a model thinks of the events of a file."""

from __future__ import annotations

import argparse
import re
import typing
from pathlib import Path

from river_oa3.datasets import DataError
from river_oa3.experiments.output.progress import Progress
from river_oa3.files import load

__all__ = ["add_arguments", "reason_in", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Write the events of a Parquet file with their label, probability, margin, variance and "
        "the probability with which their labels would be asked for. Nothing is learned or spent."
    )
    parser.set_defaults(run=run)
    parser.add_argument("data", help="a Parquet file, or a folder of them")
    parser.add_argument("model", help="a file that river_oa3.save has written")
    parser.add_argument("--id", default="id", help="the column of ids (id)")
    parser.add_argument(
        "--features",
        help="columns of features, with commas between them, or the one that is a map from names "
        "to values (default: all columns but the id)",
    )
    parser.add_argument(
        "--output", help="where to write, which must not be there yet (DATA.scored.parquet)"
    )
    parser.add_argument(
        "--on-error",
        choices=["fail", "mark"],
        default="fail",
        help="an event that the model refuses ends all, or gets the reason in a column (fail)",
    )
    parser.add_argument("--prefix", default="", help="what the names of new columns begin with")
    parser.add_argument(
        "--engine",
        choices=["local", "spark"],
        default="local",
        help="this process, which writes a file, or Apache Spark, which writes a folder (local)",
    )
    parser.add_argument(
        "--master", default="local[*]", help="what Spark runs on, with --engine spark (local[*])"
    )


def run(options: argparse.Namespace) -> int:
    """Score, write, and say how many events there were."""
    data = Path(options.data)
    output = Path(options.output or f"{data.with_suffix('')}.scored.parquet")
    features: typing.Any = options.features
    if features is not None and "," in features:
        features = [name.strip() for name in features.split(",")]
    try:
        model = load(options.model)
    except OSError as error:
        raise DataError(f"cannot read {options.model} ({error.strerror})") from None
    score = _score_locally if options.engine == "local" else _score_on_spark
    try:
        n_events = score(options, data, model, output, features)
    except (TypeError, ValueError, OverflowError) as error:
        # The model's word on a row, or on the columns.
        raise DataError(str(error)) from error
    print(f"{n_events:,} events scored")
    print(f"written: {output}")
    return 0


def _score_locally(
    options: argparse.Namespace, data: Path, model: typing.Any, output: Path, features: typing.Any
) -> int:
    try:
        from river_oa3.scoring.files import open_events, score_file
    except ImportError as error:
        raise DataError(
            f"Parquet needs the extra 'tables': pip install 'river-oa3[tables]' ({error})"
        ) from None
    events = open_events(data)
    marks = options.on_error == "mark"
    with Progress("scoring", float(events.count_rows())) as progress:

        def add(n: int) -> None:
            progress.add(float(n), n)

        return score_file(events, model, output, options.id, features, marks, options.prefix, add)


def _score_on_spark(
    options: argparse.Namespace, data: Path, model: typing.Any, output: Path, features: typing.Any
) -> int:
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        from river_oa3.scoring.files import draft_of
        from river_oa3.spark import local_session, score
        from river_oa3.spark.sessions import java_problem
    except ImportError as error:
        raise DataError(
            f"Spark needs the extra 'spark': pip install 'river-oa3[spark]' ({error})"
        ) from None
    problem = java_problem()
    if problem is not None:
        raise DataError(problem)
    if not data.exists():
        raise DataError(f"cannot read {data} (No such file or directory)")
    is_ours = SparkSession.getActiveSession() is None
    session = local_session(options.master)
    session.sparkContext.setLogLevel("OFF")
    try:
        frame = session.read.parquet(str(data))
        scored = score(frame, model, options.id, features, options.on_error, options.prefix)
        with draft_of(output) as draft:
            scored.write.parquet(str(draft))
            n_events = session.read.parquet(str(draft)).count()
    except PySparkException as error:
        raise DataError(reason_in(str(error))) from None
    finally:
        if is_ours:
            session.stop()
    return n_events


def reason_in(words: str) -> str:
    """What was wrong, out of all that Spark says of it."""
    lines = [line.strip() for line in words.splitlines()]
    found = [line for line in lines if re.match(r"\w+(Error|Exception): ", line)]
    return found[-1].partition(": ")[2] if found else lines[0]
