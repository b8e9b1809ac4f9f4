from __future__ import annotations

import importlib.metadata
import typing
from collections import Counter

from river_oa3.service.prometheus import Histogram, family

__all__ = ["Measures"]

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0)

# Each number that the desk gives: its name, its kind and what it says.
_DESK = {
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
        self._seconds = {path: Histogram(_BOUNDS) for path in (*paths, "other")}

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
        for key, (name, kind, text) in _DESK.items():
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
