"""Numbers in the text form that Prometheus reads.

The form is that of version 0.0.4: a line of help and one of type for each name, then its samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["CONTENT_TYPE", "Histogram", "family"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]


def family(
    name: str, kind: str, text: str, samples: Iterable[tuple[str, Labels, float]]
) -> list[str]:
    r"""The lines of one name; a sample has a suffix, labels and a value.

    Examples
    --------

    >>> from river_oa3.service.prometheus import family

    >>> for line in family('asks_open', 'gauge', 'Asks.', [('', {'of': 'a "b"\n'}, 3.0)]):
    ...     print(line)
    # HELP asks_open Asks.
    # TYPE asks_open gauge
    asks_open{of="a \"b\"\n"} 3

    """
    helped = text.replace("\\", r"\\").replace("\n", r"\n")
    lines = [f"# HELP {name} {helped}", f"# TYPE {name} {kind}"]
    for suffix, labels, value in samples:
        lines.append(f"{name}{suffix}{_labels(labels)} {number(value)}")
    return lines


def number(value: float) -> str:
    """A number as Prometheus, and Go, would write it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class Histogram:
    """Counts of values up to bounds, and their sum.

    Parameters
    ----------
    bounds
        Rising; one beyond all is added.

    """

    def __init__(self, bounds: Sequence[float]):
        self._bounds = (*bounds, math.inf)
        self._counts = [0] * len(self._bounds)
        self._sum = 0.0

    def note(self, value: float) -> None:
        for index, bound in enumerate(self._bounds):
            if value <= bound:
                self._counts[index] += 1
                break
        self._sum += value

    def samples(self, labels: Labels) -> list[tuple[str, Labels, float]]:
        """Running totals, as the form wants them."""
        total, found = 0, []
        for bound, count in zip(self._bounds, self._counts, strict=True):
            total += count
            found.append(("_bucket", {**labels, "le": number(bound)}, total))
        return [*found, ("_sum", labels, self._sum), ("_count", labels, total)]
