"""Standings as tables to read, and as CSV and JSON to work with."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from river_oa3.experiments.output.text import aligned, as_csv
from river_oa3.experiments.scores import METRICS

from ..quality.contest import GOALS, Contest, Setting
from ..quality.registry import CONTENDERS
from ..quality.running import Result
from ..quality.standings import (
    FIXED,
    HINDSIGHT,
    OURS,
    TIE,
    Standing,
    best_of,
    compared,
    interval,
    score,
    standings,
)

__all__ = ["ANY_PEER", "Verdict", "as_json", "judge", "runs_as_csv"]

ANY_PEER = "any peer"


class Verdict(typing.NamedTuple):
    """All standings under one metric."""

    metric: str
    contest: Contest
    streams: list[str]
    found: list[Standing]

    @property
    def ours(self) -> Standing | None:
        """Ours, where it took part."""
        return next((each for each in self.found if each.contender == OURS), None)

    @property
    def others(self) -> list[Standing]:
        """All but ours."""
        return [each for each in self.found if each.contender != OURS]

    @property
    def strongest(self) -> Standing | None:
        """All peers that are there in every order together, tuned in hindsight."""
        chosen = [each for each in self.found if each.contender == ANY_PEER]
        return next((each for each in chosen if each.how == HINDSIGHT), None)

    def tables(self) -> Iterator[str]:
        """Means, differences, and ours stream by stream."""
        yield f"{METRICS[self.metric].percent_head}\n\n{self._means()}"
        if self.ours is not None and self.others:
            yield self._differences(self.ours)
        if self.ours is not None and self.strongest is not None:
            yield self._per_stream(self.ours, self.strongest)

    def _heads(self) -> list[str]:
        return [f"{100 * share:g} %" for share in self.contest.budgets]

    def _means(self) -> str:
        """The mean of the streams, and of the worst order of each."""
        rows = [["mean of the streams (of their worst orders)", *self._heads(), "of"]]
        for standing in self.found:
            worst = worst_orders(self.metric, standing)
            cells = [
                f"{interval(standing.means[:, j])[0]:.1f} ({interval(worst[:, j])[0]:.1f})"
                for j in range(len(self.contest.budgets))
            ]
            rows.append([standing.title, *cells, self._size(standing)])
        return aligned(rows)

    def _size(self, standing: Standing) -> str:
        taken = ~np.isnan(standing.scores[:, 0, :])
        streams, orders = int(taken.any(axis=1).sum()), int(taken.any(axis=0).sum())
        return f"{streams} streams x {orders} orders"

    def _differences(self, ours: Standing) -> str:
        rows = [["ahead of", *self._heads(), "won/tied/lost"]]
        for standing in self.others:
            found = compared(self.metric, ours, standing)
            cells = [
                signed(mean, half) for mean, half in zip(found.means, found.margins, strict=True)
            ]
            rows.append([standing.title, *cells, f"{found.won}/{found.tied}/{found.lost}"])
        return (
            "how far ours is ahead, in points, with half of the 95 percent interval of the mean "
            "of the streams (paired: stream by stream, same orders); won, tied (less than "
            f"{TIE:g} point) and lost cells of a stream and a budget\n\n{aligned(rows)}"
        )

    def _per_stream(self, ours: Standing, peer: Standing) -> str:
        found = compared(self.metric, ours, peer)
        rows = [["stream", *(f"{head}: ours, ahead" for head in self._heads())]]
        for i, stream in enumerate(self.streams):
            cells = [
                f"{ours.means[i, j]:.1f}, "
                + signed(found.per_stream[i, j], found.per_stream_margins[i, j])
                for j in range(len(self.contest.budgets))
            ]
            rows.append([stream, *cells])
        return (
            f"ours stream by stream, and how far it is ahead of {peer.title}, with half of the "
            f"95 percent interval (paired: order by order)\n\n{aligned(rows)}"
        )


def judge(
    results: Iterable[Result], streams: Sequence[str], contest: Contest, names: Sequence[str]
) -> list[Verdict]:
    """Standings under each metric, with all peers together where there are several."""
    results = list(results)
    verdicts = []
    for metric in GOALS:
        found = standings(metric, results, streams, contest, names)
        peers = [name for name in names if CONTENDERS[name].side == "peer"]
        whole = [name for name in peers if not CONTENDERS[name].is_slow]
        for how in (FIXED, HINDSIGHT):
            those = [each for each in found if each.contender in whole and each.how == how]
            if those:
                found.append(best_of(metric, ANY_PEER, those))
        verdicts.append(Verdict(metric, contest, list(streams), found))
    return verdicts


def worst_orders(metric: str, standing: Standing) -> np.ndarray:
    """The score of the worst order, per stream and budget."""
    taken = METRICS[metric].objective(standing.scores)
    taken = np.where(np.isnan(taken), np.inf, taken).min(axis=2)
    worst: np.ndarray = METRICS[metric].objective(np.where(np.isinf(taken), np.nan, taken))
    return worst


def signed(mean: float, half: float) -> str:
    """A difference and half of its interval, where there is one.

    Examples
    --------

    >>> from ..quality.tables import signed

    >>> signed(1.25, 0.5), signed(-3.0, float("nan"))
    ('+1.2 +- 0.5', '-3.0')

    """
    return f"{mean:+.1f}" if math.isnan(half) else f"{mean:+.1f} +- {half:.1f}"


def named(setting: Setting) -> str:
    """A setting as text, such as `rate=0.1 weight=ratio`."""
    return " ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in setting
    )


def runs_as_csv(results: Iterable[Result]) -> str:
    """A line per run: its counts, and both scores."""
    heads = ("stream", "contender", "setting", "budget", "order")
    counts = ("true_positives", "false_positives", "true_negatives", "false_negatives", "labels")
    rows: list[Sequence[object]] = [(*heads, *counts, *GOALS, "seconds")]
    rows += [
        (
            result.stream,
            result.contender,
            named(result.setting),
            result.share,
            result.order,
            *result.counts,
            *(f"{score(metric, result.counts):.4f}" for metric in GOALS),
            f"{result.seconds:.4f}",
        )
        for result in results
    ]
    return as_csv(rows)


def as_json(verdict: Verdict) -> dict[str, typing.Any]:
    """Everything under one metric: scores of every order, settings, and differences."""
    ours = verdict.ours
    return {
        "unit": METRICS[verdict.metric].percent_head,
        "standings": [
            {
                "contender": standing.contender,
                "how": standing.how,
                "means": [_number(interval(column)[0]) for column in standing.means.T],
                "scores": dict(zip(verdict.streams, _numbers(standing.scores), strict=True)),
                "settings": {
                    stream: [named(setting) for setting in row]
                    for stream, row in zip(verdict.streams, standing.settings, strict=True)
                },
                **({} if ours in (None, standing) else _ahead(verdict.metric, ours, standing)),
            }
            for standing in verdict.found
        ],
    }


def _ahead(metric: str, ours: Standing | None, standing: Standing) -> dict[str, typing.Any]:
    assert ours is not None
    found = compared(metric, ours, standing)._asdict()
    return {
        "ours_ahead": {
            name: _numbers(value) if isinstance(value, np.ndarray) else value
            for name, value in found.items()
        }
    }


def _numbers(values: np.ndarray) -> list[typing.Any]:
    """Numbers as JSON has them, which knows no NaN."""
    return [
        _numbers(each) if isinstance(each, np.ndarray) else _number(float(each)) for each in values
    ]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)
