"""The schema that is found in a table, and the table's rows as the events it makes of them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from prepared import Memory, encoded, labels, prepared, rows_of, without_zeros

from river_oa3.datasets import DataError, tables
from river_oa3.datasets.preparation import Options
from river_oa3.schema import Column
from river_oa3.schema.values import GAPS

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
    "numbers with a decimal comma": st.decimals(-(10**7), 10**7, places=2).map(
        lambda number: f"{number:,}".translate(str.maketrans(",.", ".,"))
    ),
    "numbers and a word": st.one_of(st.integers(0, 99).map(str), st.just("k.A.")),
    "long numbers": st.integers(2**53, 2**63 - 1).map(str),
    "codes": st.integers(0, 99_999).map("{:05}".format),
    "times": st.times().map(str),
    "half days without a date": st.times().map(lambda time: time.strftime("%I:%M %p")),
    "answers": st.sampled_from(["yes", "No", "Y", "n"]),
    "days as numbers": dates_as("%Y%m%d"),
    "seconds": st.integers(10**9, 2 * 10**9).map(str),
    "milliseconds": st.integers(10**12, 2 * 10**12),
    "typed times": st.times(),
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
    "milliseconds": pa.int64(),
    "typed times": pa.time64("us"),
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
def test_a_row_becomes_what_the_file_was_encoded_as(kind, data):
    """Whatever kind a column is found to be, its schema reads every cell of it."""
    cells = data.draw(columns_of(kind))
    # A column that is called so has dates where a few numbers may be any.
    name = data.draw(st.one_of(TEXTS, st.just("booked at")))
    assume(name not in ("y", "other"))
    columns = {name: pa.array(cells, TYPED.get(kind, pa.string())), "other": range(ROWS)}
    source = Memory(
        {key: pa.array(some) for key, some in columns.items()} | {"y": labels(ROWS)},
        batch=data.draw(st.integers(1, ROWS)),
    )
    found = prepared(source, Options(keep=(name,)))
    rows = [{name: cells[row], "other": row} for row in range(ROWS)]
    made = [without_zeros(found.schema.transform_one(row)) for row in rows]
    assert made == rows_of(found, source)


@settings(max_examples=30, deadline=None)
@given(cells=st.lists(st.sampled_from([None, "1", "1.0", "2.5", "NA"]), min_size=9, max_size=9))
def test_numbers_that_are_wanted_as_categories_are_spelled_in_one_way(cells):
    source = Memory({"a": pa.array(cells, pa.string()), "b": range(9), "y": labels(9)})
    if not {"1", "1.0", "2.5"} & set(cells):
        return
    found = prepared(source, Options(category=("a",)))
    rows = [{"a": cell, "b": row} for row, cell in enumerate(cells)]
    made = [without_zeros(found.schema.transform_one(row)) for row in rows]
    assert made == rows_of(found, source)
    assert {row["a"] for row in made} <= {"1", "2.5", "(missing)"}


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


def test_every_column_but_the_label_is_in_the_schema():
    found = prepared(everything(), Options(keep=("merchant",)))
    assert found.schema.columns == {
        "amount": Column("number"),
        "country": Column("category"),
        "new": Column("boolean"),
        "note": Column("text"),
        "opened": Column("date", day_first=True),
        "closed": Column("date", hours=False),
        "merchant": Column("category"),
        "id": Column("left out"),
        "version": Column("left out"),
    }


def test_what_became_of_each_column_is_said_in_a_few_words():
    assert prepared(everything(), Options(keep=("merchant",), drop=("note",))).done == {
        "amount": "a number, or missing",
        "country": "a category of 2 values, or missing",
        "new": "1 for true, 0 for false, or missing",
        "opened": "a date: day of the week and hour",
        "closed": "a date: day of the week",
        "merchant": "a category of 60 values",
        "id": "left out, an id, 60 distinct values in 60 rows; --keep keeps it",
        "version": "left out, constant, the same value in all 60 rows",
        "note": "left out, as asked for by --drop",
    }


def test_a_gap_among_numbers_stays_a_gap():
    assert encoded([1.0, None, 2.0, 6.0]) == [{"a": 1.0}, {"a": None}, {"a": 2.0}, {"a": 6.0}]


def test_a_category_of_very_many_values_is_one_all_the_same():
    cells = [f"w{i % 2000}" for i in range(5000)] + [None]
    found = encoded(cells)
    assert (found[7], found[-1]) == ({"a": "w7"}, {"a": "(missing)"})
    assert encoded([i % 3000 for i in range(6000)], Options(category=("a",)))[7] == {"a": "7"}


def test_the_words_of_a_text_are_features_in_small_letters():
    found = encoded(["Pay the bill, PAY it", "all that is due", "or leave it be", None])
    assert found[0] == {f"a: {word}": 1.0 for word in ("pay", "the", "bill", "it")}
    assert found[3] == {}


def test_a_date_has_no_age_which_no_later_date_repeats():
    assert encoded(["2024-01-31 06:30", "2024-02-01 00:30", None]) == [
        {"a.weekday": "Wednesday", "a.hour": "06"},
        {"a.weekday": "Thursday", "a.hour": "00"},
        {"a.weekday": "(missing)"},
    ]


def test_a_day_that_can_be_no_month_tells_the_order_for_all():
    days = [
        [row["a.weekday"] for row in encoded(["3/4/2024", other])]
        for other in ("13/4/2024", "4/13/2024")
    ]
    assert days == [["Wednesday", "Saturday"], ["Monday", "Saturday"]]


def test_a_row_that_lacks_a_column_of_json_lines_lacks_the_feature():
    source = Memory(
        {"a": [1.5, None, 2.5, 3.5], "c": ["u", "v", "u", None], "y": labels(4)},
        absent={"a": [2, 3], "c": [0]},
    )
    found = prepared(source)
    rows = [{"a": 1.5}, {"a": None, "c": "v"}, {"c": "u"}, {"c": None}]
    expected = [{"a": 1.5}, {"a": None, "c": "v"}, {"c": "u"}, {"c": "(missing)"}]
    assert rows_of(found, source) == expected
    assert [found.schema.transform_one(row) for row in rows] == expected


def test_labels_come_with_the_blocks():
    source = Memory({"a": [1.5, 2.5, 3.0, 7.0, 8.0], "y": labels(5)}, batch=2)
    assert [some.y.tolist() for some in encoded_rows(source)] == [
        [True, False],
        [False, False],
        [True],
    ]


def encoded_rows(source, options=None):
    from river_oa3.schema.batch import Encoder

    found = prepared(source, options)
    return list(found.encoded(source, Encoder(found.schema)))


@pytest.mark.parametrize("sample", [0.3, 500])
def test_a_sample_takes_the_same_rows_whatever_the_batches(sample):
    n = 2000
    columns = {"a": np.arange(n) * 0.5 + 0.25, "c": ["u", "v"] * (n // 2), "y": labels(n)}
    taken = []
    for batch in (n, 321):
        source = Memory(columns, batch=batch)
        options = Options(sample=sample, seed=3)
        found = prepared(source, options)
        rows = rows_of(found, source)
        assert len(rows) == found.profile.taken
        y = np.concatenate([some.y for some in encoded_rows(source, options)])
        assert np.count_nonzero(y) == found.profile.taken_positives
        taken.append(rows)
    assert taken[0] == taken[1]
    assert len(taken[0]) == 500 or 500 < len(taken[0]) < 700


def test_a_sample_of_json_lines_takes_the_rows_that_have_a_column():
    n = 400
    columns = {"a": np.arange(n) * 0.5 + 0.25, "b": np.arange(n) * 1.0, "y": labels(n)}
    source = Memory(columns, batch=90, absent={"b": np.arange(0, 90, 2)})
    rows = rows_of(prepared(source, Options(sample=0.5, seed=1)), source)
    for row in rows:
        place = round((row["a"] - 0.25) * 2)
        assert row.get("b", 0.0) in (0.0, place)


def test_a_sample_of_more_rows_than_there_are_takes_all():
    source = Memory({"a": [1.5, 2.5, 3.0, 7.0], "y": labels(4)})
    assert len(rows_of(prepared(source, Options(sample=100)), source)) == 4


def test_another_seed_takes_other_rows():
    source = Memory({"a": np.arange(1000) * 0.5, "y": labels(1000)})
    one, other = (
        rows_of(prepared(source, Options(sample=50, seed=seed)), source) for seed in (1, 2)
    )
    assert one != other


@pytest.mark.parametrize(
    ("cells", "said"),
    [(["1.5", "x"], "holds 'x', not a number"), (["inf", "1"], "not a finite number")],
)
def test_a_column_that_is_no_longer_what_it_was_is_refused_by_its_place(cells, said):
    before = Memory({"a": ["1.5", "2.5"], "y": ["0", "1"]})
    after = Memory({"a": cells, "y": ["0", "1"]})
    with pytest.raises(DataError, match=f"event [12]: column 'a' .*{said}"):
        rows_of(prepared(before), after)


def test_what_stands_for_a_gap_is_what_the_reader_of_tables_takes_for_one():
    assert tables.MISSING | {"nan", "nat"} == GAPS
