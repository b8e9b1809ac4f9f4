"""`river-oa3 compare`: all methods on one stream."""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import sys
from collections.abc import Sequence

from river_oa3.commands.compare_data import (
    add_data_arguments,
    chunks_folder,
    opened_table,
    read,
    scaled_once,
)
from river_oa3.commands.compare_order import add_order_arguments
from river_oa3.commands.compare_output import (
    notes_on,
    show_after,
    show_before,
    warnings_on,
    write_all,
)
from river_oa3.commands.options import Arguments, add_common, add_paper_data, at_least
from river_oa3.datasets import DataError
from river_oa3.datasets.paper_rows import rows_for_paper
from river_oa3.experiments import Goal, Plan
from river_oa3.experiments.comparison import check, events_of
from river_oa3.experiments.methods import AUTO, METHODS, known
from river_oa3.experiments.orders import Order
from river_oa3.experiments.output.files import results_folder
from river_oa3.experiments.peers import PEERS
from river_oa3.experiments.scores import METRICS, SUM
from river_oa3.experiments.sizing import RUNS, sized
from river_oa3.experiments.survey import survey
from river_oa3.experiments.tasks import Streams

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Compare AutoOA3 with the paper's methods on one stream under one budget of labels: look "
        "at the file, prepare it, say who is ahead and how many labels are enough, and export a "
        "model that is ready to use."
    )
    parser.set_defaults(run=run)
    add_data_arguments(parser.add_argument_group("data"))
    _add_goal_arguments(parser.add_argument_group("budget and goal"))
    add_order_arguments(parser.add_argument_group("order"))
    _add_method_arguments(parser.add_argument_group("methods"))
    add_common(parser)
    _add_paper_arguments(parser.add_argument_group("for the paper's protocol"))


def _add_goal_arguments(group: Arguments) -> None:
    group.add_argument(
        "--budget",
        default="1%",
        help="labels that may be asked for, or a share such as 5%% or 0.05 (default: %(default)s)",
    )
    group.add_argument(
        "--metric",
        choices=tuple(METRICS),
        default=SUM.name,
        help="what is optimised: sum, the balanced accuracy, or cost, the cost of mistakes "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--alpha",
        type=float,
        default=0.5,
        help="the weight of sensitivity in the balanced accuracy; 1 minus it is that of "
        "specificity (default: %(default)s)",
    )
    group.add_argument(
        "--cost-fn",
        type=float,
        default=0.9,
        help="the cost of a missed positive (default: %(default)s)",
    )
    group.add_argument(
        "--cost-fp",
        type=float,
        default=0.1,
        help="the cost of a false alarm (default: %(default)s)",
    )


def _add_method_arguments(group: Arguments) -> None:
    group.add_argument(
        "--methods",
        help=f"which methods, with commas between, of {', '.join(known())} (default: all but "
        "river's, and those that would take too long)",
    )
    group.add_argument(
        "--peers", action="store_true", help=f"river's own learners too: {', '.join(PEERS)}"
    )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="METHOD.NAME=VALUE",
        help="a parameter, such as OA3.eta=0.5; may be repeated",
    )


def _add_paper_arguments(group: Arguments) -> None:
    group.add_argument(
        "--tune",
        action="store_const",
        const="permutations",
        help="choose parameters from the paper's grid, on other shuffles of the events, or in "
        "their order with other random numbers",
    )
    group.add_argument(
        "--tune-prefix",
        dest="tune",
        action="store_const",
        const="prefix",
        help="choose them on the first fifth of the stream, which is then not reported",
    )
    group.add_argument(
        "--tune-events", type=int, metavar="N", help="tune on N events at most (default: all)"
    )
    group.add_argument(
        "--rho", type=float, help="the weight of a positive (default: as the metric asks for)"
    )
    group.add_argument(
        "--gamma", type=float, default=1.0, help="the regularisation (default: %(default)s)"
    )
    group.add_argument(
        "--sketch-size", type=int, default=5, help="rows of the sketches (default: %(default)s)"
    )
    group.add_argument(
        "--raw",
        action="store_true",
        help="give the paper's methods rows as they are, not scaled; AutoOA3 always has them so",
    )
    group.add_argument(
        "--intercept", action="store_true", help="add a feature that is 1 in every event"
    )
    group.add_argument(
        "--paper-accounting",
        action="store_true",
        help="count events without features as mistakes, as the paper's figures do; rows are then "
        "scaled to unit length as there, and columns not at all",
    )
    add_paper_data(group)


