"""The verdict in a few plain sentences, for the terminal and for the page."""

from __future__ import annotations

import math

import numpy as np

from river_oa3.experiments.findings import Findings
from river_oa3.experiments.output.text import listed
from river_oa3.experiments.verdict import LEVEL, Difference

__all__ = [
    "against_ceiling",
    "against_chance",
    "amount",
    "decision",
    "enough_labels",
    "in_words",
    "is_lost",
    "judgement",
    "percent_of_the_way",
    "share_of_the_way",
    "who_is_ahead",
]


def in_words(findings: Findings) -> list[str]:
    """All that there is to say, a paragraph each, the most important first."""
    said = [
        decision(findings),
        who_is_ahead(findings),
        judgement(findings),
        against_chance(findings),
        against_ceiling(findings),
        enough_labels(findings),
    ]
    return [each for each in said if each]


def decision(findings: Findings) -> str:
    """What to do, in one line."""
    verdict = findings.verdict
    if is_lost(findings):
        return "Use none of these yet: no method is shown to be better than chance."
    if verdict.winner is not None:
        return f"Use {verdict.winner}: it is ahead of every other method."
    if verdict.orders < 2:
        return f"Use {verdict.recommended} for now: one order of the events decides nothing."
    if not verdict.differences:
        return f"Use {verdict.best}: no other method was compared."
    if len(verdict.tied) == 1:
        measure = findings.comparison.plan.goal.measure
        least = f"{measure.worthwhile:g} {measure.gain_unit}"
        return (
            f"Use {verdict.best}: all others are worse on these events, though "
            f"{verdict.differences[0].method} by less than {least}."
        )
    if verdict.recommended == verdict.best:
        return f"Use {verdict.best}: no other method is shown to be better."
    return f"Use {verdict.recommended}: no other method is shown to be better than it."


def who_is_ahead(findings: Findings) -> str:
    """Who is ahead and by how much, or that nothing tells."""
    verdict = findings.verdict
    if not verdict.differences:
        return f"{verdict.best} comes to {_scored(findings, verdict.best)}."
    if verdict.orders < 2:
        return (
            f"{verdict.best} comes to {_scored(findings, verdict.best)}, the best of this one "
            "order. One order shows no difference between methods: give several, such as "
            "--permutations 20."
        )
    behind = [each for each in verdict.differences if each.is_significant]
    if len(verdict.tied) == 1:
        ahead = f"{verdict.best} comes to {_scored(findings, verdict.best)} and is ahead of"
        closest = behind[0].method if len(behind) == 1 else f"all others: of {behind[0].method}"
        return f"{ahead} {closest} by {_interval(findings, behind[0])}."
    tied = (
        f"There is no difference that these orders can show between {listed(verdict.tied)}; "
        f"{verdict.best} has the best mean, {_scored(findings, verdict.best)}"
    )
    chosen = verdict.recommended
    also = "" if chosen == verdict.best else f", and {chosen} {_scored(findings, chosen)}"
    tied += f"{also}."
    if not behind:
        return f"{tied} No method is shown to be behind."
    closest = f"{'' if len(behind) == 1 else behind[0].method + ' '}by"
    return (
        f"{tied} Shown to be behind {verdict.best}: {listed([each.method for each in behind])}; "
        f"{closest} {_interval(findings, behind[0])}."
    )


def judgement(findings: Findings) -> str:
    """How who is ahead was judged; empty where there was nothing to judge."""
    verdict = findings.verdict
    n = len(verdict.differences)
    if verdict.orders < 2 or n == 0:
        return ""
    level = f"{LEVEL:.0%}".replace("%", " %")
    pairs = math.comb(n + 1, 2)
    sure = f"{level} shared among the {pairs} pairs of methods" if n > 1 else level
    measure = findings.comparison.plan.goal.measure
    return (
        f"Judged by the differences between {verdict.best} and each of the others in the same "
        f"{verdict.orders} orders of the events. Their intervals cover other orders and other "
        f"events of the same kind (jackknife over blocks of events; Student's t, {sure}). A method "
        "is ahead where its whole interval is above zero, and a winner is named where it is ahead "
        f"of each of the others by at least {measure.worthwhile:g} {measure.gain_unit}."
    )


