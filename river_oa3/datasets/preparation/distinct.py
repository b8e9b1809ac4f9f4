"""How many different values there are, in memory that does not grow with them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from river_oa3.datasets.preparation.reading import NUMBER, as_array, as_integers

if TYPE_CHECKING:
    import pyarrow as pa

KEPT = 2**14
"""Up to so many distinct values are counted; of more, the number is estimated to 1 % or so."""

Hashes = NDArray[np.uint64]

_BYTES_AT_ONCE = 2**22
_POSITIONS = 4096


class Distinct:
    """The smallest hashes of the values that were seen.

    Hashes lie evenly, so where the 16,384th smallest is a hundredth of the way up, there are a
    hundred times as many values.
    """

    def __init__(self) -> None:
        self._smallest = np.empty(0, dtype=np.uint64)

    @property
    def is_exact(self) -> bool:
        return len(self._smallest) < KEPT

    @property
    def count(self) -> int:
        if self.is_exact:
            return len(self._smallest)
        return round((KEPT - 1) / (float(self._smallest[-1]) / 2.0**64))

    def add(self, hashes: Hashes) -> None:
        if not self.is_exact:
            hashes = hashes[hashes < self._smallest[-1]]
        if len(hashes):
            self._smallest = np.unique(np.concatenate([self._smallest, hashes]))[:KEPT]


def hash_numbers(values: NDArray[np.float64]) -> Hashes:
    """A hash of each number; 0 and -0 have the same."""
    return _mixed((values + 0.0).view(np.uint64))


def hash_integers(values: NDArray[np.int64]) -> Hashes:
    """A hash of each integer."""
    return _mixed(values.view(np.uint64))


def hash_values(values: pa.Array | NDArray[np.float64]) -> Hashes:
    """A hash of each number or text, none of them null; that of "1.0" and of 1 is the same.

    Integers of more digits than a float has are told apart by all of them.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, np.ndarray) or pa.types.is_floating(values.type):
        return hash_numbers(np.asarray(values, dtype=np.float64))
    if pa.types.is_integer(values.type):
        return _hash_exactly(as_array(values).astype(np.int64))
    integers = as_integers(values)
    if integers is not None:
        return _hash_exactly(integers)
    numbers = pc.match_substring_regex(values, NUMBER)
    return np.concatenate(
        [
            hash_numbers(as_array(values.filter(numbers).cast(pa.float64()))),
            _hash_texts(values.filter(pc.invert(numbers))),
        ]
    )


def _hash_exactly(integers: NDArray[np.int64]) -> Hashes:
    is_short = np.abs(integers.astype(np.float64)) < 2.0**53
    return np.where(is_short, hash_numbers(integers.astype(np.float64)), hash_integers(integers))


def _hash_texts(texts: pa.Array) -> Hashes:
    if not len(texts):
        return np.empty(0, dtype=np.uint64)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data, dtype=np.uint8)
    # Eight bytes of work for each byte of text: not for all of a chunk of long texts at once.
    marks = np.arange(ends[0], ends[-1] + _BYTES_AT_ONCE, _BYTES_AT_ONCE)
    cuts = np.unique(np.searchsorted(ends, marks).clip(0, len(texts)))
    return _mixed(
        np.concatenate(
            [
                _weighed(content, ends[start : stop + 1])
                for start, stop in itertools.pairwise(cuts.tolist())
            ]
        )
    )


def _weighed(content: NDArray[np.uint8], ends: NDArray[np.int32]) -> Hashes:
    """The sum of the bytes of each text, each times a random number for its position."""
    lengths = np.diff(ends)
    positions = np.arange(ends[0], ends[-1]) - np.repeat(ends[:-1], lengths)
    # 1 more than the byte, so that a text and the same with zero bytes after it differ.
    bytes_and_one = content[ends[0] : ends[-1]].astype(np.uint64) + np.uint64(1)
    terms = bytes_and_one * _weights()[positions % _POSITIONS]
    return np.asarray(np.add.reduceat(terms, ends[:-1] - ends[0]), dtype=np.uint64)


def _weights() -> NDArray[np.uint64]:
    generator = np.random.default_rng(20_220_719)
    return generator.integers(1, 2**64 - 1, size=_POSITIONS, dtype=np.uint64) | np.uint64(1)


def _mixed(bits: Hashes) -> Hashes:
    """The finaliser of SplitMix64: bits that are close end up far apart, no two the same."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
