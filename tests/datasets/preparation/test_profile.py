"""What a profile says about a table."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from prepared import Memory, column_of, labels, prepared

from river_oa3.datasets.preparation import Options, profile


def mail(**options):
    columns = {
        "size": [1.5, None, 3.5, 4.0, 1.5, 2.0, 8.0, 1.5],
        "from": ["home", "shop", "shop", None, "home", "shop", "shop", "shop"],
        "sent": ["2024-01-31", "2024-02-01", None, *["2024-02-02"] * 5],
        "note": ["", *[None] * 7],
        "label": ["spam", "ham", "ham", "ham", "spam", "ham", "ham", "ham"],
    }
    return Memory(columns, **options)


def test_rows_and_classes_are_counted():
    found = profile(mail(), Options())
    assert (found.rows, found.label, found.classes) == (8, "label", {"ham": 6, "spam": 2})
    assert (found.positive, found.positives, found.first_positive) == (("spam",), 2, 0)


def test_a_column_of_numbers_is_summed_up():
    size = profile(mail(), Options()).columns["size"]
    numbers = [1.5, 3.5, 4.0, 1.5, 2.0, 8.0, 1.5]
    assert (size.gaps, size.distinct, size.smallest, size.largest) == (1, 5, 1.5, 8.0)
    assert size.mean == pytest.approx(np.mean(numbers))
    assert size.deviation == pytest.approx(np.std(numbers))
    assert size.common[0] == ("1.5", 3)
    assert size.example == "1.5"


def test_the_table_has_a_line_for_each_column_and_what_was_done_with_it():
    done = prepared(mail(), Options(drop=("note",)))
    assert done.profile.table(done.done) == [
        ["column", "kind", "gaps", "distinct", "range or values", "what was done"],
        [
            "size",
            "number",
            "12.5%",
            "5",
            "1.5 to 8, mean 3.143",
            "a number, or missing",
        ],
        [
            "from",
            "category",
            "12.5%",
            "2",
            "shop (5), home (2)",
            "a category of 2 values, or missing",
        ],
        [
            "sent",
            "date",
            "12.5%",
            "3",
            "2024-01-31 to 2024-02-02",
            "a date: day of the week, or missing",
        ],
        ["note", "", "", "", "", "left out, as asked for by --drop"],
    ]


def test_profile_and_preparation_are_json():
    columns = {"a": [1e308, -1e308, None, 1.5], "d": ["2024-01-01"] * 3 + [None], "y": labels(4)}
    found = json.loads(json.dumps(prepared(Memory(columns)).as_json(), allow_nan=False))
    assert found["profile"]["columns"][0]["deviation"] is None
    assert found["profile"]["columns"][1]["dates"]["latest"] == "2024-01-01"
    assert found["done"].keys() == {"a", "d"}


def test_a_profile_does_not_depend_on_the_batches():
    n = 5000
    columns = {
        "a": np.random.default_rng(0).normal(size=n),
        "b": [f"w{i % 1700}" for i in range(n)],
        "y": labels(n),
    }
    first, *others = (
        profile(Memory(columns, batch=batch), Options(sample=100)) for batch in (n, 1234, 77)
    )
    for other in others:
        assert other.as_json() == first.as_json()
        assert other.below == first.below
        for truth in (True, False):
            assert other.sample[truth].column("a").equals(first.sample[truth].column("a"))


def test_many_distinct_values_are_about_so_many():
    column = column_of([f"v{i}" for i in range(40_000)])
    assert not column.is_exact
    assert column.distinct_text() in ("about 39,000", "about 40,000", "about 41,000")


def test_progress_is_told():
    seen = []
    profile(mail(), Options(), progress=lambda done, rows: seen.append((done, rows)))
    assert seen == [(1.0, 8)]


@pytest.mark.parametrize(
    ("cells", "positive", "expected"),
    [
        (pa.array([True, False, False, True]), None, ("true",)),
        (pa.array(["True", "False", "false", "TRUE"]), None, ("true",)),
        (pa.array([1, -1, 1, 1]), None, ("1",)),
        (pa.array([1.0, 0.0, 1.0, 1.0]), None, ("1",)),
        (pa.array(["1", "0", "1.0", "+1"]), None, ("1",)),
        (pa.array(["ok", "fraud", "ok", "ok"]), None, ("fraud",)),
        (pa.array(["ok", "fraud", "ok", "ok"]), "ok", ("ok",)),
        (pa.array([1, 2, 3, 3]), "2.0", ("2",)),
        (pa.array([1, 0, 0, 0]), True, ("1",)),
        (pa.array([" a", "b ", "b", "a", "a"][:4]), "a", ("a",)),
    ],
)
def test_the_positive_class_is_found_however_it_is_written(cells, positive, expected):
    source = Memory({"a": [1.5, 2.5, 3.0, 7.0], "y": cells})
    found = profile(source, Options(positive=positive))
    assert found.positive == expected
    assert found.positives == len(found.sample[True])


def test_the_sample_keeps_all_of_a_rare_class_and_a_share_of_the_other():
    n = 30_000
    columns = {"a": np.arange(n) + 0.5, "y": np.arange(n) % 100 == 7}
    sample = profile(Memory(columns, batch=4000), Options()).sample
    assert [len(sample[truth]) for truth in (True, False)] == [300, 5000]
    assert [sample[truth].count for truth in (True, False)] == [300, 29_700]
    assert (sample[True].column("a").to_numpy() % 100 == 7.5).all()
    assert abs(np.mean(sample[False].column("a").to_numpy()) - n / 2) < 4 * n / math.sqrt(12 * 5000)
