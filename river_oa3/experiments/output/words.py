"""The verdict in a few plain sentences, for the terminal and for the page."""

from __future__ import annotations

import math

import numpy as np

from river_oa3.experiments.findings import Findings
from river_oa3.experiments.methods import find
from river_oa3.experiments.output.text import listed
from river_oa3.experiments.scores import COST, Goal
from river_oa3.experiments.verdict import LEVEL, Difference, constant_answer

__all__ = [
    "against_all_labels",
    "against_constant",
    "amount",
    "costs",
    "decision",
    "enough_labels",
    "in_words",
    "is_lost",
    "judgement",
    "operating_point",
    "percent_of_the_way",
    "same_answers",
    "share_of_the_way",
    "too_good",
    "who_is_ahead",
    "worthwhile",
]

EQUAL = Goal("sum")
"""Both classes weigh the same."""

TOO_GOOD = 99.0
"""Data that people label are seldom separated better than this, in percent of both classes."""

SAME = 1.0
"""Who finds less of a class than this, in percent, nearly always gives the same answer."""


def in_words(findings: Findings) -> list[str]:
    """All that there is to say, a paragraph each, the most important first."""
    said = [
        decision(findings),
        who_is_ahead(findings),
        operating_point(findings),
        costs(findings),
        against_constant(findings),
        too_good(findings),
        same_answers(findings),
        against_all_labels(findings),
        enough_labels(findings),
        judgement(findings),
    ]
    return [each for each in said if each]


def decision(findings: Findings) -> str:
    """What to do, in one line."""
    verdict = findings.verdict
    if is_lost(findings):
        return (
            "Use none of them yet: none is significantly better than always giving the same answer."
        )
    if verdict.winner is not None:
        return f"Use {verdict.winner}: it is better than every other method."
    if verdict.orders < 2:
        return f"Use {verdict.recommended} for now: one run decides nothing."
    if not verdict.differences:
        return f"Use {verdict.best}: no other method was compared."
    if len(verdict.tied) == 1:
        closest = verdict.differences[0].method
        least = worthwhile(findings)
        return f"Use {verdict.best}: all others are worse, though {closest} by less than {least}."
    return f"Use {verdict.recommended}: no other method is significantly better."


def who_is_ahead(findings: Findings) -> str:
    """Who is ahead and by how much, or that nothing tells."""
    verdict = findings.verdict
    if not verdict.differences:
        return f"{verdict.best} has {_scored(findings, verdict.best)}."
    if verdict.orders < 2:
        return (
            f"{verdict.best} has {_scored(findings, verdict.best)}, the best of this one run. One "
            "run shows no difference between methods: give several, such as --shuffle 20."
        )
    behind = [each for each in verdict.differences if each.is_significant]
    if len(verdict.tied) == 1:
        ahead = f"{verdict.best} has {_scored(findings, verdict.best)} and is ahead of"
        closest = behind[0].method if len(behind) == 1 else f"all others: of {behind[0].method}"
        return f"{ahead} {closest} by {_interval(findings, behind[0])}."
    tied = (
        f"There is no significant difference between {listed(verdict.tied)}; "
        f"{verdict.best} has the best mean, {_scored(findings, verdict.best)}"
    )
    chosen = verdict.recommended
    also = "" if chosen == verdict.best else f", and {chosen} {_scored(findings, chosen)}"
    tied += f"{also}."
    if not behind:
        return f"{tied} No method is significantly worse."
    closest = f"{'' if len(behind) == 1 else behind[0].method + ' '}by"
    return (
        f"{tied} Significantly worse than {verdict.best}: "
        f"{listed([each.method for each in behind])}; {closest} {_interval(findings, behind[0])}."
    )


def operating_point(findings: Findings) -> str:
    """What whoever follows the alarms of the recommended method has to expect."""
    method = findings.verdict.recommended
    counts = findings.comparison.counts(method)
    found, alarms = float(np.mean(counts.sensitivity)), float(np.mean(counts.alarms))
    labels = float(np.mean(counts.labels))
    start = f"With {labels:,.0f} labels {method} finds {found:.1f} % of the positives"
    if alarms == 0.0:
        return f"{start}: it raises no alarm."
    many = f"{alarms:,.0f}" if alarms >= 10.0 else f"{alarms:.1f}"
    precision = float(np.mean(counts.precision))
    return (
        f"{start}. It raises {many} alarms per 1,000 events, and {precision:.1f} % of them are "
        "right (precision)."
    )


