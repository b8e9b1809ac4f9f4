"""What `river-oa3 compare` says and writes."""

from __future__ import annotations

import argparse
import shutil
import sys
import typing
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from river import base

from river_oa3.commands.compare_data import Data
from river_oa3.commands.options import say_written
from river_oa3.datasets import Stream
from river_oa3.datasets.chunked import AnyStream
from river_oa3.datasets.paper_rows import dominating, scaler_for_paper
from river_oa3.experiments.findings import Findings
from river_oa3.experiments.fitting import Fitted, fit, is_above_chance
from river_oa3.experiments.methods import AUTO, find
from river_oa3.experiments.output import page, plots, report, words
from river_oa3.experiments.output.export import ExportedModel, export
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.output.report import figures_of, references, table
from river_oa3.experiments.output.text import clock, named_values, to_the_left
from river_oa3.experiments.sizing import Size

__all__ = ["notes_on", "show_after", "show_before", "warnings_on", "write_all"]


def notes_on(data: Data, size: Size, is_raw: bool) -> list[str]:
    """What was done, beyond the columns one by one."""
    notes = [data.order.sentence]
    if data.found is not None:
        profile = data.found.profile
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
            else "for the paper's methods gaps are filled and numbers scaled by the means and "
            "deviations of the whole stream, which a live stream does not know, and rows scaled to "
            "length 1; AutoOA3 takes the events as they come"
        )
    if not isinstance(data.stream, Stream):
        order = "at random" if data.stream.shuffled else "in their order"
        notes.append(
            f"too large for memory: kept in {len(data.stream.rows):,} chunks on disk, rows {order}"
        )
    if size.left_out:
        notes.append(
            f"left out, for they would take too long here: {', '.join(size.left_out)}; name them "
            "with --methods to have them"
        )
    if size.seconds > 60:
        runs = "one run" if size.runs <= 1 else f"{size.runs} runs"
        notes.append(f"all of this takes about {clock(size.seconds)}, with {runs} of each method")
    return notes


def warnings_on(data: Data, stream: AnyStream, is_raw: bool) -> list[str]:
    """What to look at before trusting a number."""
    found = [] if data.found is None else list(data.found.warnings)
    if data.found is None and isinstance(data.stream, Stream):
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
    if data.found is not None:
        assert data.source is not None
        print(f"{data.source.path or data.source.name} ({data.source.kind})\n")
        lines = [
            [" ".join(cell.split()) for cell in line]
            for line in data.found.profile.table(data.found.done)
        ]
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        print(to_the_left(lines, width))
        print()
        for note in notes:
            print(f"- {note}")
    else:
        print(data.order.sentence)
    for warning in warnings:
        print(f"WARNING: {warning}")
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
    """Write tables, pictures, the page and the model; 0 where nothing was interrupted."""
    comparison = findings.comparison
    before = set(folder.iterdir())
    is_whole = comparison.is_complete and findings.is_complete
    prepared = data.found
    notes = [*notes, *(f"{method} {reason}" for method, reason in comparison.failed.items())]
    more = {
        "order": data.order._asdict(),
        **report.findings_as_json(findings),
        "preparation": None if prepared is None else prepared.as_json(),
        "notes": list(notes),
        "warnings": list(warnings),
    }
    # The numbers come first: they are small, and what follows may fill the disk.
    written = report.write(comparison, folder, name, more)
    exported = Exported()
    if is_whole:
        try:
            exported = _export(findings, data, options, folder)
        except KeyboardInterrupt:
            is_whole = False
            print("river-oa3: interrupted before the model was fitted", file=sys.stderr)
        else:
            report.write(comparison, folder, name, {**more, "model": exported.as_json(findings)})
    pictures = {}
    if plots.available():
        drawn = plots.development(comparison, references(findings))
        written += plots.save(drawn, folder, name)
        if findings.curve is not None:
            drawn = plots.budget_curve(findings)
            written += plots.save(drawn, folder, f"{name}-labels")
        pictures = plots.pictures(findings)
    if page.available():
        text = page.page(
            findings,
            command=options.command_line,
            profile=None if prepared is None else prepared.profile.table(prepared.done),
            notes=notes,
            warnings=warnings,
            exported=exported.model,
            not_exported=exported.note,
            pictures=pictures,
        )
        written.append(folder / f"{name}.html")
        write_text(written[-1], text)
    written += exported.paths
    say_written(written)
    if not page.available():
        print("for the page, install jinja2: pip install 'river-oa3[plots]'")
    if replaced := [path.name for path in written if path in before]:
        print("replaced, from an earlier run:", ", ".join(replaced))
    if exported.note:
        print(f"\n{exported.note}")
    if exported.model is not None:
        model = exported.model
        print(f"\nto use {model.method}, in {folder}:\n\n{model.lines}", end="")
    return 0 if is_whole else 1


