"""The command line: `river-oa3 compare`, `river-oa3 reproduce`, `river-oa3 bench`."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from river_oa3 import datasets
from river_oa3.datasets import DataError, Stream
from river_oa3.experiments import Goal, Plan, compare, plots, report, speed
from river_oa3.experiments.comparison import PREFIX, check, shown
from river_oa3.experiments.lab import Lab
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.progress import downloading
from river_oa3.experiments.reproduce import EXPERIMENTS, EXTRAS, reproduce

__all__ = ["main"]

OUTPUT = "river_oa3_results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, 1 when interrupted, or 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (DataError, ValueError, TypeError, MemoryError) as error:
        print(f"river-oa3: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing may be flushed to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("river-oa3: interrupted; what was written before is kept", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="river-oa3",
        description="Online learning from imbalanced streams with a budget of labels.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_compare(commands.add_parser("compare", help="all methods on one stream"))
    _add_reproduce(commands.add_parser("reproduce", help="the paper's tables and figures"))
    _add_bench(commands.add_parser("bench", help="how fast the learners are"))
    return parser


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the paper's eleven methods on one stream under one budget of labels, print a table, "
        "and write it with a picture of how they develop."
    )
    parser.set_defaults(run=_compare)
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
        "--metric", choices=("sum", "cost"), default="sum", help="what to be good at"
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
    _add_common(parser)


def _add_reproduce(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run experiments of the paper with its settings, on as many of its data sets as are there, "
        "beside the published figures."
    )
    parser.epilog = "; ".join(
        f"{name}: {each.title}" for name, each in (EXPERIMENTS | EXTRAS).items()
    )
    parser.set_defaults(run=_reproduce)
    parser.add_argument(
        "experiments",
        nargs="+",
        choices=(*EXPERIMENTS, *EXTRAS, "all"),
        metavar="EXPERIMENT",
        help=f"one or more of {', '.join(EXPERIMENTS)}, or all; beyond the paper: "
        f"{', '.join(EXTRAS)}",
    )
    parser.add_argument(
        "--sets", help="which data sets, with commas between (default: all that are there)"
    )
    parser.add_argument("--permutations", type=int, default=20, help="orders to average over (20)")
    parser.add_argument(
        "--paper-accounting",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="count events without features as mistakes, as the paper's figures do (yes)",
    )
    _add_common(parser)


def _add_bench(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measure predict + learn an event for our learners, river's, and other libraries where "
        "they are installed, as events, vocabulary and sketch grow."
    )
    parser.set_defaults(run=_bench)
    parser.add_argument("what", choices=("speed",), help="what to measure")
    parser.add_argument("--quick", action="store_true", help="a rough figure in seconds")
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="makes everything repeatable (0)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes to use (all cores)"
    )
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")
    parser.add_argument(
        "--data-dir", help="folder with the paper's data sets (default: RIVER_OA3_DATA)"
    )
    parser.add_argument(
        "--download", action="store_true", help="download data sets that are not there"
    )


def _compare(options: argparse.Namespace) -> int:
    goal = _goal(options)
    methods = _methods(options.methods)
    if options.tune_events is not None:
        _at_least("tune-events", options.tune_events, 1)
    stream = _open(options)
    prefix = round(PREFIX * len(stream)) if options.tune == "prefix" else 0
    plan = Plan(
        budget=_budget(options.budget, len(stream) - prefix),
        goal=goal,
        methods=methods,
        permutations=0 if options.in_order else _at_least("permutations", options.permutations, 1),
        parameters=_parameters(options.set),
        tuning=options.tune,
        tuning_events=options.tune_events,
        rho=options.rho,
        gamma=options.gamma,
        sketch_size=options.sketch_size,
        seed=_at_least("seed", options.seed, 0),
        jobs=_at_least("jobs", options.jobs, 1),
        paper_accounting=options.paper_accounting,
    )
    check(stream, plan)
    folder = report.results_folder(options.output)
    result = compare(stream, plan)
    if not result.runs:
        print("river-oa3: interrupted before anything was finished", file=sys.stderr)
        return 1
    print(report.describe(result))
    print()
    print(report.table(result, bold=sys.stdout.isatty()))
    if plan.tuning is not None:
        print("\nparameters")
        for method, parameters in result.parameters.items():
            print(f"  {method:9} {shown(parameters)}")
    name = "compare-" + re.sub(r"\W+", "-", stream.name).strip("-")
    paths = report.write(result, folder, name)
    if plots.available():
        paths += plots.save(plots.development(result), folder, name)
    _written(paths)
    return 0 if result.is_complete else 1


def _reproduce(options: argparse.Namespace) -> int:
    names = list(EXPERIMENTS) if "all" in options.experiments else options.experiments
    sets = None
    if options.sets is not None:
        known = {name.lower(): name for name in datasets.paper.SETS}
        for name in options.sets.split(","):
            if name.strip().lower() not in known:
                raise DataError(
                    f"the paper has no data set {name!r}: choose from {', '.join(known.values())}"
                )
        sets = [known[name.strip().lower()] for name in options.sets.split(",")]
    lab = Lab(
        Path(options.output),
        sets,
        options.data_dir,
        options.download,
        _at_least("permutations", options.permutations, 1),
        _at_least("seed", options.seed, 0),
        _at_least("jobs", options.jobs, 1),
        options.paper_accounting,
    )
    with lab:
        return _written(reproduce(lab, dict.fromkeys(names)))


def _bench(options: argparse.Namespace) -> int:
    folder = report.results_folder(options.output)
    measured = speed.measure(speed.QUICK if options.quick else speed.Effort())
    print(", ".join(f"{name} {version}" for name, version in measured.machine.items()))
    print()
    print(speed.table(measured))
    paths = [folder / "speed.json"]
    content = {
        "cases": measured.cases,
        "sweeps": [sweep._asdict() for sweep in measured.sweeps],
        "machine": measured.machine,
    }
    report.write_text(paths[0], json.dumps(content, indent=1) + "\n")
    if plots.available():
        paths += plots.save(plots.scaling(measured), folder, "speed")
    return _written(paths)


def _written(paths: Sequence[Path]) -> int:
    """Say which files there are, and what is missing for pictures."""
    print("\nwritten:", ", ".join(map(str, paths)))
    if not plots.available():
        print("for pictures, install matplotlib: pip install 'river-oa3[plots]'")
    return 0


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
        raise DataError(f"--budget {text} is no whole number of labels; for a share write {text}%")
    else:
        labels = int(number)
    if not 1 <= labels <= events:
        raise DataError(
            f"--budget {text} is {labels:g} labels, and the stream has {events} events: choose "
            f"1 to {events} labels, or above 0% and up to 100%"
        )
    return int(labels)


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise DataError(f"--{name} must be {least} or more, not {value}")
    return value


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
