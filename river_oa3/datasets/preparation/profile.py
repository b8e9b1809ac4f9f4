"""The first pass over a table: what is in it, and what keeps it from being used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from river_oa3.datasets.errors import DataError
from river_oa3.datasets.labels import classes_called
from river_oa3.datasets.preparation import kinds
from river_oa3.datasets.preparation.choice import is_dropped
from river_oa3.datasets.preparation.chunks import in_chunks, rows_of
from river_oa3.datasets.preparation.class_sample import ClassSample
from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.column_scan import ColumnScan
from river_oa3.datasets.preparation.label_scan import LabelScan, class_text
from river_oa3.datasets.preparation.options import Options
from river_oa3.datasets.preparation.problems import (
    Problems,
    label_column,
    problems_of_choice,
    problems_of_columns,
    problems_of_label,
    problems_of_no_label,
    problems_of_options,
    problems_of_sample,
)
from river_oa3.datasets.preparation.row_sample import RowSample
from river_oa3.datasets.sources import Batch, Source

Progress = Callable[[float, int], None]
"""Called with the share of the table that has been read, and the rows so far."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What is in a table."""

    name: str
    rows: int
    label: str
    classes: dict[str, int]
    """The classes by how often they occur, the most common one first."""
    positive: tuple[str, ...]
    """The positive class, or classes where several read as the one that was named."""
    positives: int
    first_positive: int
    """The first row of a positive class, counted from 0."""
    columns: dict[str, ColumnProfile]
    """All but the label and what was dropped."""
    dropped: tuple[str, ...]
    remarks: tuple[str, ...]
    """What was done with the names of columns, where it may not be what was meant."""
    sample: dict[bool, ClassSample]
    """Some rows of the positive class, and some of the others."""
    taken: int
    """How many rows `--sample` takes: all of them where it was not given."""
    taken_positives: int
    below: float | None
    """The rows are taken whose random number lies below; None for all."""
    seed: int

    def table(self, done: Mapping[str, str] | None = None) -> list[list[str]]:
        """A head and a line for each column, for people to read.

        `done` tells what became of a column, as `FoundSchema.done` does.
        """
        head = ["column", "kind", "gaps", "distinct", "range or values"]
        lines = [head if done is None else [*head, "what was done"]]
        for name, column in self.columns.items():
            gaps = _percent(column.gap_share) if column.gaps else ""
            line = [name, column.kind, gaps, column.distinct_text(), column.range_text()]
            lines.append(line if done is None else [*line, done.get(name, "")])
        if done is not None:
            lines += [[name, "", "", "", "", done.get(name, "")] for name in self.dropped]
        return lines

    def as_json(self) -> dict[str, Any]:
        """What is in the table, as JSON knows it."""
        return {
            "name": self.name,
            "rows": self.rows,
            "label": self.label,
            "classes": self.classes,
            "positive": list(self.positive),
            "positives": self.positives,
            "taken": self.taken,
            "taken_positives": self.taken_positives,
            "columns": [column.as_json() for column in self.columns.values()],
            "dropped": list(self.dropped),
        }


def profile(source: Source, options: Options, progress: Progress | None = None) -> Profile:
    """Read a table once and say what is in it, or all that is wrong with it."""
    scan = _Scan(source, options)
    problems: list[str] = []
    is_whole = True
    try:
        for chunk in in_chunks(source.batches(problems)):
            scan.add(chunk)
            if progress is not None:
                progress(chunk.done, scan.rows)
    except DataError as error:
        problems.append(str(error))
        is_whole = False
    return scan.finish(problems, is_whole)


