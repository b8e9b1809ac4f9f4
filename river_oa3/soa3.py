from __future__ import annotations

from river_oa3._core.sketch import Sketch
from river_oa3.base import SketchedClassifier

__all__ = ["SOA3Classifier"]


class SOA3Classifier(SketchedClassifier):
    """Sketched.

    TODO
    """

    def __init__(
        self,
        eta: float = 0.1,
        gamma: float = 1.0,
        rho: float = 1.0,
        sketch_size: int = 5,
        seed: int | None = 0,
    ):
        super().__init__(Sketch(eta, gamma, rho, sketch_size, seed))
