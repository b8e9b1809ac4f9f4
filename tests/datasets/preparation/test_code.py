"""The code of a preparation does to one row what the encoding does to a file."""

from __future__ import annotations

import ast
import datetime as dt
import subprocess
import sys

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from prepared import Memory, labels, prepare_of, prepared, rows_of, without_zeros

from river_oa3.datasets import tables
from river_oa3.datasets.preparation import Wishes
from river_oa3.datasets.preparation.row_code import GAPS

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
MOMENTS = st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1))
ZONES = st.sampled_from(["", "Z", "+02:00", "-0530", " UTC"])


def dates_as(form):
    return st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)).map(lambda day: day.strftime(form))


CELLS = {
    "numbers": st.one_of(NUMBERS.map(repr), st.integers().map(str)),
    "padded numbers": NUMBERS.map(lambda number: f" {number} "),
    "typed numbers": NUMBERS,
    "flags": st.sampled_from(["true", "FALSE", " True"]),
    "typed flags": st.booleans(),
    "categories": st.sampled_from(["FR", " DE", "NA", "-", "é", "(missing)"]),
    "any texts": TEXTS,
    "words": st.lists(TEXTS, min_size=4, max_size=6).map(" ".join),
    "dates": MOMENTS.map(str),
    "zoned dates": st.tuples(MOMENTS, ZONES).map(lambda pair: f"{pair[0]}{pair[1]}"),
    "days": dates_as("%Y-%m-%d"),
    "german days": dates_as("%d.%m.%Y"),
    "british days": dates_as("%d/%m/%Y"),
    "american days": dates_as("%m/%d/%Y"),
    "days with slashes": dates_as("%Y/%m/%d"),
    "days in words": dates_as("%b %d, %Y"),
    "days of a database": dates_as("%d-%b-%Y"),
    "days of a mail": dates_as("%a, %d %b %Y"),
    "half days": MOMENTS.map(lambda moment: moment.strftime("%m/%d/%Y %I:%M %p")),
    "typed dates": MOMENTS,
    "typed days": st.dates(),
}
TYPED = {
    "typed numbers": pa.float64(),
    "typed flags": pa.bool_(),
    "typed dates": pa.timestamp("us"),
    "typed days": pa.date32(),
}
ROWS = 12


def columns_of(kind):
    gaps = [None] if kind in TYPED else [None, "", " "]
    if kind not in ("categories", "any texts", "words"):
        gaps += [] if kind in TYPED else ["NA", "?", "nan"]
    cell = st.one_of(CELLS[kind], st.sampled_from(gaps))
    return st.lists(cell, min_size=ROWS, max_size=ROWS)


