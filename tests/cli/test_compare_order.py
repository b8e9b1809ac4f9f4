"""`river-oa3 compare`: in which order it plays the events of a file, and what it says of that."""

from __future__ import annotations

import datetime as dt
import html
import re

import numpy as np
import pytest
from commands import Small, command, events, write_csv, write_libsvm
from messy_tables import WRITERS, write_csv_rows

from river_oa3.datasets import chunk_writer

N = 3000
QUICK = ("--label", "fate", "--methods", "AutoOA3,CSOAL", "--budget", "40%", "--jobs", 1)


def drifting(seed=0):
    """Rows of which column a tells the label, in March and April the other way round."""
    rng = np.random.default_rng(seed)
    start = dt.datetime(2024, 1, 1)
    rows = []
    for i in range(N):
        when = start + dt.timedelta(minutes=i * 180 * 24 * 60 / N)
        a = float(rng.normal())
        is_fraud = (a > 0.0) ^ (when.month in (3, 4)) ^ (rng.random() < 0.05)
        b = float(rng.normal())
        rows.append({"a": a, "b": b, "when": when, "fate": "fraud" if is_fraud else "ok"})
    return rows


def mixed_up(rows, seed=1):
    return [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]


def without(rows, column):
    return [{name: value for name, value in row.items() if name != column} for row in rows]


