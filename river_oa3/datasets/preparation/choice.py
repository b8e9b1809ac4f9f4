"""Which columns become features, and why the others do not."""

from __future__ import annotations

from river_oa3.datasets.preparation.column_profile import ColumnProfile
from river_oa3.datasets.preparation.options import Options
from river_oa3.datasets.sources import Source


def is_dropped(name: str, options: Options, source: Source) -> bool:
    """Whether a column is to be dropped, be it as a part of what an object in the table holds."""
    if name in options.drop:
        return True
    return source.is_nested and any(name.startswith(f"{dropped}.") for dropped in options.drop)


def left_out(column: ColumnProfile, options: Options) -> str | None:
    """Why a column is left out; None where it is a feature."""
    if column.kind == "empty":
        return "empty, nothing but gaps"
    if column.name in (*options.keep, *options.category):
        return None
    if column.kind == "constant":
        return f"constant, the same value in all {column.rows:,} rows"
    if column.kind == "id":
        count = f"{column.distinct_text()} distinct values in {column.rows:,} rows"
        return f"an id, {count}; --keep keeps it"
    return None
