"""The first-order classifiers of the paper's rivals, on the compiled core.

River has classifiers of these kinds too. These share the core, the margins and the answers to bad
input of the second-order ones, so that a comparison compares the methods and nothing else.
"""

from __future__ import annotations

import typing

from river_oa3._core import checks
from river_oa3._core.first_order import FirstOrder
from river_oa3.base import MarginClassifier, parameter

__all__ = ["CostSensitiveClassifier", "PassiveAggressiveClassifier", "PerceptronClassifier"]

_PASSIVE_AGGRESSIVE = ("PA", "PA-I", "PA-II")
_LOSSES = ("slope", "margin")


class PassiveAggressiveClassifier(MarginClassifier):
    """Passive-aggressive classifier: the shortest step that mends the hinge loss.

    Parameters
    ----------
    C
        The aggressiveness: no step is longer than `C` in mode 1, and a loss costs `C` times its
        square in mode 2. Mode 0 has no use for it.
    mode
        Which of the variants: 0 for PA, 1 for PA-I, 2 for PA-II.

    Examples
    --------

    >>> from river_oa3.first_order import PassiveAggressiveClassifier

    >>> model = PassiveAggressiveClassifier(mode=0)
    >>> model.learn_one({'amount': 2.0}, True)
    >>> model.margin_one({'amount': 2.0})
    1.0

    References
    ----------
    [^1]: Crammer, K. et al., 2006. Online Passive-Aggressive Algorithms. Journal of Machine
        Learning Research, 7.

    """

    def __init__(self, C: float = 1.0, mode: int = 1):
        if checks.count("mode", mode) >= len(_PASSIVE_AGGRESSIVE):
            raise ValueError(f"mode must be 0, 1 or 2, not {mode!r}")
        super().__init__(FirstOrder(checks.positive("C", C), 1.0, _PASSIVE_AGGRESSIVE[mode]))

    C = parameter("C", "eta")

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"C"}

    @property
    def mode(self) -> int:
        return _PASSIVE_AGGRESSIVE.index(typing.cast(FirstOrder, self._core).rule)


class PerceptronClassifier(MarginClassifier):
    """Perceptron: a step along the event on a mistake.

    Parameters
    ----------
    eta
        The length of a step.

    Examples
    --------

    >>> from river_oa3.first_order import PerceptronClassifier

    >>> model = PerceptronClassifier(eta=0.5)
    >>> model.learn_one({'amount': 2.0}, True)  # no mistake: 0 is on the positive side
    >>> model.learn_one({'amount': 1.0}, False)
    >>> model.weights
    {'amount': -0.5}

    """

    def __init__(self, eta: float = 1.0):
        super().__init__(FirstOrder(eta, 1.0, "perceptron"))

    eta = parameter("eta")

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"eta"}


class CostSensitiveClassifier(MarginClassifier):
    """Gradient steps on a hinge loss that weighs positives more.

    Parameters
    ----------
    eta
        The learning rate.
    rho
        The weight of a positive relative to a negative.
    loss
        What the weight does: `'slope'` multiplies the hinge loss of a positive, `'margin'` asks it
        for a margin of `rho` instead of 1.

    Examples
    --------

    >>> from river_oa3.first_order import CostSensitiveClassifier

    >>> model = CostSensitiveClassifier(eta=0.1, rho=9)
    >>> model.learn_one({'amount': 1.0}, True)
    >>> model.weights
    {'amount': 0.9}

    References
    ----------
    [^1]: Zhao, P. and Hoi, S.C.H., 2013. Cost-sensitive online active learning with application to
        malicious URL detection. Proceedings of KDD.

    """

    def __init__(self, eta: float = 0.1, rho: float = 1.0, loss: str = "slope"):
        if loss not in _LOSSES:
            raise ValueError(f"loss must be 'slope' or 'margin', not {loss!r}")
        super().__init__(FirstOrder(eta, rho, loss))

    eta = parameter("eta")
    rho = parameter("rho")

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"eta", "rho"}

    @property
    def loss(self) -> str:
        return typing.cast(FirstOrder, self._core).rule
