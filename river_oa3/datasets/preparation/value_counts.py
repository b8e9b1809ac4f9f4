"""How often each value occurs, as long as there are few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from river_oa3.datasets.encode import MAX_TEXTS_PER_FEATURE

if TYPE_CHECKING:
    import pyarrow as pa


class ValueCounts:
    """Values and their counts; it is full where another chunk would make them too many."""

    def __init__(self) -> None:
        self.counts: dict[Any, int] = {}
        self.is_full = False

    def add(self, values: pa.Array) -> None:
        """Count a chunk of values, none of them null, unless there are too many distinct ones."""
        found = values.value_counts()
        keys = found.field("values").to_pylist() if len(found) <= MAX_TEXTS_PER_FEATURE else []
        self.is_full = (
            len(found) > MAX_TEXTS_PER_FEATURE
            or len(self.counts.keys() | set(keys)) > MAX_TEXTS_PER_FEATURE
        )
        if not self.is_full:
            for key, count in zip(keys, found.field("counts").to_pylist(), strict=True):
                self.counts[key] = self.counts.get(key, 0) + count
