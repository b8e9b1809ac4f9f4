"""Why Spark cannot run here is said in a line."""

from __future__ import annotations

import sys

import pytest

from river_oa3.spark import local_session
from river_oa3.spark.sessions import java_problem


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A JAVA_HOME whose `java` says something, or cannot be run."""
    if sys.platform == "win32":
        pytest.skip("programs are made otherwise there")

    def make(said, mode=0o755):
        java = tmp_path / "bin" / "java"
        java.parent.mkdir()
        java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
        java.chmod(mode)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    return make


@pytest.mark.parametrize("version", ["17.0.9", "21", "25.0.1"])
def test_java_that_is_new_enough_is_no_problem(home, version):
    home(f'openjdk version "{version}" 2025-01-01')
    assert java_problem() is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('java version "1.8.0_401"', "java is Java 8"),
        ('openjdk version "11.0.2"', "java is Java 11"),
        ("nothing to see", "java is Java of no version that is known"),
    ],
)
def test_java_that_is_too_old_or_none_is_named(home, said, words):
    home(said)
    assert java_problem().endswith(words)


def test_java_that_cannot_be_run_is_named(home):
    home("", mode=0o644)
    assert java_problem().endswith("java cannot be run: Permission denied")


def test_without_java_a_session_is_refused_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="Spark needs Java 17 or newer: install it"):
        local_session()
