"""Files, names, frames and iterables through one function."""

from __future__ import annotations

import io
import zipfile

import pytest
from data_helpers import events, refused, toy, written
from river import datasets as river_datasets
from river.datasets import synth

from river_oa3.datasets import open_stream


def test_a_stream_is_returned_as_it_is():
    made = toy()
    assert open_stream(made) is made


def test_a_stream_can_be_given_a_name():
    assert open_stream([({}, 1), ({}, 0)], name="mine").name == "mine"


@pytest.mark.parametrize("name", ["river:Phishing", "Phishing", "phishing", "RIVER:phishing"])
def test_a_set_of_river_is_found_by_name(name):
    found = open_stream(name)
    assert (found.name, len(found), found.positives) == ("Phishing", 1250, 548)


def test_a_set_of_river_is_read_as_it_iterates():
    data = river_datasets.Phishing()
    expected = [({k: float(v) for k, v in x.items() if v}, y) for x, y in data]
    assert events(data) == expected


def test_a_set_of_many_classes_needs_a_positive_one():
    with refused("7 classes", "sky (330)", "--positive"):
        open_stream("ImageSegments")
    assert open_stream("ImageSegments", positive="sky").positives == 330


def test_a_set_of_river_that_is_not_downloaded_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path))
    with refused("Elec2", "--download"):
        open_stream("Elec2")


@pytest.fixture
def remote_toy(tmp_path, monkeypatch):
    """A remote set of river whose files are here."""
    home = tmp_path / "home"
    monkeypatch.setenv("RIVER_DATA", str(home))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("toy.csv", "a,y\n1,1\n2,0\n")
    url = written(tmp_path, "toy.zip", content.getvalue()).as_uri()

    class Toy(river_datasets.base.RemoteDataset):
        def __init__(self):
            super().__init__(
                url=url, size=12, filename="toy.csv", task="Binary classification", n_features=1
            )

        def _iter(self):
            for line in self.path.read_text().splitlines()[1:]:
                a, y = line.split(",")
                yield {"a": float(a)}, y == "1"

    return Toy


def test_a_set_of_river_is_downloaded_silently_where_asked(remote_toy, capfd):
    assert events(remote_toy(), download=True) == [({"a": 1.0}, True), ({"a": 2.0}, False)]
    assert capfd.readouterr() == ("", "")


def test_a_set_of_river_that_cannot_be_downloaded_is_refused(remote_toy, tmp_path):
    (tmp_path / "toy.zip").unlink()
    with refused("cannot download Toy", "toy.zip", "try again"):
        open_stream(remote_toy(), download=True)


def test_an_unknown_set_of_river_is_refused_with_those_there_are():
    with refused("'Nope'", "Phishing", "Shuttle"):
        open_stream("river:Nope")


def test_a_stream_that_never_ends_is_refused():
    with refused("never ends", "take(10_000)"):
        open_stream(synth.Agrawal())


def test_a_part_of_a_stream_that_never_ends_is_read():
    assert len(open_stream(synth.Agrawal(seed=1).take(50))) == 50


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere", "x" * 400, "a\0b"])
def test_a_missing_file_is_refused_with_the_known_names(name):
    with refused("no such file", "w8a", "river:Phishing"):
        open_stream(name)


def test_a_folder_is_refused(tmp_path):
    with refused("is a folder", "name a file"):
        open_stream(tmp_path)


@pytest.mark.parametrize("name", ["toy", "toy.csv", "toy.npz", "toy.parquet", "toy.gz"])
def test_an_empty_file_is_refused(tmp_path, name):
    with refused("is empty", "get the file again"):
        open_stream(written(tmp_path, name, b""))


@pytest.mark.parametrize("name", ["toy", "toy.csv", "toy.npz"])
def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch, name):
    path = written(tmp_path, name, "1 1:2\n")
    plain = open

    # Taking the right away would not stop a user who may read everything.
    def guarded(file, *args, **kwargs):
        if file in (path, str(path)):
            raise PermissionError(13, "Permission denied")
        return plain(file, *args, **kwargs)

    monkeypatch.setattr("builtins.open", guarded)
    with refused("cannot read", str(path), "again"):
        open_stream(path)


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path):
    with refused("toy.json", ".npz", ".csv", "LIBSVM"):
        open_stream(written(tmp_path, "toy.json", "{}"))


def test_a_label_column_for_what_is_not_a_table_is_refused(tmp_path):
    path = written(tmp_path, "toy", "1 1:2\n0 1:1\n")
    for data in (path, "Phishing", "w8a", [({}, 1)]):
        with refused("not a table", "leave --label out"):
            open_stream(data, label="y")


def test_a_file_wins_over_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "w8a", "1 1:2\n0 1:1\n")
    assert len(open_stream("w8a")) == 2


def test_the_papers_names_win_over_rivers(tmp_path, monkeypatch):
    monkeypatch.setattr(river_datasets, "w8a", river_datasets.Phishing, raising=False)
    with refused("w8a is not in"):
        open_stream("w8a", data_dir=tmp_path)


def test_a_path_may_begin_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path, "toy.txt", "1 1:2\n0 1:1\n")
    assert len(open_stream("~/toy.txt")) == 2
