"""What `river-oa3 compare` says and writes."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from river_oa3.commands.compare_data import Data
from river_oa3.commands.options import say_written
from river_oa3.datasets import Stream
from river_oa3.datasets.paper_rows import dominating
from river_oa3.datasets.pieced import AnyStream
from river_oa3.datasets.sources.csv_file import CsvFile
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.fitting import fit
from river_oa3.experiments.methods import AUTO, find
from river_oa3.experiments.output import findings_plots, plots, report, words
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.output.handover import PREPARE_NOTHING, hand_over
from river_oa3.experiments.output.page import page
from river_oa3.experiments.output.page_sections import Handover
from river_oa3.experiments.output.references import references
from river_oa3.experiments.output.table import table
from river_oa3.experiments.output.text import clock, named_values, to_the_left
from river_oa3.experiments.sizing import Size

__all__ = ["notes_on", "show_after", "show_before", "warnings_on", "write_all"]


def notes_on(data: Data, size: Size, is_raw: bool) -> list[str]:
    """What was done, beyond the columns one by one."""
    notes = []
    if data.preparation is not None:
        profile = data.preparation.profile
        notes.append(
            f"{profile.rows:,} rows, the label is column {profile.label!r}, positive is "
            f"{data.positive}: {profile.positives:,} rows"
        )
        if profile.taken < profile.rows:
            notes.append(f"--sample took {profile.taken:,} rows at random")
    if any(not find(name).takes_raw for name in size.methods):
        notes.append(
            "rows are given to the paper's methods as they are"
            if is_raw
            else "for the paper's methods numbers are scaled by what the whole stream shows, which "
            "a live stream does not, and rows to length 1; AutoOA3 takes the events raw"
        )
    if not isinstance(data.stream, Stream):
        order = "dealt to them at random" if data.stream.shuffled else "in their order"
        notes.append(
            f"too large for memory: kept in {len(data.stream.rows):,} pieces on disk, rows {order}"
        )
    if size.left_out:
        notes.append(
            f"left out, for they would take too long here: {', '.join(size.left_out)}; name them "
            "with --methods to have them"
        )
    if size.seconds > 60:
        orders = "one order" if size.orders <= 1 else f"{size.orders} orders"
        notes.append(f"all of this takes about {clock(size.seconds)}, with {orders} of the events")
    return notes


def warnings_on(data: Data, stream: AnyStream, is_raw: bool) -> list[str]:
    """What to look at before trusting a number."""
    found = [] if data.preparation is None else list(data.preparation.warnings)
    if data.preparation is None and isinstance(data.stream, Stream):
        first = int(np.argmax(data.stream.y))
        if first >= len(data.stream) / 10:
            found.append(
                f"the first positive is event {first + 1:,} of {len(data.stream):,}: in this order "
                "nothing can be learned before"
            )
    column = dominating(stream)
    if column is not None:
        remedy = "leave --raw out, or --drop it" if is_raw else "--drop it, or look at its values"
        found.append(
            f"column {column!r} has more than 99 % of the length of nearly every row, and the "
            f"paper's methods see nothing else: {remedy}"
        )
    return found


def show_before(data: Data, notes: Sequence[str], warnings: Sequence[str]) -> None:
    """Print what is in the file and what was done with it."""
    if data.preparation is not None:
        assert data.source is not None
        print(f"{data.source.path or data.source.name} ({data.source.kind})\n")
        lines = [
            [" ".join(cell.split()) for cell in line]
            for line in data.preparation.profile.table(data.preparation.done)
        ]
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print(to_the_left(lines, width))
        print()
        for note in notes:
            print(f"- {note}")
    for warning in warnings:
        print(f"WARNING: {warning}")
    if data.preparation is not None or warnings:
        print(flush=True)


def show_after(findings: Findings) -> None:
    """Print the table and what it says."""
    comparison = findings.comparison
    print(report.describe(comparison))
    print()
    print(table(comparison, bold=sys.stdout.isatty(), apart=references(findings)))
    print()
    print("\n".join(words.in_words(findings)))
    if comparison.plan.tuning is not None:
        print("\nparameters")
        for method, parameters in comparison.parameters.items():
            print(f"  {method:9} {named_values(parameters)}")


def write_all(
    findings: Findings,
    data: Data,
    options: argparse.Namespace,
    folder: Path,
    name: str,
    notes: Sequence[str],
    warnings: Sequence[str],
) -> int:
    """Write tables, pictures, the page and the hand-over; 0 where nothing was interrupted."""
    comparison = findings.comparison
    handover: Handover | None = None
    paths: list[Path] = []
    is_whole = comparison.is_complete and findings.is_complete
    prepared = data.preparation
    more = {
        **report.findings_as_json(findings),
        "preparation": None if prepared is None else prepared.as_json(),
        "notes": list(notes),
        "warnings": list(warnings),
    }
    # The numbers come first: they are small, and what follows may fill the disk.
    written = report.write(comparison, folder, name, more)
    method = _handed_over(findings)
    if is_whole and method is not None:
        try:
            handover, paths = _hand_over(comparison, method, data, options, folder)
        except KeyboardInterrupt:
            is_whole = False
            print("river-oa3: interrupted before the model was fitted", file=sys.stderr)
    pictures = {}
    if plots.available():
        drawn = plots.development(comparison, references(findings))
        written += plots.save(drawn, folder, name)
        if findings.curve is not None:
            drawn = findings_plots.budget_curve(findings)
            written += plots.save(drawn, folder, f"{name}-labels")
        pictures = findings_plots.pictures(findings)
    text = page(
        findings,
        command=options.command_line,
        profile=None if prepared is None else prepared.profile.table(prepared.done),
        notes=notes,
        warnings=warnings,
        handover=handover,
        pictures=pictures,
    )
    written.append(folder / f"{name}.html")
    write_text(written[-1], text)
    say_written([*written, *paths])
    if handover is not None:
        print(f"\nto use {handover.method}, in {folder}:\n\n{handover.lines}", end="")
    return 0 if is_whole else 1


def _handed_over(findings: Findings) -> str | None:
    """The method of this package to deploy; None where none is better than chance."""
    comparison, verdict = findings.comparison, findings.verdict
    if verdict.orders > 1 and not verdict.above_chance:
        return None
    ours = [name for name in comparison.runs if find(name).family != "river"]
    if verdict.recommended in ours:
        return verdict.recommended
    if not ours:
        return None
    goal = comparison.plan.goal
    means = [float(np.mean(goal.score(comparison.counts(name)))) for name in ours]
    return AUTO if AUTO in ours else ours[goal.measure.best(means)]


def _hand_over(
    comparison: Comparison,
    method: str,
    data: Data,
    options: argparse.Namespace,
    folder: Path,
) -> tuple[Handover, list[Path]]:
    taken = data.stream if find(method).takes_raw else comparison.stream
    return hand_over(
        comparison,
        method,
        fit(comparison, method, taken),
        folder,
        stream=taken,
        raw=data.stream,
        prepare=PREPARE_NOTHING if data.preparation is None else data.preparation.code(),
        positive=data.positive,
        as_they_are=options.raw,
        separator=data.source.separator if isinstance(data.source, CsvFile) else ",",
    )
