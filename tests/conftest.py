import importlib
import os
import pkgutil
from pathlib import Path

# Before NumPy is imported: the machine may be busy, and small matrices gain nothing from threads.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings  # noqa: E402 - after the threads are set

import river_oa3  # noqa: E402 - after the threads are set

# Repeatable by default; HYPOTHESIS_PROFILE=explore looks for new counter-examples.
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


# Looking for doctests there would import a second copy, whose classes would be registered too.
collect_ignore = ["own_kinds.py"]


def pytest_configure(config):
    """Tests of one xdist_group run in one process, as those on Spark, which takes long to start."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"
    if any("tests" not in Path(argument).absolute().parts for argument in config.args):
        _import_all()


def _import_all():
    """Import every module before its doctests are collected.

    Under --import-mode=importlib the doctests of a module whose package is not imported yet run in
    a second copy of it, and its classes are then not those that the tests pickle and compare.
    """
    for module in pkgutil.walk_packages(river_oa3.__path__, "river_oa3."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
