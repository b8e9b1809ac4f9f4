"""A model to deploy: taught every label of the stream that methods were compared on."""

from __future__ import annotations

import math
import typing

from river import base

from river_oa3 import budget
from river_oa3.active import ActiveLearner
from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments.comparison import Comparison
from river_oa3.experiments.methods import build
from river_oa3.experiments.output.progress import Progress
from river_oa3.experiments.scores import Counts, Goal
from river_oa3.experiments.stream_replay import Replay, Uniforms
from river_oa3.experiments.tasks import walk
from river_oa3.experiments.verdict import chance_of
from river_oa3.query import FirstComeQuery

__all__ = ["Fitted", "fit", "is_above_chance"]

# So many standard errors above a constant answer, which chance alone brings about once in forty.
_ERRORS = 2.0


class Fitted(typing.NamedTuple):
    """A model that has learned every label, and how good it was on each event before its label."""

    method: str
    model: ActiveLearner
    counts: Counts


def fit(
    comparison: Comparison,
    method: str,
    stream: AnyStream,
    steps: typing.Sequence[base.Transformer] = (),
) -> Fitted:
    """A method of this package that has learned every label, and asks for a share of those to come.

    Parameters
    ----------
    comparison
        What was compared, which has the setting and the parameters.
    method
        Which method.
    stream
        The events as it takes them. They are learned in the first order in which they were
        compared.
    steps
        What makes such events of the rows that the model will be given.

    """
    plan = comparison.plan
    made = build(method, comparison.setting, comparison.parameters[method], plan.seed)
    teacher = ActiveLearner(made.classifier, FirstComeQuery(), seed=plan.seed)
    events = len(stream)
    run = Replay(teacher, Uniforms(plan.seed), [events])
    part = comparison.parts(method)[0]._replace(start=0, stop=events, within=False)
    with Progress(f"fitting {method}", events) as progress:
        for chunk, order in walk(stream, plan.seed, part):
            run.go_on(chunk, order)
            progress.add(len(order), len(order))
    classifier = made.classifier
    for step in reversed(steps):
        classifier = step | classifier
    rate = budget.RateBudget(plan.budget / comparison.events)
    model = ActiveLearner(classifier, made.query, rate, plan.seed)
    model.n_seen = model.n_learned = events
    counts = Counts(*(int(each[-1]) for each in run.outcome().counts))
    return Fitted(method, model, counts)


def is_above_chance(goal: Goal, counts: Counts) -> bool:
    """Whether counts are better than the best constant answer, by more than chance brings about.

    Examples
    --------

    >>> from river_oa3.experiments.fitting import is_above_chance
    >>> from river_oa3.experiments.scores import Counts, Goal

    >>> is_above_chance(Goal("sum"), Counts(52, 480, 520, 48, labels=1100))
    False
    >>> is_above_chance(Goal("sum"), Counts(72, 280, 720, 28, labels=1100))
    True

    """
    tp, fp, tn, fn, _ = counts
    score, chance = goal.objective(counts), chance_of(goal, tp + fn, tn + fp)
    # The score is a sum over the two classes, each of a number of events that are right.
    one_more = (
        (tp, fn, Counts(tp + 1, fp, tn, fn - 1, 0)),
        (tn, fp, Counts(tp, fp - 1, tn + 1, fn, 0)),
    )
    variance = sum(
        (goal.objective(more) - score) ** 2 * right * wrong / max(1, right + wrong)
        for right, wrong, more in one_more
    )
    return score - float(goal.measure.objective(chance)) > _ERRORS * math.sqrt(variance)