class _Scan:
    def __init__(self, source: Source, options: Options):
        self.rows = 0
        self._source = source
        self._options = options
        self._labels = LabelScan()
        self._columns: dict[str, ColumnScan] = {}
        self._names = dict.fromkeys(source.columns or ())
        self._label = label_column(list(self._names), options)
        # One generator decides of `--sample`, another one of the sample that is looked at.
        self._taken = RowSample(options.sample, options.seed)
        self._generator = np.random.default_rng([options.seed, 0])
        self._samples = [ClassSample(), ClassSample()]

    def add(self, chunk: Batch) -> None:
        self._names.update(dict.fromkeys(self._source.columns or chunk.columns))
        if self._label is None:
            self._label = label_column(list(self._names), self._options)
            if self._label is not None and self.rows:
                self._labels.miss(self.rows)
        if self._label is not None:
            self._add_labels(chunk, self._label)
        self.rows += chunk.n
        for name, cells in chunk.columns.items():
            if self._is_feature(name):
                scan = self._columns.setdefault(name, ColumnScan(self._options.decimal))
                rows = chunk.start if cells.rows is None else rows_of(chunk, name)
                scan.add(cells.values, rows)

    def _add_labels(self, chunk: Batch, label: str) -> None:
        codes = self._labels.add(chunk, label)
        ranks = self._generator.random(chunk.n)
        self._taken.add(codes)
        groups = codes
        if self._options.positive is not None:
            named = classes_called(class_text(self._options.positive), list(self._labels.classes))
            groups = np.where(codes < 0, -1, np.isin(codes, named))
        elif len(self._labels.classes) > 2:
            return  # and no more is needed, since the table is refused
        columns = {name: cells for name, cells in chunk.columns.items() if self._is_feature(name)}
        for group, sample in enumerate(self._samples):
            rows = np.flatnonzero(groups == group)
            sample.add(chunk._replace(columns=columns), rows, ranks[rows])

    def _is_feature(self, name: str) -> bool:
        return name != self._label and not is_dropped(name, self._options, self._source)

    def finish(self, problems: list[str], is_whole: bool) -> Profile:
        columns = {name: kinds.found(name, scan, self.rows) for name, scan in self._columns.items()}
        options, source, label = self._options, self._source, self._label
        positive: list[int] = []
        below = self._taken.finish()
        # Of a table that was read in part, there may be more columns and classes.
        are_all_named = is_whole or source.columns is not None
        if label is None and are_all_named:
            problems += problems_of_no_label(columns, options)
        elif label is not None and is_whole:
            positive, found = problems_of_label(label, self._labels, source, options)
            problems += found
            if positive and below is not None:
                everyone = list(range(len(self._labels.classes)))
                sizes = self._taken.count(positive), self._taken.count(everyone)
                problems += problems_of_sample(*sizes)
        if are_all_named:
            problems += problems_of_options(list(self._names), label, options, source)
        problems += problems_of_columns(columns, source, options)
        if label is not None and is_whole:
            problems += problems_of_choice(columns, options)
        if problems or label is None:
            raise Problems(str(source.path or source.name), list(dict.fromkeys(problems)))
        return self._made(label, positive, columns, below)

    def _made(
        self,
        label: str,
        positive: list[int],
        columns: dict[str, ColumnProfile],
        below: float | None,
    ) -> Profile:
        labels = self._labels
        names = list(labels.classes)
        positives = sum(labels.counts[code] for code in positive)
        groups = [True, False] if self._is_positive(0, positive) else [False, True]
        by_count = sorted(zip(names, labels.counts, strict=True), key=lambda pair: -pair[1])
        is_whole = below is None
        return Profile(
            name=self._source.name,
            rows=self.rows,
            label=label,
            classes=dict(by_count),
            positive=tuple(names[code] for code in positive),
            positives=positives,
            first_positive=min(labels.first_rows[code] for code in positive),
            columns=columns,
            dropped=tuple(
                name for name in self._names if is_dropped(name, self._options, self._source)
            ),
            remarks=tuple(self._source.remarks),
            sample=dict(zip(groups, self._samples, strict=True)),
            taken=self.rows if is_whole else self._taken.count(list(range(len(names)))),
            taken_positives=positives if is_whole else self._taken.count(positive),
            below=below,
            seed=self._options.seed,
        )

    def _is_positive(self, group: int, positive: list[int]) -> bool:
        """Whether a group of the sample is the positive one."""
        if self._options.positive is not None:
            return group == 1
        return group in positive


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else "< 0.1%"
