"""Files of results: whole or not at all, whoever writes them."""

from __future__ import annotations

import multiprocessing
import sys

import pytest

from river_oa3.datasets import DataError
from river_oa3.experiments.output import files


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.txt"
    files.write_text(path, "one, which is longer")
    files.write_text(path, "two")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("two", [path])


def test_what_cannot_take_its_place_leaves_no_part(tmp_path):
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(DataError, match=r"a\.txt"):
        files.write_text(tmp_path / "a.txt", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which every file ends after a byte."""
    write = type(files.Path()).write_bytes

    def fail(path, content):
        write(path, content[:1])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(type(files.Path()), "write_bytes", fail)


def test_a_full_disk_leaves_no_part(full_disk, tmp_path):
    with pytest.raises(DataError, match="No space left"):
        files.write_text(tmp_path / "a.txt", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file(full_disk, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(DataError, match="No space left"):
        files.write_text(path, "new")
    assert path.read_text() == "old"


def test_the_results_folder_is_made_with_those_above_it(tmp_path):
    assert files.results_folder(tmp_path / "a" / "b").is_dir()


def test_the_results_folder_is_left_empty(tmp_path):
    assert list(files.results_folder(tmp_path / "a").iterdir()) == []


def test_a_results_folder_below_a_file_is_refused(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(DataError, match="choose another --output"):
        files.results_folder(tmp_path / "a" / "b")


# Two at once


def write_and_read(path, name, times, failures):
    """Write a file again and again, and look whether it is whole each time."""
    content = f"{name * 20_000}\n"
    for _ in range(times):
        try:
            files.write_text(path, content)
            text = path.read_text()
            if len(text) != len(content) or len(set(text.strip())) != 1:
                failures.put("torn")
        except Exception as error:
            failures.put(repr(error))


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open is not replaced there")
def test_two_processes_may_write_one_file(tmp_path):
    context = multiprocessing.get_context("fork")
    failures = context.Queue()
    path = tmp_path / "tuned.json"
    writers = [
        context.Process(target=write_and_read, args=(path, name, 300, failures)) for name in "ab"
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures.empty()
    assert list(tmp_path.iterdir()) == [path]
