"""What a column becomes, kind by kind."""

from __future__ import annotations

import datetime as dt
import zlib

import numpy as np
import pyarrow as pa
import pytest
from prepared import Memory, encoded, labels, prepared, rows_of

from river_oa3._core.category import Category
from river_oa3.datasets import DataError
from river_oa3.datasets.preparation import Wishes


def bucket(text):
    return zlib.crc32(text.encode()) % 1024


def test_a_number_without_gaps_is_one_column():
    assert encoded(["1.5", " 0 ", "-2"]) == [{"a": 1.5}, {}, {"a": -2.0}]


@pytest.mark.parametrize(
    ("impute", "fill"), [("mean", 3.0), ("median", 2.0), ("7.25", 7.25), ("-1", -1.0)]
)
def test_a_gap_among_numbers_is_filled_and_flagged(impute, fill):
    wishes = Wishes(impute={"a": impute})
    assert encoded([1.0, None, 2.0, 6.0], wishes) == [
        {"a": 1.0},
        {"a": fill, "a is missing": 1.0},
        {"a": 2.0},
        {"a": 6.0},
    ]


def test_a_gap_that_is_filled_with_zero_is_flagged():
    wishes = Wishes(impute={None: "zero"})
    assert encoded([1.0, None, 2.0], wishes)[1] == {"a is missing": 1.0}


def test_a_gap_that_is_not_filled_is_not_there():
    assert encoded([1.0, None, 2.0], Wishes(impute={None: "none"}))[1] == {}


def test_a_column_that_is_named_is_filled_as_it_says():
    wishes = Wishes(impute={None: "zero", "a": "9"})
    assert encoded([1.0, None, 2.0], wishes)[1] == {"a": 9.0, "a is missing": 1.0}


def test_the_median_is_that_of_the_file_though_the_sample_has_more_of_the_rare_class():
    n = 40_000
    y = np.arange(n) % 40 == 0
    numbers = np.where(y, 100.0, np.arange(n) % 10).astype(object)
    numbers[5] = None
    source = Memory({"a": pa.array(numbers.tolist(), pa.float64()), "y": y})
    assert prepared(source, Wishes(impute={None: "median"})).steps[0].fill in (4.0, 5.0)


def test_a_mean_is_rounded_to_what_matters():
    numbers = [None, *np.random.default_rng(0).normal(1234.56789, 10.0, size=500)]
    source = Memory({"a": pa.array(numbers, pa.float64()), "y": labels(501)})
    fill = prepared(source).steps[0].fill
    assert fill == round(fill, 2)
    assert fill == pytest.approx(np.mean(numbers[1:]), abs=0.01)


def test_flags_are_one_and_zero():
    assert encoded(["true", "False", "NA"]) == [{"a": 1.0}, {}, {"a is missing": 1.0}]


def test_a_category_is_a_name_and_a_value_as_a_model_takes_it():
    assert encoded(["FR", " DE ", None, "FR"]) == [
        {"a": "FR"},
        {"a": "DE"},
        {"a": "(missing)"},
        {"a": "FR"},
    ]


def test_numbers_can_be_categories():
    cells = ["1", "1.0", "2.5", "NA"]
    expected = [{"a": "1"}, {"a": "1"}, {"a": "2.5"}, {"a": "(missing)"}]
    assert encoded(cells, Wishes(category=("a",))) == expected
    assert encoded([1.0, 1.0, 2.5, None], Wishes(category=("a",))) == expected


def test_flags_can_be_categories():
    cells = [True, False, None]
    expected = [{"a": "true"}, {"a": "false"}, {"a": "(missing)"}]
    assert encoded(cells, Wishes(category=("a",))) == expected


def test_a_wide_text_is_hashed():
    cells = [f"w{i % 2000}" for i in range(5000)] + [None]
    found = encoded(cells)
    assert found[7] == {f"a#{bucket('w7')}": 1.0}
    assert found[-1] == {"a is missing": 1.0}


def test_the_words_of_a_text_are_hashed_in_small_letters_each_once():
    found = encoded(["Pay the bill, PAY it", "all that is due", "or leave it be", None])
    words = ["pay", "the", "bill", "it"]
    assert found[0] == {f"a#{bucket(word)}": 1.0 for word in words}
    assert found[3] == {"a is missing": 1.0}


def test_a_date_is_a_weekday_and_an_age():
    assert encoded(["2024-01-31", "2024-02-05", None]) == [
        {"a.weekday": "Wednesday"},
        {"a.weekday": "Monday", "a.age": 5.0},
        {"a is missing": 1.0},
    ]


