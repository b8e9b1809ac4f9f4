"""`river-oa3 compare`: all methods on one stream."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence

from river_oa3 import datasets
from river_oa3.commands.options import add_common, at_least, say_written
from river_oa3.datasets import DataError, Stream
from river_oa3.experiments import Goal, Plan, compare
from river_oa3.experiments.comparison import PREFIX, check
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output import plots, report
from river_oa3.experiments.output.files import results_folder
from river_oa3.experiments.output.progress import downloading
from river_oa3.experiments.output.text import named_values
from river_oa3.experiments.scores import METRICS, SUM

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Run the paper's eleven methods on one stream under one budget of labels, print a table, "
        "and write it with a picture of how they develop."
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "data",
        nargs="?",
        default="Shuttle",
        metavar="DATA",
        help="a file (LIBSVM text, CSV, Parquet, npz), a river data set, or one of the paper's: "
        f"{', '.join(datasets.paper.SETS)} (default: Shuttle, which comes with river)",
    )
    parser.add_argument("--label", help="the label column of a table")
    parser.add_argument("--positive", help="the class to look for, where there are several")
    parser.add_argument(
        "--budget", default="1%", help="labels that may be asked for, or a share such as 5%%"
    )
    parser.add_argument(
        "--metric", choices=tuple(METRICS), default=SUM.name, help="what to be good at"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.5, help="the weight of sensitivity in the sum (0.5)"
    )
    parser.add_argument(
        "--cost-fn", type=float, default=0.9, help="the cost of a missed positive (0.9)"
    )
    parser.add_argument(
        "--cost-fp", type=float, default=0.1, help="the cost of a false alarm (0.1)"
    )
    parser.add_argument(
        "--methods",
        default=",".join(METHODS),
        help=f"which methods, with commas between (default: {','.join(METHODS)})",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="METHOD.NAME=VALUE",
        help="a parameter, such as OA3.eta=0.5; may be repeated",
    )
    parser.add_argument(
        "--tune",
        action="store_const",
        const="permutations",
        help="choose parameters from the paper's grid, on other permutations of the events",
    )
    parser.add_argument(
        "--tune-prefix",
        dest="tune",
        action="store_const",
        const="prefix",
        help="choose them on the first fifth of the stream, which is then not reported",
    )
    parser.add_argument(
        "--tune-events", type=int, metavar="N", help="tune on no more than so many events"
    )
    parser.add_argument("--rho", type=float, help="the weight of a positive (default: by metric)")
    parser.add_argument("--gamma", type=float, default=1.0, help="the regularisation (1)")
    parser.add_argument("--sketch-size", type=int, default=5, help="rows of the sketches (5)")
    parser.add_argument("--permutations", type=int, default=20, help="orders to average over (20)")
    parser.add_argument(
        "--in-order", action="store_true", help="take the events once, in the order they came"
    )
    parser.add_argument(
        "--intercept", action="store_true", help="add a feature that is 1 in every event"
    )
    parser.add_argument(
        "--raw", action="store_true", help="leave rows as they are, not scaled to unit length"
    )
    parser.add_argument(
        "--paper-accounting",
        action="store_true",
        help="count events without features as mistakes, as the paper's figures do",
    )
    add_common(parser)


def run(options: argparse.Namespace) -> int:
    """Compare, print, and write."""
    goal = _goal(options)
    methods = _methods(options.methods)
    if options.tune_events is not None:
        at_least("tune-events", options.tune_events, 1)
    stream = _open(options)
    prefix = round(PREFIX * len(stream)) if options.tune == "prefix" else 0
    plan = Plan(
        budget=_budget(options.budget, len(stream) - prefix),
        goal=goal,
        methods=methods,
        permutations=0 if options.in_order else at_least("permutations", options.permutations, 1),
        parameters=_parameters(options.set),
        tuning=options.tune,
        tuning_events=options.tune_events,
        rho=options.rho,
        gamma=options.gamma,
        sketch_size=options.sketch_size,
        seed=at_least("seed", options.seed, 0),
        jobs=at_least("jobs", options.jobs, 1),
        paper_accounting=options.paper_accounting,
    )
    check(stream, plan)
    folder = results_folder(options.output)
    try:
        result = compare(stream, plan)
    except KeyboardInterrupt:  # while the workers start or end
        result = None
    if result is None or not result.runs:
        print("river-oa3: interrupted before anything was finished", file=sys.stderr)
        return 1
    print(report.describe(result))
    print()
    print(report.table(result, bold=sys.stdout.isatty()))
    if plan.tuning is not None:
        print("\nparameters")
        for method, parameters in result.parameters.items():
            print(f"  {method:9} {named_values(parameters)}")
    name = "compare-" + re.sub(r"\W+", "-", stream.name).strip("-")
    paths = report.write(result, folder, name)
    if plots.available():
        paths += plots.save(plots.development(result), folder, name)
    say_written(paths)
    return 0 if result.is_complete else 1


def _goal(options: argparse.Namespace) -> Goal:
    if not 0.0 < options.alpha < 1.0:
        raise DataError(f"--alpha must be between 0 and 1, not {options.alpha:g}")
    for name in ("cost_fn", "cost_fp"):
        value = getattr(options, name)
        if not 0.0 < value < float("inf"):
            raise DataError(f"--{name.replace('_', '-')} must be above 0, not {value:g}")
    return Goal(options.metric, options.alpha, options.cost_fn, options.cost_fp)


def _methods(text: str) -> tuple[str, ...]:
    """Methods by name, whatever the case of the letters."""
    known = {name.lower(): name for name in METHODS}
    chosen = []
    for name in text.split(","):
        if name.strip().lower() not in known:
            raise DataError(f"there is no method {name!r}: choose from {', '.join(METHODS)}")
        chosen.append(known[name.strip().lower()])
    return tuple(dict.fromkeys(chosen))


def _parameters(settings: Sequence[str]) -> dict[str, dict[str, float]]:
    parameters: dict[str, dict[str, float]] = {}
    for setting in settings:
        match = re.fullmatch(r"([\w-]+)\.(\w+)=(.+)", setting)
        if match is None:
            raise DataError(f"--set takes METHOD.NAME=VALUE, such as OA3.eta=0.5, not {setting!r}")
        name, value = match.group(2), match.group(3)
        (method,) = _methods(match.group(1))
        try:
            parameters.setdefault(method, {})[name] = float(value)
        except ValueError:
            raise DataError(f"--set {setting}: {value!r} is not a number") from None
    return parameters


def _budget(text: str, events: int) -> int:
    """A number of labels, or a share of the events."""
    match = re.fullmatch(r"\s*([0-9.]+(?:e-?[0-9]+)?)\s*(%|percent)?\s*", text)
    try:
        number = float(match.group(1)) if match else float("nan")
    except ValueError:
        number = float("nan")
    if match is None or math.isnan(number):
        raise DataError(f"--budget takes a number of labels or a share such as 1%, not {text!r}")
    if match.group(2):
        labels = number / 100.0 * events
        labels = max(1, round(labels)) if 0 < labels <= events else labels
    elif math.isinf(number):
        labels = number
    elif number != int(number):
        raise DataError(
            f"--budget {text} is not a whole number of labels; for a share write {text}%"
        )
    else:
        labels = int(number)
    if not 1 <= labels <= events:
        raise DataError(
            f"--budget {text} is {labels:g} labels, and the stream has {events} events: choose "
            f"1 to {events} labels, or above 0% and up to 100%"
        )
    return int(labels)


def _open(options: argparse.Namespace) -> Stream:
    with downloading(options.data) as progress:
        stream = datasets.open_stream(
            options.data,
            label=options.label,
            positive=options.positive,
            data_dir=options.data_dir,
            download=options.download,
            progress=progress,
        )
    if options.intercept:
        stream = stream.with_intercept()
    return stream if options.raw else stream.unit_rows()
