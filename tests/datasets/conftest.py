from __future__ import annotations

import dataclasses

import pytest

from river_oa3.datasets import paper


@pytest.fixture
def small(monkeypatch):
    """Cut the numbers that a set must have down to what a test can write."""

    def shrink(name, **changes):
        known = dataclasses.replace(paper.SETS[name], **changes)
        monkeypatch.setitem(paper.SETS, name, known)
        return known

    return shrink