def costs(findings: Findings) -> str:
    """What the mistakes of the recommended method cost, and what it costs to do nothing."""
    comparison, goal = findings.comparison, findings.comparison.plan.goal
    method = findings.verdict.recommended
    counts = comparison.counts(method)
    constant = constant_answer(goal, COST, counts)
    idle = "everything" if np.any(constant.true_positives) else "nothing"
    cost, other = (float(np.mean(goal.cost(each))) for each in (counts, constant))
    said, other_said = amount(cost, other)
    start = (
        f"At {goal.cost_fn:g} for a missed positive and {goal.cost_fp:g} for a false alarm the "
        f"mistakes of {method} cost {said}; alerting on {idle} costs {other_said}"
    )
    if cost >= other:
        option = "" if goal.measure is COST else " (--metric cost looks for what does)"
        return f"{start}: at these costs it does not pay{option}."
    return f"{start}: {100.0 * (1.0 - cost / other):.0f} % are saved, before the price of labels."


def judgement(findings: Findings) -> str:
    """How who is ahead was judged; empty where there was nothing to judge."""
    verdict, plan = findings.verdict, findings.comparison.plan
    n = len(verdict.differences)
    if verdict.orders < 2 or n == 0:
        return ""
    level = f"{LEVEL:.0%}".replace("%", " %")
    sure = f"{level} shared among the {math.comb(n + 1, 2)} pairs of methods" if n > 1 else level
    runs, others = "shuffles of the events", "shuffles"
    if not plan.permutations:
        runs, others = "runs through the events in their order", "random numbers"
    return (
        f"Judged by the differences between {verdict.best} and each of the others over "
        f"{verdict.orders} {runs}. The intervals cover other {others} and other events of the same "
        f"kind (jackknife over blocks of events; Student's t, {sure}), not a stream that changes. "
        "A method is significantly worse where its whole interval is above zero, and a winner is "
        f"better than each of the others by at least {worthwhile(findings)}."
    )


def against_constant(findings: Findings) -> str:
    """What the best constant answer scores, and which methods are better."""
    verdict, goal = findings.verdict, findings.comparison.plan.goal
    constant = f"Always giving the same answer has {goal.said(verdict.chance)}"
    methods = len(verdict.differences) + 1
    above = len(verdict.above_chance)
    if is_lost(findings):
        budget = findings.comparison.plan.budget
        return (
            f"WARNING: {constant[0].lower()}{constant[1:]}, and no method is significantly better. "
            f"The labels may not depend on these columns, the budget of {budget:,} labels may be "
            "too small, or a column may be read as what it is not: look at the profile of the file."
        )
    if verdict.orders < 2:
        return f"{constant}."
    if above == methods:
        who = "every method is" if methods > 1 else "the method is"
        return f"{constant}, and {who} significantly better."
    below = [each for each in findings.comparison.runs if each not in verdict.above_chance]
    are = "are" if len(below) > 1 else "is"
    return f"{constant}; {listed(below)} {are} not significantly better."


def too_good(findings: Findings) -> str:
    """What to look for where a result is too good to be true; empty where none is."""
    comparison = findings.comparison
    scores = {
        method: float(np.mean(EQUAL.sum(comparison.counts(method)))) for method in comparison.runs
    }
    best = max(scores, key=lambda method: scores[method])
    if scores[best] <= TOO_GOOD:
        return ""
    return (
        f"WARNING: a balanced accuracy of {scores[best]:.2f} % ({best}) is suspiciously good. Look "
        "for columns whose values are known only after the label is, such as the result of a "
        "review, a closing date or a refund (--drop leaves them out), and for rows that repeat."
    )


def same_answers(findings: Findings) -> str:
    """Which methods give nearly every event the same answer, and why; empty where none does."""
    comparison = findings.comparison
    found: list[str] = []
    for method in comparison.runs:
        counts = comparison.counts(method)
        if min(np.mean(counts.sensitivity), np.mean(counts.specificity)) < SAME:
            found.append(method)
    if not found:
        return ""
    said = f"{listed(found)} {'give' if len(found) > 1 else 'gives'} nearly every event the same "
    said += "answer"
    if not any(find(method).family == "river" for method in found):
        return f"{said}."
    return (
        f"{said}. River's learners run with their defaults here, untuned, and call positive what "
        "has a probability of a half: with few labels of a rare class that is hardly any event. "
        "This says little about what they can do when they are tuned."
    )


