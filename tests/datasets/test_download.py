"""Downloads from a real server on this machine: whole or not there."""

from __future__ import annotations

import bz2
import functools
import hashlib
import http.server
import re
import sys
import threading

import numpy as np
import pooch
import pytest
from data_helpers import TEST, TRAINING, csr_parts, refused, saved, written

from river_oa3.datasets import open_stream, paper
from river_oa3.datasets.catalogue import CHECKSUMS


class Site(http.server.SimpleHTTPRequestHandler):
    """A site that loses the connection half way through the files named in `breaking`."""

    breaking: tuple[str, ...] = ()
    says_length = True

    def copyfile(self, source, outputfile):
        content = source.read()
        is_breaking = self.path.strip("/") in self.breaking
        outputfile.write(content[: len(content) // 2] if is_breaking else content)

    def send_header(self, keyword, value):
        if keyword != "Content-Length" or self.says_length:
            super().send_header(keyword, value)

    def log_message(self, *args):
        pass


@pytest.fixture
def site(tmp_path, monkeypatch, small):
    """The w8a of the tests, and a protein of two rows, on a server of this machine."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "site"
    folder.mkdir()
    written(folder, "w8a", TRAINING)
    written(folder, "w8a.t", TEST)
    written(folder, "protein.bz2", bz2.compress(b"0 1:1\n2 2:1\n"))
    handler = functools.partial(Site, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        small("w8a", rows=3, positives=1, urls=(f"{address}/w8a", f"{address}/w8a.t"))
        small("protein", rows=2, positives=1, urls=(f"{address}/protein.bz2",))
        yield folder
        server.shutdown()


def test_a_download_fetches_what_is_absent_and_loads_it(site, tmp_path):
    found = open_stream("w8a", data_dir=tmp_path / "new" / "data", download=True)
    assert (len(found), found.note) == (3, "")
    assert sorted(path.name for path in (tmp_path / "new" / "data").iterdir()) == ["w8a", "w8a.t"]


def test_a_download_reports_its_progress(site, tmp_path):
    seen = []
    paper.load("w8a", tmp_path, download=True, progress=lambda *numbers: seen.append(numbers))
    assert seen == [(len(TRAINING), len(TRAINING)), (len(TEST), len(TEST))]


def test_what_is_there_is_not_downloaded_again(site, tmp_path):
    paper.load("w8a", tmp_path, download=True)
    for path in site.iterdir():
        path.unlink()
    assert len(paper.load("w8a", tmp_path, download=True)) == 3


def test_a_part_does_not_keep_the_real_thing_from_being_downloaded(site, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    saved(folder, "protein_val.npz", **csr_parts(y_raw=np.array([2, 0, 1])))
    assert paper.load("protein", folder, download=True).title == "protein"


def test_a_large_file_reports_its_progress_chunk_by_chunk(site, tmp_path):
    content = TRAINING + "#" * 1_000_000
    written(site, "w8a", content)
    seen = []
    paper.load("w8a", tmp_path, download=True, progress=lambda *numbers: seen.append(numbers))
    done, totals = zip(*seen[:-1], strict=True)
    assert (done, set(totals)) == ((1 << 18, 1 << 19, 3 << 18, len(content)), {len(content)})


def test_progress_without_a_known_length_has_no_total(site, tmp_path, monkeypatch):
    monkeypatch.setattr(Site, "says_length", False)
    seen = []
    paper.load("w8a", tmp_path, download=True, progress=lambda *numbers: seen.append(numbers))
    assert seen
    assert {total for _, total in seen} == {None}


def test_a_download_says_nothing_by_itself(site, tmp_path, capfd):
    level = pooch.get_logger().level
    paper.load("w8a", tmp_path, download=True)
    assert capfd.readouterr() == ("", "")
    assert pooch.get_logger().level == level


def test_a_download_with_the_right_checksum_is_kept(site, tmp_path, monkeypatch):
    digest = hashlib.sha256(TRAINING.encode()).hexdigest()
    monkeypatch.setitem(CHECKSUMS, paper.SETS["w8a"].urls[0], f"sha256:{digest}")
    assert len(paper.load("w8a", tmp_path, download=True)) == 3


def test_a_download_with_a_wrong_checksum_leaves_nothing_behind(site, tmp_path, monkeypatch):
    monkeypatch.setitem(CHECKSUMS, paper.SETS["w8a"].urls[0], f"sha256:{'0' * 64}")
    with refused("cannot download http://127.0.0.1", "does not match the known hash", "by hand"):
        paper.load("w8a", tmp_path / "data", download=True)
    assert not (tmp_path / "data").exists()


def test_every_checksum_is_that_of_a_download_of_the_catalogue():
    urls = [url for known in paper.SETS.values() for url in known.urls]
    for url, checksum in CHECKSUMS.items():
        assert url in urls
        assert re.fullmatch("sha256:[0-9a-f]{64}", checksum)


def test_a_compressed_download_is_kept_as_it_is(site, tmp_path):
    paper.load("protein", tmp_path / "data", download=True)
    sent, kept = site / "protein.bz2", tmp_path / "data" / "protein.bz2"
    assert kept.read_bytes() == sent.read_bytes()


def test_without_pooch_a_download_is_refused_with_what_to_install(site, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with refused("pip install 'river-oa3[download]'", paper.SETS["w8a"].urls[0], "by hand"):
        paper.load("w8a", tmp_path / "data", download=True)
    assert not (tmp_path / "data").exists()


def test_without_pooch_what_is_there_is_read(site, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert len(paper.load("w8a", site, download=True)) == 3


def test_nothing_is_downloaded_unasked(site, tmp_path):
    with refused("--download"):
        paper.load("w8a", tmp_path / "data")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("is_new", [True, False], ids=["a new folder", "a folder that is there"])
def test_a_connection_lost_half_way_leaves_nothing_behind(site, tmp_path, monkeypatch, is_new):
    monkeypatch.setattr(Site, "breaking", ("w8a",))
    written(site, "w8a", TRAINING + "#" * 1_000_000)
    folder = tmp_path / "data"
    if not is_new:
        folder.mkdir()
    seen = []
    with refused("cannot download http://127.0.0.1", "IncompleteRead", "try again"):
        paper.load("w8a", folder, True, lambda *numbers: seen.append(numbers))
    assert seen
    assert folder.exists() != is_new
    assert is_new or list(folder.iterdir()) == []


def test_a_file_that_came_whole_is_kept_when_the_next_one_fails(site, tmp_path, monkeypatch):
    monkeypatch.setattr(Site, "breaking", ("w8a.t",))
    with refused("/w8a.t"):
        paper.load("w8a", tmp_path / "data", download=True)
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["w8a"]


def test_only_the_file_that_is_absent_is_fetched(site, tmp_path):
    (site / "w8a").rename(tmp_path / "w8a")
    assert len(paper.load("w8a", tmp_path, download=True)) == 3


def test_a_file_that_is_not_on_the_site_is_refused_with_its_address(site, tmp_path):
    (site / "w8a").unlink()
    with refused("http://127.0.0.1", "/w8a", "404", "by hand"):
        paper.load("w8a", tmp_path / "data", download=True)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/w8a", "file:///nowhere/w8a", "no address"])
def test_an_address_that_does_not_answer_is_refused(tmp_path, small, url):
    small("w8a", urls=(url,))
    with refused(f"cannot download {url}", "by hand"):
        paper.load("w8a", tmp_path / "data", download=True)


def test_a_download_that_is_interrupted_leaves_nothing_behind(site, tmp_path):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        paper.load("w8a", tmp_path / "data", download=True, progress=interrupt)
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_made_is_refused(site, tmp_path):
    written(tmp_path, "data", "a file in the way")
    with refused("cannot download", str(tmp_path / "data")):
        paper.load("w8a", tmp_path / "data", download=True)
