"""Who may import what: the experiments stand on the public names of the package."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

from river_oa3 import experiments

FOLDER = Path(experiments.__file__).parent
FILES = {str(path.relative_to(FOLDER)): path for path in sorted(FOLDER.rglob("*.py"))}
MODULES = [module.name for module in pkgutil.walk_packages([str(FOLDER)], "river_oa3.experiments.")]


def imported(path):
    """The modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_only_replay_reaches_into_the_core():
    found = {
        name
        for name, path in FILES.items()
        if any(module.startswith("river_oa3._") for module in imported(path))
    }
    assert found == {"stream_replay.py"}


def test_what_all_share_needs_of_the_output_progress_and_text_alone():
    allowed = {"river_oa3.experiments.output.progress", "river_oa3.experiments.output.text"}
    found = {
        module
        for name, path in FILES.items()
        if "/" not in name
        for module in imported(path)
        if module.startswith("river_oa3.experiments.output")
    }
    assert found <= allowed


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_offers_is_there(name):
    module = importlib.import_module(name)
    assert all(hasattr(module, each) for each in getattr(module, "__all__", ()))


def test_no_name_that_the_experiments_offer_hides_a_module():
    modules = {path.stem for path in FOLDER.glob("*.py")} | {"output"}
    assert not modules & set(experiments.__all__)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_small(name):
    assert len(FILES[name].read_text().splitlines()) < 400
