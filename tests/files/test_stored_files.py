"""Files of other times are loaded, and go on learning."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from model_files import KINDS, examples, told

import river_oa3

STORED = sorted((Path(__file__).parents[1] / "stored" / "files").glob("*.oa3"))
N_STORED = 40  # as in make.py beside the files

each_stored_file = pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)


def kind_of(stored):
    return stored.stem.split("_", 1)[1].replace("_", " ")


def flat(told):
    """All numbers, texts and flags in what was told, in order."""
    if isinstance(told, dict):
        told = [part for item in told.items() for part in item]
    if isinstance(told, (list, tuple)):
        return [part for item in told for part in flat(item)]
    return [told]


def test_file_of_each_kind_is_stored():
    assert {kind_of(path) for path in STORED} == set(KINDS)


@each_stored_file
def test_stored_file_goes_on_as_it_would_have(stored):
    name = kind_of(stored)
    expected = flat(json.loads(stored.with_suffix(".json").read_text()))
    n_told = 30
    model = river_oa3.load(stored)
    said = told(model, examples(name, N_STORED + n_told)[N_STORED:])
    said = flat(json.loads(json.dumps(said)))
    assert len(said) == len(expected) >= n_told
    for one, other in zip(said, expected, strict=True):
        assert one == (pytest.approx(other, rel=1e-9) if type(other) is float else other)


# What AutoOA3 has known of its features since these files were made.
ADDED = {f"{name}.npy" for name in ("gaps", "block_n", "block_mean", "block_var")}


@each_stored_file
def test_stored_file_is_written_again_as_it_was_but_for_the_versions(stored):
    from river_oa3.files.archive import read_entries

    content = stored.read_bytes()
    again = river_oa3.files.to_bytes(river_oa3.load(stored))
    before, after = (dict(read_entries(memoryview(data))) for data in (content, again))
    added = after.keys() - before.keys()
    assert added in (set(), ADDED)
    # The one says with which version it was made, the other where each array is.
    for name in ("manifest.json", *(["model.json"] if added else [])):
        del before[name]
    assert before == {name: after[name] for name in before}


OLD = sorted((Path(__file__).parents[1] / "stored").rglob("*.pickle"))


@pytest.mark.parametrize("stored", OLD, ids=lambda path: path.stem)
def test_pickle_of_an_older_version_is_refused_with_what_to_do(stored):
    with pytest.raises(river_oa3.files.FileError, match=r"looks like a pickle.*pickle\.load.*save"):
        river_oa3.load(stored)


@pytest.mark.parametrize("stored", OLD, ids=lambda path: path.stem)
def test_pickle_of_an_older_version_becomes_a_file(stored, tmp_path):
    model = pickle.loads(stored.read_bytes())
    limit = getattr(getattr(model, "model", None), "budget", None)
    if getattr(limit, "clock", None) is not None:
        limit.clock = None  # it is code
    river_oa3.save(model, tmp_path / "model.oa3")
    twin = river_oa3.load(tmp_path / "model.oa3")
    assert river_oa3.files.to_bytes(twin) == river_oa3.files.to_bytes(model)
