"""The preparation as code that a person can read and Python can run on its own."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from river_oa3.datasets.preparation import row_code
from river_oa3.datasets.preparation.steps import Call, Step
from river_oa3.datasets.preparation.steps.step import literal

_WIDTH = 100
_MODULES = ("math", "re", "zlib")
_DATETIME = ("UTC", "datetime", "timedelta")


class Code(NamedTuple):
    """The parts of the code, for those who put more of their own between them."""

    imports: str
    """What is needed of the standard library."""
    body: str
    """The constants, `prepare`, and the functions that it calls."""

    def __str__(self) -> str:
        gap = "\n\n" if self.body.startswith("def") else "\n"
        return gap.join(part for part in self if part)


def written(steps: Sequence[Step], left_out: Mapping[str, str]) -> Code:
    """The code of `prepare`, with those functions of `row_code` that it needs."""
    prepare = _prepare(steps, left_out)
    known = _definitions()
    needed = _names(prepare)
    while more := {name for some in needed & known.keys() for name in _names(known[some])} - needed:
        needed |= more
    constants = [known[name] for name in known if name in needed and name.isupper()]
    functions = [known[name] for name in known if name in needed and not name.isupper()]
    body = "\n".join(["\n".join(constants), *(f"\n{text}" for text in [prepare, *functions])])
    return Code(_imports(needed), body.lstrip("\n"))


def _imports(needed: set[str]) -> str:
    lines = [f"import {name}\n" for name in _MODULES if name in needed]
    names = [name for name in _DATETIME if name in needed]
    if names:
        lines.append(f"from datetime import {', '.join(names)}\n")
    return "".join(lines)


@functools.cache
def _definitions() -> dict[str, str]:
    """The source of each constant and function of `row_code`, with the comment above it."""
    source = inspect.getsource(row_code)
    lines = source.splitlines(keepends=True)
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.FunctionDef):
            name = node.name
        else:
            continue
        start = node.lineno - 1
        while lines[start - 1].startswith("#"):
            start -= 1
        found[name] = "".join(lines[start : node.end_lineno])
    return found


def _names(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def _prepare(steps: Sequence[Step], left_out: Mapping[str, str]) -> str:
    lines = [
        "def prepare(row):",
        '    """The features of a row: a dict of texts, as in a CSV file, or of typed values."""',
        "    x = {}",
    ]
    for step in steps:
        indent = 4
        if step.is_sparse:
            lines.append(f"    if {literal(step.column)} in row:")
            indent = 8
        lines += _call(step.call(), indent)
    # Names come as literals: what stands in a table must never become code.
    for name, reason in left_out.items():
        lines.append(f"    # Left out: {_cut(literal(name))}, {reason}.")
    return "\n".join([*lines, "    return x", ""])


def _call(call: Call, indent: int) -> list[str]:
    """A call on one line where that is not too long, as formatters write it."""
    arguments = ["x", "row", *call.arguments]
    margin = " " * indent
    line = f"{margin}{call.function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return [line]
    inner = f"{margin}    {', '.join(arguments)}"
    if len(inner) <= _WIDTH:
        return [f"{margin}{call.function}(", inner, f"{margin})"]
    each = [f"{margin}    {argument}," for argument in arguments]
    return [f"{margin}{call.function}(", *each, f"{margin})"]


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
