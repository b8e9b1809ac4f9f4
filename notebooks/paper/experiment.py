"""What every experiment of the paper is: data sets, a way to run it, and what that will cost."""

from __future__ import annotations

import abc
import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from river_oa3.experiments.output import plots
from river_oa3.experiments.output.files import write_text
from river_oa3.experiments.scores import Metric

from .sets import STANDARD
from .study import Study

if typing.TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Experiment", "Say"]

Say = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Experiment(abc.ABC):
    """An experiment.

    Parameters
    ----------
    title
        What is done.
    sets
        The data sets it is done on.

    """

    title: str
    sets: Sequence[str] = STANDARD

    @abc.abstractmethod
    def run(self, study: Study, name: str, say: Say) -> list[Path]:
        """Do it, say what comes of it, and write files that begin with the name."""

    def comparisons(self, study: Study) -> Iterator[tuple[str, Metric]]:
        """The comparisons under the fixed budget that it needs, by data set and metric."""
        yield from ()

    def runs(self, study: Study) -> Iterator[tuple[str, str, int, int]]:
        """The runs that it needs beyond them: data set, method, number of runs, events of each."""
        yield from ()


def write(study: Study, files: Mapping[str, str]) -> list[Path]:
    """Write texts to files of these names."""
    paths = []
    for name, text in files.items():
        stem, dot, kind = name.rpartition(".")
        paths.append(study.folder / f"{study.file_name(stem)}{dot}{kind}")
        write_text(paths[-1], text)
    return paths


def draw(study: Study, name: str, make: Callable[[], typing.Any]) -> list[Path]:
    """Draw a figure and write it, where there is something to draw with."""
    if not plots.available():
        return []
    return plots.save(make(), study.folder, study.file_name(name))


def grid(panels: int) -> tuple[Figure, list[Axes]]:
    """Panels, two per row; one that is left over is taken away."""
    columns = min(2, panels)
    rows = -(-panels // columns)
    figure, axes = plots.new_figure(rows, columns, 1.6 + 5.2 * columns, 4.2 * rows)
    for empty in axes[panels:]:
        empty.remove()
    return figure, axes[:panels]
