from __future__ import annotations

import pytest
from commands import Small, compared, paper_command, parts, small, stream

__all__ = ["compared", "parts", "small", "stream"]


@pytest.fixture(scope="session")
def table2(parts, tmp_path_factory):
    """The main table on parts of three of its data sets, the small way."""
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        folder = tmp_path_factory.mktemp("table2") / "results"
        return paper_command(
            folder, "table2", "--data-dir", parts, "--permutations", 2, "--jobs", 1
        )
