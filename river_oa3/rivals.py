"""The methods that the paper compares OA3 with, each a ready `ActiveLearner`.

They share the budget, the drawing and the accounting with OA3, so that a comparison compares the
rule for asking and the rule for learning, and nothing else.
"""

from __future__ import annotations

from river_oa3._core import checks
from river_oa3.active import ActiveLearner
from river_oa3.budget import Budget
from river_oa3.first_order import (
    CostSensitiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)
from river_oa3.oa3 import OA3Classifier
from river_oa3.query import AsymmetricQuery, FirstComeQuery, RandomQuery

__all__ = ["csoal", "oa3_first_come", "oa3_random", "oaal", "paa", "soal", "soal_cs"]


def paa(
    delta: float = 0.1,
    C: float = 1.0,
    mode: int = 1,
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """PAA: a passive-aggressive classifier that asks where its margin is small.

    Parameters
    ----------
    delta
        The bias for asking.
    C
        The aggressiveness of PA-I and PA-II.
    mode
        Which of the variants: 0 for PA, 1 for PA-I, 2 for PA-II.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.paa(budget=1)
    >>> model.predict_one({'amount': 1.0})
    (True, True)
    >>> model.learn_one({'amount': 1.0}, False)
    >>> model.predict_one({'amount': 1.0})
    (False, False)

    References
    ----------
    [^1]: Lu, J., Zhao, P. and Hoi, S.C.H., 2016. Online passive-aggressive active learning.
        Machine Learning, 103.

    """
    classifier = PassiveAggressiveClassifier(C=C, mode=mode)
    return ActiveLearner(classifier, _first_order(*_symmetric(delta)), budget, seed)


def oaal(
    delta_pos: float = 0.1,
    delta_neg: float = 0.1,
    eta: float = 1.0,
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """OAAL: a perceptron that asks with a bias for each side of its boundary.

    Parameters
    ----------
    delta_pos
        The bias for asking about events predicted positive.
    delta_neg
        The bias for asking about events predicted negative.
    eta
        The learning rate.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.oaal(budget=1)
    >>> model.predict_one({'amount': 1.0})
    (True, True)

    References
    ----------
    [^1]: Zhang, X., Yang, T. and Srinivasan, P., 2016. Online asymmetric active learning with
        imbalanced data. Proceedings of KDD.

    """
    classifier = PerceptronClassifier(eta=eta)
    return ActiveLearner(classifier, _first_order(delta_pos, delta_neg), budget, seed)


def csoal(
    delta: float = 0.1,
    eta: float = 0.1,
    rho: float = 1.0,
    loss: str = "slope",
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """CSOAL: gradient steps that weigh positives more, and ask where the margin is small.

    Parameters
    ----------
    delta
        The bias for asking.
    eta
        The learning rate.
    rho
        The weight of a positive relative to a negative.
    loss
        What the weight does: `'slope'` multiplies the hinge loss of a positive, `'margin'` asks it
        for a margin of `rho` instead of 1.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.csoal(rho=9, budget=1)
    >>> model.predict_one({'amount': 1.0})
    (True, True)

    References
    ----------
    [^1]: Zhao, P. and Hoi, S.C.H., 2013. Cost-sensitive online active learning with application to
        malicious URL detection. Proceedings of KDD.

    """
    classifier = CostSensitiveClassifier(eta=eta, rho=rho, loss=loss)
    return ActiveLearner(classifier, _first_order(*_symmetric(delta)), budget, seed)


def soal(
    delta: float = 0.1,
    eta: float = 0.1,
    gamma: float = 1.0,
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """SOAL: second-order and symmetric, in asking and in learning.

    Parameters
    ----------
    delta
        The bias for asking.
    eta
        The learning rate.
    gamma
        The regularisation: the larger it is, the slower the variances shrink.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.soal(budget=1)
    >>> model.predict_one({'amount': 1.0})
    (True, True)

    References
    ----------
    [^1]: Hao, S. et al., 2016. SOAL: second-order online active learning. Proceedings of ICDM.

    """
    return soal_cs(delta, eta, gamma, rho=1.0, budget=budget, seed=seed)


def soal_cs(
    delta: float = 0.1,
    eta: float = 0.1,
    gamma: float = 1.0,
    rho: float = 1.0,
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """SOAL-CS: SOAL whose loss weighs positives more; it still asks symmetrically.

    Parameters
    ----------
    delta
        The bias for asking.
    eta
        The learning rate.
    gamma
        The regularisation: the larger it is, the slower the variances shrink.
    rho
        The weight of a positive relative to a negative.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.soal_cs(rho=9, budget=1)
    >>> model.predict_one({'amount': 1.0})
    (True, True)

    References
    ----------
    [^1]: Hao, S. et al., 2016. SOAL: second-order online active learning. Proceedings of ICDM.

    """
    classifier = OA3Classifier(eta=eta, gamma=gamma, rho=rho)
    return ActiveLearner(classifier, AsymmetricQuery(*_symmetric(delta)), budget, seed)


def oa3_first_come(
    eta: float = 0.1,
    gamma: float = 1.0,
    rho: float = 1.0,
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """OA3-F: OA3 that asks about every event, first come, first served.

    Parameters
    ----------
    eta
        The learning rate.
    gamma
        The regularisation: the larger it is, the slower the variances shrink.
    rho
        The weight of a positive relative to a negative.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.oa3_first_come(budget=1)
    >>> [model.predict_one({'amount': 1.0}) for _ in range(2)]
    [(True, True), (True, False)]

    """
    return ActiveLearner(
        OA3Classifier(eta=eta, gamma=gamma, rho=rho), FirstComeQuery(), budget, seed
    )


def oa3_random(
    probability: float = 0.1,
    eta: float = 0.1,
    gamma: float = 1.0,
    rho: float = 1.0,
    budget: int | Budget | None = None,
    seed: int | None = None,
) -> ActiveLearner:
    """OA3-R: OA3 that asks about every event with the same probability.

    Parameters
    ----------
    probability
        The probability of asking.
    eta
        The learning rate.
    gamma
        The regularisation: the larger it is, the slower the variances shrink.
    rho
        The weight of a positive relative to a negative.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`.
    seed
        Random number generator seed for reproducibility.

    Examples
    --------

    >>> from river_oa3 import rivals

    >>> model = rivals.oa3_random(probability=0.5, seed=1)
    >>> [model.predict_one({'amount': 1.0})[1] for _ in range(4)]
    [True, False, False, True]

    """
    classifier = OA3Classifier(eta=eta, gamma=gamma, rho=rho)
    return ActiveLearner(classifier, RandomQuery(probability), budget, seed)


def _symmetric(delta: float) -> tuple[float, float]:
    checks.positive("delta", delta)
    return delta, delta


def _first_order(delta_pos: float, delta_neg: float) -> AsymmetricQuery:
    return AsymmetricQuery(delta_pos, delta_neg, use_confidence=False)
