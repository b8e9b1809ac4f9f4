"""Every experiment of the paper: the files that it writes, and what they say."""

from __future__ import annotations

import csv
import shutil
import xml.etree.ElementTree

import numpy as np
import pytest
from commands import Small, paper_command
from made_findings import made
from paper import developments, figures
from paper.registry import EXPERIMENTS
from paper.reproduction import reproduce
from paper.study import Study

from river_oa3.experiments.output import plots
from river_oa3.experiments.scores import COST, SUM
from river_oa3.experiments.tuning import PAPER


@pytest.fixture(scope="module")
def everything(parts, table2, tmp_path_factory):
    """A folder, and what each experiment wrote to it on two data sets."""
    folder = tmp_path_factory.mktemp("everything")
    shutil.copy(table2.folder / "tuned.json", folder)
    said = {}
    with pytest.MonkeyPatch.context() as patch:
        Small(patch, pictures=True)
        with Study(folder, ["protein", "IAD"], str(parts), permutations=2) as study:
            for name in EXPERIMENTS:
                lines = []
                said[name] = reproduce(study, [name], lines.append), "\n".join(lines)
    return said


each_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


@each_experiment
def test_every_experiment_writes_files_under_its_name(everything, name):
    paths, _ = everything[name]
    assert paths
    assert all(path.name.startswith(name) and path.stat().st_size for path in paths)


@each_experiment
def test_every_experiment_writes_a_table_with_a_line_below_its_head(everything, name):
    paths, _ = everything[name]
    tables = [path for path in paths if path.suffix == ".csv"]
    assert tables
    for path in tables:
        with path.open(newline="") as file:
            head, *rows = csv.reader(file)
        assert rows
        assert {len(row) for row in rows} == {len(head)}


@each_experiment
def test_every_experiment_says_that_its_data_are_a_part(everything, name):
    _, text = everything[name]
    assert "a 16 % part of protein" in text or "all 3,279 rows of IAD" in text


@each_experiment
def test_every_line_of_every_csv_says_that_its_data_are_a_part(everything, name):
    for path in everything[name][0]:
        if path.suffix == ".csv":
            with path.open(newline="") as file:
                _, *rows = csv.reader(file)
            assert all("part of protein" in row[0] or "rows of IAD" in row[0] for row in rows)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name.startswith("fig")])
def test_every_figure_is_a_picture_of_both_kinds(everything, name):
    paths, _ = everything[name]
    pngs, svgs = ([path for path in paths if path.suffix == each] for each in (".png", ".svg"))
    assert len(pngs) == len(svgs) > 0
    assert all(path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n") for path in pngs)
    for path in svgs:
        xml.etree.ElementTree.parse(path)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name.startswith("fig")])
def test_every_picture_says_that_its_data_are_a_part(everything, name):
    for path in everything[name][0]:
        if path.suffix == ".svg":
            # Text is drawn, and stands in comments.
            text = path.read_text()
            assert "part of protein" in text or "rows of IAD" in text


def test_the_files_of_experiments_have_names_of_their_own(everything):
    names = [path.name for paths, _ in everything.values() for path in paths]
    assert len(names) == len(set(names))


def test_nothing_half_written_is_left(everything):
    folder = next(iter(everything.values()))[0][0].parent
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("name", ["table2", "fig1", "fig3", "fig5", "figC4", "figC5"])
def test_an_experiment_on_none_of_its_data_sets_writes_nothing(monkeypatch, parts, tmp_path, name):
    Small(monkeypatch, pictures=True)
    options = ("--data-dir", parts, "--sets", "IAD", "--permutations", 1)
    assert paper_command(tmp_path, name, *options).files == []


@pytest.mark.parametrize("chosen", [[], ["--sets", "protein"]])
def test_experiments_go_on_after_one_whose_data_sets_are_not_there(
    monkeypatch, table2, tmp_path, parts, chosen
):
    Small(monkeypatch, pictures=True)
    folder = tmp_path / "results"
    folder.mkdir()
    shutil.copy(table2.folder / "tuned.json", folder)
    shutil.copy(parts / "protein_val.npz", tmp_path)
    options = ("--data-dir", tmp_path, "--permutations", 1, *chosen)
    assert "fig1.csv" in paper_command(folder, "figC6", "fig1", *options).files


def test_a_heat_map_marks_the_best():
    values = np.zeros((11, 11))
    values[3, 7] = 1.0
    for metric, sign in ((SUM, 1), (COST, -1)):
        figure = figures.heat_maps({"a": sign * values}, PAPER.exponents, metric, "title")
        (star,) = figure.axes[0].get_lines()
        assert (star.get_xdata()[0], star.get_ydata()[0]) == (7, 3)


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_there_are_as_many_panels_as_data_sets(panels):
    curves = {f"set {i}": {"OA3": np.ones((3, 2))} for i in range(panels)}
    figure = figures.sweeps(curves, [1, 2, 3], SUM, "eta", True, "title")
    assert [axes.get_title() for axes in figure.axes] == list(curves)


@pytest.mark.parametrize("name", ["$x_", "\\frac{", "name" * 75, "two\nlines", "\x00\x1b[2J\u202e"])
def test_no_name_of_data_breaks_a_figure(name):
    for figure in (
        developments.drawn([(made().comparison, SUM, name)], ["OA3"]),
        figures.sweeps({name: {"OA3": np.ones((3, 2))}}, [1, 2, 3], SUM, "eta", True, "title"),
    ):
        root = xml.etree.ElementTree.fromstring(plots.rendered(figure, "svg"))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
