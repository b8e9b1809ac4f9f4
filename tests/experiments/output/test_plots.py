"""Pictures of comparisons."""

from __future__ import annotations

import sys
import warnings
import xml.etree.ElementTree

import pytest
from made_findings import made

from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output import plots
from river_oa3.experiments.output.report import references
from river_oa3.experiments.scores import COST, SUM


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


def test_pictures_are_not_to_be_had_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert not plots.available()


def texts(axes):
    return [each.get_text() for each in axes.texts]


def level_lines(axes):
    """The heights of the level lines, by whether they are dashed."""
    return {
        line.get_linestyle(): line.get_ydata()[0]
        for line in axes.get_lines()
        if len(set(line.get_ydata())) == 1 and line.get_color() == "#6e6e6e"
    }


@pytest.fixture(scope="module")
def found():
    return made(ceiling=99.0, curve={10: 60.0, 20: 80.0, 40: 85.0, 80: 85.5, 160: 85.6})


def test_the_development_names_a_constant_answer_and_all_labels(found):
    figure = plots.development(found.comparison, references(found))
    assert [texts(axes) for axes in figure.axes] == 2 * [["constant answer", "all labels"]]


def test_a_constant_answer_and_all_labels_stand_where_they_score(found):
    figure = plots.development(found.comparison, references(found))
    assert level_lines(figure.axes[0]) == {"-": 50.0, "--": 99.0}
    for axes in figure.axes:
        low, high = axes.get_ylim()
        assert all(low <= height <= high for height in level_lines(axes).values())


def test_the_cost_of_every_label_is_drawn_at_the_end_where_it_is_known(found):
    axes = plots.development(found.comparison, references(found)).axes[1]
    (ceiling,) = [
        line
        for line in axes.get_lines()
        if line.get_color() == "#6e6e6e" and line.get_linestyle() == "--"
    ]
    end = found.comparison.checkpoints[-1]
    assert list(ceiling.get_xdata()) == pytest.approx([0.85 * end, end])


def test_the_cost_of_a_constant_answer_grows_with_the_events(found):
    """The same answer to every event, of which the runs have seen half of each class by then."""
    axes = plots.development(found.comparison, references(found)).axes[1]
    (constant,) = [
        line
        for line in axes.get_lines()
        if line.get_color() == "#6e6e6e" and line.get_linestyle() == "-"
    ]
    assert constant.get_ydata() == pytest.approx([45.0, 90.0])


def test_without_references_there_are_none_in_the_picture(development):
    assert [texts(axes) for axes in development.axes] == [[], []]


def test_the_curve_marks_what_is_enough_and_that_it_is_the_budget(found):
    (axes,) = plots.budget_curve(found).axes
    assert texts(axes) == ["constant answer", "all labels", "enough: 40, the budget used"]
    (mark,) = [line for line in axes.get_lines() if line.get_marker() == "D"]
    assert mark.get_xydata().tolist() == [[40.0, 85.0]]


def test_a_curve_without_an_end_marks_the_budget_alone():
    (axes,) = plots.budget_curve(made(curve={40: 60.0, 80: 80.0})).axes
    assert texts(axes) == ["constant answer", "budget used"]


def test_the_curve_is_drawn_over_a_log_axis_in_a_band_of_its_intervals(found):
    (axes,) = plots.budget_curve(found).axes
    assert axes.get_xscale() == "log"
    band = axes.collections[0].get_paths()[0].vertices
    means = found.curve.means
    assert band[:, 1].min() == min(each.low for each in means)
    assert band[:, 1].max() == max(each.high for each in means)


def test_the_pictures_of_the_page_start_with_what_counts():
    captions = list(plots.pictures(made(metric="cost", curve={10: 60.0, 20: 61.0})))
    starts = ("The cost of mistakes", "The balanced accuracy", "What other budgets")
    assert all(each.startswith(start) for each, start in zip(captions, starts, strict=True))


HOSTILE = (
    "$x_",
    "\\frac{",
    "$\\frac{$",
    "😀",
    "name" * 75,
    "two\nlines",
    "\x00\x1b[2J\u202e",
    "a\udc80",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_of_data_breaks_a_picture(name):
    findings = made(name=name, ceiling=99.0, curve={10: 60.0, 20: 61.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (
            plots.development(findings.comparison, references(findings)),
            plots.budget_curve(findings),
        ):
            root = xml.etree.ElementTree.fromstring(plots.rendered(figure, "svg"))
            assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_long_name_leaves_room_for_the_picture():
    figure = plots.development(made(name="name" * 75).comparison)
    plots.rendered(figure, "png")
    assert all(axes.get_position().height > 0.5 for axes in figure.axes)
