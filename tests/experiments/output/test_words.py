"""The verdict in words."""

from __future__ import annotations

import pytest
from made_findings import CLEAR, LEVEL, LOST, made

from river_oa3.experiments.output import words

RISING = {10: 60.0, 20: 70.0, 40: 80.0, 80: 90.0}
LEVELLED = {10: 60.0, 20: 80.0, 40: 90.0, 80: 90.5, 160: 90.6}


def test_a_winner_is_named_with_its_lead_over_the_closest():
    said = words.who_is_ahead(made(CLEAR))
    assert said.startswith("OA3 comes to a sum of 91.00 % and is ahead of all others: of PAA by ")
    # Differences of 10, 10 and 9.5: t is 7.649 for three pairs and two degrees of freedom.
    assert said.endswith("9.8 points, between 8.6 and 11.1.")


def test_a_winner_is_what_to_use():
    assert words.decision(made(CLEAR)) == "Use OA3: it is ahead of every other method."


def test_a_lead_that_is_not_worthwhile_is_called_that():
    findings = made({"OA3": [90.5, 90.5, 90.51], "PAA": [90.0, 90.0, 90.01]})
    assert words.decision(findings) == (
        "Use OA3: all others are worse on these events, though PAA by less than 1 points."
    )


def test_a_lead_in_cost_is_said_in_cost():
    said = words.who_is_ahead(made(CLEAR, "cost"))
    assert said.startswith("OA3 comes to a cost of 16.2 and is ahead of all others: of PAA by ")
    assert said.endswith("17.7 in cost, between 15.4 and 20.0.")


def test_those_that_are_level_are_named_and_so_are_those_behind():
    said = words.who_is_ahead(made(LEVEL))
    assert "no difference that these orders can show between OA3 and PAA;" in said
    assert "Shown to be behind OA3: CSOAL;" in said


def test_what_is_recommended_is_said_with_its_score_where_it_is_not_the_best():
    findings = made(LEVEL, preferred=("PAA",))
    assert words.decision(findings).startswith("Use PAA: no other method is shown to be better")
    assert "OA3 has the best mean, a sum of 91.00 %, and PAA a sum of 90.83 %." in (
        words.who_is_ahead(findings)
    )


def test_it_is_said_how_it_was_judged():
    said = words.judgement(made(CLEAR))
    for part in ("the same 3 orders", "Student's t", "95 % shared among the 3 pairs", "1 points"):
        assert part in said


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_one_order_decides_nothing_and_several_are_asked_for(metric):
    findings = made({name: values[:1] for name, values in CLEAR.items()}, metric)
    said = " ".join(words.in_words(findings))
    assert "One order shows no difference between methods: give several" in said
    assert "ahead of" not in said
    assert "Judged" not in said
    assert "WARNING" not in said


def test_a_method_alone_is_ahead_of_nobody():
    said = " ".join(words.in_words(made({"OA3": [90.0, 91.0, 92.0]})))
    assert "no other method was compared" in said
    assert "Judged" not in said


def test_chance_is_the_best_constant_answer():
    said = words.against_chance(made(CLEAR, "cost"))
    assert said.startswith("Always giving the same answer comes to a cost of 90.0 (chance)")


def test_methods_that_are_not_above_chance_are_named():
    said = words.against_chance(made(CLEAR | {"PAA": [50.0, 51.0, 49.0]}))
    assert said.endswith("(chance); PAA is not shown to do better.")


@pytest.mark.parametrize("orders", [1, 3])
def test_a_warning_says_what_to_look_at_where_nothing_is_above_chance(orders):
    sums = {name: [min(values)] if orders == 1 else values for name, values in LOST.items()}
    findings = made(sums)
    said = words.against_chance(findings)
    assert said.startswith("WARNING")
    for part in ("labels may not depend", "budget of 40 labels", "profile"):
        assert part in said
    assert words.decision(findings).startswith("Use none of these yet")


@pytest.mark.parametrize(
    ("ceiling", "said"),
    [
        (99.0, "has come 83 % of the way there from chance"),
        (91.0, "is there already"),
        (80.0, "is there already"),
        (50.0, "no better than chance"),
    ],
)
def test_the_best_is_held_against_every_label(ceiling, said):
    assert said in words.against_ceiling(made(ceiling=ceiling))


def test_the_way_to_every_label_is_as_long_in_cost():
    """A cost of 16.2, from 90 by chance to 1.8."""
    said = words.against_ceiling(made(metric="cost", ceiling=99.0))
    assert "a cost of 1.8 (AutoOA3): OA3, with 40 labels, has come 83 % of the way" in said


def test_enough_labels_are_said_with_the_rule():
    said = words.enough_labels(made(curve=LEVELLED))
    assert said.startswith("40 labels are enough for OA3 on these events: it has ")
    assert "90.00 % with them, and neither twice as many nor all labels bring 1 points more" in said


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
    assert len(said) == 4
    assert not any("Every label" in each or "enough" in each for each in said)


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
