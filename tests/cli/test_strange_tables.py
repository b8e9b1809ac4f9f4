"""`river-oa3 compare` on tables as others write them: read, or refused with all that solves it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import Small, command

ROWS = 300


def compared(folder, path, *more):
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        quick = ("--permutations", 5, "--methods", "AutoOA3", "--budget", "10%", "--jobs", 1)
        return command(folder, "compare", path, *quick, *more)


def written(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def payments(n=ROWS):
    """Label, amount and age of payments."""
    rng = np.random.default_rng(1)
    is_fraud = rng.random(n) < 0.2
    amount = np.round(np.exp(rng.normal(5.0 + 1.5 * is_fraud, 1.2)), 2)
    return is_fraud.tolist(), amount.tolist(), rng.integers(18, 90, n).tolist()


def german(n=ROWS):
    """A file as a German spreadsheet saves it, of which one column has the name of another."""
    lines = ["Konto;Betrag ;Alter;Ort;Betrag ;Status "]
    for i, (is_fraud, amount, age) in enumerate(zip(*payments(n), strict=True)):
        written = f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))
        place = ("Köln", "Berlin", "Zürich")[i % 3]
        status = "Betrug" if is_fraud else "in Ordnung"
        years = "k.A." if i % 10 == 7 else age
        lines.append(f"{i % 7};{written};{years};{place};{i % 5}.5;{status}")
    return "\n".join([*lines, ""])


def nested(n=ROWS):
    """JSON lines with objects and lists in them."""
    return "".join(
        json.dumps(
            {
                "amount": {"value": amount, "currency": "EUR" if i % 3 else "USD"},
                "customer": {"age": age, "home": {"city": f"c{i % 9}"}},
                "tags": ["new"] * (i % 2),
                "items": [{"sku": i}],
                "status": "fraud" if is_fraud else "ok",
            }
        )
        + "\n"
        for i, (is_fraud, amount, age) in enumerate(zip(*payments(n), strict=True))
    )


def test_all_that_is_wrong_with_a_file_comes_in_one_message(tmp_path):
    path = written(tmp_path, "payments.csv", german(), "latin-1")
    ended = compared(tmp_path / "out", path, "--label", "State", "--drop", "Kanto")
    assert ended.code == 2
    assert ended.err.splitlines() == [
        f"river-oa3: {path} cannot be used yet, 3 problems:",
        f"  1. {path}, line 2, column 'Ort': byte 0xf6 is not UTF-8: say --encoding latin-1 if it "
        "should read 'Köln', or save it as UTF-8 (in a spreadsheet, 'CSV UTF-8'; elsewhere, iconv "
        "-t utf-8)",
        "  2. no column is called 'State': name one with --label (label= in Python) of Konto, "
        "Betrag, Alter, Ort, Betrag (2), Status",
        "  3. --drop names 'Kanto', which is no column: choose of Konto, Betrag, Alter, Ort, "
        "Betrag (2), Status",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_german_file_is_read_once_its_encoding_is_known(tmp_path, encoding):
    path = written(tmp_path, "payments.csv", german(), encoding)
    known = ("--encoding", "latin-1") if encoding == "latin-1" else ()
    ended = compared(tmp_path / "out", path, "--label", "Status", *known)
    assert (ended.code, ended.err) == (0, "")
    assert ended.json["preparation"]["profile"]["label"] == "Status"
    assert "Köln (100)" in ended.out
    done = ended.json["preparation"]["done"]
    assert done["Betrag"] == "a number with a decimal comma"
    assert done["Alter"] == "a number, or missing, 'k.a.' for missing"
    warnings = [line for line in ended.out.splitlines() if line.startswith("WARNING")]
    assert warnings == [
        f"WARNING: {path}, line 1: 2 columns are called 'Betrag': those behind the first are taken "
        "as 'Betrag (2)'; rename them, or leave one out with --drop 'Betrag (2)'",
        "WARNING: column 'Alter' has numbers and the word 'k.a.', which is taken for a gap: if it "
        "is a value, say --category Alter",
        "WARNING: whole numbers with few values, 'Konto': if they are codes and not amounts, say "
        "--category Konto",
    ]


def test_what_a_stranger_exports_is_taken_for_what_it_is(tmp_path):
    head = "order,opened,day,seen,clock,zip,app_version,phone,member,merchant,count,outcome"
    lines = [
        f"{2**60 + 64 * i},{1_700_000_000 + 977 * (i * 7 % ROWS)},{20240101 + i * 11 % 28},"
        f"05-Jan-20{i % 20 + 10},{i % 24:02}:{i % 60:02}:07,{i * 7919 % 90_000 % 90:05},1.{i % 12},"
        f"+49 30 {i * 7919 % 100_003},{('yes', 'Yes', 'no')[i % 3]},m{i % 50},{3 * i + i % 2},"
        f"{('bad', 'good')[i % 4 > 0]}"
        for i in range(ROWS)
    ]
    path = written(tmp_path, "export.csv", "\n".join([head, *lines, ""]))
    ended = compared(tmp_path / "out", path, "--label", "outcome")
    assert ended.code == 0
    kinds = {c["name"]: c["kind"] for c in ended.json["preparation"]["profile"]["columns"]}
    assert kinds == {
        "order": "id",
        "opened": "date",
        "day": "date",
        "seen": "date",
        "clock": "time",
        "zip": "category",
        "app_version": "category",
        "phone": "category",
        "member": "boolean",
        "merchant": "category",
        "count": "id",
    }
    done = ended.json["preparation"]["done"]
    assert done["opened"] == "a date in seconds: day of the week and hour"
    assert done["order"] == "left out, an id, 300 distinct values in 300 rows; --keep keeps it"
    kept = compared(tmp_path / "kept", path, "--label", "outcome", "--keep", "order,count")
    assert kept.json["preparation"]["left_out"] == {}


def test_a_label_may_be_named_with_its_blank(tmp_path):
    path = written(tmp_path, "payments.csv", german())
    ended = compared(tmp_path / "out", path, "--label", "Status ", "--drop", "Betrag (2), Ort ")
    assert ended.code == 0
    assert set(ended.json["preparation"]["left_out"]) == {"Betrag (2)", "Ort"}


def test_all_columns_of_lists_are_named_at_once(tmp_path):
    path = written(tmp_path, "payments.jsonl", nested())
    ended = compared(tmp_path / "out", path, "--label", "status")
    assert ended.code == 2
    assert ended.err.splitlines() == [
        f"river-oa3: {path} cannot be used yet, 2 problems:",
        "  1. column 'tags' holds lists, which cannot be a feature: leave the column out with "
        "--drop tags",
        "  2. column 'items' holds lists, which cannot be a feature: leave the column out with "
        "--drop items",
    ]


def test_columns_of_lists_may_be_dropped_and_objects_are_flattened(tmp_path):
    path = written(tmp_path, "payments.jsonl", nested())
    ended = compared(tmp_path / "out", path, "--label", "status", "--drop", "tags,items")
    assert (ended.code, ended.err) == (0, "")
    kinds = {c["name"]: c["kind"] for c in ended.json["preparation"]["profile"]["columns"]}
    assert kinds == {
        "amount.value": "number",
        "amount.currency": "category",
        "customer.age": "number",
        "customer.home.city": "category",
    }


def test_an_object_may_be_dropped_with_all_its_parts(tmp_path):
    path = written(tmp_path, "payments.jsonl", nested())
    ended = compared(
        tmp_path / "out", path, "--label", "status", "--drop", "tags,items,customer,amount.currency"
    )
    assert (ended.code, ended.err) == (0, "")
    assert set(ended.json["preparation"]["left_out"]) == {
        *("tags", "items", "customer.age", "customer.home.city", "amount.currency")
    }


def test_a_row_that_cannot_be_read_is_named_with_what_else_is_wrong(tmp_path):
    path = written(tmp_path, "bad.csv", "a,b,label\n1,x,0\n2,y\n3,z,1\n")
    ended = compared(tmp_path / "out", path, "--drop", "c")
    assert ended.code == 2
    assert ended.err.splitlines() == [
        f"river-oa3: {path} cannot be used yet, 2 problems:",
        f"  1. {path}, line 3: expected 3 fields as in the header, found 2: write as many, in "
        "quotes where one holds the separator ','",
        "  2. --drop names 'c', which is no column: choose of a, b, label",
    ]


def test_an_encoding_is_for_tables_of_text_alone(tmp_path):
    ended = command(tmp_path / "out", "compare", "Shuttle", "--encoding", "latin-1")
    assert (ended.code, ended.folder.exists()) == (2, False)
    assert (
        "--encoding is for a table, and Shuttle is not a table: leave --encoding out" in ended.err
    )
