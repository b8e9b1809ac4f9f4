"""Run experiments of the paper by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from river_oa3.datasets import DataError
from river_oa3.experiments.output.files import results_folder

from .estimate import estimate
from .experiment import Say
from .registry import EXPERIMENTS, EXTRAS
from .study import Study

__all__ = ["reproduce"]


def reproduce(study: Study, names: Iterable[str], say: Say = print) -> list[Path]:
    """Run experiments by name, say what comes of them, and write it to the study's folder."""
    paths = []
    chosen = {name: (EXPERIMENTS | EXTRAS)[name] for name in names}
    there = {name: study.available(experiment.sets) for name, experiment in chosen.items()}
    if not any(there.values()):
        reasons = [*study.streams.absent.values(), "none of its data sets is among --sets"]
        raise DataError(f"{next(iter(chosen))} has nothing to run on: {reasons[0]}")
    results_folder(study.folder)
    kept = len(study.store)
    work = estimate(study, [chosen[name] for name, sets in there.items() if sets])
    say(f"{work.describe(study.jobs, kept)}\n")
    for name, experiment in chosen.items():
        if there[name]:
            say(f"== {name}: {experiment.title}")
            paths += experiment.run(study, name, say)
        else:
            say(f"== {name} is left out: its data sets are {', '.join(experiment.sets)}")
        say("")
    for name, reason in study.streams.absent.items():
        say(f"left out {name}: {reason}")
    return paths
