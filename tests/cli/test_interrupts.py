"""Ctrl-C: what is finished is kept, and no process is left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import Ended, events, write_libsvm, write_npz

from river_oa3.experiments.store import RunStore


class Terminal:
    """A command in a process group of its own, whose progress bar is watched."""

    def __init__(self, *arguments, module="river_oa3", folder=None):
        import pty

        self._parent, child = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=child,
            start_new_session=True,
            # As in a terminal, whatever the tests were started by has chosen to ignore.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            text=True,
            cwd=folder,
        )
        os.close(child)
        os.set_blocking(self._parent, False)
        self.err = ""

    def read(self):
        try:
            while part := os.read(self._parent, 4096):
                self.err += part.decode()
        except OSError:  # nothing more, for now or for ever
            pass

    def wait_for(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.err):
            assert time.monotonic() < end, self.err
            assert self.process.poll() is None, self.err
            time.sleep(0.01)
            self.read()

    def interrupt(self, folder):
        """Press Ctrl-C, which reaches the workers too, and wait for the end."""
        os.killpg(self.process.pid, signal.SIGINT)
        try:
            out, _ = self.process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, _ = self.process.communicate()
        self.read()
        return Ended(self.process.returncode, out, self.err, folder)

    def loading(self):
        """The workers that are at their imports."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = []
        for child in map(int, children.read_text().split()):
            with contextlib.suppress(OSError):
                if "_multiarray_umath" in Path(f"/proc/{child}/maps").read_text():
                    found.append(child)
        return found

    def is_gone(self, seconds=20):
        """Whether nothing of the process group is left, soon."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.05)
        return False

    def close(self):
        if not self.is_gone(0.01):
            os.killpg(self.process.pid, signal.SIGKILL)
        os.close(self._parent)


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="no terminals to watch")
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look into")


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A comparison of minutes, interrupted when the bar shows that a part is done."""
    folder = tmp_path_factory.mktemp("interrupted")
    X, y = events(1000)
    data = write_libsvm(folder / "long.libsvm", X, np.where(y, 1, -1))
    terminal = Terminal(
        *("compare", data, "--methods", "CSOAL,SSOA3", "--permutations", 20_000),
        *("--jobs", 2, "--output", folder / "results"),
    )
    try:
        terminal.wait_for(r"replaying long: +[3-9]\d%\|")
        return terminal.interrupt(folder / "results"), terminal.is_gone()
    finally:
        terminal.close()


@needs_terminal
def test_an_interrupt_ends_with_code_1(interrupted):
    assert interrupted[0].code == 1


@needs_terminal
def test_an_interrupt_leaves_no_process_behind(interrupted):
    assert interrupted[1]


@needs_terminal
def test_an_interrupt_shows_no_traceback(interrupted):
    assert "Traceback" not in interrupted[0].err


@needs_terminal
def test_what_is_finished_is_printed_and_marked(interrupted):
    assert re.search(r"^INTERRUPTED: [1-9]\d* of 20000", interrupted[0].out, re.MULTILINE)


@needs_terminal
def test_the_table_of_what_is_finished_has_the_methods(interrupted):
    assert list(interrupted[0].table) == ["CSOAL", "SSOA3"]


@needs_terminal
def test_the_json_of_what_is_finished_says_that_it_is_not_complete(interrupted):
    assert interrupted[0].json["complete"] is False


@needs_terminal
def test_csv_and_json_have_what_is_finished(interrupted):
    ended = interrupted[0]
    for method, row in ended.csv.items():
        sums = ended.json["methods"][method]["runs"]["sum"]
        assert 0 < len(sums) == int(row["permutations"]) < 20_000
        assert float(row["sum"]) == pytest.approx(np.mean(sums))


@needs_terminal
def test_the_bar_says_how_much_time_is_left(interrupted):
    assert re.search(r"%\|.*\| \d+:\d\d elapsed, \d+:\d\d left", interrupted[0].err)


