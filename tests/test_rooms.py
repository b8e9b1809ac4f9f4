"""Which room of the package may import which: from the commands down to the compiled core."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import river_oa3

FOLDER = Path(river_oa3.__file__).parent

LEARNERS = {"_core", "auto", "base", "budget", "first_order", "metrics", "oa3", "query", "rivals"}
ACTIVE = LEARNERS | {"active", "debugging", "opinions", "pipelines", "state"}
MAY_IMPORT = {
    "_core": set(),
    "schema": {"_core"},
    "monitor": {"_core", "metrics", "state"},
    "datasets": {"_core", "fixed_scaler", "schema"},
    "files": ACTIVE | {"fixed_scaler", "monitor", "oa3_diag", "schema", "soa3", "ssoa3"},
    # A store keeps models in files, and a service in memory can be saved.
    "pending": ACTIVE | {"files", "monitor", "scoring"},
    "scoring": ACTIVE | {"datasets", "schema"},
    "spark": ACTIVE | {"files", "pending", "schema", "scoring"},
    "service": ACTIVE | {"files", "monitor", "pending", "schema"},
    "experiments": ACTIVE | {"datasets", "files", "oa3_diag", "soa3", "ssoa3"},
    "commands": {
        *("active", "datasets", "experiments", "files", "pending", "schema", "scoring"),
        *("service", "spark"),
        # What a file holds, in words.
        *("auto", "base", "budget", "parameters", "pipelines"),
    },
}


def imported(path):
    """The rooms, and the modules beside them, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("river_oa3"):
            _, *rest = node.module.split(".")
            yield from [rest[0]] if rest else [name.name for name in node.names]


def test_every_room_is_listed():
    rooms = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert rooms == MAY_IMPORT.keys()


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_what_lies_below_it_alone(room):
    found = {
        (path.name, other)
        for path in (FOLDER / room).rglob("*.py")
        for other in imported(path)
        if other.islower() and other not in MAY_IMPORT[room] | {room}
    }
    assert not found


# Of river's classes, and of the compiled learners, which give and take the state of their cores.
FOREIGN = {"_core", "_from_state", "_get_params", "_mean", "_y_name", "_zero_dict"}


def test_files_know_no_private_attribute_of_what_gives_its_own_state():
    found = {
        (path.name, ast.unparse(node))
        for path in (FOLDER / "files").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr)
        if ast.unparse(node.value) != "self" and node.attr not in FOREIGN
    }
    assert not found


def test_nothing_outside_the_commands_imports_them():
    beside = FOLDER.glob("*.py")
    assert not {path.name for path in beside for other in imported(path) if other == "commands"}
