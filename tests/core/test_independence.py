"""The core stands on numbers alone: not on river, not on the rest of the package."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

import river_oa3

CORE = Path(river_oa3.__file__).parent / "_core"
SOURCES = sorted(path for path in CORE.iterdir() if path.suffix in {".py", ".pyi", ".pyx", ".pxd"})
ALLOWED = {"numpy", "scipy", "libc", "cpython", *sys.stdlib_module_names}


def imported(path):
    """The modules that a file imports or cimports, as it spells them."""
    text = path.read_text()
    if path.suffix in {".py", ".pyi"}:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield "." * node.level + (node.module or "")
        return
    for line in text.splitlines():
        if found := re.match(r"\s*(?:from\s+(\S+)\s+c?import|c?import\s+(\S+))", line):
            yield (found[1] or found[2]).rstrip(",")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_core_imports_nothing_from_outside(path):
    for module in imported(path):
        assert module.startswith((".", "river_oa3._core")) or module.split(".")[0] in ALLOWED, (
            f"{path.name} imports {module}"
        )


def test_there_are_sources_to_look_at():
    assert {"learner.pyx", "checks.py", "loss.pxd"} <= {path.name for path in SOURCES}


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if path.suffix != ".pyi"], ids=lambda path: path.name
)
def test_core_names_no_transformer_of_river(path):
    assert not re.search(
        r"preprocessing|feature_extraction|compose\.|StatImputer|OneHotEncoder", path.read_text()
    )
