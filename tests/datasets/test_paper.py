"""The paper's sets, and what stands in for them, in a folder."""

from __future__ import annotations

import bz2
import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from data_helpers import TEST, TRAINING, csr_parts, refused, saved, written

from river_oa3.datasets import open_stream, paper
from river_oa3.datasets.local_files import STAND_INS


def test_the_paper_has_six_sets():
    assert list(paper.SETS) == ["w8a", "protein", "Sensorless", "KDDCUP08", "IAD", "CIFAR-10"]


@pytest.mark.parametrize("name", ["CIFAR-10", "cifar-10", "cifar10", "CIFAR10"])
def test_a_set_is_found_in_any_case(name):
    assert paper.find(name) is paper.SETS["CIFAR-10"]


def test_an_unknown_set_is_refused_with_the_known_ones(tmp_path):
    with refused("'w9a'", "w8a", "CIFAR-10"):
        paper.load("w9a", tmp_path)


def test_two_libsvm_files_are_joined_in_order_without_the_column_of_index_zero(tmp_path, small):
    small("w8a", rows=3, positives=1)
    written(tmp_path, "w8a.t", TEST)
    written(tmp_path, "w8a.bz2", bz2.compress(TRAINING.encode()))
    found = paper.load("W8A", tmp_path)
    assert found.X.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
    assert found.y.tolist() == [True, False, False]
    assert found.title == "w8a"


def test_one_of_two_files_is_not_enough(tmp_path):
    written(tmp_path, "w8a", TRAINING)
    with refused("w8a + w8a.t", "--download"):
        paper.load("w8a", tmp_path)


@pytest.mark.parametrize("numbers", [{"rows": 4}, {"rows": 2}, {"features": 2}, {"positives": 2}])
def test_a_file_without_the_papers_numbers_is_refused(tmp_path, small, numbers):
    small("w8a", **{"rows": 3, "features": 3, "positives": 1} | numbers)
    written(tmp_path, "w8a", TRAINING)
    written(tmp_path, "w8a.t", TEST)
    with refused("3 rows, 3 features and 1 positives", "cut short or another set", "get it again"):
        paper.load("w8a", tmp_path)


def test_a_part_is_read_with_the_papers_positive_class_and_a_note(tmp_path):
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    found = paper.load("protein", tmp_path)
    assert found.y.tolist() == [False, True, False]
    assert found.title == "protein (a 16 % part of protein)"


def test_a_part_without_the_papers_positive_class_is_refused(tmp_path):
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 3, 1])))
    with refused("no event is of class '0'"):
        paper.load("protein", tmp_path)


def test_a_stand_in_is_called_one(tmp_path):
    saved(tmp_path, "kdd04_bio.npz", **csr_parts())
    found = paper.load("KDDCUP08", tmp_path)
    assert found.title == "KDDCUP08 (KDD Cup 2004 protein homology in place of KDDCUP08)"


def test_the_real_thing_is_preferred_to_a_part(tmp_path, small):
    small("protein", rows=2, positives=1)
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    written(tmp_path, "protein", "0 1:1\n2 2:1\n")
    assert paper.load("protein", tmp_path).title == "protein"


