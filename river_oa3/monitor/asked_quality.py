from __future__ import annotations

import typing

__all__ = ["AskedQuality"]


class AskedQuality:
    """Placeholder: being built."""

    def __init__(self, metric: typing.Any = None):
        self.metric = metric
        self.n_labels = 0
        self.n_drifts = 0
        self.drift_detected = False

    def update(self, y_true: typing.Any, y_pred: typing.Any, probability: float) -> None:
        self.n_labels += 1

    def get(self) -> float | None:
        return None

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        return None

    def to_dict(self) -> dict[str, typing.Any]:
        return {"n_labels": self.n_labels}