def noisy(n=1000, seed=2):
    """Rows in which neighbours have nothing in common, and column a tells something."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    return [
        {"a": float(rng.normal() + 2 * label), "k": str(rng.choice(["x", "y"])),
         "fate": "fraud" if label else "ok"}
        for label in y.tolist()
    ]  # fmt: skip


def bursts(seed=3):
    """Frauds that come in waves of some hundred events, in which one event in three is one."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(N):
        in_burst = (i // 150) % 5 == 2
        is_fraud = rng.random() < (0.35 if in_burst else 0.002)
        rows.append({"a": float(rng.normal()), "fate": "fraud" if is_fraud else "ok"})
    return rows


def compared(folder, path, *more):
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        return command(folder, "compare", path, *QUICK, *more)


@pytest.fixture(scope="module")
def drift(tmp_path_factory):
    """The rows mixed up, and the same file sorted by date."""
    folder = tmp_path_factory.mktemp("drift")
    rows = drifting()
    write_csv_rows(folder / "mixed.csv", mixed_up(rows))
    (folder / "sorted").mkdir()
    write_csv_rows(folder / "sorted" / "mixed.csv", rows)
    return folder


@pytest.fixture(scope="module")
def in_time(drift, tmp_path_factory):
    return compared(tmp_path_factory.mktemp("out"), drift / "mixed.csv")


def score(ended, method="AutoOA3"):
    return float(ended.csv[method]["sum"])


def test_a_file_with_dates_is_played_in_their_order_and_follows_the_drift(in_time, drift, tmp_path):
    ended = compared(tmp_path / "sorted", drift / "sorted" / "mixed.csv", "--in-order")
    shuffled = compared(tmp_path / "shuffled", drift / "mixed.csv", "--shuffle", 5)
    assert in_time.results == ended.results
    assert score(in_time) > 75.0
    assert score(in_time) > score(shuffled) + 10.0


def test_the_order_and_why_is_said_on_terminal_page_and_in_json(in_time):
    order = in_time.json["order"]
    sentence = (
        "Events are played in the order of the date column 'when', 2024-01-01 to 2024-06-28. "
        "--shuffle N shuffles them instead."
    )
    assert order == {"kind": "time", "column": "when", "sentence": sentence}
    assert sentence in in_time.out
    assert sentence in html.unescape(in_time.path("html").read_text())
    assert in_time.out.index(sentence) < in_time.out.index("AutoOA3  ")


def test_runs_in_time_start_at_different_events_and_differ(in_time):
    plan, content = in_time.json["plan"], in_time.json
    assert (plan["permutations"], plan["windows"]) == (0, 20)
    assert content["checkpoints"][-1] == 0.8 * N
    assert plan["budget"] == round(0.4 * 0.8 * N)
    sums = content["methods"]["AutoOA3"]["runs"]["sum"]
    assert len(set(sums)) > 10
    assert float(in_time.csv["AutoOA3"]["sum_deviation"]) > 0.0
    assert "over 20 runs in the order in which they came" in in_time.out


def test_two_runs_give_the_same_numbers_whatever_the_jobs(in_time, drift, tmp_path):
    ended = command(tmp_path / "jobs", "compare", drift / "mixed.csv", *QUICK, "--jobs", 2)
    assert ended.results == in_time.results


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_every_kind_of_file_is_played_in_the_same_order(suffix, in_time, tmp_path):
    path = WRITERS[suffix](tmp_path / f"mixed{suffix}", mixed_up(drifting()))
    assert compared(tmp_path / "out", path).results == in_time.results


def test_chunks_on_disk_are_played_in_the_order_of_time(in_time, drift, tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_writer, "IN_MEMORY", 500)
    monkeypatch.setattr(chunk_writer, "CHUNK", 2000)
    ended = compared(tmp_path, drift / "mixed.csv")
    assert "chunks on disk" in ended.out
    assert ended.results == in_time.results


def test_shuffle_forces_so_many_shuffles(drift, tmp_path):
    ended = compared(tmp_path / "a", drift / "mixed.csv", "--shuffle", 5)
    assert ended.json["plan"]["permutations"] == 5
    assert ended.json["order"]["kind"] == "shuffled"
    assert "Events are shuffled: as asked for by --shuffle." in ended.out
    same = compared(tmp_path / "b", drift / "mixed.csv", "--permutations", 5)
    assert same.results == ended.results


def test_time_names_the_column(tmp_path):
    rows = [
        {**row, "seen": row["when"] + dt.timedelta(days=(i * 7) % 31), "step": i // 10}
        for i, row in enumerate(drifting())
    ]
    path = write_csv_rows(tmp_path / "several.csv", mixed_up(rows))
    by_date = compared(tmp_path / "a", path, "--time", "when", "--drop", "step,seen")
    assert by_date.json["order"]["column"] == "when"
    assert "as asked for by --time" in by_date.out
    by_number = compared(tmp_path / "b", path, "--time", "step", "--drop", "when,seen,step")
    assert by_number.json["order"]["column"] == "step"
    assert score(by_number) > 75.0


@pytest.mark.parametrize(
    ("column", "said"),
    [("when_", "no column is called 'when_'"), ("fate", "no column is called 'fate'"),
     ("k", "column 'k' holds neither dates nor numbers")],
)  # fmt: skip
def test_a_column_that_is_no_time_is_refused(column, said, tmp_path):
    path = write_csv_rows(tmp_path / "plain.csv", noisy(60))
    ended = compared(tmp_path / "out", path, "--time", column)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert said in ended.err
    assert "--time" in ended.err


def test_of_several_dates_the_one_that_the_file_is_sorted_by_is_chosen(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {"born": row["when"] - dt.timedelta(days=int(rng.integers(8000, 20000))),
         "joined": row["when"] - dt.timedelta(minutes=int(rng.integers(0, 900_000))), **row}
        for row in drifting()
    ]  # fmt: skip
    order = compared(tmp_path / "a", write_csv_rows(tmp_path / "x.csv", rows)).json["order"]
    assert order["column"] == "when"
    assert (
        "not of 'born', 'joined': the file is sorted by it; --time names another"
        in (order["sentence"])
    )


def test_a_date_of_birth_is_not_the_time_of_an_event(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {"date_of_birth": dt.date(1990, 1, 1) + dt.timedelta(days=int(rng.integers(9000))), **row}
        for row in noisy()
    ]
    order = compared(tmp_path / "a", write_csv_rows(tmp_path / "x.csv", rows)).json["order"]
    assert order["kind"] == "shuffled"


def test_events_without_a_date_stay_behind_the_row_before_them(tmp_path):
    rows = [
        {**row, "when": None if i % 50 == 7 else row["when"]} for i, row in enumerate(drifting())
    ]
    ended = compared(tmp_path / "a", write_csv_rows(tmp_path / "x.csv", rows))
    assert "60 events without one stay behind the row before them" in ended.out
    in_order = compared(tmp_path / "b", tmp_path / "x.csv", "--in-order")
    assert in_order.results == ended.results


# Files without a date


def test_bursts_in_the_order_of_the_file_are_a_stream(tmp_path):
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "x.csv", bursts()))
    order = ended.json["order"]
    assert order["kind"] == "file"
    assert "the labels of neighbouring rows are alike" in order["sentence"]
    assert order["sentence"] in ended.out


