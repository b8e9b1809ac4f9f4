"""A file is there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading

import pytest
from model_files import trained

import river_oa3
from river_oa3 import OA3DiagClassifier


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.oa3"


def fail(error):
    def failing(*args, **kwargs):
        raise error

    return failing


FAULTS = [
    ("fsync", OSError(errno.ENOSPC, "No space left on device"), OSError),
    ("replace", PermissionError(errno.EACCES, "Permission denied"), PermissionError),
    ("fsync", KeyboardInterrupt(), KeyboardInterrupt),
    ("replace", KeyboardInterrupt(), KeyboardInterrupt),
]


@pytest.mark.parametrize(("call", "error", "kind"), FAULTS)
def test_save_that_fails_leaves_the_old_file_and_nothing_else(path, monkeypatch, call, error, kind):
    river_oa3.save(OA3DiagClassifier(eta=0.5), path)
    monkeypatch.setattr(os, call, fail(error))
    with pytest.raises(kind):
        river_oa3.save(trained("OA3Diag"), path)
    assert os.listdir(path.parent) == [path.name]
    assert river_oa3.load(path).eta == 0.5


def test_full_disk_is_an_error_that_names_the_file(path, monkeypatch):
    monkeypatch.setattr(os, "fsync", fail(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(OSError, match=r"No space left on device: .*model\.oa3"):
        river_oa3.save(OA3DiagClassifier(), path)
    assert os.listdir(path.parent) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_disk_that_is_really_full_leaves_nothing(tmp_path, monkeypatch):
    real = open
    monkeypatch.setattr("builtins.open", lambda file, mode="r", **kw: real("/dev/full", "wb"))
    with pytest.raises(OSError, match="No space left"):
        river_oa3.save(OA3DiagClassifier(), tmp_path / "model.oa3")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_content_is_on_the_disk_before_it_has_the_name(path, monkeypatch):
    calls = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda *args, real=real, name=name: (calls.append(name), real(*args))[1]
        )
    river_oa3.save(OA3DiagClassifier(), path)
    assert calls[:2] == ["fsync", "replace"]


def test_model_that_is_refused_leaves_the_old_file(path):
    river_oa3.save(OA3DiagClassifier(eta=0.5), path)
    with pytest.raises(river_oa3.files.FileError):
        river_oa3.save(lambda x: x, path)
    assert river_oa3.load(path).eta == 0.5


def test_folder_that_is_missing_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.*model\.oa3"):
        river_oa3.save(OA3DiagClassifier(), tmp_path / "nowhere" / "model.oa3")


def test_path_may_be_text(path):
    river_oa3.save(OA3DiagClassifier(eta=0.5), str(path))
    assert river_oa3.load(str(path)).eta == 0.5


def test_link_stays_a_link(path):
    target = path.with_name("target.oa3")
    river_oa3.save(OA3DiagClassifier(eta=0.5), target)
    path.symlink_to(target.name)
    river_oa3.save(OA3DiagClassifier(eta=0.25), path)
    assert path.is_symlink()
    assert river_oa3.load(target).eta == 0.25


def test_file_can_be_read_by_whom_other_files_can(path):
    path.with_name("other").write_bytes(b"")
    river_oa3.save(OA3DiagClassifier(), path)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, path.with_name("other"))]
    assert modes[0] == modes[1]


def test_many_writers_at_once_leave_one_whole_file(path):
    def save(eta):
        for _ in range(20):
            river_oa3.save(OA3DiagClassifier(eta=eta), path)

    threads = [threading.Thread(target=save, args=(eta,)) for eta in (0.25, 0.5, 0.75)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            assert river_oa3.load(path).eta in (0.25, 0.5, 0.75)
    assert os.listdir(path.parent) == [path.name]


def test_any_tool_that_reads_zip_archives_reads_the_arrays(path):
    import io
    import zipfile

    import numpy as np

    model = trained("OA3Diag")
    river_oa3.save(model, path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        mu = np.load(io.BytesIO(archive.read("mu.npy")), allow_pickle=False)
    assert mu.tolist() == list(model.weights.values())
