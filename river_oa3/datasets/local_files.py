"""Files without a public source, recognised where they lie in the folder of the data."""

from __future__ import annotations

from river_oa3.datasets.catalogue import CIFAR_NOTE
from river_oa3.datasets.paper_files import Source, from_npz

COPIES: dict[str, Source] = {
    "w8a": Source(("w8a.npz",), from_npz, "1"),
    "KDDCUP08": Source(("KDDCUP08.npz",), from_npz, "1"),
    "CIFAR-10": Source(("cifar10_batch1.npz",), from_npz, "0", CIFAR_NOTE),
}
"""The paper's whole sets as archives of arrays, held to its numbers and read before other files.

They are read faster, and only they can hold the authors' permutations.
"""

STAND_INS: dict[str, Source] = {
    "protein": Source(("protein_val.npz",), from_npz, "0", "a 16 % part of protein"),
    "Sensorless": Source(
        ("sensorless_sub2200.npz",), from_npz, "1", "a 3.8 % sample of Sensorless"
    ),
    "KDDCUP08": Source(
        ("kdd04_bio.npz",), from_npz, "1", "KDD Cup 2004 protein homology in place of KDDCUP08"
    ),
    "IAD": Source(
        ("iad.npz",), from_npz, "1", "all 3,279 rows of IAD, without its three continuous columns"
    ),
}
"""Parts of the paper's sets and other sets in their place, read where the whole one is not there.

The note becomes part of every title: a result on one of these is never called a reproduction.
"""
