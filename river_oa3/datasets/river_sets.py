"""River's own data sets by name."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable

from river_oa3.datasets.download import download_river_set
from river_oa3.datasets.encode import Table
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.pairs import read_pairs

if typing.TYPE_CHECKING:
    from river.datasets import base


def find(name: str) -> base.Dataset | None:
    """River's data set of this name, in any case, if there is one."""
    known = _known()
    return known[name.casefold()]() if name.casefold() in known else None


def is_dataset(data: typing.Any) -> bool:
    from river.datasets import base

    return isinstance(data, base.Dataset)


def names() -> list[str]:
    """The sets with classes that come with river itself."""
    from river.datasets import base

    made = [make() for make in _known().values()]
    return [
        type(dataset).__name__
        for dataset in made
        if dataset.task in (base.BINARY_CLF, base.MULTI_CLF)
        and not isinstance(dataset, base.RemoteDataset)
    ]


def _known() -> dict[str, Callable[[], base.Dataset]]:
    # Not with the package: they load scikit-learn, pandas and SQLAlchemy where these are installed.
    from river import datasets
    from river.datasets import base

    members = inspect.getmembers(datasets, inspect.isclass)
    return {name.casefold(): kind for name, kind in members if issubclass(kind, base.Dataset)}


def read_dataset(dataset: base.Dataset, download: bool = False) -> Table:
    """Every event of one of river's data sets."""
    from river.datasets import base

    name = type(dataset).__name__
    if isinstance(dataset, base.SyntheticDataset) and dataset.n_samples is None:
        raise DataError(f"{name} never ends: take a part of it, as in {name}().take(10_000)")
    if isinstance(dataset, base.RemoteDataset) and not dataset.is_downloaded:
        if not download:
            raise DataError(
                f"{name} is not there yet: --download (download=True in Python) fetches it from "
                f"{dataset.url}"
            )
        download_river_set(dataset)
    return read_pairs(dataset)
