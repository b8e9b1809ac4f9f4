"""`river-oa3 bench`: how fast the learners are, and how well they do, beside others."""

from __future__ import annotations

import argparse

from river_oa3.commands import bench_batches, bench_quality, bench_service, bench_spark, bench_speed

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be measured."""
    parser.description = "Measure our learners beside river's and those of other libraries."
    kinds = parser.add_subparsers(required=True, metavar="WHAT")
    bench_speed.add_arguments(kinds.add_parser("speed", help="time per event"))
    bench_quality.add_arguments(kinds.add_parser("quality", help="what few labels are worth"))
    bench_batches.add_arguments(kinds.add_parser("batches", help="what asking in batches costs"))
    bench_service.add_arguments(kinds.add_parser("service", help="what the service takes"))
    bench_spark.add_arguments(kinds.add_parser("spark", help="what scoring on Spark costs"))
