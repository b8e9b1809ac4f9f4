from __future__ import annotations

from river_oa3._core.diagonal import Diagonal
from river_oa3.base import SecondOrderClassifier

__all__ = ["OA3DiagClassifier"]


class OA3DiagClassifier(SecondOrderClassifier):
    """Online adaptive asymmetric classifier with the full covariance.

    TODO
    """

    def __init__(self, eta: float = 0.1, gamma: float = 1.0, rho: float = 1.0):
        super().__init__(Diagonal(eta, gamma, rho))