def test_drift_without_a_date_is_a_stream(tmp_path):
    """Neither labels nor columns go together here: what a column says of the label does."""
    path = write_csv_rows(tmp_path / "x.csv", without(drifting(), "when"))
    ended = compared(tmp_path / "out", path)
    assert ended.json["order"]["kind"] == "file"
    assert "positive events that follow one another are alike in 'a'" in ended.out
    assert score(ended) > 75.0


def test_drift_that_only_a_yes_or_no_shows_is_seen(tmp_path):
    rng = np.random.default_rng(4)
    rows = [
        {**row, "is_web": "yes" if (rng.random() < 0.8) == (i < 500) else "no"}
        for i, row in enumerate(noisy())
    ]
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "x.csv", rows))
    assert ended.json["order"]["kind"] == "file"
    assert "'is_web'" in ended.json["order"]["sentence"]


def test_rows_without_any_order_are_shuffled(tmp_path):
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "x.csv", noisy()))
    assert ended.json["order"]["kind"] == "shuffled"
    assert "neighbouring rows are no more alike than shuffled ones" in ended.out
    assert ended.json["plan"]["permutations"] == 20


def test_an_id_that_counts_the_rows_is_no_order_of_time(tmp_path):
    rows = [{"payment_id": i, **row} for i, row in enumerate(noisy())]
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "x.csv", rows))
    assert ended.json["order"]["kind"] == "shuffled"


def test_a_file_that_is_sorted_by_class_is_shuffled_and_said_so(tmp_path):
    rows = sorted(noisy(), key=lambda row: row["fate"])
    ended = compared(tmp_path / "out", write_csv_rows(tmp_path / "x.csv", rows))
    assert ended.json["order"]["kind"] == "shuffled"
    assert "the file is sorted by class, which is no order of time" in ended.out
    shuffled = compared(tmp_path / "b", write_csv_rows(tmp_path / "y.csv", noisy()))
    assert abs(score(ended) - score(shuffled)) < 3.0


def test_numbers_without_names_are_judged_by_their_rows_too(tmp_path):
    X, y = events(400)
    order = np.argsort(X[:, 1], kind="stable")
    for name, rows, kind in (("a", order, "file"), ("b", slice(None), "shuffled")):
        path = write_libsvm(tmp_path / f"{name}.libsvm", X[rows], np.where(y[rows], 1, -1))
        with pytest.MonkeyPatch.context() as patch:
            Small(patch)
            ended = command(
                tmp_path / name, "compare", path, "--methods", "CSOAL", "--budget", 40, "--jobs", 1
            )
        assert ended.json["order"]["kind"] == kind


def test_what_comes_with_river_is_shuffled_as_before(tmp_path):
    ended = command(
        tmp_path, "compare", "Phishing", "--methods", "CSOAL", "--budget", 40, "--jobs", 1
    )
    assert ended.json["order"]["kind"] == "shuffled"
    assert ended.json["plan"]["permutations"] == 20


@pytest.mark.parametrize("options", [("--shuffle", 3, "--in-order"), ("--time", "a", "--in-order")])
def test_only_one_order_can_be_asked_for(options, tmp_path):
    path = write_csv(tmp_path / "x.csv", *events())
    assert command(tmp_path / "out", "compare", path, *options).code == 2


# Methods that fail, and river's learners


def test_a_method_that_fails_is_a_row_that_says_so_and_not_the_end(tmp_path):
    huge = [{**row, "a": row["a"] * 1e160} for row in noisy(300)]
    path = write_csv_rows(tmp_path / "huge.csv", huge)
    ended = compared(tmp_path / "out", path, "--raw", "--methods", "AutoOA3,CSOAL,OA3-diag")
    assert ended.code == 0
    assert re.search(r"^CSOAL +fails", ended.out, re.MULTILINE)
    assert list(ended.json["methods"]) == ["AutoOA3"]
    assert set(ended.json["failed"]) == {"CSOAL", "OA3-diag"}
    assert "scale the features" in ended.json["failed"]["CSOAL"]
    assert any(note.startswith("CSOAL overflows") for note in ended.json["notes"])
    assert "Use AutoOA3" in ended.out


def test_rivers_learners_run_in_time_too(drift, tmp_path):
    ended = compared(tmp_path, drift / "sorted" / "mixed.csv", "--peers", "--sample", "600")
    assert ended.code == 0
    assert ended.json["failed"] == {}
    assert {"ARF", "GaussianNB"} <= set(ended.json["methods"])