def against_all_labels(findings: Findings) -> str:
    """What all labels would gain, and how much of it the best has; empty if not run."""
    ceiling, share = findings.ceiling, share_of_the_way(findings)
    if ceiling is None:
        return ""
    best, comparison = findings.verdict.best, findings.comparison
    goal, budget = comparison.plan.goal, comparison.plan.budget
    score = float(np.mean(goal.score(ceiling)))
    said = f"With all labels AutoOA3 has {goal.said(score)}"
    if share is None:
        return f"{said}, which is no better than always giving the same answer."
    if share >= 1.0:
        return f"{said}: {best}, with {budget:,} labels, is as good."
    return (
        f"{said}: {best}, with {budget:,} labels, has {percent_of_the_way(share)} % of what all of "
        "them gain over always giving the same answer."
    )


def share_of_the_way(findings: Findings) -> float | None:
    """How much of what all labels gain the best has; None where they gain nothing."""
    if findings.ceiling is None:
        return None
    goal = findings.comparison.plan.goal
    floor, top, best = (
        float(goal.measure.objective(np.mean(score)))
        for score in (
            findings.verdict.chance,
            goal.score(findings.ceiling),
            goal.score(findings.comparison.counts(findings.verdict.best)),
        )
    )
    return (best - floor) / (top - floor) if top > floor else None


def percent_of_the_way(share: float) -> int:
    """That share in percent, rounded down, so that nobody is said to be there who is not."""
    return min(100, max(0, math.floor(100.0 * share)))


def enough_labels(findings: Findings) -> str:
    """How many labels are enough by the curve, and by which rule; empty where none surely is.

    The curve of a few runs rises and falls by luck, and somebody plans a budget with this.
    """
    curve, budget = findings.curve, findings.comparison.plan.budget
    if curve is None or curve.enough is None:
        return ""
    enough = curve.enough
    score = curve.goal.said(curve.means[curve.budgets.index(enough)].mean)
    relation = "more than" if enough > budget else "less than"
    beside = "the" if enough == budget else f"{relation} the"
    return (
        f"{enough:,} labels are enough for {curve.method} on these events: it has {score} with "
        f"them, and neither twice as many nor all labels bring {worthwhile(findings)} more (95 % "
        f"sure). That is {beside} budget of this comparison, {budget:,}."
    )


def amount(*values: float, figures: int = 3) -> list[str]:
    """Numbers with as many decimals as the largest of them needs to have so many figures."""
    largest = max((abs(each) for each in values if math.isfinite(each)), default=0.0)
    decimals = figures - 1 - math.floor(math.log10(largest)) if largest > 0.0 else 0
    return [f"{each:,.{min(max(decimals, 0), 6)}f}" for each in values]


def _interval(findings: Findings, difference: Difference) -> str:
    mean, low, high = amount(difference.mean, difference.low, difference.high)
    unit = findings.comparison.plan.goal.measure.unit
    return f"{mean} {unit} (95 % interval: {low} to {high})"


def worthwhile(findings: Findings) -> str:
    """The least gain that is worthwhile, with its unit."""
    measure = findings.comparison.plan.goal.measure
    unit = measure.gain_unit.removesuffix("s") if measure.worthwhile == 1.0 else measure.gain_unit
    return f"{measure.worthwhile:g} {unit}"


def _scored(findings: Findings, method: str) -> str:
    goal = findings.comparison.plan.goal
    score = float(np.mean(goal.score(findings.comparison.counts(method))))
    return goal.said(score)


def is_lost(findings: Findings) -> bool:
    """Whether no method is significantly above a constant answer; of one run, whether none is."""
    verdict, goal = findings.verdict, findings.comparison.plan.goal
    if verdict.orders > 1:
        return not verdict.above_chance
    best = np.mean(goal.score(findings.comparison.counts(verdict.best)))
    return bool(goal.measure.objective(best) <= goal.measure.objective(verdict.chance))
