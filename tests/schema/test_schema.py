"""A schema says what a row of a table means, and nothing of the other rows."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from river_oa3 import ActiveLearner, AutoOA3Classifier, Schema, load, save
from river_oa3.schema import Column

EVERYTHING = {
    "amount": "number",
    "price": Column("number", decimal=",", gaps=("auf Anfrage",)),
    "merchant": "category",
    "opened": "date",
    "due": Column("date", day_first=True, hours=False),
    "at": "time",
    "note": "text",
    "new": "boolean",
    "extra": Column("number", sparse=True),
    "id": "left out",
}
ROW = {
    "amount": "12.50",
    "price": "1.234,5",
    "merchant": "m7",
    "opened": "2024-01-31T18:05:00Z",
    "due": "3/4/2024",
    "at": "12:30:00",
    "note": "Paid by CARD, by card",
    "new": "True",
    "id": "p-1",
    "status": "ok",
}
FEATURES = {
    "amount": 12.5,
    "price": 1234.5,
    "merchant": "m7",
    "opened.weekday": "Wednesday",
    "opened.hour": "18",
    "due.weekday": "Wednesday",
    "at": 12.5,
    "at.hour": "12",
    "note: paid": 1.0,
    "note: by": 1.0,
    "note: card": 1.0,
    "new": 1.0,
}


def one(column, value):
    return Schema({"c": column}).transform_one({"c": value})


def test_a_row_of_texts_becomes_features():
    assert Schema(EVERYTHING).transform_one(ROW) == FEATURES


def test_a_row_of_typed_values_becomes_the_same_features():
    row = {
        **ROW,
        "amount": Decimal("12.50"),
        "price": 1234.5,
        "opened": dt.datetime(2024, 1, 31, 20, 5, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        "due": dt.date(2024, 4, 3),
        "at": dt.time(12, 30),
        "new": np.True_,
    }
    assert Schema(EVERYTHING).transform_one(row) == FEATURES


@pytest.mark.parametrize("gap", [None, math.nan, "", "  ", "NA", "null", pd.NaT, pd.NA])
def test_a_gap_is_said_of_every_column_that_is_always_there(gap):
    row = dict.fromkeys(EVERYTHING, gap) | {"merchant": None, "note": None}
    features = Schema(EVERYTHING).transform_one(row)
    assert features.pop("extra") is None
    assert features == {
        "amount": None,
        "price": None,
        "merchant": "(missing)",
        "opened.weekday": "(missing)",
        "due.weekday": "(missing)",
        "at": None,
        "new": None,
    }


def test_an_absent_column_is_a_gap_unless_it_is_sparse():
    schema = Schema(EVERYTHING)
    absent = schema.transform_one({"id": 1, "amount": 1.0})
    assert absent == schema.transform_one({**dict.fromkeys(ROW), "amount": 1.0})
    assert "extra" not in absent


def test_a_word_for_a_gap_of_numbers_may_be_a_category():
    assert one("category", "NA") == {"c": "NA"}
    assert one(Column("category", gaps=("N.N.",)), "n.n.") == {"c": "(missing)"}
    assert one(Column("number", gaps=("k.A.",)), "k.a.") == {"c": None}


@pytest.mark.parametrize("value", [1, 1.0, "1", " 1 ", "1.0", np.int64(1), Decimal("1.00")])
def test_all_ways_to_write_a_category_are_one(value):
    assert one("category", value) == {"c": "1"}


@pytest.mark.parametrize("value", ["01", "1.10", "v1.0"])
def test_a_category_keeps_the_zeros_that_mean_something(value):
    assert one("category", value) == {"c": value}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("date", "2024-01-31"),
        ("date", "31.1.2024"),
        ("date", "2024/1/31"),
        (Column("date", day_first=True), "31/1/2024"),
        (Column("date", day_first=False), "1/31/2024"),
        (Column("date", form="%d-%b-%Y"), "31-Jan-2024"),
        (Column("date", form="%Y%m%d"), 20240131),
        (Column("date", form="seconds"), 1706659200),
        (Column("date", form="milliseconds"), "1706659200000"),
        ("date", dt.date(2024, 1, 31)),
        ("date", np.datetime64("2024-01-31")),
        ("date", pd.Timestamp(2024, 1, 31)),
    ],
)
def test_all_ways_to_write_a_date_are_one(column, value):
    assert one(column, value) == {"c.weekday": "Wednesday", "c.hour": "00"}


@pytest.mark.parametrize(
    ("value", "hours"), [("9:30", 9.5), ("21:30:36", 21.51), ("9:30 PM", 21.5), ("12:15 am", 0.25)]
)
def test_a_time_of_day_is_hours(value, hours):
    assert one("time", value)["c"] == pytest.approx(hours)


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("number", "abc", "holds 'abc', not a number"),
        ("number", "1,5", "not a number"),
        (Column("number", decimal=","), "1.5", "not a number with a decimal comma"),
        ("number", "inf", "not a finite number"),
        ("number", [1], "not a number"),
        ("category", {"a": 1}, "not a text"),
        ("text", b"\xff", "not a text"),
        ("boolean", "maybe", "not true or false"),
        ("date", "soon", "not a date"),
        ("date", "3/4/2024", "say day_first=True or day_first=False"),
        (Column("date", form="%Y"), "x", "not a date written as '%Y'"),
        (Column("date", form="seconds"), 1e300, "not a date written as 'seconds'"),
        ("time", "25:00", "not a time of day"),
        ("time", "13:00 pm", "not a time of day"),
        ("time", 12, "not a time of day"),
    ],
)
def test_a_value_that_is_not_of_its_kind_is_refused_by_name(column, value, what):
    with pytest.raises(ValueError, match="column 'c' holds ") as caught:
        one(column, value)
    assert what in str(caught.value)


def test_a_row_of_another_table_is_refused_with_what_was_expected():
    with pytest.raises(ValueError, match="none of the columns") as caught:
        Schema(EVERYTHING).transform_one({"id": 3, "colour": "red"})
    assert "'amount', 'price', 'merchant'" in str(caught.value)
    assert "It has: 'id', 'colour'" in str(caught.value)


def test_where_all_may_be_absent_a_row_of_other_columns_alone_is_refused():
    schema = Schema({"a": Column("number", sparse=True), "id": "left out"})
    assert schema.transform_one({}) == schema.transform_one({"id": 7}) == {}
    assert schema.transform_one({"a": 2, "colour": "red"}) == {"a": 2.0}
    with pytest.raises(ValueError, match="none of the columns that the model knows: 'a'"):
        schema.transform_one({"colour": "red"})


def test_features_of_columns_that_would_meet_are_kept_apart():
    schema = Schema(
        {
            "opened": "date",
            "opened.weekday": "category",
            "note": "text",
            "note: card": "number",
            "at": "time",
            "at.hour": "number",
        }
    )
    row = {
        "opened": "2024-01-31",
        "opened.weekday": "a",
        "note": "card",
        "note: card": 7,
        "at": "12:30",
        "at.hour": 3,
    }
    assert schema.transform_one(row) == {
        "opened (2).weekday": "Wednesday",
        "opened (2).hour": "00",
        "opened.weekday": "a",
        "note (2): card": 1.0,
        "note: card": 7.0,
        "at (2)": 12.5,
        "at (2).hour": "12",
        "at.hour": 3.0,
    }


@pytest.mark.parametrize(
    ("columns", "error", "what"),
    [
        ({"a": "numbr"}, ValueError, "column 'a': no kind of column is called 'numbr': use "),
        ({"a": {"kind": "number", "x": 1}}, ValueError, "no option of a column is called 'x'"),
        ({"a": {"kind": "number", "day_first": True}}, ValueError, "day_first is no option of a"),
        ({"a": {"decimal": ","}}, ValueError, "an object with a kind"),
        ({"a": 7}, ValueError, "column 'a': a column is a kind"),
        ({7: "number"}, TypeError, "the name of a column is a text, not 7"),
        ({"a": "left out"}, ValueError, "must have a column that is not left out"),
        ({}, ValueError, "must have a column that is not left out"),
    ],
)
def test_what_is_no_schema_is_refused(columns, error, what):
    with pytest.raises(error) as caught:
        Schema(columns)
    assert what in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", '"number"', '{"a": "number", "a": "text"}'])
def test_json_that_is_no_schema_is_refused(text):
    with pytest.raises(ValueError, match="a schema"):
        Schema.from_json(text)


@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        lambda schema: schema.clone(),
        lambda schema: pickle.loads(pickle.dumps(schema)),
        lambda schema: Schema.from_json(schema.to_json()),
        lambda schema: eval(repr(schema)),
    ],
    ids=["deepcopy", "clone", "pickle", "json", "repr"],
)
def test_a_copy_is_the_schema(copied):
    schema = Schema(EVERYTHING)
    other = copied(schema)
    assert other == schema
    assert list(other.columns) == list(schema.columns)
    assert other.transform_one(ROW) == FEATURES


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_becomes_the_frame_of_its_rows_features(frame):
    rows = [ROW, {**dict.fromkeys(ROW), "amount": "3"}]
    made = Schema(EVERYTHING).transform_many(frame(rows))
    assert isinstance(made, frame)
    assert list(made["amount"]) == [12.5, 3.0]
    assert list(made["merchant"]) == ["m7", "(missing)"]
    assert list(made.columns) == list(FEATURES)


def messy(i):
    is_fraud = i % 3 == 0
    row = {"amount": f"{i % 7}.5", "merchant": f"m{i % 50}", "note": "card" if i % 2 else "cash"}
    return row | {
        "opened": f"2024-01-{i % 28 + 1:02}",
        "at": f"{23 if is_fraud else 12}:{i % 60:02}",
    }


@pytest.fixture(scope="module")
def taught():
    columns = ("amount", "merchant", "opened", "at", "note")
    schema = Schema({name: EVERYTHING[name] for name in columns})
    model = ActiveLearner(schema | AutoOA3Classifier(), budget=200, seed=1)
    for i in range(300):
        _, ask = model.predict_one(messy(i))
        if ask:
            model.learn_one(messy(i), i % 3 == 0)
    return model


def test_a_pipeline_learns_from_raw_rows(taught):
    said = [taught.classifier.predict_one(messy(i)) for i in range(300, 400)]
    assert np.mean([label == (i % 3 == 0) for i, label in enumerate(said, 300)]) > 0.95


def test_a_pipeline_is_the_classifier_on_the_features(taught):
    schema, classifier = taught.classifier.steps.values()
    alone = ActiveLearner(AutoOA3Classifier(), budget=200, seed=1)
    for i in range(300):
        x = schema.transform_one(messy(i))
        _, ask = alone.predict_one(x)
        if ask:
            alone.learn_one(x, i % 3 == 0)
    x = schema.transform_one(messy(333))
    assert alone.classifier.margin_one(x) == classifier.margin_one(x)
    assert alone.n_asked == taught.n_asked


def test_a_model_file_takes_raw_rows(taught, tmp_path):
    save(taught, tmp_path / "model.oa3")
    loaded = load(tmp_path / "model.oa3")
    assert loaded.classifier["Schema"] == taught.classifier["Schema"]
    before = copy.deepcopy(taught)
    for i in range(300, 340):
        assert loaded.predict_one(messy(i)) == before.predict_one(messy(i))
        loaded.learn_one(messy(i), i % 3 == 0)
        before.learn_one(messy(i), i % 3 == 0)
    assert loaded.n_asked == before.n_asked


def test_a_pipeline_explains_a_raw_row_by_its_features(taught):
    row = messy(301)
    names = [name for name, _, _ in taught.explain_one(row)]
    assert {"amount", "at", "at.hour", "opened.weekday", "merchant"} <= set(names)
    assert sum(part for _, _, part in taught.explain_one(row)) == pytest.approx(
        taught.classifier.steps["AutoOA3Classifier"].margin_one(
            taught.classifier["Schema"].transform_one(row)
        )
    )


def test_what_becomes_of_a_row_can_be_looked_at(taught):
    report = taught.debug_one({**messy(301), "amount": None})
    assert "opened.weekday" in report
    assert taught.n_seen == 300


def test_a_strange_row_is_refused_before_it_costs_anything(taught):
    before = pickle.dumps(taught)
    with pytest.raises(ValueError, match="none of the columns"):
        taught.predict_one({"colour": "red"})
    with pytest.raises(ValueError, match="column 'amount' holds 'x', not a number"):
        taught.predict_one({**messy(1), "amount": "x"})
    with pytest.raises(ValueError, match="none of the columns"):
        taught.learn_one({"colour": "red"}, True)
    assert pickle.dumps(taught) == before
