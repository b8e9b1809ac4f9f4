"""The verdict in words."""

from __future__ import annotations

import dataclasses

import pytest
from made_findings import CLEAR, LEVEL, LOST, made

from river_oa3.experiments import Goal
from river_oa3.experiments.output import words

RISING = {10: 60.0, 20: 70.0, 40: 80.0, 80: 90.0}
LEVELLED = {10: 60.0, 20: 80.0, 40: 90.0, 80: 90.5, 160: 90.6}


def test_a_winner_is_named_with_its_lead_over_the_closest():
    said = words.who_is_ahead(made(CLEAR))
    assert said.startswith(
        "OA3 has a balanced accuracy of 91.00 % and is ahead of all others: of PAA by "
    )
    # Differences of 10, 10 and 9.5: t is 7.649 for three pairs and two degrees of freedom.
    assert said.endswith("9.8 points (95 % interval: 8.6 to 11.1).")


def test_a_winner_is_what_to_use():
    assert words.decision(made(CLEAR)) == "Use OA3: it is better than every other method."


def test_a_lead_that_is_not_worthwhile_is_called_that():
    findings = made({"OA3": [90.5, 90.5, 90.51], "PAA": [90.0, 90.0, 90.01]})
    assert words.decision(findings) == (
        "Use OA3: all others are worse, though PAA by less than 1 point."
    )


def test_a_lead_in_cost_is_said_in_cost():
    said = words.who_is_ahead(made(CLEAR, "cost"))
    assert said.startswith("OA3 has a cost of 16.2 and is ahead of all others: of PAA by ")
    assert said.endswith("17.7 in cost (95 % interval: 15.4 to 20.0).")


def test_those_that_are_level_are_named_and_so_are_those_behind():
    said = words.who_is_ahead(made(LEVEL))
    assert "no significant difference between OA3 and PAA;" in said
    assert "Significantly worse than OA3: CSOAL;" in said


def test_what_is_recommended_is_said_with_its_score_where_it_is_not_the_best():
    findings = made(LEVEL, preferred=("PAA",))
    assert words.decision(findings) == "Use PAA: no other method is significantly better."
    assert "OA3 has the best mean, a balanced accuracy of 91.00 %, and PAA a balanced accuracy" in (
        words.who_is_ahead(findings)
    )


def test_it_is_said_how_it_was_judged():
    said = words.judgement(made(CLEAR))
    for part in ("3 shuffles", "Student's t", "95 % shared among the 3 pairs", "at least 1 point."):
        assert part in said


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_one_run_decides_nothing_and_several_are_asked_for(metric):
    findings = made({name: values[:1] for name, values in CLEAR.items()}, metric)
    said = " ".join(words.in_words(findings))
    assert "One run shows no difference between methods: give several" in said
    assert "ahead of" not in said
    assert "Judged" not in said
    assert "WARNING" not in said


def test_a_method_alone_is_ahead_of_nobody():
    said = " ".join(words.in_words(made({"OA3": [90.0, 91.0, 92.0]})))
    assert "no other method was compared" in said
    assert "Judged" not in said


def test_the_best_constant_answer_is_what_counts():
    said = words.against_constant(made(CLEAR, "cost"))
    assert said.startswith("Always giving the same answer has a cost of 90.0, and")


def test_methods_that_are_not_above_a_constant_answer_are_named():
    said = words.against_constant(made(CLEAR | {"PAA": [50.0, 51.0, 49.0]}))
    assert said.endswith("; PAA is not significantly better.")


@pytest.mark.parametrize("orders", [1, 3])
def test_a_warning_says_what_to_look_at_where_nothing_is_above_a_constant_answer(orders):
    sums = {name: [min(values)] if orders == 1 else values for name, values in LOST.items()}
    findings = made(sums)
    said = words.against_constant(findings)
    assert said.startswith("WARNING")
    for part in ("labels may not depend", "budget of 40 labels", "profile"):
        assert part in said
    assert words.decision(findings).startswith("Use none of them yet")


@pytest.mark.parametrize(
    ("ceiling", "said"),
    [
        (99.0, "has 83 % of what all of them gain"),
        (91.0, "is as good"),
        (80.0, "is as good"),
        (50.0, "no better than always giving the same answer"),
    ],
)
def test_the_best_is_compared_with_all_labels(ceiling, said):
    assert said in words.against_all_labels(made(ceiling=ceiling))


def test_what_all_labels_gain_is_as_much_in_cost():
    """A cost of 16.2, between 90 of a constant answer and 1.8."""
    said = words.against_all_labels(made(metric="cost", ceiling=99.0))
    assert "a cost of 1.8: OA3, with 40 labels, has 83 % of what" in said


