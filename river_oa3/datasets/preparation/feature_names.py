"""Names of features that no column of the table has already."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class FeatureNames:
    """Gives names that are not taken; a second one of the same name ends in (2)."""

    def __init__(self, taken: Iterable[str]):
        self._taken = set(taken)

    def missing(self, column: str) -> str:
        """A name for the flag of a gap."""
        return self._free(f"{column} is missing", lambda name: {name})

    def buckets(self, column: str, count: int) -> str:
        """What the names of buckets start with."""
        return self._free(column, lambda name: {f"{name}#{number}" for number in range(count)})

    def date(self, column: str) -> str:
        """What the names of the parts of a date start with."""
        return self._free(column, lambda name: {f"{name}.{p}" for p in ("weekday", "hour", "age")})

    def _free(self, name: str, features: Callable[[str], set[str]]) -> str:
        candidate, count = name, 1
        while features(candidate) & self._taken:
            count += 1
            candidate = f"{name} ({count})"
        self._taken |= features(candidate)
        return candidate