@pytest.fixture(scope="module")
def interrupted_early(data, tmp_path_factory):
    """Interrupted while the workers start."""
    folder = tmp_path_factory.mktemp("early") / "results"
    terminal = Terminal("compare", data, "--jobs", 2, "--output", folder)
    try:
        end = time.monotonic() + 60
        while not (workers := terminal.loading()):
            assert time.monotonic() < end
            time.sleep(0.01)
        # Ctrl-C reaches all at once; who is first to act on it is chance, so let it be the workers.
        for worker in workers:
            os.kill(worker, signal.SIGINT)
        time.sleep(0.2)
        return terminal.interrupt(folder), terminal.is_gone()
    finally:
        terminal.close()


@needs_proc
def test_an_early_interrupt_says_that_nothing_is_finished(interrupted_early):
    ended, is_gone = interrupted_early
    assert (ended.code, is_gone) == (1, True)
    assert "interrupted before anything was finished" in ended.err


@needs_proc
def test_an_early_interrupt_writes_nothing(interrupted_early):
    assert interrupted_early[0].files == []


@needs_proc
def test_an_early_interrupt_shows_no_traceback(interrupted_early):
    assert "Traceback" not in interrupted_early[0].err


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_keeps_what_is_finished_and_takes_the_chunks_away(number, tmp_path):
    rows = "".join(f"{i % 7},{i % 11}.5,{i},{int(i % 5 == 0)}\n" for i in range(200_000))
    (tmp_path / "long.csv").write_text("a,b,c,label\n" + 8 * rows)
    folder = tmp_path / "results"
    terminal = Terminal(
        *("compare", tmp_path / "long.csv", "--methods", "AutoOA3", "--permutations", 200),
        *("--jobs", 1, "--output", folder),
    )
    try:
        terminal.wait_for(r"replaying long: +[1-9]\d*%\|")
        assert [path.name[:10] for path in folder.iterdir()] == [".river-oa3"]
        os.kill(terminal.process.pid, number)
        out, _ = terminal.process.communicate(timeout=120)
        assert terminal.process.returncode == 1
        assert "INTERRUPTED: " in out
        assert terminal.is_gone()
    finally:
        terminal.close()
    names = [path.name for path in folder.iterdir()]
    assert "compare-long.json" in names
    assert not [name for name in names if name.startswith(".")]


# reproduce


@pytest.fixture(scope="module")
def interrupted_study(tmp_path_factory):
    """A study of minutes, interrupted while it tunes."""
    data = tmp_path_factory.mktemp("study")
    folder = data / "results"
    X, y = events(4000, 30)
    write_npz(data / "protein_val.npz", X, y, y_raw=np.where(y, 0, 2))
    terminal = Terminal(
        *("table2", "--sets", "protein", "--data-dir", data, "--jobs", 2),
        *("--output", folder),
        module="notebooks.paper",
        folder=Path(__file__).parents[2],
    )
    try:
        terminal.wait_for(r"tuning, coarse: +[1-9]\d%\|")
        return terminal.interrupt(folder), terminal.is_gone()
    finally:
        terminal.close()


@needs_terminal
def test_an_interrupted_study_leaves_no_process_and_no_traceback(interrupted_study):
    ended, is_gone = interrupted_study
    assert (ended.code, is_gone) == (1, True)
    assert "Traceback" not in ended.err


@needs_terminal
def test_an_interrupted_study_says_how_to_go_on(interrupted_study):
    assert re.search(r"  python -m notebooks.paper table2 .*--jobs 2", interrupted_study[0].err)


@needs_terminal
def test_an_interrupted_study_keeps_its_runs(interrupted_study):
    ended, _ = interrupted_study
    assert ended.files == ["runs.jsonl"]
    said = int(re.search(r"interrupted; ([\d,]+) finished runs", ended.err)[1].replace(",", ""))
    assert said == len(RunStore(ended.folder / "runs.jsonl")) > 10
