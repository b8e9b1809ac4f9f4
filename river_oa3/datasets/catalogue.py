"""The paper's data sets: what they are, where the public gets them, in which files."""

from __future__ import annotations

import dataclasses

from river_oa3.datasets.paper_files import Source, from_ad_data, from_cifar, from_libsvm

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_CIFAR = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"

CIFAR_NOTE = "training batch 1 of CIFAR-10, class 0"
"""The paper's set is a part of CIFAR-10, whichever file it is read from."""


@dataclasses.dataclass(frozen=True)
class PaperSet:
    """One of the paper's data sets.

    Parameters
    ----------
    name
        What the paper calls it.
    rows, features, positives
        Its size in the paper.
    positive
        The class that is taken as positive.
    page
        Where to read about it.
    urls
        What to download; nothing where one has to register first.
    sources
        The public files that are looked for, in this order.

    """

    name: str
    rows: int
    features: int
    positives: int
    positive: str
    page: str
    urls: tuple[str, ...]
    sources: tuple[Source, ...]


# No checksum of the other files is known: they are held to the paper's numbers of rows, features
# and positives when they are read.
CHECKSUMS: dict[str, str] = {
    _CIFAR: "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
}
"""The checksums of the downloads for which one is known, by address."""

SETS: dict[str, PaperSet] = {
    known.name: known
    for known in (
        PaperSet(
            name="w8a",
            rows=64_700,
            features=300,
            positives=1_933,
            positive="1",
            page=f"{_LIBSVM}/binary.html#w8a",
            urls=(f"{_LIBSVM}/binary/w8a", f"{_LIBSVM}/binary/w8a.t"),
            sources=(Source(("w8a", "w8a.t"), from_libsvm, "1"),),
        ),
        PaperSet(
            name="protein",
            rows=17_766,
            features=357,
            # The paper prints 1:1.7; its own costs, sensitivities and specificities say 1:1.17.
            positives=8_198,
            positive="0",
            page=f"{_LIBSVM}/multiclass.html#protein",
            urls=(f"{_LIBSVM}/multiclass/protein.bz2",),
            sources=(Source(("protein",), from_libsvm, "0"),),
        ),
        PaperSet(
            name="Sensorless",
            rows=58_509,
            features=48,
            positives=5_319,
            positive="1",
            page=f"{_LIBSVM}/multiclass.html#Sensorless",
            urls=(f"{_LIBSVM}/multiclass/Sensorless",),
            sources=(Source(("Sensorless",), from_libsvm, "1"),),
        ),
        PaperSet(
            name="KDDCUP08",
            rows=102_294,
            features=117,
            positives=623,
            positive="1",
            page="https://www.kdd.org/kdd-cup/view/kdd-cup-2008",
            urls=(),
            sources=(Source(("KDDCUP08",), from_libsvm, "1"),),
        ),
        PaperSet(
            name="IAD",
            rows=2_410,
            features=1_558,
            positives=408,
            positive="ad.",
            page="https://archive.ics.uci.edu/dataset/51/internet+advertisements",
            urls=("https://archive.ics.uci.edu/static/public/51/internet+advertisements.zip",),
            sources=(
                Source(("ad.data",), from_ad_data, "ad.", drops_rows=True),
                Source(("internet+advertisements.zip",), from_ad_data, "ad.", drops_rows=True),
            ),
        ),
        PaperSet(
            name="CIFAR-10",
            rows=10_000,
            features=3_072,
            positives=1_005,
            positive="0",
            page="https://www.cs.toronto.edu/~kriz/cifar.html",
            urls=(_CIFAR,),
            sources=(
                Source(("data_batch_1.bin",), from_cifar, "0", CIFAR_NOTE),
                Source(("cifar-10-binary.tar.gz",), from_cifar, "0", CIFAR_NOTE),
            ),
        ),
    )
}
"""The paper's sets by the names that it gives them."""
