"""From runs to standings: which setting is reported, and who is ahead by how much."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterable, Sequence

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from river_oa3.experiments.scores import METRICS, Counts

from ..quality.contest import GOALS, Contender, Contest, Setting
from ..quality.registry import CONTENDERS
from ..quality.running import Result

__all__ = [
    "HINDSIGHT",
    "OURS",
    "Difference",
    "Standing",
    "best_of",
    "compared",
    "interval",
    "score",
    "standings",
]

Numbers = NDArray[np.float64]

OURS = "ActiveLearner"
DEFAULT = "defaults"
FIXED = "one best fixed setting"
HINDSIGHT = "tuned in hindsight"

TIE = 1.0
"""Of scores that are less than a point apart, neither is ahead."""


class Standing(typing.NamedTuple):
    """A contender with settings chosen in one way, under one metric.

    `scores` has a number per stream, budget and order, and is not a number where the contender took
    no part; `settings` has the setting per stream and budget.
    """

    contender: str
    how: str
    scores: Numbers
    settings: list[list[Setting]]

    @property
    def title(self) -> str:
        """What tables call it."""
        name = CONTENDERS[self.contender].title if self.contender in CONTENDERS else self.contender
        return f"{name}, {self.how}"

    @property
    def means(self) -> Numbers:
        """The mean of the orders, per stream and budget."""
        return _mean(self.scores, axis=2)


class Difference(typing.NamedTuple):
    """How far one standing is ahead of another.

    `means` and `margins` have the mean of the streams and half of its 95 percent interval per
    budget, paired over streams; `per_stream` and `per_stream_margins` the same per stream and
    budget, paired over orders. Won, tied and lost are cells of a stream and a budget.
    """

    means: Numbers
    margins: Numbers
    per_stream: Numbers
    per_stream_margins: Numbers
    won: int
    tied: int
    lost: int


def score(metric: str, counts: Counts) -> float:
    """The sum in percent; the cost in percent of that of the best constant answer.

    Examples
    --------

    >>> from ..quality.standings import score
    >>> from river_oa3.experiments.scores import Counts

    >>> counts = Counts(8, 10, 90, 2, 50)
    >>> score("sum", counts), round(score("cost", counts), 2)
    (85.0, 31.11)

    """
    return float(METRICS[metric].percent(GOALS[metric], counts))


def interval(values: Sequence[float] | Numbers) -> tuple[float, float]:
    """A mean and half of its 95 percent interval, by Student's t; not a number for fewer than two.

    Examples
    --------

    >>> from ..quality.standings import interval

    >>> mean, half = interval([1.0, 2.0, 3.0])
    >>> mean, round(half, 3)
    (2.0, 2.484)

    """
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        return math.nan, math.nan
    if len(known) < 2:
        return float(known.mean()), math.nan
    error = float(known.std(ddof=1)) / math.sqrt(len(known))
    return float(known.mean()), float(scipy.stats.t.ppf(0.975, len(known) - 1)) * error


def standings(
    metric: str,
    results: Iterable[Result],
    streams: Sequence[str],
    contest: Contest,
    names: Sequence[str],
) -> list[Standing]:
    """Each contender at its defaults, at one best fixed setting, and tuned in hindsight.

    Ours has no settings to choose from. Settings are compared by the mean of their orders, in the
    orders that are reported: this is hindsight, and flatters those who are tuned.
    """
    tables = _tables(metric, results, streams, contest, names)
    found = []
    for name in names:
        contender, table = CONTENDERS[name], tables[name]
        allowed = contender.settings_for(metric)
        table, settings = table[allowed], [contender.settings[index] for index in allowed]
        found.append(_chosen(name, DEFAULT, table, settings, np.zeros(table.shape[1:3], int)))
        if len(settings) > 1:
            fixed = best_fixed(metric, table)
            found.append(_chosen(name, FIXED, table, settings, fixed))
            found.append(_chosen(name, HINDSIGHT, table, settings, best_each(metric, table)))
    return found


def best_fixed(metric: str, table: Numbers) -> NDArray[np.int64]:
    """The setting with the best mean of the streams, per budget, for every stream alike.

    `table` has a score per setting, stream, budget and order.
    """
    means = _mean(_mean(table, axis=3), axis=1)
    best = [_best(metric, means[:, budget]) for budget in range(means.shape[1])]
    return np.tile(best, (table.shape[1], 1))


def best_each(metric: str, table: Numbers) -> NDArray[np.int64]:
    """The best setting per stream and budget."""
    means = _mean(table, axis=3)
    return np.array(
        [
            [_best(metric, means[:, stream, budget]) for budget in range(means.shape[2])]
            for stream in range(means.shape[1])
        ]
    )


def best_of(metric: str, title: str, found: Sequence[Standing]) -> Standing:
    """The best of several standings: per budget if each is fixed, else per stream and budget."""
    how = found[0].how
    table = np.stack([standing.scores for standing in found])
    choose = best_each if how == HINDSIGHT else best_fixed
    chosen = choose(metric, table)
    streams, budgets = chosen.shape
    return Standing(
        title,
        how,
        np.take_along_axis(table, chosen[None, :, :, None], axis=0)[0],
        [[found[chosen[i, j]].settings[i][j] for j in range(budgets)] for i in range(streams)],
    )


def compared(metric: str, one: Standing, other: Standing) -> Difference:
    """How far the one is ahead of the other, on the streams and orders that both have."""
    each = METRICS[metric].objective(one.scores - other.scores)
    streams, budgets, _ = each.shape
    cells = np.array([[interval(each[i, j]) for j in range(budgets)] for i in range(streams)])
    means = np.array([interval(cells[:, j, 0]) for j in range(budgets)])
    known = cells[:, :, 0][~np.isnan(cells[:, :, 0])]
    won, lost = int((known >= TIE).sum()), int((known <= -TIE).sum())
    return Difference(
        means[:, 0],
        means[:, 1],
        cells[:, :, 0],
        cells[:, :, 1],
        won,
        len(known) - won - lost,
        lost,
    )


def _tables(
    metric: str,
    results: Iterable[Result],
    streams: Sequence[str],
    contest: Contest,
    names: Sequence[str],
) -> dict[str, Numbers]:
    """Scores per setting, stream, budget and order, for each contender."""
    places: dict[str, dict[Setting, int]] = {}
    tables = {}
    for name in names:
        contender: Contender = CONTENDERS[name]
        places[name] = {setting: index for index, setting in enumerate(contender.settings)}
        shape = (len(places[name]), len(streams), len(contest.budgets), contest.orders)
        tables[name] = np.full(shape, np.nan)
    rows = {stream: index for index, stream in enumerate(streams)}
    columns = {share: index for index, share in enumerate(contest.budgets)}
    for result in results:
        place = places[result.contender][result.setting]
        cell = (place, rows[result.stream], columns[result.share], result.order)
        tables[result.contender][cell] = score(metric, result.counts)
    return tables


def _chosen(
    name: str, how: str, table: Numbers, settings: list[Setting], chosen: NDArray[np.int64]
) -> Standing:
    return Standing(
        name,
        how,
        np.take_along_axis(table, chosen[None, :, :, None], axis=0)[0],
        [[settings[index] for index in row] for row in chosen.tolist()],
    )


def _best(metric: str, scores: Numbers) -> int:
    """The index of the best; 0 where nobody took part."""
    return 0 if np.isnan(scores).all() else METRICS[metric].best(scores)


def _mean(values: Numbers, axis: int) -> Numbers:
    """The mean of what is there; not a number where nothing is."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=axis)
    count = known.sum(axis=axis)
    means: Numbers = np.full(total.shape, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means
