"""The paper's data sets as far as they are there, under its budgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from river_oa3 import datasets
from river_oa3.datasets import DataError, Stream
from river_oa3.experiments.output.progress import downloading

from .published import BUDGETS

__all__ = ["HIGH_DIMENSIONAL", "STANDARD", "PaperStreams"]

STANDARD = ("protein", "Sensorless", "w8a", "KDDCUP08")
HIGH_DIMENSIONAL = ("CIFAR-10", "IAD")


class PaperStreams:
    """The paper's data sets with rows of unit length, loaded when they are first asked for.

    Parameters
    ----------
    wanted
        The data sets to use, which then have to be there; None for all that are there.
    data_dir
        Where they are.
    download
        Whether to fetch what is not there.

    """

    def __init__(
        self,
        wanted: Sequence[str] | None = None,
        data_dir: str | None = None,
        download: bool = False,
    ):
        self._wanted = wanted
        self._data_dir = data_dir
        self._download = download
        self._streams: dict[str, Stream] = {}
        # Why data sets that were looked for are not there.
        self.absent: dict[str, str] = {}

    def available(self, names: Iterable[str]) -> list[str]:
        """Those of the data sets that are there and wanted."""
        wanted = [name for name in names if self._wanted is None or name in self._wanted]
        return [name for name in wanted if self._load(name)]

    def __getitem__(self, name: str) -> Stream:
        self._load(name)
        return self._streams[name]

    def _load(self, name: str) -> bool:
        if name not in self._streams and name not in self.absent:
            try:
                with downloading(name) as progress:
                    stream = datasets.paper.load(name, self._data_dir, self._download, progress)
            except DataError as error:
                if self._wanted is not None:
                    raise
                self.absent[name] = str(error)
            else:
                self._streams[name] = stream.unit_rows()
        return name in self._streams

    def budget(self, name: str, experiment: str, events: int | None = None) -> int:
        """The paper's budget; of a part or a stand-in, the same share of its events."""
        events = len(self[name]) if events is None else events
        share = BUDGETS[experiment][name] / datasets.paper.SETS[name].rows
        return min(events, max(1, round(share * events)))

    def has_empty_events(self, name: str) -> bool:
        """Whether some event has no features."""
        return bool((np.diff(self[name].X.indptr) == 0).any())
