"""`river-oa3 compare`: bad input is one line that names the fix."""

from __future__ import annotations

import numpy as np
import pytest
from commands import QUICK, command, events, write_csv, write_libsvm, write_npz

from river_oa3.experiments.methods import METHODS


def three_classes(folder):
    X, _ = events(9)
    return write_csv(folder / "three.csv", X, ["a", "b", "c"] * 3)


def all_negative(folder):
    X, _ = events(9)
    return write_libsvm(folder / "negative.libsvm", X, [-1] * 9)


def with_nan(folder):
    X, y = events(9)
    X[3, 2] = np.nan
    return write_npz(folder / "nan.npz", X, y)


def with_intercept(folder):
    path = folder / "intercept.csv"
    path.write_text("intercept,label\n1,1\n2,0\n")
    return path


def good(folder):
    X, y = events(30)
    return write_csv(folder / "good.csv", X, y.astype(int))


# What is wrong: the data, the options, and what the message has to name.
BAD_COMPARISONS = {
    "a missing file": (lambda folder: folder / "nothing.csv", [], ["no such file", "nothing.csv"]),
    "a missing label column": (good, ["--label", "verdict"], ["'verdict'", "--label"]),
    "three classes": (three_classes, [], ["3 classes", "--positive"]),
    "a class that is not there": (three_classes, ["--positive", "d"], ["'d'", "--positive"]),
    "one class alone": (all_negative, [], ["one class", "longer part"]),
    "not a number": (with_nan, [], ["event 4", "nan", "fill it"]),
    "no budget": (good, ["--budget", "0"], ["--budget 0", "1 to 30"]),
    "no budget in percent": (good, ["--budget", "0%"], ["--budget 0%", "1 to 30"]),
    "a budget above the stream": (good, ["--budget", "31"], ["--budget 31", "1 to 30"]),
    "a budget above the part that is reported": (
        good,
        ["--budget", "25", "--tune-prefix"],
        ["25", "1 to 24"],
    ),
    "a budget of words": (good, ["--budget", "abc"], ["'abc'", "such as 1%"]),
    "a budget below zero": (good, ["--budget", "-3"], ["'-3'", "such as 1%"]),
    "a budget above all": (good, ["--budget", "150%"], ["150%", "up to 100%"]),
    "a budget of half a label": (
        good,
        ["--budget", "2.5"],
        ["--budget 2.5 is not a whole number", "write 2 for labels, or 2.5% for a share"],
    ),
    "a budget beyond all numbers": (good, ["--budget", "1e999"], ["--budget", "1 to 30"]),
    "an unknown method": (good, ["--methods", "CSOAL,SVM"], ["'SVM'", *METHODS]),
    "no method": (good, ["--methods", ""], ["method", *METHODS]),
    "an unknown parameter": (good, ["--set", "CSOAL.C=1"], ["'C'", "delta, eta"]),
    "a parameter of an unknown method": (good, ["--set", "SVM.C=1"], ["'SVM'", *METHODS]),
    "a parameter without a value": (good, ["--set", "CSOAL.eta"], ["--set", "OA3.eta=0.5"]),
    "a parameter that is no number": (good, ["--set", "CSOAL.eta=x"], ["--set", "'x'", "number"]),
    "a parameter of zero": (good, ["--set", "CSOAL.eta=0"], ["CSOAL", "eta", "above 0"]),
    "alpha above one": (good, ["--alpha", "1.5"], ["--alpha", "between 0 and 1", "1.5"]),
    "a cost of zero": (good, ["--cost-fn", "0"], ["--cost-fn", "above 0"]),
    "no jobs": (good, ["--jobs", "0"], ["--jobs", "1 or more"]),
    "no permutations": (good, ["--permutations", "0"], ["--shuffle", "1 or more"]),
    "a seed below zero": (good, ["--seed", "-1"], ["--seed", "0 or more"]),
    "a rho of zero": (good, ["--rho", "0"], ["rho", "above 0"]),
    "a gamma below zero": (good, ["--gamma", "-1"], ["gamma", "0 or above"]),
    "no rows of a sketch": (good, ["--sketch-size", "0"], ["sketch", "1 or more"]),
    "no events to tune on": (good, ["--tune", "--tune-events", "0"], ["--tune-events"]),
    "less than no events to tune on": (good, ["--tune", "--tune-events", "-5"], ["--tune-events"]),
    "a second intercept": (with_intercept, ["--intercept"], ["'intercept'", "do not add another"]),
}


@pytest.mark.parametrize("problem", BAD_COMPARISONS)
def test_bad_input_is_one_line_that_names_the_fix_and_leaves_nothing(small, tmp_path, problem):
    make, options, parts = BAD_COMPARISONS[problem]
    # The last of an option counts.
    ended = command(tmp_path / "results", "compare", make(tmp_path), *QUICK, *options)
    assert (ended.code, ended.out, ended.files, ended.folder.exists()) == (2, "", [], False)
    (line,) = ended.err.splitlines()
    assert line.startswith("river-oa3: ")
    assert not [part for part in parts if part not in line]


def test_a_bad_word_on_the_command_line_ends_with_code_2(small, tmp_path):
    ended = command(tmp_path / "results", "compare", "--metric", "accuracy")
    assert (ended.code, ended.folder.exists()) == (2, False)


def test_an_output_that_is_a_file_is_refused_before_the_work_and_left_alone(small, data, tmp_path):
    path = tmp_path / "taken"
    path.write_text("mine")
    ended = command(path, "compare", data, *QUICK)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert "choose another --output" in ended.err
    assert path.read_text() == "mine"
    assert small.tasks == []


def test_a_result_that_cannot_be_written_is_one_line(small, data, tmp_path):
    (tmp_path / "compare-small.csv").mkdir()
    ended = command(tmp_path, "compare", data, *QUICK)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)


def test_a_method_that_overflows_is_named_with_a_fix(small, tmp_path):
    X = 1e160 * np.arange(1, 19).reshape(9, 2)
    path = write_csv(tmp_path / "huge.csv", X, [1, 0, 0] * 3)
    ended = command(tmp_path / "out", "compare", path, *QUICK, "--budget", 9, "--raw")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    for part in ("every method fails on huge", "CSOAL overflows", "scale the features"):
        assert part in ended.err
