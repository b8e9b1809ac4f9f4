"""Files are divided so that each row is read once, as what is wanted."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from arrow_events import events_of, meant
from hypothesis import given
from hypothesis import strategies as st

from river_oa3.scoring import rows_of_columns, rows_of_maps
from river_oa3.scoring.parquet_parts import Files, columns_in, parts_of

WANTED = pa.schema([("id", pa.int64()), ("a", pa.float64())])


@given(
    st.dictionaries(st.text(min_size=1), st.integers(0, 500), min_size=1, max_size=8),
    st.integers(1, 9),
    st.integers(1, 300),
    st.integers(1, 50),
)
def test_each_byte_of_each_file_is_in_one_part(sizes, n_workers, most, cost):
    tasks = parts_of(sizes, n_workers, most, cost)
    parts = [part for task in tasks for part in task]
    for path, size in sizes.items():
        mine = sorted(part for part in parts if part.path == path)
        assert [part.start for part in mine] == [0, *(part.stop for part in mine)][: len(mine)]
        assert (mine[-1].stop if mine else 0) == size
        assert all(part.size == size for part in mine)


@given(
    st.dictionaries(st.text(min_size=1), st.integers(1, 500), min_size=1, max_size=8),
    st.integers(1, 300),
    st.integers(1, 50),
)
def test_no_task_has_more_than_it_may(sizes, most, cost):
    for task in parts_of(sizes, 1, most, cost):
        assert sum(part.stop - part.start for part in task) <= most


def test_as_many_tasks_as_workers_have_work():
    tasks = parts_of({"a": 1000}, 4, most_bytes=10_000, cost_of_opening=1)
    assert len(tasks) == 4


@pytest.mark.parametrize("n_workers", [1, 3, 50])
@pytest.mark.parametrize("rows_per_group", [7, 1000])
def test_each_row_is_read_once_however_files_are_divided(tmp_path, n_workers, rows_per_group):
    sizes = {}
    for number in range(3):
        ids = range(1000 * number, 1000 * number + 500)
        path = str(tmp_path / f"{number}.parquet")
        table = pa.table({"id": ids, "a": [i / 7 for i in ids]})
        pq.write_table(table, path, row_group_size=rows_per_group)
        sizes[path] = (tmp_path / f"{number}.parquet").stat().st_size
    files = Files(parts_of(sizes, n_workers, 2**30, 10), WANTED, 64, True)
    batches = [batch for task in range(len(files.tasks)) for batch in files.read(task)]
    assert all(0 < batch.num_rows <= 64 for batch in batches)
    found = pa.Table.from_batches(batches).sort_by("id")
    assert found.schema == WANTED
    assert found["id"].to_pylist() == [1000 * n + i for n in range(3) for i in range(500)]
    assert found["a"].to_pylist() == [i / 7 for i in found["id"].to_pylist()]


def read_as(tmp_path, table, wanted, is_case_sensitive=False):
    path = tmp_path / "one.parquet"
    pq.write_table(table, path)
    tasks = parts_of({str(path): path.stat().st_size}, 1, 2**30, 1)
    return pa.Table.from_batches(
        Files(tasks, pa.schema(wanted), 100, is_case_sensitive).read(0), schema=pa.schema(wanted)
    )


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (pa.int8(), pa.int64()),
        (pa.uint32(), pa.int64()),
        (pa.int32(), pa.float64()),
        (pa.float32(), pa.float64()),
        (pa.large_string(), pa.string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string()),
        (pa.map_(pa.string(), pa.int16()), pa.map_(pa.string(), pa.int64())),
    ],
)
def test_what_loses_nothing_is_read_as_what_is_wanted(tmp_path, kind, wanted):
    values = ["x", None, "y"] if wanted == pa.string() else [3, None, 5]
    if pa.types.is_map(wanted):
        values = [[("k", 3)], None, []]
    table = pa.table({"a": pa.array(values, kind)})
    found = read_as(tmp_path, table, [("a", wanted)])
    assert found["a"].type == wanted
    assert found["a"].to_pylist() == values


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (pa.int64(), pa.float64()),
        (pa.uint32(), pa.float64()),
        (pa.int64(), pa.int32()),
        (pa.uint64(), pa.int64()),
        (pa.float64(), pa.float32()),
        (pa.float64(), pa.int64()),
        (pa.string(), pa.float64()),
        (pa.binary(), pa.string()),
        (pa.bool_(), pa.int64()),
        (pa.timestamp("us"), pa.int64()),
        (pa.map_(pa.string(), pa.float64()), pa.map_(pa.string(), pa.int64())),
    ],
)
def test_what_could_lose_something_is_refused(kind, wanted):
    schema = pa.schema([("a", kind)])
    with pytest.raises(TypeError, match=r"one\.parquet has column 'a' of type .* is wanted"):
        columns_in(schema, pa.schema([("a", wanted)]), True, "one.parquet")


def test_a_column_that_a_file_does_not_have_is_null(tmp_path):
    found = read_as(tmp_path, pa.table({"id": [1, 2]}), WANTED)
    assert found.to_pydict() == {"id": [1, 2], "a": [None, None]}


def test_a_file_with_none_of_the_columns_has_its_rows(tmp_path):
    found = read_as(tmp_path, pa.table({"other": [1, 2, 3]}), WANTED)
    assert found.to_pydict() == {"id": [None] * 3, "a": [None] * 3}


def test_cases_count_where_they_are_told_to(tmp_path):
    table = pa.table({"ID": [1], "a.b": [2.0]})
    wanted = [("id", pa.int64()), ("a.b", pa.float64())]
    assert read_as(tmp_path, table, wanted).to_pydict() == {"id": [1], "a.b": [2.0]}
    assert read_as(tmp_path, table, wanted, True).to_pydict() == {"id": [None], "a.b": [2.0]}


def test_cases_are_those_of_spark(tmp_path):
    table = pa.table({"straße": [1]})
    assert read_as(tmp_path, table, [("strasse", pa.int64())]).to_pydict() == {"strasse": [None]}


def test_two_columns_that_differ_in_case_are_refused():
    schema = pa.schema([("ID", pa.int64()), ("id", pa.int64())])
    wanted = pa.schema([("id", pa.int64())])
    with pytest.raises(ValueError, match="more than one column 'id': ID, id"):
        columns_in(schema, wanted, False, "one.parquet")
    assert columns_in(schema, wanted, True, "one.parquet") == ["id"]


def test_a_file_that_has_changed_is_refused(tmp_path):
    path = tmp_path / "one.parquet"
    pq.write_table(pa.table({"id": [1], "a": [1.0]}), path)
    files = Files(parts_of({str(path): path.stat().st_size}, 1, 2**30, 1), WANTED, 100, True)
    pq.write_table(pa.table({"id": range(1000), "a": [1.0] * 1000}), path)
    with pytest.raises(ValueError, match=r"one\.parquet has changed since it was found"):
        list(files.read(0))


def written(tmp_path, table, **options):
    path = tmp_path / "one.parquet"
    pq.write_table(table, path, **options)
    return parts_of({str(path): path.stat().st_size}, 1, 2**30, 1)


@pytest.mark.parametrize("use_dictionary", [True, False])
@pytest.mark.parametrize("n_texts", [3, 5000])
@pytest.mark.parametrize("group", [None, 1000, 130])
def test_texts_with_a_dictionary_become_the_same_events(tmp_path, use_dictionary, n_texts, group):
    texts = [None if i % 11 == 0 else f"t{i * 7919 % n_texts}" for i in range(2000)]
    maps = [[] if text is None else [(text, float(i)), ("k", 1.0)] for i, text in enumerate(texts)]
    words = [[] if text is None else [("k", text), (text, "v")] for text in texts]
    table = pa.table(
        {
            "text": texts,
            "x": pa.array(maps, pa.map_(pa.string(), pa.float64())),
            "w": pa.array(words, pa.map_(pa.string(), pa.string())),
        }
    )
    tasks = written(tmp_path, table, use_dictionary=use_dictionary, row_group_size=group)
    for encoded in (frozenset(), frozenset(["text", "x", "w"])):
        files = Files(tasks, table.schema, 300, True, encoded)
        batches = list(files.read(0))
        has_dictionary = pa.types.is_dictionary(batches[0].schema.field("text").type)
        # Small groups of rows are read together, as texts.
        assert has_dictionary == (bool(encoded) and group != 130)
        events = [x for b in batches for x in events_of(rows_of_columns({"text": b["text"]}))]
        assert events == [{} if text is None else {"text": text} for text in texts]
        assert [x for b in batches for x in events_of(rows_of_maps(b["x"]))] == [
            meant(dict(x)) for x in maps
        ]
        assert [x for b in batches for x in events_of(rows_of_maps(b["w"]))] == [
            dict(x) for x in words
        ]
        # As many names as a batch can have, however many texts the file has.
        assert max(len(rows_of_columns({"text": b["text"]}).names) for b in batches) <= 300
