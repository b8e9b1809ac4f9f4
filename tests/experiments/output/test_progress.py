"""How far a computation is: a bar at a terminal, a line now and then without one."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from river_oa3.experiments.output import progress
from river_oa3.experiments.output.progress import LOG_EVERY, Progress, downloading


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""

    class Clock:
        now = 1000.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


@pytest.fixture(params=["no terminal", "no tqdm"])
def log(request, monkeypatch):
    """A stream that gets lines and no bar."""
    if request.param == "no terminal":
        return io.StringIO()
    monkeypatch.setitem(sys.modules, "tqdm", None)
    return FakeTerminal()


# Without a terminal, or without tqdm


def test_what_is_over_soon_is_not_logged(log):
    with Progress("replaying", 2.0, log) as bar:
        bar.add(1.0)
    assert log.getvalue() == ""


def test_a_line_says_how_much_is_done_and_how_long_it_took_and_takes(log, clock):
    with Progress("replaying w8a", 4.0, log) as bar:
        clock.now += LOG_EVERY
        bar.add(1.0)
    assert log.getvalue() == "replaying w8a: 25% done, 0:30 elapsed, about 1:30 left\n"


def test_there_is_no_more_than_a_line_every_half_minute(log, clock):
    with Progress("replaying", 1000.0, log) as bar:
        for _ in range(1000):
            clock.now += 0.25
            bar.add(1.0)
    assert len(log.getvalue().splitlines()) == 250 // LOG_EVERY


def test_no_line_holds_an_escape_code(log, clock):
    with Progress("replaying", 4.0, log) as bar:
        clock.now += LOG_EVERY
        bar.add(1.0)
    assert not re.search(r"[\r\x1b]", log.getvalue())


def test_hours_are_told_as_hours(clock):
    bar = Progress("replaying", 4.0, io.StringIO())
    clock.now += 3600
    bar.add(1.0)
    assert bar.line().endswith("25% done, 1:00:00 elapsed, about 3:00:00 left")


def test_no_time_left_is_guessed_before_anything_is_done(clock):
    assert Progress("x", 4.0, io.StringIO()).line() == "x: 0% done, 0:00 elapsed"


def test_a_line_does_not_go_beyond_the_end():
    bar = Progress("x", 2.0, io.StringIO())
    bar.move_to(5.0)
    assert "100% done" in bar.line()


# At a terminal


def test_a_bar_is_drawn_at_a_terminal():
    stream = FakeTerminal()
    with Progress("replaying", 2.0, stream) as bar:
        bar.add(1.0)
        assert "replaying:   0%|" in stream.getvalue()


def test_a_bar_is_wiped_away_at_the_end():
    stream = FakeTerminal()
    with Progress("replaying", 2.0, stream) as bar:
        bar.add(1.0)
    assert re.search(r"\r +\r$", stream.getvalue())


def test_a_bar_is_wiped_away_after_an_error():
    stream = FakeTerminal()
    with pytest.raises(KeyboardInterrupt), Progress("replaying", 2.0, stream):
        raise KeyboardInterrupt
    assert re.search(r"\r +\r$", stream.getvalue())


def test_a_bar_moves(monkeypatch):
    monkeypatch.setattr(progress, "DRAWN_EVERY", 0.0)
    stream = FakeTerminal()
    with Progress("replaying", 4.0, stream) as bar:
        bar.add(1.0)
        assert re.search(r" 25%\|.*elapsed, .* left", stream.getvalue())


def test_a_bar_is_not_drawn_more_than_ten_times_per_second():
    stream = FakeTerminal()
    with Progress("replaying", 1000.0, stream) as bar:
        for _ in range(1000):
            bar.add(1.0)
        drawn = stream.getvalue().count("replaying")
        assert drawn <= 2 + 10 * (progress.time.monotonic() - bar._start)


def test_a_bar_does_not_go_beyond_its_end(monkeypatch):
    monkeypatch.setattr(progress, "DRAWN_EVERY", 0.0)
    stream = FakeTerminal()
    with Progress("x", 2.0, stream) as bar:
        bar.move_to(5.0)
        assert "100%|" in stream.getvalue()


def test_a_download_whose_size_is_not_known_gets_on(clock, monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with downloading("w8a") as report:
        clock.now += LOG_EVERY
        report(1000, None)
    assert log.getvalue().startswith("downloading w8a: 50% done")


def test_nothing_is_drawn_where_nothing_is_downloaded(monkeypatch):
    stream = FakeTerminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with downloading("w8a"):
        pass
    assert stream.getvalue() == ""


def test_a_log_sees_signs_of_life_while_one_thing_takes_long(monkeypatch):
    monkeypatch.setattr(progress, "LOG_EVERY", 0.05)
    stream = io.StringIO()
    with progress.Progress("thinking", 10.0, stream):
        time.sleep(0.5)
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 3
    assert all(line.startswith("thinking: 0% done") for line in lines)