@pytest.mark.parametrize("kind", CELLS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_row_is_prepared_as_the_file_was_encoded(kind, data):
    cells = data.draw(columns_of(kind))
    impute = data.draw(st.sampled_from(["mean", "median", "none", "zero", "17.5"]))
    name = data.draw(TEXTS.filter(lambda text: text not in ("y", "other")))
    columns = {name: pa.array(cells, TYPED.get(kind, pa.string())), "other": range(ROWS)}
    source = Memory(
        {key: pa.array(some) for key, some in columns.items()} | {"y": labels(ROWS)},
        batch=data.draw(st.integers(1, ROWS)),
    )
    preparation = prepared(source, Wishes(keep=(name,), impute={None: impute}))
    prepare = prepare_of(preparation)
    rows = [{name: cells[row], "other": row} for row in range(ROWS)]
    assert [without_zeros(prepare(row)) for row in rows] == rows_of(preparation, source)


@settings(max_examples=30, deadline=None)
@given(cells=st.lists(st.sampled_from([None, "1", "1.0", "2.5", "NA"]), min_size=9, max_size=9))
def test_numbers_that_are_wanted_as_categories_are_spelled_in_one_way(cells):
    source = Memory({"a": pa.array(cells, pa.string()), "b": range(9), "y": labels(9)})
    if not {"1", "1.0", "2.5"} & set(cells):
        return
    preparation = prepared(source, Wishes(category=("a",)))
    rows = [{"a": cell, "b": row} for row, cell in enumerate(cells)]
    prepare = prepare_of(preparation)
    assert [without_zeros(prepare(row)) for row in rows] == rows_of(preparation, source)


HOSTILE = [
    "it's",
    'a "quoted" name',
    "two\nlines",
    "'''",
    '"""',
    "{x}",
    "\\",
    "a\rb",
    "# no comment",
    '"); import os; os.abort(); ("',
    "\u202e",
    "\u2028",
    "é",
    "a" * 300,
    "",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("cells", [range(20), ["u v w x", None] * 10, [None] * 20], ids=str)
def test_a_hostile_name_is_a_harmless_literal(name, cells):
    source = Memory({name: pa.array(list(cells)), "b": [0.5, 1.5] * 10, "y": labels(20)})
    preparation = prepared(source)
    for node in ast.walk(ast.parse(preparation.code())):
        assert not isinstance(node, ast.Import) or node.names[0].name in ("math", "re", "zlib")
    prepare = prepare_of(preparation)
    rows = [{name: cells[row], "b": [0.5, 1.5][row % 2]} for row in range(20)]
    assert [without_zeros(prepare(row)) for row in rows] == rows_of(preparation, source)


def everything():
    n = 60
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(n)]
    return Memory(
        {
            "amount": [None if i % 9 == 0 else i * 0.7 for i in range(n)],
            "country": ["FR", "DE", None] * 20,
            "new": [True, False, None] * 20,
            "note": [f"some words about {i}, all of them short" for i in range(n)],
            "opened": [f"{day:%d/%m/%Y} 05:07" for day in days],
            "closed": days,
            "merchant": [f"m{i}" for i in range(n)],
            "id": list(range(n)),
            "version": ["v1"] * n,
            "y": labels(n),
        }
    )


def test_the_code_is_what_a_linter_and_a_formatter_would_have_written():
    code = prepared(everything(), Wishes(keep=("merchant",))).code()
    for options in (["check", "--select", "E,F,W,I,B,UP,SIM,RUF"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *options, "--isolated", "--line-length", "100"]
        done = subprocess.run(
            [*command, "--stdin-filename", "model.py", "-"],
            input=code,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_only_functions_that_are_needed_are_in_the_code():
    code = prepared(Memory({"a": [1.5, 2.5, 2.0, 4.0], "y": labels(4)})).code()
    functions = [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    assert functions == ["prepare", "given", "number", "add_number"]
    assert code.startswith("import math\n\n")


def test_the_code_needs_no_package():
    assert "river" not in prepared(everything(), Wishes(keep=("merchant",))).code()


def test_a_column_that_was_left_out_is_named_in_the_code():
    code = prepared(everything()).code()
    assert '# Left out: "version", constant' in code
    assert '# Left out: "id", an id' in code


@pytest.fixture(scope="module")
def prepare():
    return prepare_of(prepared(everything(), Wishes(keep=("merchant",))))


def test_an_absent_key_is_a_gap(prepare):
    assert prepare({}) == {
        "amount": pytest.approx(20.8, abs=0.1),
        "amount is missing": 1.0,
        "country": "(missing)",
        "new is missing": 1.0,
        "merchant": "(missing)",
    }


def test_a_new_category_is_passed_on_as_it_is(prepare):
    assert prepare({"country": "XX"})["country"] == "XX"


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ({"amount": "much"}, "column 'amount' holds 'much', not a number"),
        ({"amount": [1]}, "column 'amount' holds"),
        ({"amount": "inf"}, "column 'amount' holds 'inf', not a finite number"),
        ({"amount": 10**400}, "column 'amount' holds"),
        ({"new": "perhaps"}, "column 'new' holds 'perhaps', neither true nor false"),
        ({"opened": "soon"}, "column 'opened' holds 'soon', not a date"),
        ({"closed": 5}, "column 'closed' holds 5, not a date"),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error_that_names_the_column(prepare, row, what):
    with pytest.raises(ValueError, match="column") as caught:
        prepare(row)
    assert what in str(caught.value)


def test_nan_is_a_gap(prepare):
    nan = float("nan")
    assert prepare({"amount": nan, "country": nan, "note": nan, "closed": nan}) == prepare({})


def test_a_row_that_lacks_a_column_of_json_lines_lacks_the_feature():
    source = Memory(
        {"a": [1.5, None, 2.5, 3.5], "c": ["u", "v", "u", None], "y": labels(4)},
        absent={"a": [2, 3], "c": [0]},
    )
    preparation = prepared(source)
    rows = [{"a": 1.5}, {"a": None, "c": "v"}, {"c": "u"}, {"c": None}]
    expected = [
        {"a": 1.5},
        {"a": 1.5, "a is missing": 1.0, "c": "v"},
        {"c": "u"},
        {"c": "(missing)"},
    ]
    assert rows_of(preparation, source) == expected
    assert [prepare_of(preparation)(row) for row in rows] == expected


def test_what_stands_for_a_gap_is_what_the_reader_of_tables_takes_for_one():
    assert tables.MISSING | {"nan", "nat"} == GAPS
