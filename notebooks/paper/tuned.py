"""Tuned parameters in a file, found there by the next run that tunes in the same way."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable
from pathlib import Path

from river_oa3.datasets import Stream
from river_oa3.experiments.comparison import Plan
from river_oa3.experiments.methods import METHODS
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.store import code_version
from river_oa3.experiments.tuning import PAPER

__all__ = ["TunedParameters"]

Chosen = dict[str, dict[str, float]]


class TunedParameters:
    """Parameters by method, under keys that say how they were tuned, in a file of JSON."""

    def __init__(self, path: Path):
        self.path = path

    @staticmethod
    def key(stream: Stream, plan: Plan) -> str:
        """Everything that tuning depends on."""
        # The accounting of empty events adds the same to every setting.
        parts = {
            "version": code_version(),
            "stream": stream.title,
            "length": len(stream),
            "goal": plan.goal,
            "budget": plan.budget,
            "events": (plan.events, plan.tuning_events),
            "search": plan.search or PAPER,
            "seed": plan.seed,
        }
        return "/".join(f"{name}={value}" for name, value in parts.items())

    def find(self, key: str, methods: Iterable[str]) -> Chosen | None:
        """What was tuned under a key, if it has all of these methods."""
        chosen = self.read().get(key, {})
        return chosen if set(chosen) >= set(methods) else None

    def add(self, key: str, chosen: Chosen) -> None:
        """Keep what was tuned, besides what the file has."""
        write_text(self.path, json.dumps(self.read() | {key: chosen}, indent=1) + "\n")

    def read(self) -> dict[str, Chosen]:
        """All that the file has, as far as it is sound."""
        try:
            stored = dict(json.loads(self.path.read_text()))
        except (OSError, ValueError, TypeError):
            return {}
        return {key: sound for key, chosen in stored.items() if (sound := _sound(chosen))}


def _sound(chosen: object) -> Chosen:
    """The parameters by method; nothing where they are damaged or of methods that are gone."""
    try:
        return {
            method: {name: float(each[name]) for name in METHODS[method].tuned}
            for method, each in typing.cast(Chosen, chosen).items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