def test_another_positive_class_is_noted(tmp_path):
    saved(tmp_path, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    found = open_stream("protein", data_dir=tmp_path, positive="2")
    assert found.y.tolist() == [True, False, False]
    assert found.note == "a 16 % part of protein; class 2 as positive"


@pytest.mark.parametrize("name", list(paper.SETS))
def test_the_public_files_of_a_set_are_not_archives_of_this_project(name):
    sources = paper.SETS[name].sources
    assert sources
    assert not [file for source in sources for file in source.files if file.endswith(".npz")]


@pytest.mark.parametrize("name", list(paper.SETS))
def test_a_download_is_one_of_the_public_files(name):
    known = paper.SETS[name]
    files = [file for source in known.sources for file in source.files]
    for url in known.urls:
        assert url.rpartition("/")[2].removesuffix(".bz2") in files


@pytest.mark.parametrize("name", list(STAND_INS))
def test_every_stand_in_says_what_it_is_in_its_title(tmp_path, name):
    stand_in = STAND_INS[name]
    raw = np.array([int(stand_in.positive), 5, 5])
    saved(tmp_path, stand_in.files[0], **csr_parts(y_raw=raw))
    found = open_stream(name, data_dir=tmp_path, name="renamed")
    assert found.title == f"renamed ({stand_in.note})"
    assert name in stand_in.note


def test_an_archive_of_the_whole_set_is_preferred_to_the_public_files(tmp_path, small):
    small("w8a", rows=3, positives=1)
    saved(tmp_path, "w8a.npz", **csr_parts(permutations=np.array([[2, 1, 0]])))
    written(tmp_path, "w8a", TRAINING)
    written(tmp_path, "w8a.t", TEST)
    assert paper.load("w8a", tmp_path).permutations.tolist() == [[2, 1, 0]]


def test_an_archive_of_the_whole_set_must_have_the_papers_numbers(tmp_path):
    saved(tmp_path, "w8a.npz", **csr_parts())
    with refused("w8a.npz has 3 rows", "cut short or another set"):
        paper.load("w8a", tmp_path)


def test_an_index_beyond_the_papers_features_is_refused(tmp_path, small):
    small("w8a", rows=3, positives=1)
    written(tmp_path, "w8a", TRAINING)
    written(tmp_path, "w8a.t", "-1 60000000:1\n")
    with refused("60,000,000 features", "cut short or another set"):
        paper.load("w8a", tmp_path)


def test_files_are_found_in_any_case(tmp_path, small):
    small("KDDCUP08", rows=3, positives=1)
    saved(tmp_path, "kddcup08.npz", **csr_parts())
    assert paper.load("KDDCUP08", tmp_path).note == ""


def test_an_absent_set_is_refused_with_files_folder_and_address(tmp_path):
    with refused("protein.bz2", str(tmp_path), "protein_val.npz", "--download", "RIVER_OA3_DATA"):
        paper.load("protein", tmp_path)


def test_an_absent_set_that_cannot_be_fetched_says_where_to_register(tmp_path):
    with refused("KDDCUP08.npz", "register at https://", "RIVER_OA3_DATA"):
        paper.load("KDDCUP08", tmp_path, download=True)


def test_the_folder_of_the_environment_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_OA3_DATA", str(tmp_path))
    saved(tmp_path, "kdd04_bio.npz", **csr_parts())
    assert len(open_stream("kddcup08")) == 3


def test_the_argument_wins_over_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_OA3_DATA", str(tmp_path))
    assert paper.data_folder("elsewhere") == Path("elsewhere")


def test_the_folder_is_at_home_by_default_and_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RIVER_OA3_DATA", raising=False)
    with refused(str(tmp_path / "river_oa3_data")):
        paper.load("w8a")
    assert list(tmp_path.iterdir()) == []


def ad_line(first, label, count=1558):
    return ",".join([first, *["0"] * (count - 2), " 1", label])


AD_DATA = "\n".join(
    [ad_line(" 125", "ad."), ad_line("   ?", "ad."), ad_line("0", "nonad."), ad_line("7", "nonad.")]
)


def zipped(name, text):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("ad.names", "not this one")
        archive.writestr(name, text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("file", "content"),
    [("ad.data", AD_DATA), ("internet+advertisements.zip", zipped("ad.data", AD_DATA))],
    ids=["plain", "zipped"],
)
def test_advertisements_lose_the_rows_that_have_gaps(tmp_path, small, file, content):
    small("IAD", rows=3, positives=1)
    written(tmp_path, file, content)
    found = paper.load("IAD", tmp_path)
    assert found.X.shape == (3, 1558)
    assert found.X[[0], :].toarray()[0, [0, 1, 1557]].tolist() == [125, 0, 1]
    assert (found.y.tolist(), found.note) == ([True, False, False], "")


def test_another_number_of_complete_rows_is_noted(tmp_path):
    written(tmp_path, "ad.data", AD_DATA)
    assert paper.load("IAD", tmp_path).note == "3 complete rows where the paper counts 2,410"


@pytest.mark.parametrize(
    "line", [ad_line("1", "ad.", count=900), ad_line("x", "ad.")], ids=["short", "text"]
)
def test_a_malformed_advertisement_is_refused_with_its_line(tmp_path, line):
    written(tmp_path, "ad.data", f"{AD_DATA}\n{line}\n")
    with refused("ad.data, line 5: expected 1558 numbers", "get the file again"):
        paper.load("IAD", tmp_path)


def test_a_zip_without_the_data_is_refused(tmp_path):
    written(tmp_path, "internet+advertisements.zip", zipped("other", "1"))
    with refused("internet+advertisements.zip", "get the file again"):
        paper.load("IAD", tmp_path)


CIFAR_BATCH = b"".join(bytes([label]) + bytes([label, 0, 7] * 1024) for label in (6, 0, 9))


def tarred(name):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for member, data in (("cifar/batches.meta.txt", b"cat"), (name, CIFAR_BATCH)):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return content.getvalue()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("data_batch_1.bin", CIFAR_BATCH),
        ("cifar-10-binary.tar.gz", tarred("cifar/data_batch_1.bin")),
    ],
    ids=["plain", "tarred"],
)
def test_images_are_read_from_the_batch_or_the_archive_with_it(tmp_path, small, file, content):
    small("CIFAR-10", rows=3, positives=1)
    written(tmp_path, file, content)
    found = paper.load("CIFAR-10", tmp_path)
    assert found.X.shape == (3, 3072)
    assert found.X[[2], :].toarray()[0, :3].tolist() == [9, 0, 7]
    assert found.y.tolist() == [False, True, False]
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_a_batch_of_images_that_is_cut_short_is_refused(tmp_path):
    written(tmp_path, "data_batch_1.bin", CIFAR_BATCH[:-1])
    with refused("data_batch_1.bin is cut short", "get the file again"):
        paper.load("CIFAR-10", tmp_path)


@pytest.mark.parametrize(
    "content",
    [tarred("cifar/other.bin"), tarred("data_batch_1.bin")[:60]],
    ids=["another file", "cut short"],
)
def test_an_archive_without_the_batch_is_refused(tmp_path, content):
    written(tmp_path, "cifar-10-binary.tar.gz", content)
    with refused("cifar-10-binary.tar.gz", "get the file again"):
        paper.load("CIFAR-10", tmp_path)
