"""Services that were pickled by older versions go on."""

from __future__ import annotations

import importlib.util
import json
import pickle
from pathlib import Path

import pytest

STORED = Path(__file__).parents[1] / "stored" / "pending"
FILES = sorted(STORED.glob("*.pickle"))


def made():
    spec = importlib.util.spec_from_file_location("made_services", STORED / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_stored_services():
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_stored_service_goes_on(path):
    service = pickle.loads(path.read_bytes())
    expected = json.loads(path.with_suffix(".json").read_text())
    assert made().go_on(service, 100, 200) == expected["answers"]
    assert (service.n_expired, len(service)) == (expected["n_expired"], expected["pending"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_stored_service_lists_its_asks(path):
    service = pickle.loads(path.read_bytes())
    assert len(list(service)) == len(service) > 0
