"""Pictures of comparisons."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output import plots
from river_oa3.experiments.scores import COST, SUM
from river_oa3.experiments.tuning import PAPER


def test_every_method_has_a_style_of_its_own():
    styles = [method.style for method in METHODS.values()]
    looks = [(style.color, style.dashes) for style in styles]
    assert len(set(looks)) == len({style.marker for style in styles}) == len(METHODS)


@pytest.fixture(scope="module")
def development(compared):
    return plots.development(compared)


def test_the_development_is_of_sum_and_cost(development):
    assert [axes.get_ylabel() for axes in development.axes] == [SUM.axis, COST.axis]
    assert [axes.get_xlabel() for axes in development.axes] == ["events", "events"]


def test_the_development_has_a_curve_for_every_method(development, compared):
    for axes in development.axes:
        curves = [line for line in axes.get_lines() if len(line.get_xdata()) > 1]
        assert len(curves) == len(compared.runs)


def test_the_spent_budget_is_marked_where_it_was_spent(development, compared):
    spent = [compared.exhausted(method) for method in compared.runs]
    marks = [
        line.get_xdata()[0]
        for line in development.axes[0].get_lines()
        if len(line.get_xdata()) == 1
    ]
    assert marks == [end for end in spent if end is not None]


def test_the_legend_names_every_method(development):
    (legend,) = development.legends
    assert [text.get_text() for text in legend.get_texts()] == list(METHODS)


def test_the_title_names_the_data_and_the_budget(development):
    assert development.get_suptitle() == "small: budget 20 of 120 labels"


def test_a_heat_map_marks_the_best():
    values = np.zeros((11, 11))
    values[3, 7] = 1.0
    for metric, sign in ((SUM, 1), (COST, -1)):
        figure = plots.heat_maps({"a": sign * values}, PAPER.exponents, metric, "title")
        (star,) = figure.axes[0].get_lines()
        assert (star.get_xdata()[0], star.get_ydata()[0]) == (7, 3)


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_there_are_as_many_panels_as_data_sets(panels):
    curves = {f"set {i}": {"OA3": np.ones((3, 2))} for i in range(panels)}
    figure = plots.sweeps(curves, [1, 2, 3], SUM, "eta", True, "title")
    assert [axes.get_title() for axes in figure.axes] == list(curves)


def test_pictures_are_not_to_be_had_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert not plots.available()
