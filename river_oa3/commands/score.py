"""`river-oa3 score`: the scores of every row of a file."""

from __future__ import annotations

import argparse
import re
import sys
import typing
from pathlib import Path

from river_oa3.commands.options import add_encoding
from river_oa3.datasets import DataError
from river_oa3.datasets.errors import first_few
from river_oa3.experiments.output.progress import Progress
from river_oa3.files import load

__all__ = ["add_arguments", "reason_in", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Write every row of a file, with all its columns, and its scores beside them: label, "
        "probability, margin, variance and the probability with which its label would be asked "
        "for. Nothing is learned or spent. A model that starts with a Schema, as compare exports "
        "it, takes the raw rows of every file that compare reads; columns that it does not know, "
        "the label among them, are no features. Any other model takes Parquet."
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "data",
        help="CSV (.csv, .tsv) or JSON lines (.jsonl, .ndjson), compressed or not, or Parquet, a "
        "file or a folder",
    )
    parser.add_argument("model", help="a file of compare or river_oa3.save, such as model.oa3")
    parser.add_argument(
        "--id",
        help="the column that names a row in messages, and is no feature of a model without a "
        "Schema (default: id, if there is such a column)",
    )
    parser.add_argument(
        "--features",
        help="of a model without a Schema: the columns of features, with commas between them, or "
        "the one that is a map from names to values (default: all columns but the id)",
    )
    add_encoding(parser)
    parser.add_argument(
        "--output",
        help="where to write, in the format of DATA; it must not be there yet (default: "
        "DATA.scored, beside DATA)",
    )
    parser.add_argument(
        "--on-error",
        choices=["fail", "mark"],
        default="fail",
        help="a row that the model refuses ends all, or gets the reason in a column, error "
        "(default: fail)",
    )
    parser.add_argument(
        "--prefix",
        default="",
        help="what the names of the new columns begin with (default: nothing)",
    )
    parser.add_argument(
        "--engine",
        choices=["local", "spark"],
        default="local",
        help="this process, which writes a file, or Apache Spark, which reads Parquet and writes "
        "a folder (default: local)",
    )
    parser.add_argument(
        "--master",
        default="local[*]",
        help="what Spark runs on, with --engine spark (default: local[*])",
    )


def run(options: argparse.Namespace) -> int:
    """Score, write, and say how many rows there were."""
    try:
        from river_oa3.scoring.files import output_for
    except ImportError as error:
        raise DataError(
            f"score needs the extra 'tables': pip install 'river-oa3[tables]' ({error})"
        ) from None
    data = Path(options.data)
    output = Path(options.output) if options.output else output_for(data)
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
    from river_oa3.scoring.files import columns_lacking, open_events, score_file

    events = open_events(data, options.encoding)
    lacking = columns_lacking(events, model)
    if lacking:
        names = first_few(list(map(repr, lacking)), 10)
        print(f"river-oa3: {data} lacks {names}: missing in every row", file=sys.stderr)
    marks = options.on_error == "mark"
    with Progress("scoring", 1.0) as progress:

        def move_to(n: int, done: float) -> None:
            progress.move_to(done, progress.events + n)

        return score_file(
            events, model, output, options.id, features, marks, options.prefix, move_to
        )


def _score_on_spark(
    options: argparse.Namespace, data: Path, model: typing.Any, output: Path, features: typing.Any
) -> int:
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        from river_oa3.scoring.files import draft_of, is_parquet
        from river_oa3.spark import local_session, score
        from river_oa3.spark.sessions import java_problem
    except ImportError as error:
        raise DataError(
            f"Spark needs the extra 'spark': pip install 'river-oa3[spark]' ({error})"
        ) from None
    if options.encoding is not None:
        raise DataError("--encoding is for texts, and Spark scores Parquet: leave it out")
    if not is_parquet(data):
        raise DataError(f"Spark scores Parquet: leave --engine out to score {data}")
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
    if "TIMESTAMP(NANOS" in words:
        return (
            "Spark reads no times in nanoseconds, which pandas writes: leave --engine out, or "
            "write the file with coerce_timestamps='us'"
        )
    lines = [line.strip() for line in words.splitlines()]
    found = [line for line in lines if re.match(r"\w+(Error|Exception): ", line)]
    return found[-1].partition(": ")[2] if found else lines[0]
