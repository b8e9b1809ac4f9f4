"""From what is in a table to what is done with it."""

from __future__ import annotations

import math

import numpy as np

from river_oa3.datasets.preparation.advice import warnings_of
from river_oa3.datasets.preparation.choice import left_out
from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.feature_names import FeatureNames
from river_oa3.datasets.preparation.preparation import Preparation
from river_oa3.datasets.preparation.profile import Profile
from river_oa3.datasets.preparation.reading import as_numbers
from river_oa3.datasets.preparation.steps import (
    CategoryStep,
    DateStep,
    FlagStep,
    HashedStep,
    NumberStep,
    Step,
    WordsStep,
)
from river_oa3.datasets.preparation.steps.category import MISSING
from river_oa3.datasets.preparation.steps.hashed import BUCKETS
from river_oa3.datasets.preparation.wishes import Wishes


def plan(profile: Profile, wishes: Wishes) -> Preparation:
    """What is done with each column of a table."""
    names = FeatureNames([*profile.columns, profile.label, *profile.dropped])
    steps: list[Step] = []
    reasons = dict.fromkeys(profile.dropped, "as asked for by --drop")
    for name, column in profile.columns.items():
        reason = left_out(column, wishes)
        if reason is None:
            steps.append(_step(column, profile, wishes, names))
        else:
            reasons[name] = reason
    kept = [profile.columns[step.column] for step in steps]
    warnings = warnings_of(profile, kept, wishes)
    return Preparation(profile=profile, steps=steps, left_out=reasons, warnings=warnings)


def _step(column: ColumnProfile, profile: Profile, wishes: Wishes, names: FeatureNames) -> Step:
    name, is_sparse = column.name, column.absent > 0
    is_category = column.looks == "category" or name in wishes.category
    if is_category and column.values is not None:
        # A flag or a number that is wanted as a category is spelled out first.
        reads = column.looks if column.looks in ("number", "flag") else "given"
        gap = {MISSING} if column.gaps else set()
        values = tuple(sorted({*column.values, *gap}))
        return CategoryStep(column=name, is_sparse=is_sparse, values=values, reads=reads)
    if column.looks == "number":
        return _number(column, profile, wishes.imputation(name), names)
    missing = names.missing(name) if column.gaps else None
    if column.looks == "flag":
        return FlagStep(column=name, is_sparse=is_sparse, missing=missing)
    if column.dates is not None:
        to = names.date(name)
        return DateStep(
            column=name, is_sparse=is_sparse, missing=missing, dates=column.dates, to=to
        )
    kind = WordsStep if column.looks == "text" else HashedStep
    to = names.buckets(name, BUCKETS)
    return kind(column=name, is_sparse=is_sparse, missing=missing, to=to)


def _number(
    column: ColumnProfile, profile: Profile, imputation: str, names: FeatureNames
) -> NumberStep:
    fill: float | None
    what = f"the {imputation}" if imputation in ("mean", "median") else "the number"
    if imputation == "mean":
        fill = _readable(column.mean or 0.0, column.deviation or 0.0)
    elif imputation == "median":
        fill = _median(column.name, profile)
    elif imputation == "zero":
        fill = 0.0
    else:
        fill = None if imputation == "none" else float(imputation)
    return NumberStep(
        column=column.name,
        is_sparse=column.absent > 0,
        missing=names.missing(column.name) if column.gaps and fill is not None else None,
        fill=fill,
        filled_with=what,
    )


def _readable(mean: float, deviation: float) -> float:
    """A mean to a thousandth of the deviation: no worse as a guess, and easier to read in code."""
    if not 0.0 < deviation < math.inf:
        return mean
    return round(mean, 3 - math.floor(math.log10(deviation))) + 0.0


def _median(name: str, profile: Profile) -> float:
    """The median, from a sample in which a rare class has more rows than its share."""
    values, weights = [], []
    for sample in profile.sample.values():
        numbers = as_numbers(sample.column(name))
        known = np.empty(0) if numbers is None else numbers[~np.isnan(numbers)]
        values.append(known)
        weights.append(np.full(len(known), sample.count / max(len(sample), 1)))
    all_values, all_weights = np.concatenate(values), np.concatenate(weights)
    if not len(all_values):
        return 0.0
    order = np.argsort(all_values, kind="stable")
    below = np.cumsum(all_weights[order])
    middle = np.searchsorted(below, below[-1] / 2.0)
    return float(all_values[order[middle]])
