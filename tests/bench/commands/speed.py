"""`python -m tests.bench speed`: how fast the learners are."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from river_oa3.commands.options import OUTPUT, say_written
from river_oa3.datasets import DataError
from river_oa3.experiments.output import plots
from river_oa3.experiments.output.files import results_folder, write_text

from .. import against
from ..pictures import scaling
from ..speed import SECTIONS, measure
from ..timing import FULL, QUICK

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Measure predict + learn per event for our learners, river's, and other libraries where "
        "they are installed, as events, vocabulary and sketch grow, and the figures that have a "
        "bar to reach."
    )
    parser.epilog = "; ".join(f"{name}: {section.title}" for name, section in SECTIONS.items())
    parser.set_defaults(run=run)
    parser.add_argument("--quick", action="store_true", help="a rough figure in seconds")
    parser.add_argument(
        "--sections",
        help=f"which parts, with commas between (default: {','.join(SECTIONS)})",
    )
    parser.add_argument(
        "--against",
        metavar="REV",
        help="compare with another commit of this clone, in turns on the same machine",
    )
    parser.add_argument(
        "--data-dir",
        help="folder with the paper's w8a; without it, events of its shape are made up",
    )
    parser.add_argument("--output", default=OUTPUT, help=f"folder for the results ({OUTPUT})")


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write."""
    sections = _sections(options.sections)
    if options.against is not None:
        words = ["--sections", ",".join(sections), *(["--quick"] if options.quick else [])]
        if options.data_dir is not None:
            words += ["--data-dir", str(Path(options.data_dir).absolute())]
        print(against.table(options.against, against.compare(options.against, words)))
        return 0
    folder = results_folder(options.output)
    measured = measure(sections, QUICK if options.quick else FULL, options.data_dir)
    print(", ".join(f"{name} {version}" for name, version in measured.machine.items()))
    for table in measured.tables():
        print(f"\n{table}")
    paths = [folder / "speed.json"]
    write_text(paths[0], json.dumps(measured.as_json(), indent=1) + "\n")
    if measured.sweeps and plots.available():
        paths += plots.save(scaling(measured.sweeps), folder, "speed")
    say_written(paths)
    return 0


def _sections(text: str | None) -> list[str]:
    if text is None:
        return [name for name, section in SECTIONS.items() if section.is_possible]
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in SECTIONS:
            raise DataError(f"there is no section {name!r}: choose from {', '.join(SECTIONS)}")
        if not SECTIONS[name].is_possible:
            raise DataError(f"the section {name} needs {SECTIONS[name].needs}: install it first")
    return names
