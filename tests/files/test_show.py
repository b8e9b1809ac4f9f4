"""`river-oa3 show` says what a file holds, and its words move no cursor."""

from __future__ import annotations

import json

import pytest
from model_files import KINDS, trained

import river_oa3
from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    budget,
    cli,
    metrics,
    query,
)

HOSTILE = "\x1b[2J\x1b]0;owned\x07\r\n\u202etxt.exe\u2028\x9b31m\ud800"


@pytest.fixture
def show(tmp_path, capsys):
    def shown(model, *options):
        path = tmp_path / "model.oa3"
        river_oa3.save(model, path)
        assert cli.main(["show", str(path), *options]) == 0
        return capsys.readouterr().out

    return shown


def with_weights(**weights):
    model = OA3DiagClassifier(gamma=1e9)  # so that one weight hardly changes another
    for name, weight in weights.items():
        model.learn_one({name: abs(weight)}, weight > 0)
    return model


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_model_is_shown(show, name):
    assert "checksum           fits" in show(trained(name))


def test_counts_are_shown(show):
    model = ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery(), budget=3)
    for _ in range(1500):
        model.predict_one({"a": 1.0})
    model.learn_one({"a": 1.0}, True)
    said = show(model)
    for line in (
        "events seen        1,500",
        "labels asked for   3",
        "labels learned     1",
        "features           1",
        "budget             3 labels, 3 spent, 0 left",
        "query              FirstComeQuery()",
        "model              ActiveLearner of OA3DiagClassifier",
        "format             1",
    ):
        assert line in said


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (None, "no limit"),
        (budget.RateBudget(0.25), "0.25 of the events, 0 labels left right now"),
        (budget.WindowBudget(4, every=1000), "4 labels in every 1,000 events; in this one 1 spent"),
    ],
)
def test_budget_is_shown(show, limit, said):
    model = ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery(), limit)
    model.predict_one({"a": 1.0})
    assert said in show(model)


def test_pending_labels_are_counted(show):
    service = PendingLabels(ActiveLearner(OA3DiagClassifier(), query.FirstComeQuery()))
    for i in range(3):
        service.predict_one(i, {"a": 1.0})
    assert "labels pending     3" in show(service)


def test_heaviest_weights_come_first_and_others_are_left_out(show):
    model = with_weights(light=0.1, heavy=-5.0, middle=2.0)
    said = show(model, "--weights", "2")
    assert said.index("heavy") < said.index("middle")
    assert "light" not in said


def test_versions_that_wrote_the_file_are_shown(show):
    said = show(OA3DiagClassifier())
    assert "river-oa3 0." in said
    assert "river 0.26" in said


def test_json_is_for_other_programs(show):
    said = json.loads(show(with_weights(heavy=5.0), "--json"))
    assert said["features"] == 1
    assert said["heaviest weights"][0][0] == "heavy"


@pytest.mark.parametrize("option", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("name", [HOSTILE, (HOSTILE, 1)], ids=["text", "tuple"])
def test_hostile_names_move_no_cursor(show, name, option):
    model = OA3DiagClassifier()
    model.learn_one({name: 1.0}, True)
    said = show(model, *option)
    assert said.replace("\n", "").isprintable()
    assert "owned" in said


def test_name_that_is_very_long_is_cut(show):
    model = OA3DiagClassifier()
    model.learn_one({"a" * 10_000: 1.0}, True)
    assert max(map(len, show(model).splitlines())) < 120


def test_printable_letters_of_any_language_are_left_alone(show):
    model = OA3DiagClassifier()
    model.learn_one({"größe": 1.0, "金額": 1.0}, True)
    said = show(model)
    assert "größe" in said
    assert "金額" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "it is empty"),
        (b"name,amount\n", "it is no .oa3 file"),
        (b"\x80\x05K\x01.", "looks like a pickle"),
    ],
    ids=["missing", "empty", "other", "pickle"],
)
def test_file_that_cannot_be_shown_is_one_line_and_an_exit_code(tmp_path, capsys, content, said):
    path = tmp_path / "model.oa3"
    if content is not None:
        path.write_bytes(content)
    assert cli.main(["show", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_labels_that_a_classifier_learned_before_are_told_apart(show):
    classifier = AutoOA3Classifier(metrics.WeightedCost(9, 1))
    for i in range(20_000):
        classifier.observe_one({"a": float(i % 7), "land": "FR" if i % 2 else "XX"})
    for i in range(30):
        classifier.learn_one({"a": float(i % 7), "land": "XX"}, i % 3 == 0)
    said = show(ActiveLearner(classifier))
    for line in (
        "labels learned     0",
        "learned before     30",
        "events observed    20,030",
        "positives learned  10",
        "negatives learned  20",
        "classifier         AutoOA3Classifier(objective=WeightedCost(cost_fn=9.0, cost_fp=1.0)",
        "  land = XX ",
    ):
        assert line in said
    assert "learned before" not in show(ActiveLearner())