def run(options: argparse.Namespace) -> int:
    """Look, prepare, compare, decide, export."""
    goal = _goal(options)
    wanted = _wanted(options)
    parameters = _parameters(options.set)
    if options.tune_events is not None:
        at_least("tune-events", options.tune_events, 1)
    if options.shuffle is not None:
        at_least("shuffle", options.shuffle, 1)
    at_least("seed", options.seed, 0)
    at_least("jobs", options.jobs, 1)
    table = opened_table(options)
    with chunks_folder(options.output) as chunks:
        data = read(options, table, chunks)
        raw = data.stream
        stream = rows_for_paper(
            raw,
            as_they_are=options.raw,
            intercept=options.intercept,
            as_in_paper=options.paper_accounting,
        )
        plan = Plan(
            budget=1,
            goal=goal,
            parameters=parameters,
            tuning=options.tune,
            tuning_events=options.tune_events,
            rho=options.rho,
            gamma=options.gamma,
            sketch_size=options.sketch_size,
            seed=options.seed,
            jobs=options.jobs,
            paper_accounting=options.paper_accounting,
        )
        plan = _with_runs(plan, data.order, RUNS[0])
        events = events_of(stream, plan)
        budget = _budget(options.budget, events)
        size = sized(
            Streams(stream, raw),
            events,
            budget,
            options.jobs,
            wanted,
            methods_given=options.methods is not None,
            runs_given=options.shuffle,
        )
        plan = dataclasses.replace(plan, budget=budget, methods=size.methods)
        plan = _with_runs(plan, data.order, size.runs)
        check(stream, plan)
        folder = results_folder(options.output)
        notes = notes_on(data, size, is_raw=options.raw)
        warnings = warnings_on(data, stream, is_raw=options.raw)
        if not re.search("%|percent", options.budget) and float(options.budget) < 1.0:
            share = f"{100 * float(options.budget):.6g}%"
            warnings.append(
                f"--budget {options.budget.strip()} is taken as a share, {share} of {events:,} "
                f"events: {budget:,} labels"
            )
        show_before(data, notes, warnings)
        try:
            findings = survey(scaled_once(stream, size.methods), plan, raw)
        except KeyboardInterrupt:  # while the workers start or end
            findings = None
        if findings is None:
            print("river-oa3: interrupted before anything was finished", file=sys.stderr)
            return 1
        show_after(findings)
        name = "compare-" + re.sub(r"\W+", "-", raw.name).strip("-")
        return write_all(findings, data, options, folder, name, notes, warnings)


def _with_runs(plan: Plan, order: Order, runs: int) -> Plan:
    """The plan with so many runs: shuffles, or windows of events in their order."""
    if order.is_shuffled:
        return dataclasses.replace(plan, permutations=runs)
    return dataclasses.replace(plan, permutations=0, windows=runs)


def _goal(options: argparse.Namespace) -> Goal:
    if not 0.0 < options.alpha < 1.0:
        raise DataError(f"--alpha must be between 0 and 1, not {options.alpha:g}")
    for name in ("cost_fn", "cost_fp"):
        value = getattr(options, name)
        if not 0.0 < value < float("inf"):
            raise DataError(f"--{name.replace('_', '-')} must be above 0, not {value:g}")
    return Goal(options.metric, options.alpha, options.cost_fn, options.cost_fp)


def _wanted(options: argparse.Namespace) -> tuple[str, ...]:
    """The methods that are named, or all that are compared where none are."""
    if options.methods is None:
        return (AUTO, *METHODS, *(PEERS if options.peers else ()))
    return tuple(dict.fromkeys([*_methods(options.methods), *(PEERS if options.peers else ())]))


def _methods(text: str) -> tuple[str, ...]:
    """Methods by name, whatever the case of the letters."""
    names = {name.lower(): name for name in known()}
    chosen = []
    for name in text.split(","):
        if name.strip().lower() not in names:
            raise DataError(f"there is no method {name!r}: choose from {', '.join(known())}")
        chosen.append(names[name.strip().lower()])
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
    share = number / 100.0 if match.group(2) else number if 0.0 < number < 1.0 else None
    if share is not None:
        labels = share * events
        labels = max(1, round(labels)) if 0 < labels <= events else labels
    elif math.isinf(number):
        labels = number
    elif number != int(number):
        raise DataError(
            f"--budget {text} is not a whole number of labels: write {round(number)} for labels, "
            f"or {number:g}% for a share of the events"
        )
    else:
        labels = int(number)
    if not 1 <= labels <= events:
        raise DataError(
            f"--budget {text} is {labels:g} labels, and the stream has {events} events: choose "
            f"1 to {events} labels, or above 0% and up to 100%"
        )
    return int(labels)
