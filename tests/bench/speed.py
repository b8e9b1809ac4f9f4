"""How fast our learners are, and others, in one run: section by section."""

from __future__ import annotations

import importlib.util
import typing
from collections.abc import Callable, Iterable, Iterator

from river_oa3.experiments.output.report import processor, versions
from river_oa3.experiments.processes import Processes

from . import busy, figures, growth, raw
from .figures import Figure
from .growth import Sweep, Times
from .timing import FULL, Effort, run_on_one_core

__all__ = ["SECTIONS", "Measured", "Section", "measure"]

Measure = Callable[[Effort, str | None], Iterator[Figure]]


class Section(typing.NamedTuple):
    """A part of the benchmark that can be chosen alone: what it says, and how it is measured."""

    title: str
    # None for the two that compare all contenders.
    measure: Measure | None = None
    on_one_core: bool = True
    needs: str | None = None

    @property
    def is_possible(self) -> bool:
        """Whether the library that it needs is installed."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None


SECTIONS: dict[str, Section] = {
    "cases": Section("predict + learn, all contenders"),
    "growth": Section("how times grow with events, vocabulary and sketch, all contenders"),
    "learners": Section(
        "predict + learn, times faster than river's LogisticRegression", figures.learners
    ),
    "active": Section("predict, and learn where asked", figures.active_learning),
    "raw": Section("AutoOA3 on raw events", raw.raw_events),
    "replay": Section(
        "replay with half of the labels, times faster than river's LogisticRegression",
        figures.replays,
    ),
    "words": Section("SSOA3Classifier, 20 words out of a vocabulary", figures.words),
    "batches": Section("learn_many against learn_one, 48 columns", figures.batches, needs="pandas"),
    "wide": Section(
        "dense events of 3,072 features, times faster than river's LogisticRegression",
        figures.wide,
    ),
    "busy": Section(
        "OA3 beside two busy loops on two cores", busy.beside_busy_loops, on_one_core=False
    ),
}


class Measured(typing.NamedTuple):
    """All that was measured, with what and where."""

    cases: dict[str, Times]
    sweeps: list[Sweep]
    figures: dict[str, list[Figure]]
    machine: dict[str, str]

    def tables(self) -> Iterator[str]:
        """Everything as text, a table per section."""
        if self.cases:
            yield growth.table(self.cases)
        if self.sweeps:
            yield growth.growth_table(self.sweeps)
        for name, found in self.figures.items():
            yield figures.table(f"{name}: {SECTIONS[name].title}", found)

    def as_json(self) -> dict[str, typing.Any]:
        """Everything as JSON has it."""
        return {
            "cases": self.cases,
            "sweeps": [sweep._asdict() for sweep in self.sweeps],
            "figures": {
                name: [figure._asdict() for figure in found] for name, found in self.figures.items()
            },
            "machine": self.machine,
        }


def measure(
    sections: Iterable[str] = tuple(SECTIONS), effort: Effort = FULL, data_dir: str | None = None
) -> Measured:
    """Measure sections, in a process of its own that computes in one thread on one core."""
    measured = Measured({}, [], {}, {**versions(), "processor": processor()})
    with Processes(1, run_on_one_core) as processes:

        def there(call: Callable[..., typing.Any], *arguments: object) -> typing.Any:
            return processes.submit(call, *arguments).result()

        for name in sections:
            section = SECTIONS[name]
            if name == "cases":
                measured.cases.update(there(growth.cases, effort))
            elif name == "growth":
                measured.sweeps.extend(there(growth.sweeps, effort))
            elif section.on_one_core:
                measured.figures[name] = there(_figures, name, effort, data_dir)
            else:
                measured.figures[name] = _figures(name, effort, data_dir)
    return measured


def _figures(name: str, effort: Effort, data_dir: str | None) -> list[Figure]:
    section = SECTIONS[name]
    assert section.measure is not None
    return list(section.measure(effort, data_dir))