def test_enough_labels_are_said_with_the_rule():
    said = words.enough_labels(made(curve=LEVELLED))
    assert said.startswith("40 labels are enough for OA3 on these events: it has ")
    assert "90.00 % with them, and neither twice as many nor all labels bring 1 point more" in said


def test_the_rule_of_a_cost_is_a_share_of_it():
    assert "bring 5 percent of the cost more" in words.enough_labels(
        made(metric="cost", curve={10: 60.0, 20: 90.0, 40: 90.1})
    )


@pytest.mark.parametrize(
    ("curve", "said"),
    [
        (LEVELLED, "That is the budget of this comparison, 40."),
        ({20: 60.0, 40: 70.0, 80: 80.0, 160: 80.1}, "That is more than the budget of this"),
        ({10: 60.0, 20: 70.0, 40: 70.1}, "That is less than the budget of this comparison, 40."),
    ],
)
def test_the_budget_used_is_compared_with_what_is_enough(curve, said):
    assert said in words.enough_labels(made(curve=curve))


def test_a_curve_that_still_rises_says_nothing():
    assert words.enough_labels(made(curve=RISING)) == ""


def test_what_was_not_run_is_not_spoken_of():
    said = words.in_words(made())
    assert len(said) == 6
    assert not any("all labels" in each or "enough" in each for each in said)


def test_the_operating_point_is_said_in_alarms():
    """Of 100 positives and 900 negatives 90 % are right: 90 + 90 alarms, half of them right."""
    said = words.operating_point(made({"OA3": [90.0, 90.0]}))
    assert said == (
        "With 40 labels OA3 finds 90.0 % of the positives. It raises 180 alarms per 1,000 events, "
        "and 50.0 % of them are right (precision)."
    )


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_what_does_not_pay_is_called_that(metric):
    """A false alarm of each of 450 negatives and 50 misses cost 45 each; doing nothing costs 90."""
    said = words.costs(made({"OA3": [50.0, 50.0]}, metric))
    assert "the mistakes of OA3 cost 90.0; alerting on nothing costs 90.0" in said
    assert "it does not pay" in said
    assert ("--metric cost" in said) == (metric == "sum")


def test_an_accuracy_of_unequal_weights_is_not_called_balanced():
    found = made(LEVEL)
    plan = dataclasses.replace(found.comparison.plan, goal=Goal("sum", 0.8))
    comparison = dataclasses.replace(found.comparison, plan=plan)
    said = words.who_is_ahead(dataclasses.replace(found, comparison=comparison))
    assert "a weighted 0.8/0.2 accuracy of 91.00 %" in said


def test_what_pays_says_how_much():
    """A tenth of both classes wrong: 9 and 9."""
    assert "cost 18.0; alerting on nothing costs 90.0: 80 % are saved" in words.costs(
        made({"OA3": [90.0, 90.0]})
    )


@pytest.mark.parametrize(("score", "is_said"), [(98.9, False), (99.1, True)])
def test_what_is_too_good_to_be_true_is_suspected(score, is_said):
    said = words.too_good(made({"OA3": [score] * 3, "PAA": [90.0] * 3}))
    assert ("suspiciously good" in said) == is_said
    assert ("--drop" in said) == is_said


def test_river_learners_that_answer_the_same_to_all_are_explained():
    findings = made({"OA3": [90.0] * 2, "GaussianNB": [0.0] * 2})
    said = words.same_answers(findings)
    assert said.startswith("GaussianNB gives nearly every event the same answer.")
    assert "defaults" in said


def test_other_methods_that_answer_the_same_to_all_are_named():
    findings = made({"OA3": [90.0] * 2, "PAA": [0.0] * 2})
    assert words.same_answers(findings) == "PAA gives nearly every event the same answer."


@pytest.mark.parametrize("sums", [CLEAR, LEVEL, LOST])
@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_nothing_is_said_of_what_is_infinite_or_not_a_number(sums, metric):
    for orders in (1, 2, 3):
        cut = {name: values[:orders] for name, values in sums.items()}
        said = " ".join(words.in_words(made(cut, metric, ceiling=95.0, curve=RISING)))
        assert "inf" not in said
        assert "nan" not in said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((2.314, -0.5, 5.1), ["2.31", "-0.50", "5.10"]),
        ((1234.5, 12.0), ["1,234", "12"]),
        ((0.0,), ["0"]),
        ((0.01234, 0.001), ["0.0123", "0.0010"]),
    ],
)
def test_amounts_have_three_figures(values, said):
    assert words.amount(*values) == said