def test_a_date_with_a_time_has_an_hour():
    assert encoded(["2024-01-31 06:30", "2024-02-01 00:30"]) == [
        {"a.weekday": "Wednesday", "a.hour": "06"},
        {"a.weekday": "Thursday", "a.hour": "00", "a.age": 0.75},
    ]


def test_zones_are_turned_into_utc():
    zone = dt.timezone(dt.timedelta(hours=2))
    typed = [dt.datetime(2024, 2, 1, 1, tzinfo=zone), dt.datetime(2024, 2, 2, 2, tzinfo=zone)]
    expected = [
        {"a.weekday": "Wednesday", "a.hour": "23"},
        {"a.weekday": "Friday", "a.hour": "00", "a.age": 25 / 24},
    ]
    assert encoded(typed) == expected
    assert encoded(["2024-02-01T01:00+02:00", "2024-02-02T02:00:00+02:00"]) == expected


def test_a_day_that_can_be_no_month_tells_the_order_for_all():
    assert [row["a.weekday"] for row in encoded(["3/4/2024", "13/4/2024"])] == [
        "Wednesday",
        "Saturday",
    ]
    assert [row["a.weekday"] for row in encoded(["3/4/2024", "4/13/2024"])] == [
        "Monday",
        "Saturday",
    ]


def test_names_of_features_never_meet():
    cells = {
        "a": [1.5, None, 2.5, 3.5],
        "a is missing": [1.0, 2.0, 2.0, 1.0],
        "d": ["2024-01-31", "2024-02-01", "2024-02-03", "2024-02-05"],
        "d.weekday": ["u", "v", "u", "v"],
        "t": ["u v w x", "v w x y", "w x y z", "x y z u"],
        "t#7": [1.0, 2.0, 3.0, 5.0],
    }
    preparation = prepared(Memory(cells | {"y": labels(4)}))
    assert len(set(preparation.names)) == len(preparation.names)
    assert {"a is missing (2)", "d (2).age", "t (2)#7"} <= set(preparation.names)


def test_columns_that_are_numbers_are_told_from_indicators():
    columns = {
        "d": ["2024-01-31", "2024-02-01", "2024-02-03", None],
        "c": ["u", "v", "u", "v"],
        "n": [1.5, None, 2.5, 3.5],
        "f": [True, False, True, True],
    }
    preparation = prepared(Memory(columns | {"y": labels(4)}))
    names = preparation.names
    assert [names[column] for column in preparation.number_columns] == ["d.age", "n"]
    assert Category("c", "u") in names


def test_labels_come_with_the_blocks():
    source = Memory({"a": [1.5, 2.5, 3.0, 7.0, 8.0], "y": labels(5)}, batch=2)
    y = [block.y.tolist() for block in prepared(source).blocks(source)]
    assert y == [[True, False], [False, False], [True]]


@pytest.mark.parametrize("sample", [0.3, 500])
def test_a_sample_takes_the_same_rows_whatever_the_batches(sample):
    n = 2000
    columns = {"a": np.arange(n) * 0.5 + 0.25, "c": ["u", "v"] * (n // 2), "y": labels(n)}
    found = []
    for batch in (n, 321):
        source = Memory(columns, batch=batch)
        preparation = prepared(source, Wishes(sample=sample, seed=3))
        rows = rows_of(preparation, source)
        assert len(rows) == preparation.profile.taken
        y = np.concatenate([block.y for block in preparation.blocks(source)])
        assert np.count_nonzero(y) == preparation.profile.taken_positives
        found.append(rows)
    assert found[0] == found[1]
    assert len(found[0]) == 500 or 500 < len(found[0]) < 700


def test_a_sample_of_more_rows_than_there_are_takes_all():
    source = Memory({"a": [1.5, 2.5, 3.0, 7.0], "y": labels(4)})
    assert len(rows_of(prepared(source, Wishes(sample=100)), source)) == 4


def test_another_seed_takes_other_rows():
    source = Memory({"a": np.arange(1000) * 0.5, "y": labels(1000)})
    one, other = (
        rows_of(prepared(source, Wishes(sample=50, seed=seed)), source) for seed in (1, 2)
    )
    assert one != other


@pytest.mark.parametrize("cells", [["x", "y"], ["inf", "1"]])
def test_a_column_that_is_no_longer_what_it_was_is_refused(cells):
    before = Memory({"a": ["1.5", "2.5"], "y": ["0", "1"]})
    after = Memory({"a": cells, "y": ["0", "1"]})
    with pytest.raises(DataError, match="column 'a' holds what is not a finite number"):
        rows_of(prepared(before), after)
