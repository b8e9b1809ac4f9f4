"""Which method is best, said only as far as the runs can show it.

All methods play the same runs, so two of them are compared run by run. The mean difference has two
errors, and its interval covers both:

- Another order of the events, or other random numbers, would have given another score. The spread
  of the differences between the runs shows how much, and more runs make it smaller.
- Other events would have given another score too, and no number of runs makes that smaller, for
  all of them play the same events. Each run falls into blocks of events, and a jackknife, which
  leaves out one block after the other, shows how much. It is taken from single runs, as if their
  mean were no steadier: rather too wide than too narrow.

The best method is chosen after the fact, so the level of 95 % is shared among all pairs of methods
(Bonferroni) and not only among those with the best: of twelve equal methods the best and the worst
lie far apart by luck. Tukey's test is a little narrower, but it needs one variance for all methods:
over five runs of twelve methods it errs twice as often as it says. Hsu's comparison with the best
is narrower still, for it only says that a method is not better than all others, which among equals
is no mistake; it does not show that a method is worse.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from river_oa3.experiments.scores import METRICS, Counts, Goal, Metric

__all__ = [
    "LEVEL",
    "Difference",
    "Scores",
    "Verdict",
    "chance_of",
    "constant_answer",
    "difference",
    "judge",
]

LEVEL = 0.95
"""How sure all intervals of a verdict are together."""

BLOCKS_IN_TIME = 20
"""Events that follow each other are alike, and so blocks in time must be long."""

Numbers = NDArray[np.float64]


class Difference(typing.NamedTuple):
    """How far one method is ahead of another: the mean over the runs, and its interval.

    In the unit of the metric, and turned so that a positive number is a lead.
    """

    method: str
    mean: float
    low: float
    high: float

    @property
    def is_significant(self) -> bool:
        """Whether the other method is shown to be worse."""
        return self.low > 0.0


class Verdict(typing.NamedTuple):
    """What a comparison says.

    Parameters
    ----------
    best
        The method with the best mean.
    winner
        The same, where all others are significantly worse, and each by what the metric calls
        worthwhile; else None.
    tied
        The best, and those that are not significantly worse, from the best mean down.
    recommended
        What to deploy: the winner; or the first of the preferred methods that is tied with the best
        and not behind it by what the metric calls worthwhile; else the best.
    differences
        The lead of the best over each of the others, from the smallest to the largest.
    orders
        In how many orders, or runs in time, all methods have run.
    chance
        The score of the best constant answer.
    above_chance
        The methods that are significantly better than that.

    """

    best: str
    winner: str | None
    tied: tuple[str, ...]
    recommended: str
    differences: tuple[Difference, ...]
    orders: int
    chance: float
    above_chance: tuple[str, ...]


class Scores(typing.NamedTuple):
    """The scores of a method, turned so that the larger one is the better one.

    Parameters
    ----------
    runs
        The score of each run.
    moves
        How far each block of events moved it: runs by blocks.
    in_time
        Whether the events come in the order of time in all runs, and not shuffled.

    """

    runs: Numbers
    moves: Numbers
    in_time: bool

    @classmethod
    def of(cls, goal: Goal, counts: Counts, in_time: bool) -> Scores:
        """The scores of counts: arrays of runs by checkpoints, each of which ends a block."""
        sums = np.stack([np.asarray(each, dtype=np.float64) for each in counts[:4]])
        n = sums.shape[-1]
        ends = np.arange(n)
        if in_time:
            ends = np.unique(np.linspace(0, n, BLOCKS_IN_TIME + 1).round().astype(int)[1:]) - 1
            ends = ends[ends >= 0]
        blocks = np.diff(sums[..., ends], axis=-1, prepend=0.0)
        # A cost grows with the events, so what is left is brought to as many.
        events = sums[..., -1:].sum(axis=0)
        scale = events / np.maximum(events - blocks.sum(axis=0), 1.0)
        left = _turned(goal, (sums[..., -1:] - blocks) * scale)
        moves = (len(ends) - 1) * (left.mean(axis=1, keepdims=True) - left)
        return cls(_turned(goal, sums[..., -1]), moves, in_time)


def _turned(goal: Goal, sums: Numbers) -> Numbers:
    """The scores of right and wrong answers, turned so that the larger one is the better one."""
    right_positives, false_positives, right_negatives, false_negatives = sums
    counts = Counts(right_positives, false_positives, right_negatives, false_negatives, None)
    scores: Numbers = goal.measure.objective(goal.score(counts))
    return scores


def chance_of(goal: Goal, positives: int, negatives: int) -> float:
    """The score of the better one of the two constant answers.

    Examples
    --------

    >>> from river_oa3.experiments.scores import Goal
    >>> from river_oa3.experiments.verdict import chance_of

    >>> chance_of(Goal("sum"), positives=10, negatives=90)
    50.0
    >>> chance_of(Goal("cost", cost_fn=0.9, cost_fp=0.1), positives=10, negatives=90)
    9.0

    """
    seen = Counts(positives, negatives, 0, 0, 0)
    return float(goal.score(constant_answer(goal, goal.measure, seen)))


def difference(method: str, ahead: Scores, behind: Scores, level: float = LEVEL) -> Difference:
    """How far some scores are ahead of those of a method in the same runs, at this level.

    One run shows nothing, and its interval is without bounds.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments.verdict import Scores, difference

    >>> steady = np.zeros((5, 100))
    >>> first = Scores(np.array([81.0, 82.0, 81.5, 81.2, 81.8]), steady, in_time=False)
    >>> found = difference("CSOAL", first, Scores(np.full(5, 80.0), steady, in_time=False))
    >>> found.is_significant, round(found.low, 2), round(found.high, 2)
    (True, 0.99, 2.01)

    """
    lead, moves = ahead.runs - behind.runs, ahead.moves - behind.moves
    (n, blocks), mean = moves.shape, float(np.mean(lead))
    if n < 2 or blocks < 2:
        return Difference(method, mean, -math.inf, math.inf)
    free = blocks - 1
    if not ahead.in_time:
        # What all shuffles share at one place is how both methods learn, and no luck.
        moves = (moves - moves.mean(axis=0)) * math.sqrt(n / (n - 1))
        free *= n - 1
    by_runs = float(np.var(lead, ddof=1)) / n
    by_events = float(np.mean(np.sum(moves**2, axis=1))) / (blocks * (blocks - 1))
    # Each error with the freedom of its own: where the runs are few and the level is high, that of
    # their sum by Welch is too large.
    tail = 0.5 + level / 2.0
    reach = math.hypot(
        float(special.stdtrit(n - 1, tail)) * math.sqrt(by_runs),
        float(special.stdtrit(free, tail)) * math.sqrt(by_events),
    )
    return Difference(method, mean, mean - reach, mean + reach)


def constant_answer(goal: Goal, metric: Metric, seen: Counts) -> Counts:
    """The counts of the constant answer that is best by a metric, from those of any method.

    Where both answers are as good, it is the one that is better by the other metrics.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments import Counts, Goal
    >>> from river_oa3.experiments.scores import COST
    >>> from river_oa3.experiments.verdict import constant_answer

    >>> seen = Counts(*np.array([[[3, 6]], [[2, 2]], [[43, 88]], [[2, 4]], [[1, 1]]]))
    >>> never = constant_answer(Goal("cost"), COST, seen)
    >>> never.true_negatives, never.false_negatives
    (array([[45, 90]]), array([[ 5, 10]]))

    """
    positives = np.asarray(seen.true_positives + seen.false_negatives)
    negatives = np.asarray(seen.true_negatives + seen.false_positives)
    none = np.zeros_like(positives)
    always = Counts(positives, negatives, none, none, none)
    never = Counts(none, none, negatives, positives, none)
    others = [each for each in METRICS.values() if each != metric]

    def goodness(counts: Counts) -> list[float]:
        # Scores that differ by the rounding of a sum of weights are as good as each other.
        scores = (np.atleast_1d(each.score(goal, counts))[..., -1] for each in (metric, *others))
        return [
            round(float(each.objective(score.mean())), 9)
            for each, score in zip((metric, *others), scores, strict=True)
        ]

    return max((never, always), key=goodness)


def judge(
    goal: Goal,
    counts: Mapping[str, Counts],
    in_time: bool = False,
    preferred: Sequence[str] = (),
) -> Verdict:
    """Compare methods by what they did in the same runs.

    Parameters
    ----------
    goal
        Which way is better.
    counts
        The counts of each method: arrays of runs by checkpoints.
    in_time
        Whether the events come in the order of time in all runs, and not shuffled.
    preferred
        Which methods to recommend where nothing tells them from the best, in this order.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments.scores import Counts, Goal
    >>> from river_oa3.experiments.verdict import judge

    >>> ends = np.array([100, 200, 300])
    >>> good = [Counts(ends * a, ends * (1 - a), ends * a, ends * (1 - a), 0) for a in (0.8, 0.82)]
    >>> fair = [Counts(ends * a, ends * (1 - a), ends * a, ends * (1 - a), 0) for a in (0.7, 0.71)]
    >>> runs = {"A": Counts(*map(np.array, zip(*good))), "B": Counts(*map(np.array, zip(*fair)))}
    >>> verdict = judge(Goal("sum"), runs)
    >>> verdict.best, verdict.chance
    ('A', 50.0)

    """
    metric = goal.measure
    found = {name: Scores.of(goal, each, in_time) for name, each in counts.items()}
    ranked = sorted(found, key=lambda name: -float(np.mean(found[name].runs)))
    best = ranked[0]
    pairs = max(1, math.comb(len(ranked), 2))
    differences = [
        difference(name, found[best], found[name], 1.0 - (1.0 - LEVEL) / pairs)
        for name in ranked[1:]
    ]
    tied = (best, *(each.method for each in differences if not each.is_significant))
    means = {name: float(metric.objective(np.mean(found[name].runs))) for name in ranked}
    near = [name for name in tied if metric.gain(means[name], means[best]) < metric.worthwhile]
    is_ahead = (
        len(tied) == 1 and metric.gain(means[ranked[1]], means[best]) >= metric.worthwhile
        if differences
        else False
    )
    constant = constant_answer(goal, metric, counts[best])
    baseline = Scores.of(goal, constant, in_time)
    level = 1.0 - (1.0 - LEVEL) / len(ranked)
    return Verdict(
        best,
        winner=best if is_ahead else None,
        tied=tied,
        recommended=next((name for name in preferred if name in near), best),
        differences=tuple(differences),
        orders=len(found[best].runs),
        chance=float(metric.objective(np.mean(baseline.runs))),
        above_chance=tuple(
            name for name in ranked if difference(name, found[name], baseline, level).is_significant
        ),
    )
