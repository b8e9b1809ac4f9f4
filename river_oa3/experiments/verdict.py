"""Who is ahead, said only as far as the orders of the events can show it.

Every method goes through the same orders of the events, so two methods are compared order by
order. The differences of a pair have a mean and, by Student's t, an interval around it. The best
method is compared with each of the others, and the level of 95 % is shared among these intervals
(Bonferroni). A method is ahead of another where the whole interval is on its side.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from river_oa3.experiments.scores import Counts, Goal

__all__ = ["LEVEL", "Difference", "Verdict", "chance_of", "judge", "paired_difference"]

LEVEL = 0.95
"""How sure all intervals of a verdict are together."""


class Difference(typing.NamedTuple):
    """How far one method is ahead of another: the mean over the orders, and its interval.

    In the unit of the metric, and turned so that a positive number is a lead.
    """

    method: str
    mean: float
    low: float
    high: float

    @property
    def is_shown(self) -> bool:
        """Whether the orders show that the other method is behind."""
        return self.low > 0.0


class Verdict(typing.NamedTuple):
    """What a comparison says.

    Parameters
    ----------
    best
        The method with the best mean.
    winner
        The same, where it is shown to be ahead of every other; else None.
    tied
        The best, and those that these orders cannot tell from it, from the best mean down.
    recommended
        What to deploy: the winner; or the first of the preferred methods that is tied with the best
        and not behind it by what the metric calls worthwhile; else the best.
    differences
        The lead of the best over each of the others, from the smallest to the largest.
    orders
        In how many orders all methods have run.
    chance
        The score of the best constant answer.
    above_chance
        The methods that are shown to do better than that.

    """

    best: str
    winner: str | None
    tied: tuple[str, ...]
    recommended: str
    differences: tuple[Difference, ...]
    orders: int
    chance: float
    above_chance: tuple[str, ...]


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
    always = Counts(positives, negatives, 0, 0, 0)
    never = Counts(0, 0, negatives, positives, 0)
    scores = [float(goal.score(counts)) for counts in (always, never)]
    return scores[goal.measure.best(scores)]


def paired_difference(method: str, lead: NDArray[np.float64], level: float = LEVEL) -> Difference:
    """The mean of the differences order by order, with its interval at this level.

    One order shows nothing, and its interval is without bounds.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments.verdict import paired_difference

    >>> found = paired_difference("CSOAL", np.array([1.0, 2.0, 1.5, 1.2, 1.8]))
    >>> found.is_shown, round(found.low, 2), round(found.high, 2)
    (True, 0.99, 2.01)

    """
    n, mean = len(lead), float(np.mean(lead))
    if n < 2:
        return Difference(method, mean, -math.inf, math.inf)
    error = float(np.std(lead, ddof=1)) / math.sqrt(n)
    reach = float(stats.t.ppf(0.5 + level / 2.0, n - 1)) * error
    return Difference(method, mean, mean - reach, mean + reach)


def judge(
    goal: Goal,
    scores: Mapping[str, NDArray[np.float64]],
    chance: float,
    preferred: Sequence[str] = (),
) -> Verdict:
    """Compare methods by their scores in the same orders.

    Parameters
    ----------
    goal
        Which way is better.
    scores
        The score of each method in each order.
    chance
        The score of the best constant answer.
    preferred
        Which methods to recommend where nothing tells them from the best, in this order.

    Examples
    --------

    >>> import numpy as np
    >>> from river_oa3.experiments.scores import Goal
    >>> from river_oa3.experiments.verdict import judge

    >>> scores = {"A": np.array([80.0, 82.0, 81.0]), "B": np.array([70.0, 71.9, 71.1])}
    >>> verdict = judge(Goal("sum"), scores, chance=50.0)
    >>> verdict.winner, verdict.above_chance
    ('A', ('A', 'B'))

    """
    turned = {name: goal.measure.objective(values) for name, values in scores.items()}
    ranked = sorted(turned, key=lambda name: -float(np.mean(turned[name])))
    best = ranked[0]
    level = 1.0 - (1.0 - LEVEL) / max(1, len(ranked) - 1)
    differences = [
        paired_difference(name, turned[best] - turned[name], level) for name in ranked[1:]
    ]
    tied = (best, *(each.method for each in differences if not each.is_shown))
    metric, means = goal.measure, {name: float(np.mean(scores[name])) for name in tied}
    near = [name for name in tied if metric.gain(means[name], means[best]) < metric.worthwhile]
    share = 1.0 - (1.0 - LEVEL) / len(ranked)
    floor = goal.measure.objective(chance)
    above = [name for name in ranked if paired_difference("", turned[name] - floor, share).is_shown]
    return Verdict(
        best,
        winner=best if len(tied) == 1 and len(ranked) > 1 else None,
        tied=tied,
        recommended=next((name for name in preferred if name in near), best),
        differences=tuple(differences),
        orders=len(turned[best]),
        chance=chance,
        above_chance=tuple(above),
    )
