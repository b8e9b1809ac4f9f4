"""How far other processes are, for the one that started them to see at any time."""

from __future__ import annotations

import multiprocessing
import typing

__all__ = ["Mark", "ProgressBoard"]


class Mark:
    """The place of one process on a board."""

    def __init__(self, numbers: typing.Any, place: int):
        self._numbers = numbers
        self._place = place

    def add(self, amount: float, events: int = 0) -> None:
        """So much more is done, of so many events."""
        self._numbers[self._place] += amount
        self._numbers[self._place + 1] += events


class ProgressBoard:
    """Two numbers for each process, in memory that all of them share.

    Each process writes its own numbers alone and nobody waits to read them: a process that is ended
    in the middle of a step leaves no lock behind.

    Parameters
    ----------
    processes
        How many there will be.

    Examples
    --------

    >>> from river_oa3.experiments.progress_board import ProgressBoard

    >>> board = ProgressBoard(2)
    >>> board.claim().add(1.5, events=100)
    >>> board.claim().add(0.5, events=20)
    >>> board.total()
    (2.0, 120.0)

    """

    def __init__(self, processes: int):
        context = multiprocessing.get_context("spawn")
        self._numbers = context.RawArray("d", 2 * processes)
        self._claimed = context.Value("i", 0)

    def claim(self) -> Mark:
        """A place that no other process has."""
        with self._claimed.get_lock():
            place = self._claimed.value
            self._claimed.value += 1
        return Mark(self._numbers, 2 * place)

    def total(self) -> tuple[float, float]:
        """What all processes have done together, and of how many events."""
        numbers = list(self._numbers)
        return sum(numbers[::2]), sum(numbers[1::2])
