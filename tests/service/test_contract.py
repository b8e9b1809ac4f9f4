"""The service does what its description says, to the letter."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOKEN = "a-token-of-some-length"
ST = shutil.which("st", path=Path(sys.executable).parent)

# All checks are on. A batch or a body that is too large is answered with 413, which is a refusal
# too, and is not among those that schemathesis expects by itself.
CONFIGURATION = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
"""


@pytest.mark.slow
@pytest.mark.skipif(ST is None, reason="schemathesis is not installed")
def test_nothing_is_found_between_the_description_and_what_is_answered(serve, tmp_path):
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION)
    running = serve(store=True, token=TOKEN)
    words = [
        *(ST, "--config-file", "schemathesis.toml", "run", f"{running.url}/openapi.json"),
        *("--header", f"Authorization: Bearer {TOKEN}", "--checks", "all", "--mode", "all"),
        *("--phases", "examples,coverage,fuzzing", "--continue-on-failure"),
        *("--max-examples", "40", "--seed", "1"),
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "No issues found" in done.stdout
