"""The methods: how they are built, tuned, grouped, drawn and estimated."""

from __future__ import annotations

import re

import pytest
from paper import tables
from paper.estimate import estimate
from paper.registry import EXPERIMENTS
from paper.study import Study

from river_oa3 import rivals
from river_oa3.cli import parser
from river_oa3.experiments import Goal, Plan, compare
from river_oa3.experiments.methods import (
    METHODS,
    Method,
    Setting,
    Style,
    build,
    check_parameters,
    of_families,
)
from river_oa3.experiments.output import plots, report
from river_oa3.experiments.scores import SUM
from river_oa3.experiments.tasks import Part, Task

each_method = pytest.mark.parametrize("method", METHODS)


@each_method
def test_a_method_is_built_with_the_setting_that_it_knows(method):
    setting = Setting(budget=7, rho=3.0, gamma=0.5, sketch_size=2, probability=0.25)
    model = build(method, setting, METHODS[method].parameters, seed=5)
    for name in ("rho", "gamma", "sketch_size"):
        # SOAL is the symmetric one: it has no rho of its own.
        if hasattr(model.classifier, name) and not (method == "SOAL" and name == "rho"):
            assert getattr(model.classifier, name) == getattr(setting, name)
    assert (model.budget, model.seed) == (7, 5)


@each_method
def test_every_parameter_of_a_method_can_be_set(method):
    for name in METHODS[method].parameters:
        check_parameters(method, {name: 0.5})
        build(method, Setting(5, 2.0), {name: 0.5}, seed=1)


@each_method
def test_an_unknown_parameter_is_refused_with_those_that_there_are(method):
    with pytest.raises(ValueError, match=f"{method} has no parameter 'depth'") as caught:
        check_parameters(method, {"depth": 3.0})
    assert ", ".join(METHODS[method].parameters) in str(caught.value)


@each_method
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_parameter_that_is_not_above_zero_is_refused(method, value):
    name = METHODS[method].tuned[0]
    with pytest.raises(ValueError, match=name):
        check_parameters(method, {name: value})


def test_random_asking_asks_for_the_share_that_the_budget_pays_for():
    model = build("OA3-R", Setting(10, 2.0, probability=0.125), {}, seed=1)
    assert model._query.probability(0.0, 0.0) == 0.125


# One entry is enough


def make_new(eta=0.5, delta=2.0, rho=1.0, budget=None, seed=None):
    return rivals.csoal(eta=eta, delta=delta, rho=rho, budget=budget, seed=seed)


def dear(nonzeros, features, share):
    return 1e9


@pytest.fixture
def with_another(small, monkeypatch):
    """All methods, and one that nobody but `METHODS` knows."""
    style = Style("#123456", "-.", "p")
    method = Method(make_new, ("delta", "eta"), "OA3", style, dear)
    monkeypatch.setitem(METHODS, "NEW", method)
    return style


@pytest.fixture
def compared_with_another(with_another, stream):
    return compare(stream, Plan(20, Goal("sum"), permutations=2, tuning="permutations"))


def test_another_method_is_in_the_table(compared_with_another):
    lines = report.table(compared_with_another, bold=False).splitlines()
    assert any(re.match(r"NEW +\d", line) for line in lines)


def test_another_method_is_in_the_csv(compared_with_another):
    assert "\nsmall,NEW," in report.as_csv(compared_with_another).replace("\r", "")


def test_another_method_is_drawn_in_its_style(compared_with_another, with_another):
    figure = plots.development(compared_with_another)
    assert with_another.color in {line.get_color() for line in figure.axes[0].get_lines()}
    (legend,) = figure.legends
    assert "NEW" in [text.get_text() for text in legend.get_texts()]


def test_another_method_is_tuned(compared_with_another, small):
    tried = {task.parameters for task in small.tasks if task.method == "NEW"}
    assert len(tried) > 4
    assert compared_with_another.parameters["NEW"].keys() == {"delta", "eta"}


def test_another_method_is_in_the_estimate(with_another, parts, tmp_path):
    """It takes a second per event, and all others next to nothing."""
    with Study(tmp_path, ["protein"], str(parts), permutations=1) as study:
        task = Task("NEW", (), Setting(5, 1.0), Part(0, 90, 0), (90,))
        assert task.seconds(study.stream("protein")) == pytest.approx(90, rel=0.01)
        with_it = estimate(study, [EXPERIMENTS["table2"]])
        METHODS.pop("NEW")
        assert estimate(study, [EXPERIMENTS["table2"]]).runs < with_it.runs


def test_another_method_stands_with_its_family(with_another):
    assert of_families("OA3")[-1] == "NEW"


def test_another_method_is_offered_by_the_command(with_another, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["compare", "--help"])
    assert "OA3-R,NEW" in re.sub(r"\s", "", capsys.readouterr().out)


def test_another_method_is_beside_the_paper(with_another, parts, tmp_path):
    with Study(tmp_path, ["protein"], str(parts), permutations=1) as study:
        text = tables.table("protein", study.fixed("protein", SUM), bold=False)
    (line,) = [line for line in text.splitlines() if line.startswith("NEW")]
    assert line.split()[4] == "-"
