"""Figures as text: aligned tables, CSV, a mean with its deviation."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "aligned",
    "as_csv",
    "clock",
    "listed",
    "mean_and_deviation",
    "named_values",
    "plus_minus",
    "shortened",
    "visible",
]

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
# What joins letters and emoji, and moves nothing but them.
JOINERS = "\u200c\u200d"
MIN_WIDTH = 12
"""No column of a table of texts is cut to fewer characters."""


def aligned(
    rows: Sequence[Sequence[str]],
    marked: Iterable[tuple[int, int]] = (),
    bold: bool = False,
    apart: Sequence[Sequence[str]] = (),
) -> str:
    """Rows of cells as lines: the first column to the left, the others to the right.

    Marked cells are bold, or starred where the text goes to a file or a pipe. The rows `apart`
    stand below an empty line.
    """
    marked = set(marked)
    end = len(rows)
    rows = [*rows, *apart]
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
    rule = "-" * (sum(widths) + 2 * len(widths) - 2)
    below = ["", *lines[end:]] if apart else []
    return "\n".join([lines[0], rule, *lines[1:end], *below])


def to_the_left(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Rows of texts as lines, every column to the left, a rule below the heads.

    Where a line may be no wider than `width`, the widest columns are cut until it is, but none to
    less than `MIN_WIDTH` characters.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = math.inf if width is None else width - 2 * (len(widths) - 1)
    while sum(widths) > room and max(widths) > MIN_WIDTH:
        widest = max(widths)
        # All that are as wide shrink together, to the next narrower one at most.
        among = [j for j, each in enumerate(widths) if each == widest]
        floor = max([MIN_WIDTH, *(each for each in widths if each < widest)])
        too_much = math.ceil((sum(widths) - room) / len(among))
        for j in among:
            widths[j] = max(floor, widest - too_much)
    lines = [
        "  ".join(
            _cut(cell, most).ljust(most) for cell, most in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


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


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names as a sentence has them.

    Examples
    --------

    >>> from river_oa3.experiments.output.text import listed

    >>> listed(["OA3", "SOA3", "PAA"])
    'OA3, SOA3 and PAA'

    """
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def visible(text: str, keep: str = "") -> str:
    """A text from data without what steers a terminal, breaks a file or turns the reading round.

    Such characters are put as Python writes them, but for those to keep.

    Examples
    --------

    >>> from river_oa3.experiments.output.text import visible

    >>> print(visible("a\\x1b[2Jb\\u202ec"))
    a\\x1b[2Jb\\u202ec

    """
    return "".join(
        each
        if each.isprintable() or each in keep or each in JOINERS
        else each.encode("unicode_escape").decode()
        for each in text
    )


def shortened(text: str, width: int) -> str:
    """A text that is too long without its middle: names often differ at their ends."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}\u2026{text[head + 1 - width :]}"
