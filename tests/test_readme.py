"""What README.md and the reference promise: commands that exist, names that are explained."""

from __future__ import annotations

import importlib
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path

import bench.commands
import paper.command
import pytest

from river_oa3 import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = sorted(set(re.findall(r"river-oa3 ([a-z][^`&\n]*)", README)))
IN_A_CLONE = sorted(set(re.findall(r"`python -m (notebooks\.paper|tests\.bench) ([^`]*)`", README)))

PUBLIC = [
    "river_oa3",
    "river_oa3.budget",
    "river_oa3.datasets",
    "river_oa3.experiments",
    "river_oa3.first_order",
    "river_oa3.metrics",
    "river_oa3.monitor",
    "river_oa3.query",
    "river_oa3.rivals",
]
NAMES = [
    pytest.param(getattr(importlib.import_module(module), name), id=f"{module}.{name}")
    for module in PUBLIC
    for name in importlib.import_module(module).__all__
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_is_understood(command):
    cli.parser().parse_args(shlex.split(command))


@pytest.mark.parametrize(("module", "words"), IN_A_CLONE)
def test_a_command_of_a_clone_is_understood(module, words):
    parsers = {"notebooks.paper": paper.command.parser, "tests.bench": bench.commands.parser}
    parsers[module]().parse_args(shlex.split(words))


def test_the_readme_shows_each_command():
    shown = {command.split()[0] for command in COMMANDS}
    assert shown >= {"compare", "score", "serve", "show"}


def test_the_main_command_runs_on_what_comes_with_river(tmp_path, capsys):
    assert cli.main(["compare", "--output", str(tmp_path)]) == 0
    assert "Shuttle: 49,097 events" in capsys.readouterr().out
    assert (tmp_path / "compare-Shuttle.png").is_file()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\((notebooks/[^)]*)\)", README))))
def test_what_the_readme_links_to_is_there(path):
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("thing", NAMES)
def test_a_public_name_is_explained(thing):
    assert len(inspect.getdoc(thing) or "") > 20


@pytest.mark.parametrize("thing", NAMES)
def test_a_public_name_that_can_be_called_comes_with_an_example(thing):
    if inspect.ismodule(thing) or inspect.isabstract(thing):
        pytest.skip("nothing to call")
    assert ">>>" in inspect.getdoc(thing)


def test_the_reference_is_built_by_the_command_of_the_readme(tmp_path):
    (options,) = re.findall(r"pdoc (river_oa3 [^`]*)-o site", README)
    subprocess.run(
        [sys.executable, "-m", "pdoc", *options.split(), "-o", tmp_path], check=True, timeout=300
    )
    for module in PUBLIC[1:]:
        page = (tmp_path / module.replace(".", "/")).with_suffix(".html")
        assert page.is_file()