class Exported(typing.NamedTuple):
    """The model that was written, and what there is to say about it or about why there is none."""

    note: str = ""
    fitted: Fitted | None = None
    model: ExportedModel | None = None
    paths: tuple[Path, ...] = ()

    def as_json(self, findings: Findings) -> dict[str, typing.Any]:
        """The same as JSON knows it."""
        if self.fitted is None:
            return {"exported": False, "note": self.note}
        goal, counts = findings.comparison.plan.goal, self.fitted.counts
        return {
            "exported": self.model is not None,
            "note": self.note,
            "method": self.fitted.method,
            "labels": self.fitted.model.n_learned,
            "while_learning": {
                key: float(value) for key, value in figures_of(goal, counts).items()
            },
        }


def _export(findings: Findings, data: Data, options: argparse.Namespace, folder: Path) -> Exported:
    """Teach the recommended method all labels, and write it unless a constant does as well."""
    comparison, goal = findings.comparison, findings.comparison.plan.goal
    if words.is_lost(findings):
        return Exported(
            "No model is exported: no method is significantly better than always giving the same "
            "answer."
        )
    method = _of_ours(findings)
    if method is None:
        return Exported(
            "No model is exported: only the methods of this package are, and none was compared."
        )
    steps: list[base.Transformer] = [] if data.schema is None else [data.schema]
    stream = data.stream
    if not find(method).takes_raw:
        steps.append(
            scaler_for_paper(
                data.stream,
                comparison.stream,
                as_they_are=options.raw,
                as_in_paper=options.paper_accounting,
            )
        )
        stream = comparison.stream
    try:
        fitted = fit(comparison, method, stream, steps)
    except MemoryError as error:
        return Exported(f"No model is exported: {method} with all labels takes too much. {error}")
    if not is_above_chance(goal, fitted.counts):
        score = goal.said(float(goal.score(fitted.counts)))
        constant = goal.said(findings.verdict.chance)
        return Exported(
            f"No model is exported: taught all {len(stream):,} labels, {method} had {score} "
            f"while it learned, and always giving the same answer has {constant}.",
            fitted,
        )
    model, paths = export(
        comparison,
        fitted,
        folder,
        raw=data.stream,
        has_columns=data.schema is not None,
        positive=data.positive,
    )
    note = model.score
    if method != findings.verdict.recommended:
        note += (
            f" It is {method}: {findings.verdict.recommended} is river's, and only the methods of "
            "this package are exported."
        )
    return Exported(note, fitted, model._replace(score=note), tuple(paths))


def _of_ours(findings: Findings) -> str | None:
    """The method of this package to export: the one that is recommended, if it is one."""
    comparison, recommended = findings.comparison, findings.verdict.recommended
    ours = [name for name in comparison.runs if find(name).family != "river"]
    if recommended in ours or not ours:
        return recommended if ours else None
    goal = comparison.plan.goal
    means = [float(np.mean(goal.score(comparison.counts(name)))) for name in ours]
    return AUTO if AUTO in ours else ours[goal.measure.best(means)]
