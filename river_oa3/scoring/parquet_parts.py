"""Parts of Parquet files, each read by whoever scores it."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as kinds

__all__ = ["Files", "Part", "columns_in", "parts_of"]


# Groups of fewer rows are read together, without their dictionaries.
LEAST_ROWS = 1000


class Part(typing.NamedTuple):
    """A stretch of a file's bytes: the groups of rows whose middle lies in it belong to it."""

    path: str
    start: int
    stop: int
    # The bytes of the whole file.
    size: int


class Files(typing.NamedTuple):
    """What each task reads of files, and as what."""

    tasks: list[list[Part]]
    schema: pa.Schema
    # In a batch.
    n_rows: int
    is_case_sensitive: bool
    # Columns that may come with a dictionary of their texts, which is how files have them.
    encoded: frozenset[str] = frozenset()

    def read(self, task: int) -> Iterator[pa.RecordBatch]:
        """The rows of a task's parts, with the columns and the types that are wanted."""
        for part in self.tasks[task]:
            if os.stat(part.path).st_size != part.size:
                # Another part of it may have been read already, as it was.
                raise ValueError(f"{part.path} has changed since it was found: read it anew")
            yield from self._read(part)

    def _read(self, part: Part) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(part.path) as file:
            metadata, schema = file.metadata, file.schema_arrow
        groups = [
            group
            for group in range(metadata.num_row_groups)
            if part.start <= _middle(metadata.row_group(group)) < part.stop
        ]
        found = columns_in(schema, self.schema, self.is_case_sensitive, part.path)
        read = [name for name in found if name is not None]
        encoded = [
            name
            for name, field in zip(found, self.schema, strict=True)
            if name is not None and field.name in self.encoded
        ]
        texts = _texts(metadata.schema, encoded)
        turns = [groups] if groups else []
        if texts and metadata.num_rows >= LEAST_ROWS * metadata.num_row_groups:
            # Each has a dictionary of its own, and a map with two of them cannot be read.
            turns = [[group] for group in groups]
        else:
            texts = []
        with pq.ParquetFile(part.path, metadata=metadata, read_dictionary=texts) as file:
            for turn in turns:
                for batch in file.iter_batches(self.n_rows, turn, columns=read, use_threads=False):
                    columns = [
                        pa.nulls(batch.num_rows, field.type)
                        if name is None
                        else self._as_wanted(batch.column(name), field)
                        for name, field in zip(found, self.schema, strict=True)
                    ]
                    yield pa.RecordBatch.from_arrays(columns, self.schema.names)

    def _as_wanted(self, column: pa.Array, field: pa.Field) -> pa.Array:
        has_dictionary = kinds.is_dictionary(column.type) or kinds.is_map(column.type)
        if column.type == field.type or (field.name in self.encoded and has_dictionary):
            return column
        return column.cast(field.type)


def parts_of(
    sizes: dict[str, int], n_workers: int, most_bytes: int, cost_of_opening: int
) -> list[list[Part]]:
    """Divide files among tasks, as Spark does it.

    Parameters
    ----------
    sizes
        The bytes of each file.
    n_workers
        How many tasks run at once.
    most_bytes
        A task gets no more than this, unless it is a single part.
    cost_of_opening
        How many bytes could be read while a file is opened.

    Examples
    --------

    >>> parts = parts_of({"a": 100, "b": 30, "c": 20}, 2, most_bytes=1000, cost_of_opening=10)
    >>> for task in parts:
    ...     print([part[:3] for part in task])
    [('a', 0, 90)]
    [('b', 0, 30), ('c', 0, 20), ('a', 90, 100)]

    """
    total = sum(size + cost_of_opening for size in sizes.values())
    most = max(1, min(most_bytes, max(cost_of_opening, total // max(1, n_workers))))
    parts = [
        Part(path, start, min(start + most, size), size)
        for path, size in sizes.items()
        for start in range(0, size, most)
    ]
    parts.sort(key=lambda part: part.start - part.stop)
    tasks: list[list[Part]] = []
    room = 0
    for part in parts:
        size = part.stop - part.start
        if not tasks or room < size:
            tasks.append([])
            room = most
        tasks[-1].append(part)
        room -= size + cost_of_opening
    return tasks


def columns_in(
    schema: pa.Schema, wanted: pa.Schema, is_case_sensitive: bool, path: str
) -> list[str | None]:
    """What each column that is wanted is called in a file; None where it is not there.

    Raises
    ------
    TypeError
        Where a column cannot be read as what is wanted without losing something.
    ValueError
        Where more than one column could be meant.

    """
    found: list[str | None] = []
    for field in wanted:
        meant = [
            name
            for name in schema.names
            if name == field.name or (not is_case_sensitive and name.lower() == field.name.lower())
        ]
        if len(meant) > 1:
            raise ValueError(f"{path} has more than one column {field.name!r}: {', '.join(meant)}")
        if meant and not _fits(schema.field(meant[0]).type, field.type):
            raise TypeError(
                f"{path} has column {meant[0]!r} of type {schema.field(meant[0]).type}, where "
                f"{field.type} is wanted"
            )
        found.append(meant[0] if meant else None)
    return found


def _middle(group: typing.Any) -> int:
    """The middle byte of a group of rows."""
    columns = [group.column(i) for i in range(group.num_columns)]
    starts = [
        offset
        for column in columns
        for offset in (column.dictionary_page_offset, column.data_page_offset)
        if offset is not None
    ]
    size = sum(column.total_compressed_size for column in columns)
    return int(min(starts, default=0) + size // 2)


def _fits(kind: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether all values of a type are values of the other."""
    if kinds.is_map(kind) and kinds.is_map(wanted):
        return _fits(kind.key_type, wanted.key_type) and _fits(kind.item_type, wanted.item_type)
    if kinds.is_dictionary(kind):
        return _fits(kind.value_type, wanted)
    if kinds.is_string(wanted):
        return _is_text(kind)
    if kind == wanted:
        return True
    if kinds.is_integer(kind):
        digits = kind.bit_width - kinds.is_signed_integer(kind)
        if kinds.is_signed_integer(wanted):
            return bool(digits < wanted.bit_width)
        # No more: Spark takes larger ones without a sign for negative ones.
        return bool(wanted == pa.float64() and digits <= 31)
    return bool(kind == pa.float32() and wanted == pa.float64())


def _is_text(kind: pa.DataType) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _texts(schema: pq.ParquetSchema, names: list[str]) -> list[str]:
    """The leaves of these columns that hold texts."""
    leaves = map(schema.column, range(len(schema)))
    return [
        leaf.path
        for leaf in leaves
        if leaf.physical_type == "BYTE_ARRAY"
        and any(leaf.path == name or leaf.path.startswith(name + ".") for name in names)
    ]
