"""All that keeps a table from being used, said at once and each with what solves it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from river_oa3.datasets.errors import DataError, first_few, short_repr
from river_oa3.datasets.labels import positive_classes
from river_oa3.datasets.preparation.choice import left_out
from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.label_scan import MOST_CLASSES, LabelScan, class_text
from river_oa3.datasets.preparation.options import Options
from river_oa3.datasets.sources import Source
from river_oa3.datasets.tables import LABELS


class Problems(DataError):
    """What is wrong with a table, each problem in a line of its own with what solves it.

    Examples
    --------

    >>> print(Problems("sales.csv", ["no label: name one", "no column 'x': check --drop"]))
    sales.csv cannot be used yet, 2 problems:
      1. no label: name one
      2. no column 'x': check --drop

    """

    def __init__(self, what: str, problems: Sequence[str]):
        # Somebody who has three problems should hear of all three before they start to solve one.
        self.what = what
        self.problems = [str(DataError(problem)) for problem in problems]
        if len(self.problems) == 1:
            (problem,) = self.problems
            # A place in a file names the file already.
            super().__init__(problem if f"{what}," in problem else f"{what}: {problem}")
            return
        lines = [f"  {number}. {problem}" for number, problem in enumerate(self.problems, 1)]
        head = str(DataError(f"{what} cannot be used yet, {len(lines)} problems:"))
        ValueError.__init__(self, "\n".join([head, *lines]))

    def __reduce__(self) -> tuple[type[Problems], tuple[str, list[str]]]:
        return Problems, (self.what, self.problems)


def label_column(names: list[str], options: Options) -> str | None:
    """The column of the labels, if there is no doubt about it."""
    if options.label is not None:
        if options.label in names:
            return options.label
        alike = [name for name in names if name.strip() == options.label.strip()]
        return alike[0] if len(alike) == 1 else None
    usual = [name for name in names if name.casefold() in LABELS and name not in options.drop]
    return usual[0] if len(usual) == 1 else None


def problems_of_no_label(columns: Mapping[str, ColumnProfile], options: Options) -> Iterator[str]:
    """Why no column could be taken for the label."""
    names = list(columns)
    if options.label is not None:
        yield f"no column is called {options.label!r}: {_name_one(names)}"
        return
    usual = [name for name in names if name.casefold() in LABELS]
    if usual:
        yield f"several columns look like the label: {_name_one(usual)}"
        return
    # Of forty names, those that can be it are easier to choose from.
    pairs = [name for name, column in columns.items() if column.distinct == 2]
    have = "has" if len(pairs) == 1 else "have"
    yield f"no column looks like the label: {_name_one(pairs or names)}" + (
        f", which {have} two values" if pairs else ""
    )


def _name_one(names: list[str]) -> str:
    return f"name one with --label (label= in Python) of {first_few(names, 20) or 'none'}"


def problems_of_label(
    label: str, scan: LabelScan, source: Source, options: Options
) -> tuple[list[int], list[str]]:
    """The codes of the positive classes, or what is wrong with the labels."""
    column = f"the label column {short_repr(label)}"
    if scan.unfit is not None:
        return [], [f"{column} holds {scan.unfit}, which is no class: name another with --label"]
    if scan.is_overrun:
        return [], [
            f"{column} has more than {MOST_CLASSES:,} classes: name another with --label (label= "
            "in Python)"
        ]
    found = []
    if scan.missing_at is not None:
        found.append(
            f"{scan.missing:,} {'events have' if scan.missing > 1 else 'event has'} no label, "
            f"first at {source.where(scan.missing_at, label)}: fill it in or drop the event"
        )
    positive = None if options.positive is None else class_text(options.positive)
    try:
        return positive_classes(list(scan.classes), scan.counts, positive), found
    except DataError as error:
        # Without any label there is nothing to be said about classes.
        of_classes = f"column {short_repr(label)}: {error}"
        return [], [*found, *([of_classes] if scan.classes else [])]


def problems_of_sample(positives: int, rows: int) -> Iterator[str]:
    """A sample that has one class only."""
    if positives in (0, rows):
        what = "negative" if positives else "positive"
        yield (
            f"the sample of {rows:,} rows has no {what} event: take more rows with --sample, or "
            "all of them by leaving it out"
        )


def problems_of_columns(
    columns: Mapping[str, ColumnProfile], source: Source, options: Options
) -> Iterator[str]:
    """What is wrong with the cells of columns that would be features."""
    for name, column in columns.items():
        drop = f"leave the column out with --drop {_shell(name)}"
        if column.unfit is not None:
            yield (
                f"column {short_repr(name)} holds {_a_type(column.unfit)}, which cannot be a "
                f"feature: {drop}"
            )
        elif column.infinite_at is not None:
            yield (
                f"{source.where(column.infinite_at, name)}: an infinite number: correct it, or "
                f"{drop}"
            )
        elif name in options.category and column.dates is not None and column.dates.form is None:
            yield (
                f"column {short_repr(name)} is a date, not a category: leave it out of --category"
            )


def problems_of_options(
    names: list[str], label: str | None, options: Options, source: Source
) -> Iterator[str]:
    """Options that name no column, or one they do not apply to."""
    yield from options.problems()
    named = {
        "--drop": options.drop,
        "--keep": options.keep,
        "--category": options.category,
    }
    for option, wanted in named.items():
        for name in wanted:
            is_object = source.is_nested and any(each.startswith(f"{name}.") for each in names)
            if name not in names and not (is_object and option == "--drop"):
                yield (
                    f"{option} names {short_repr(name)}, which is no column: choose of "
                    f"{first_few(names, 20)}"
                )
            elif name == label:
                yield f"{option} names {short_repr(name)}, the label: leave it out of {option}"


def problems_of_choice(columns: Mapping[str, ColumnProfile], options: Options) -> Iterator[str]:
    """Nothing left to learn from."""
    reasons = {name: left_out(column, options) for name, column in columns.items()}
    if all(reasons.values()):
        why = [f"{short_repr(name)} ({reason})" for name, reason in reasons.items()]
        yield (
            f"no column is left to learn from, {first_few(why, 5) or 'the label stands alone'}: "
            "drop less with --drop, or keep one with --keep"
        )


def _a_type(kind: str) -> str:
    """A type as JSON calls it, if it does."""
    name = kind.partition("<")[0]
    return {"list": "lists", "large_list": "lists", "struct": "objects"}.get(name, kind)


def _shell(name: str) -> str:
    return shlex.quote(name)