def against_chance(findings: Findings) -> str:
    """What the best constant answer comes to, and who is shown to do better."""
    verdict, goal = findings.verdict, findings.comparison.plan.goal
    chance = f"Always giving the same answer comes to {goal.measure.said.format(verdict.chance)}"
    methods = len(verdict.differences) + 1
    above = len(verdict.above_chance)
    if is_lost(findings):
        budget = findings.comparison.plan.budget
        return (
            f"WARNING: {chance[0].lower()}{chance[1:]}, and no method is shown to do better. The "
            f"labels may not depend on these columns, the budget of {budget:,} labels may be too "
            "small, or a column may be read as what it is not: look at the profile of the file."
        )
    if verdict.orders < 2:
        return f"{chance} (chance)."
    if above == methods:
        who = "every method is" if methods > 1 else "the method is"
        return f"{chance} (chance), and {who} shown to do better."
    below = [each for each in findings.comparison.runs if each not in verdict.above_chance]
    are = "are" if len(below) > 1 else "is"
    return f"{chance} (chance); {listed(below)} {are} not shown to do better."


def against_ceiling(findings: Findings) -> str:
    """What every label bought would give, and how far the best has come; empty if not run."""
    ceiling, share = findings.ceiling, share_of_the_way(findings)
    if ceiling is None:
        return ""
    best, comparison = findings.verdict.best, findings.comparison
    measure, budget = comparison.plan.goal.measure, comparison.plan.budget
    score = float(np.mean(comparison.plan.goal.score(ceiling)))
    ceiling_said = f"Every label bought would give {measure.said.format(score)} (AutoOA3)"
    if share is None:
        return f"{ceiling_said}, which is no better than chance."
    if share >= 1.0:
        return f"{ceiling_said}: {best}, with {budget:,} labels, is there already."
    return (
        f"{ceiling_said}: {best}, with {budget:,} labels, has come "
        f"{percent_of_the_way(share)} % of the way there from chance."
    )


def share_of_the_way(findings: Findings) -> float | None:
    """How much of the way from chance to the ceiling the best has come; None without a way."""
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
    """How many labels are enough by the curve, and by which rule; empty where none is shown to be.

    The curve of a few runs rises and falls by luck, and somebody plans a budget with this.
    """
    curve, budget = findings.curve, findings.comparison.plan.budget
    if curve is None or curve.enough is None:
        return ""
    measure, enough = curve.goal.measure, curve.enough
    score = measure.said.format(curve.means[curve.budgets.index(enough)].mean)
    relation = "more than" if enough > budget else "less than"
    beside = "the" if enough == budget else f"{relation} the"
    return (
        f"{enough:,} labels are enough for {curve.method} on these events: it has {score} with "
        f"them, and neither twice as many nor all labels bring {measure.worthwhile:g} "
        f"{measure.gain_unit} more (95 % sure). That is {beside} budget of this comparison, "
        f"{budget:,}."
    )


def amount(*values: float, figures: int = 3) -> list[str]:
    """Numbers with as many decimals as the largest of them needs to have so many figures."""
    largest = max((abs(each) for each in values if math.isfinite(each)), default=0.0)
    decimals = figures - 1 - math.floor(math.log10(largest)) if largest > 0.0 else 0
    return [f"{each:,.{min(max(decimals, 0), 6)}f}" for each in values]


def _interval(findings: Findings, difference: Difference) -> str:
    mean, low, high = amount(difference.mean, difference.low, difference.high)
    return f"{mean} {findings.comparison.plan.goal.measure.unit}, between {low} and {high}"


def _scored(findings: Findings, method: str) -> str:
    goal = findings.comparison.plan.goal
    score = float(np.mean(goal.score(findings.comparison.counts(method))))
    return goal.measure.said.format(score)


def is_lost(findings: Findings) -> bool:
    """Whether nothing is shown to be above chance; of a single order, whether nothing is."""
    verdict, goal = findings.verdict, findings.comparison.plan.goal
    if verdict.orders > 1:
        return not verdict.above_chance
    best = np.mean(goal.score(findings.comparison.counts(verdict.best)))
    return bool(goal.measure.objective(best) <= goal.measure.objective(verdict.chance))
