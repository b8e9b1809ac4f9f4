"""What a start costs: which packages are imported, where all of them are installed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from river import metrics as river_metrics

import river_oa3
from river_oa3 import cli
from river_oa3.datasets import DataError

HEAVY = [
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "sklearn",
    "sqlalchemy",
    "starlette",
]
LATER = ["river.datasets", "river.drift", "river.metrics", "river.preprocessing", "scipy.stats"]


def imported_by(*lines):
    """Which of the packages above these lines import, in a process of their own."""
    code = [*lines, "import sys", f"print(*sorted(sys.modules.keys() & {HEAVY + LATER}))"]
    ended = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()[-1].split()


def test_the_package_is_imported_without_what_a_learner_does_not_need():
    assert imported_by("import river_oa3") == []


def test_a_learner_of_numbers_needs_no_more_when_it_learns_and_asks():
    assert not imported_by(
        "from river_oa3 import ActiveLearner",
        "model = ActiveLearner(budget=1, seed=1)",
        "model.predict_one({'amount': 1.5, 'country': 'FR'})",
        "model.learn_one({'amount': 1.5, 'country': 'FR'}, True)",
    )


def test_the_help_of_the_command_imports_no_command():
    assert not imported_by(
        "import contextlib",
        "from river_oa3 import cli",
        "with contextlib.suppress(SystemExit): cli.main(['--help'])",
    )


def run_command_that(monkeypatch, error, *words):
    def run(options):
        raise error

    monkeypatch.setattr("river_oa3.commands.show.run", run)
    return cli.main(["show", "model.oa3", *words])


def test_an_error_of_ours_is_not_said_to_be_the_users(monkeypatch, capsys):
    assert run_command_that(monkeypatch, TypeError("'NoneType' is not iterable")) == 3
    said = capsys.readouterr().err
    assert "an error of its own" in said
    assert "TypeError: 'NoneType' is not iterable" in said
    assert "--debug" in said
    assert "Traceback" not in said


def test_a_debugger_is_shown_where_an_error_comes_from(monkeypatch, capsys):
    assert run_command_that(monkeypatch, TypeError("none"), "--debug") == 3
    assert "Traceback" in capsys.readouterr().err
    assert run_command_that(monkeypatch, DataError("no such column"), "--debug") == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.splitlines()[-1] == "river-oa3: no such column"


def test_the_metrics_are_there_on_first_use():
    used = imported_by("import river_oa3", "assert river_oa3.metrics.WeightedSum().get() == 0.0")
    assert "river.metrics" in used
    assert not set(used) & set(HEAVY)


def test_the_metrics_are_rivers_own_kind_and_can_be_pickled():
    metric = river_oa3.metrics.WeightedCost(cost_fn=2.0, cost_fp=1.0)
    assert isinstance(metric, river_metrics.base.BinaryMetric)
    metric.update(True, False)
    assert pickle.loads(pickle.dumps(metric)).get() == 2.0


def test_a_monitor_brings_its_detector_of_drift_before_the_first_label():
    lines = ["from river_oa3 import monitor", "quality = monitor.AskedQuality()"]
    assert "river.drift" in imported_by(*lines)


EXTRAS = [*HEAVY, "httpx", "nbmake", "psutil", "selenium", "uvicorn"]


def test_the_tests_of_the_core_need_no_extra_of_the_package():
    code = (
        "import sys",
        f"sys.modules.update(dict.fromkeys({EXTRAS}))",
        "import pytest",
        "options = ['--collect-only', '-q', '-p', 'no:cacheprovider']",
        f"sys.exit(pytest.main([*options, {str(Path(__file__).parent / 'core')!r}]))",
    )
    ended = subprocess.run(
        [sys.executable, "-c", "\n".join(code)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert ended.returncode == 0, ended.stdout[-2000:]
    assert "test_laws.py" in ended.stdout
    assert "error" not in ended.stdout.splitlines()[-1]


def test_an_attribute_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="module 'river_oa3' has no attribute 'metric'"):
        river_oa3.metric  # noqa: B018 - it raises
