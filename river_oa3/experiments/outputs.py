"""What an experiment writes: text, tables and pictures, in the folder of the lab."""

from __future__ import annotations

import csv
import io
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from river_oa3.experiments import plots, report
from river_oa3.experiments.lab import Lab

__all__ = ["Runner", "as_csv", "draw", "write"]

# Given a lab, the experiment's name and a way to say something: the files that were written.
Runner = Callable[[Lab, str, Callable[[str], None]], list[Path]]


def write(lab: Lab, files: Mapping[str, str]) -> list[Path]:
    """Write texts to files of these names."""
    for name, text in files.items():
        report.write_text(lab.folder / name, text)
    return [lab.folder / name for name in files]


def draw(lab: Lab, name: str, make: Callable[[], typing.Any]) -> list[Path]:
    """Draw a figure and write it, where there is something to draw with."""
    return plots.save(make(), lab.folder, name) if plots.available() else []


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells as CSV."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
