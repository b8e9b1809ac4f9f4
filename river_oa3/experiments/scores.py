"""From counts of right and wrong to the paper's two metrics."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from river_oa3 import metrics

__all__ = [
    "COST",
    "METRICS",
    "SUM",
    "Counts",
    "Goal",
    "Metric",
    "says_positive",
    "together",
]

Numbers = NDArray[np.float64]


def says_positive(probability: typing.Any) -> typing.Any:
    """Whether an answer with this probability of a positive is a positive one: from 1/2 on.

    So it is for the learners of this package, whose margin is 0 there, and all that they are
    compared with is judged alike.

    Examples
    --------

    >>> from river_oa3.experiments.scores import says_positive

    >>> says_positive(0.5), says_positive(0.49)
    (True, False)

    """
    return probability >= 0.5


class Counts(typing.NamedTuple):
    """Counts after so many events: numbers, or one array per number for curves.

    Examples
    --------

    >>> from river_oa3.experiments import Counts

    >>> counts = Counts(8, 10, 90, 2, labels=50)
    >>> float(counts.sensitivity), float(counts.specificity)
    (80.0, 90.0)
    >>> round(float(counts.precision), 1), round(float(counts.alarms))
    (44.4, 164)

    """

    true_positives: typing.Any
    false_positives: typing.Any
    true_negatives: typing.Any
    false_negatives: typing.Any
    labels: typing.Any

    @property
    def sensitivity(self) -> Numbers:
        """In percent; 0 while there is no positive event."""
        return _percent(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def specificity(self) -> Numbers:
        """In percent; 0 while there is no negative event."""
        return _percent(self.true_negatives, self.true_negatives + self.false_positives)

    @property
    def precision(self) -> Numbers:
        """How many of the alarms are right, in percent; 0 while there is none."""
        return _percent(self.true_positives, self.true_positives + self.false_positives)

    @property
    def alarms(self) -> Numbers:
        """How many of a thousand events are called positive."""
        alarms = self.true_positives + self.false_positives
        return 10.0 * _percent(alarms, alarms + self.true_negatives + self.false_negatives)


def together(runs: Sequence[Counts]) -> Counts:
    """The counts of several runs as one, whose arrays have a row for each run."""
    return Counts(*(np.array(each) for each in zip(*runs, strict=True)))


def _percent(part: typing.Any, whole: typing.Any) -> Numbers:
    whole = np.asarray(whole, dtype=np.float64)
    share: Numbers = np.zeros_like(whole)
    np.divide(100.0 * np.asarray(part), whole, out=share, where=whole > 0)
    return share


@dataclasses.dataclass(frozen=True)
class Goal:
    """What a comparison is after: the weighted sum, or the cost, and their weights.

    Examples
    --------

    >>> from river_oa3.experiments.scores import Counts, Goal

    >>> goal = Goal("sum")
    >>> counts = Counts(8, 10, 90, 2, 50)
    >>> float(goal.score(counts)), float(goal.cost(counts))
    (85.0, 2.8)
    >>> goal.rho(positives=10, negatives=100)
    10.0

    """

    metric: typing.Literal["sum", "cost"]
    alpha_pos: float = 0.5
    cost_fn: float = 0.9
    cost_fp: float = 0.1

    def sum(self, counts: Counts) -> Numbers:
        """The weighted sum of sensitivity and specificity, in percent."""
        return self.alpha_pos * counts.sensitivity + (1.0 - self.alpha_pos) * counts.specificity

    def cost(self, counts: Counts) -> Numbers:
        """The cost of the mistakes."""
        return np.asarray(
            self.cost_fn * counts.false_negatives + self.cost_fp * counts.false_positives
        )

    @property
    def objective_metric(self) -> metrics.WeightedSum | metrics.WeightedCost:
        """The metric that counts as river has it, for AutoOA3 to be good at."""
        return self.measure.as_river(self)

    @property
    def measure(self) -> Metric:
        """The metric that counts, with all that depends on which one it is."""
        return METRICS[self.metric]

    @property
    def head(self) -> str:
        """The metric that counts with its unit, as the head of a column."""
        return self.weighted(self.measure.head)

    def said(self, score: float) -> str:
        """A score as a sentence puts it."""
        return self.weighted(self.measure.said.format(score))

    def weighted(self, name: str) -> str:
        """The name of a metric; an accuracy is balanced where both classes weigh the same."""
        weights = f"weighted {self.alpha_pos:g}/{1.0 - self.alpha_pos:g}"
        return name if self.alpha_pos == 0.5 else name.replace("balanced", weights)

    def score(self, counts: Counts) -> Numbers:
        """The metric that counts, in its own units."""
        return self.measure.score(self, counts)

    def objective(self, counts: Counts) -> float:
        """A number that is the larger the better."""
        return float(self.measure.objective(self.score(counts)))

    def rho(self, positives: int, negatives: int) -> float:
        """The weight of a positive that this goal asks for, as the paper sets it."""
        return self.measure.rho(self, positives, negatives)


@dataclasses.dataclass(frozen=True)
class Metric:
    """A metric: its name and unit, which way is better, and all else that depends on which it is.

    Nothing outside this file asks whether a metric is the sum or the cost.

    Parameters
    ----------
    name
        What it is called in options, tables and files.
    unit
        What a difference is counted in.
    bigger_is_better
        Whether a larger score is a better one.
    head
        The name with its unit, as the head of a column.
    axis
        What it is called beside an axis.
    said
        How a sentence puts a score, as a format.
    digits
        How many decimals the paper's tables have.
    score
        How it follows from counts.
    rho
        The weight of a positive that it asks for, from the numbers of positives and negatives.
    rho_source
        Where that weight comes from.
    weigh
        A goal in which the negative class weighs as much as this.
    regret
        How much worse scores are than the best of them, in the unit of `regret_head`.
    as_river
        The metric as river has it.
    gain
        What is gained from one score to another, in the unit of `gain_unit`.
    worthwhile
        The least gain that is worth another method, or twice as many labels.
    percent
        The score in percent of what makes streams of any size and balance comparable, in the words
        of `percent_head`; not a number where there is nothing to compare with.

    Examples
    --------

    >>> from river_oa3.experiments.scores import COST

    >>> COST.objective(12.5), COST.best([3.0, 2.0, 4.0])
    (-12.5, 1)

    """

    name: typing.Literal["sum", "cost"]
    unit: str
    bigger_is_better: bool
    head: str
    axis: str
    said: str
    digits: int
    score: Callable[[Goal, Counts], Numbers]
    rho: Callable[[Goal, int, int], float]
    rho_source: str
    weigh: Callable[[float], Goal]
    regret: Callable[[Numbers], Numbers]
    regret_head: str
    as_river: Callable[[Goal], metrics.WeightedSum | metrics.WeightedCost]
    gain: Callable[[typing.Any, typing.Any], typing.Any]
    gain_unit: str
    worthwhile: float
    percent: Callable[[Goal, Counts], Numbers]
    percent_head: str

    def objective(self, score: typing.Any) -> typing.Any:
        """Scores turned so that the larger one is the better one."""
        return score if self.bigger_is_better else -score

    def best(self, scores: typing.Any) -> int:
        """The index of the best score; those that are not numbers are passed over."""
        return int(np.nanargmax(self.objective(np.asarray(scores, dtype=np.float64))))


def _rho_of_the_sum(goal: Goal, positives: int, negatives: int) -> float:
    return goal.alpha_pos * negatives / ((1.0 - goal.alpha_pos) * positives)


def _rho_of_the_cost(goal: Goal, positives: int, negatives: int) -> float:
    return goal.cost_fn / goal.cost_fp


def _relative_regret(scores: Numbers) -> Numbers:
    best = max(float(np.nanmin(scores)), 1e-9)
    return 100.0 * (scores - best) / best


def _percent_of_constant(goal: Goal, counts: Counts) -> Numbers:
    positives = np.asarray(counts.true_positives + counts.false_negatives)
    negatives = np.asarray(counts.true_negatives + counts.false_positives)
    constant = np.minimum(goal.cost_fn * positives, goal.cost_fp * negatives)
    share: Numbers = np.full(constant.shape, np.nan)
    np.divide(100.0 * goal.cost(counts), constant, out=share, where=constant > 0)
    return share


SUM = Metric(
    "sum",
    "points",
    bigger_is_better=True,
    head="balanced accuracy (%)",
    axis="balanced accuracy (%)",
    said="a balanced accuracy of {:.2f} %",
    digits=3,
    score=Goal.sum,
    rho=_rho_of_the_sum,
    rho_source="from the class counts of the whole stream, which a live stream does not know",
    weigh=lambda weight: Goal("sum", alpha_pos=1.0 - weight),
    regret=lambda scores: np.nanmax(scores) - scores,
    regret_head="regret of sum (points)",
    as_river=lambda goal: metrics.WeightedSum(goal.alpha_pos),
    gain=lambda before, after: after - before,
    gain_unit="points",
    worthwhile=1.0,
    percent=Goal.sum,
    percent_head="sum of sensitivity and specificity, weighted, in percent",
)
COST = Metric(
    "cost",
    "in cost",
    bigger_is_better=False,
    head="cost",
    axis="cost of mistakes",
    said="a cost of {:,.1f}",
    digits=2,
    score=Goal.cost,
    rho=_rho_of_the_cost,
    rho_source="the ratio of the costs",
    weigh=lambda weight: Goal("cost", cost_fn=1.0 - weight, cost_fp=weight),
    regret=_relative_regret,
    regret_head="of cost (%)",
    as_river=lambda goal: metrics.WeightedCost(goal.cost_fn, goal.cost_fp),
    gain=lambda before, after: 100.0 * (before - after) / np.maximum(before, 1e-12),
    gain_unit="percent of the cost",
    worthwhile=5.0,
    percent=_percent_of_constant,
    percent_head="cost of mistakes, in percent of that of the best constant answer",
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in (SUM, COST)}
