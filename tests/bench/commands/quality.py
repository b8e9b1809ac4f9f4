"""`python -m tests.bench quality`: how well the learners do with few labels."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from river_oa3.commands.options import OUTPUT, at_least, say_written
from river_oa3.datasets import DataError
from river_oa3.experiments.output import plots
from river_oa3.experiments.output.files import results_folder, write_text
from river_oa3.experiments.output.report import versions
from river_oa3.experiments.store import RunStore

from ..quality import picture
from ..quality.contest import Contest
from ..quality.registry import CONTENDERS
from ..quality.running import Result, library_of, run_all
from ..quality.streams import BUNDLED, open_streams
from ..quality.tables import as_json, judge, runs_as_csv

__all__ = ["add_arguments", "add_streams", "run", "shares", "split"]

RUNS = "quality-runs.jsonl"
METHODS = [name for name, contender in CONTENDERS.items() if contender.side != "peer"]
PEERS = [name for name, contender in CONTENDERS.items() if contender.side == "peer"]
QUICK = Contest(budgets=(0.02, 0.1), orders=2, slow_orders=0, events=1_000)


def add_streams(parser: argparse.ArgumentParser) -> None:
    """Which streams to run over."""
    parser.add_argument(
        "--data-dir", help="folder whose .npz files are streams too, beside those of river"
    )
    parser.add_argument(
        "--streams",
        help=f"which streams, with commas between (default: {','.join(BUNDLED)} and all of "
        "--data-dir)",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    default = Contest()
    parser.description = (
        "Run ours with its defaults, the paper's learners and other libraries over the same "
        "orders of the same streams with the same hard budgets of labels. Peers are reported at "
        "their defaults, at one best fixed setting per budget and tuned per stream and budget, "
        "both chosen in hindsight on what is reported; ours is not tuned. Finished runs are kept: "
        "the same command goes on where it was interrupted."
    )
    parser.set_defaults(run=run)
    add_streams(parser)
    parser.add_argument(
        "--methods",
        help=f"which of this package, with commas between, or none (default: {','.join(METHODS)})",
    )
    parser.add_argument(
        "--peers",
        help=f"which others, with commas between, or none (default: those of {','.join(PEERS)} "
        "that are installed)",
    )
    parser.add_argument(
        "--budgets",
        help="percent of the events that may be asked about, with commas between "
        f"(default: {','.join(f'{100 * share:g}' for share in default.budgets)})",
    )
    parser.add_argument("--orders", type=int, help=f"orders per stream ({default.orders})")
    parser.add_argument(
        "--slow-orders",
        type=int,
        help="orders for peers that take a tenth of a millisecond per event "
        f"({default.slow_orders}; 0 leaves them out)",
    )
    parser.add_argument(
        "--events", type=int, help=f"events of an order at most ({default.events:,})"
    )
    parser.add_argument("--seed", type=int, default=0, help="makes everything repeatable (0)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes to use (all cores)"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK.orders} orders of {QUICK.events:,} events, budgets of "
        f"{' and '.join(f'{100 * share:g}' for share in QUICK.budgets)} percent, no slow peers",
    )
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def run(options: argparse.Namespace) -> int:
    """Run, print, and write."""
    contest = _contest(options)
    names = _names(options, contest)
    jobs = at_least("jobs", options.jobs, 1)
    wanted = None if options.streams is None else split(options.streams)
    folder = results_folder(options.output)
    streams = list(open_streams(options.data_dir, wanted))
    used = {**versions(), **dict(map(library_of, names))}
    print(
        f"orders 0 to {contest.orders - 1} of seed {contest.seed}, at most {contest.events:,} "
        f"events each, of {', '.join(stream.name for stream in streams)}; "
        + ", ".join(f"{name} {version}" for name, version in used.items()),
        flush=True,
    )
    store = RunStore(folder / RUNS)
    results: list[Result] = []
    try:
        results.extend(run_all(streams, contest, names, store, jobs))
    except KeyboardInterrupt:
        print(
            f"river-oa3: interrupted; {len(store):,} finished runs are kept in {store.path}: the "
            f"same command goes on\n  {options.command_line}",
            file=sys.stderr,
        )
        return 1
    verdicts = judge(results, [stream.name for stream in streams], contest, names)
    for verdict in verdicts:
        for table in verdict.tables():
            print(f"\n{table}")
    paths = [folder / "quality.csv", folder / "quality.json"]
    write_text(paths[0], runs_as_csv(results))
    content = {
        "contest": contest._asdict(),
        "streams": [stream.title for stream in streams],
        "versions": used,
        **{verdict.metric: as_json(verdict) for verdict in verdicts},
    }
    write_text(paths[1], json.dumps(content, indent=1) + "\n")
    if plots.available():
        paths += plots.save(picture.draw(verdicts), folder, "quality")
    say_written(paths)
    return 0


def _contest(options: argparse.Namespace) -> Contest:
    default = QUICK if options.quick else Contest()

    def number(name: str, least: int) -> int:
        value = getattr(options, name)
        value = getattr(default, name) if value is None else value
        return at_least(name.replace("_", "-"), value, least)

    budgets = default.budgets
    if options.budgets is not None:
        budgets = shares(options.budgets)
    return Contest(
        budgets,
        orders=number("orders", 1),
        slow_orders=number("slow_orders", 0),
        events=number("events", 10),
        seed=at_least("seed", options.seed, 0),
    )


def shares(text: str) -> tuple[float, ...]:
    """Budgets in percent, with commas between, as shares."""
    return tuple(dict.fromkeys(map(_share, split(text))))


def _share(text: str) -> float:
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if not 0.0 < percent <= 100.0:
        raise DataError(f"--budgets takes percents above 0 and up to 100, not {text!r}")
    return percent / 100.0


def _names(options: argparse.Namespace, contest: Contest) -> list[str]:
    """Who takes part."""
    methods = METHODS if options.methods is None else _known("method", options.methods, METHODS)
    if options.peers is None:
        peers = [name for name in PEERS if CONTENDERS[name].is_installed]
        if not contest.slow_orders:
            peers = [name for name in peers if not CONTENDERS[name].is_slow]
    else:
        peers = _known("peer", options.peers, PEERS)
    for name in peers:
        if not CONTENDERS[name].is_installed:
            raise DataError(
                f"{name} needs {CONTENDERS[name].needs}: pip install 'river-oa3[peers]'"
            )
        if CONTENDERS[name].is_slow and not contest.slow_orders:
            raise DataError(f"{name} is slow, and --slow-orders 0 leaves it out: give it some")
    if not methods and not peers:
        raise DataError("nobody is left to run: name some --methods or --peers")
    return [*methods, *peers]


def _known(what: str, text: str, known: Sequence[str]) -> list[str]:
    names = [] if text.strip() == "none" else split(text)
    for name in names:
        if name not in known:
            raise DataError(f"there is no {what} {name!r}: choose from {', '.join(known)}, or none")
    return [name for name in known if name in names]


def split(text: str) -> list[str]:
    """Names with commas between."""
    return [part.strip() for part in text.split(",")]
