"""Numbers in the text form that Prometheus reads.

The form is that of version 0.0.4: a line of help and one of type for each name, then its samples.
"""

from __future__ import annotations

import importlib.metadata
import math
import typing
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["CONTENT_TYPE", "Measures"]

_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0)

# Each number that the session counts: its name, its kind and what it says.
_COUNTS = {
    "seen": ("events_total", "counter", "Events that the model has predicted."),
    "asked": ("asks_total", "counter", "Labels that have been asked for."),
    "learned": ("labels_learned_total", "counter", "Labels that have been learned."),
    "expired": ("asks_expired_total", "counter", "Asks that expired without an answer."),
    "refused_events": ("events_refused_total", "counter", "Events that the model refused."),
    "refused_labels": ("labels_refused_total", "counter", "Labels that were refused."),
    "open": ("asks_open", "gauge", "Asks that wait for an answer."),
    "answered": ("asks_answered", "gauge", "Answers that wait to be learned."),
    "left": ("budget_left", "gauge", "Labels that may be asked for right now."),
    "quality": ("quality", "gauge", "The metric, estimated from asked labels."),
    "quality_low": ("quality_low", "gauge", "Lower end of its 95 percent interval."),
    "quality_high": ("quality_high", "gauge", "Upper end of its 95 percent interval."),
    "quality_labels": ("quality_labels", "gauge", "Labels that the estimate rests on."),
    "drifts": ("drifts_total", "counter", "How often mistakes became more frequent."),
}

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]


class Measures:
    """Counts requests, and writes down all numbers for Prometheus.

    Parameters
    ----------
    paths
        The paths there are; any other is counted as `other`, for anybody can make some up.

    """

    def __init__(self, paths: set[str]):
        self._paths = paths
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds = {path: Histogram(_BUCKETS_S) for path in (*paths, "other")}

    def note(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        path = path if path in self._paths else "other"
        self._requests[path, status] += 1
        self._seconds[path].note(seconds)

    def text(
        self, counts: dict[str, float | None], waiting: int, store_works: bool, store_errors: int
    ) -> str:
        """Everything, in the text form; what cannot be counted now is left out."""
        version = {"version": importlib.metadata.version("river-oa3")}
        lines = _family("info", "gauge", "The version.", [("", version, 1)])
        for key, (name, kind, text) in _COUNTS.items():
            value = counts.get(key)
            if value is not None:
                lines += _family(name, kind, text, [("", {}, value)])
        lines += _family("backlog", "gauge", "Events and labels waiting.", [("", {}, waiting)])
        lines += _family("store_up", "gauge", "Whether the store works.", [("", {}, store_works)])
        lines += _family(
            "store_errors_total", "counter", "Failures of the store.", [("", {}, store_errors)]
        )
        requests = [
            ("", {"path": path, "status": str(status)}, count)
            for (path, status), count in sorted(self._requests.items())
        ]
        lines += _family("http_requests_total", "counter", "Requests answered.", requests)
        used = {path for path, _ in self._requests}
        seconds = [
            sample
            for path in sorted(used)
            for sample in self._seconds[path].samples({"path": path})
        ]
        lines += _family("http_request_seconds", "histogram", "Time to answer.", seconds)
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, text: str, samples: typing.Any) -> list[str]:
    return family(f"river_oa3_{name}", kind, text, samples)


def family(
    name: str, kind: str, text: str, samples: Iterable[tuple[str, Labels, float]]
) -> list[str]:
    r"""The lines of one name; a sample has a suffix, labels and a value.

    Examples
    --------

    >>> from river_oa3.service.metrics import family

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
