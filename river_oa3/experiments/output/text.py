"""Figures as text: aligned tables, CSV, a mean with its deviation."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["aligned", "as_csv", "clock", "mean_and_deviation", "named_values", "plus_minus"]

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def aligned(
    rows: Sequence[Sequence[str]], marked: Iterable[tuple[int, int]] = (), bold: bool = False
) -> str:
    """Rows of cells as lines: the first column to the left, the others to the right.

    Marked cells are bold, or starred where the text goes to a file or a pipe.
    """
    marked = set(marked)
    if not bold:
        rows = [
            [cell + ("*" if (i, j) in marked else " " if j else "") for j, cell in enumerate(row)]
            for i, row in enumerate(rows)
        ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for i, row in enumerate(rows):
        cells = []
        for j, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padded = cell.rjust(width) if j else cell.ljust(width)
            if bold and (i, j) in marked:
                padded = padded.replace(cell, f"{BOLD}{cell}{PLAIN}")
            cells.append(padded)
        lines.append("  ".join(cells).rstrip())
    return "\n".join([lines[0], "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]])


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows of cells as CSV."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def mean_and_deviation(values: NDArray[np.float64]) -> tuple[float, float]:
    """The mean and the standard deviation of a sample; 0 for a sample of one."""
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0


def plus_minus(mean: float, deviation: float, digits: int) -> str:
    """A mean with its deviation."""
    return f"{mean:.{digits}f} +- {deviation:.{digits}f}"


def named_values(parameters: Mapping[str, float]) -> str:
    """Parameters as text, such as `eta=0.1 delta_pos=10`."""
    return " ".join(f"{name}={value:g}" for name, value in parameters.items())


def clock(seconds: float) -> str:
    """A time as minutes and seconds, with hours where there are some."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d}"
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
