"""Peers of `bench quality` are what their libraries are: the short cuts change no decision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from river import active, tree

from bench.quality.asking import (
    FIRST,
    ask_by_entropy,
    predict_and_ask,
)
from bench.quality.contest import Case, Cell, Contest
from bench.quality.logistic import scaled_rows
from bench.quality.registry import CONTENDERS
from bench.quality.running import jobs_of, play
from river_oa3 import datasets
from river_oa3.experiments import replay
from river_oa3.experiments.methods import Setting, build
from river_oa3.experiments.scores import Counts


@pytest.fixture(scope="module")
def case():
    return Case(datasets.open_stream("river:Phishing"), number=2, events=400, seed=5)


def counts_of(case, answers, n_asked):
    y, answers = case.y.astype(bool), np.asarray(answers, dtype=bool)
    return Counts(
        np.sum(answers & y),
        np.sum(answers & ~y),
        np.sum(~answers & ~y),
        np.sum(~answers & y),
        n_asked,
    )


def test_orders_are_those_of_the_other_commands(case):
    from river_oa3.experiments.tasks import Part, order_of

    expected = order_of(case.stream, Part(0, 400, 2), 5)
    np.testing.assert_array_equal(case.rows, expected)
    np.testing.assert_array_equal(case.y, case.stream.y[expected])


def test_asking_by_entropy_is_the_rule_of_river(case):
    sampler = active.EntropySampler(None, discount_factor=3, seed=case.seed)
    wants = ask_by_entropy(case.own_numbers, 3.0)
    probabilities = np.random.default_rng(0).random(400)
    probabilities[:9] = [0.0, 1.0, 0.5] * 3
    decisions = [wants(i, p) for i, p in enumerate(probabilities.tolist())]
    assert decisions == [
        sampler._ask_for_label({}, {False: 1.0 - p, True: p}) for p in probabilities.tolist()
    ]
    assert 50 < sum(decisions) < 350


def test_the_budget_is_hard(case):
    learned = []
    counts = predict_and_ask(case, 7, lambda i: 0.0, lambda i, p: True, learned.append)
    assert learned == list(range(7))
    assert counts.labels == 7
    assert (counts.true_positives, counts.false_positives) == (0, 0)


def test_what_is_left_when_the_budget_is_spent_is_answered_at_once(case):
    asked_for = []

    def rest(start):
        asked_for.append(start)
        return np.ones(len(case.y) - start, dtype=bool)

    counts = predict_and_ask(
        case, 3, lambda i: 0.0, lambda i, p: i % 2 == 1, lambda i: None, rest=rest
    )
    assert asked_for == [6]
    assert counts == counts_of(case, np.arange(len(case.y)) >= 6, 3)


def test_first_labels_of_both_classes_are_asked_for_whatever_the_model_wants(case):
    learned = []
    predict_and_ask(case, 300, lambda i: 1.0, lambda i, p: False, learned.append, FIRST)
    assert min(np.bincount(case.y[learned])) == FIRST
    assert min(np.bincount(case.y[learned[:-1]], minlength=2)) < FIRST


def test_a_hoeffding_tree_goes_through_rivers_own_loop(case):
    contender = CONTENDERS["HoeffdingTree"]
    setting = next(each for each in contender.settings if dict(each)["weight"] == "ratio")
    model = tree.HoeffdingTreeClassifier()
    sampler = active.EntropySampler(model, dict(setting)["discount"], seed=case.seed)
    answers, asked = [], [0, 0]
    for x, y in case.stream.events(case.rows.tolist()):
        x = {j: x.get(name, 0.0) for j, name in enumerate(case.stream.names)}
        found, asks = sampler.predict_proba_one(x)
        answers.append(found.get(True, 0.0) > 0.5)
        if sum(asked) < 60 and (asks or min(asked) < FIRST):
            asked[y] += 1
            model.learn_one(x, y, w=case.ratio if y else 1.0)
    (counts,) = contender.play(case, [Cell(setting, 60)])
    assert counts == counts_of(case, answers, 60)


def test_a_learner_of_the_paper_is_replayed_on_rows_of_unit_length(case):
    contender = CONTENDERS["OA3-diag"]
    setting = next(each for each in contender.settings if dict(each)["rho"] == "ratio")
    chosen = {name: value for name, value in setting if name != "rho"}
    model = build("OA3-diag", Setting(30, case.ratio), chosen, case.seed)
    outcome = replay(model, case.stream.unit_rows(), case.rows, case.numbers)
    (counts,) = contender.play(case, [Cell(setting, 30)])
    assert tuple(counts) == tuple(int(count[-1]) for count in outcome.counts)


def test_the_defaults_of_the_papers_learners_are_theirs():
    for name in ("OA3", "OA3-diag", "SSOA3", "CSOAL"):
        default = dict(CONTENDERS[name].settings[0])
        assert default.pop("rho") == "one"
        model = build(name, Setting(1, 1.0), {}, seed=0)
        assert repr(build(name, Setting(1, 1.0), default, seed=0)) == repr(model)


def test_vowpal_wabbit_learns_from_examples_that_are_parsed_once(case):
    """Two rates share examples; each is as a model of its own that reads text."""
    vowpalwabbit = pytest.importorskip("vowpalwabbit")
    settings = [
        (("rate", rate), ("weight", weight), ("discount", 1.0), ("first", 1.0))
        for rate, weight in ((0.5, "ratio"), (2.0, "one"))
    ]
    found = list(CONTENDERS["VowpalWabbit"].play(case, [Cell(each, 50) for each in settings]))
    for setting, counts in zip(settings, found, strict=True):
        chosen = dict(setting)
        weight = case.ratio if chosen["weight"] == "ratio" else 1.0
        model = vowpalwabbit.Workspace(f"--quiet --loss_function logistic -l {chosen['rate']}")
        sampler = active.EntropySampler(None, 1.0, seed=case.seed)
        answers, n_asked, classes = [], 0, set()
        for x, y in case.stream.events(case.rows.tolist()):
            text = "| " + " ".join(f"{case.stream.names.index(k)}:{v!r}" for k, v in x.items())
            p = 1.0 / (1.0 + math.exp(-model.predict(text)))
            answers.append(p >= 0.5)
            asks = sampler._ask_for_label({}, {False: 1.0 - p, True: p})
            if (asks or len(classes) < 2) and n_asked < 50:
                n_asked += 1
                classes.add(y)
                model.learn(f"1 {weight!r} {text}" if y else f"-1 {text}")
        assert counts == counts_of(case, answers, n_asked)


@pytest.mark.filterwarnings("ignore:.*base_estimator")
@pytest.mark.parametrize("strategy", ["VariableUncertainty", "Split"])
def test_scikit_activeml_asks_as_its_strategies_do(case, strategy):
    pytest.importorskip("skactiveml")
    from skactiveml import stream
    from skactiveml.classifier import SklearnClassifier
    from sklearn.linear_model import SGDClassifier

    setting = (("strategy", strategy), ("weight", "ratio"))
    (counts,) = CONTENDERS["scikit-activeml"].play(case, [Cell(setting, 40)])

    rows = scaled_rows(case, "complete").data.reshape(400, 1, -1)
    model = SGDClassifier(loss="log_loss", random_state=case.seed)
    classifier = SklearnClassifier(model, classes=[0, 1], random_state=case.seed)
    classifier.fit(rows[0], [np.nan])
    seed = {"random_state": case.seed} if strategy == "Split" else {}
    manager = getattr(stream.budgetmanager, f"{strategy}BudgetManager")(budget=0.1, **seed)
    query = getattr(stream, strategy)(budget_manager=manager)
    answers, n_asked = [], 0
    for row, y in zip(rows, case.y.tolist(), strict=True):
        # Before it is fitted it gives both classes a half.
        p = classifier.predict_proba(row)[0, 1]
        answers.append(p >= 0.5)
        if n_asked < 40:
            asked, utilities = query.query(row, clf=classifier, return_utilities=True)
            query.update(row, asked, budget_manager_param_dict={"utilities": utilities})
            if len(asked):
                n_asked += 1
                weight = case.ratio if y else 1.0
                classifier.partial_fit(row, [y], sample_weight=np.array([weight]))
    assert counts == counts_of(case, answers, n_asked)
    assert n_asked > 10


def test_a_contender_stays_away_from_streams_with_too_many_features():
    X = np.eye(4, 1_700)
    wide = datasets.stream("wide", X, [1, 0, 0, 1])
    assert jobs_of(wide, Contest(), ["OA3"]) == []
    assert len(jobs_of(wide, Contest(orders=1), ["CSOAL"])) == 4 * len(CONTENDERS["CSOAL"].settings)


def test_a_slow_peer_goes_through_the_first_orders_alone(case):
    jobs = jobs_of(case.stream, Contest(orders=5, slow_orders=2), ["ARF", "CSOAL"])
    assert {job.order for job in jobs if job.contender == "ARF"} == {0, 1}
    assert {job.order for job in jobs if job.contender == "CSOAL"} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("name", ["GaussianNB", "HoeffdingTree", "ARF", "CSOAL", "SSOA3", "OA3"])
def test_a_contender_learns_something_and_keeps_to_its_budget(name):
    stream = datasets.open_stream("river:ImageSegments", positive="sky")
    contest = Contest(budgets=(0.1,), orders=1, events=1_000)
    runs = play(stream, contest, jobs_of(stream, contest, [name])[:2])
    for run in runs:
        assert 0 < run.final.labels <= 100
        assert sum(run.final[:4]) == 1_000
    assert max(float(run.final.sensitivity + run.final.specificity) / 2 for run in runs) > 75
