from __future__ import annotations

from river_oa3._core.full import Full
from river_oa3.base import SecondOrderClassifier

__all__ = ["OA3Classifier"]


class OA3Classifier(SecondOrderClassifier):
    """Online adaptive asymmetric classifier with the full covariance of its weights.

    The weights of a linear model are a Gaussian, with mean `mu` and covariance `Sigma`. A label
    that leaves the hinge loss above zero shrinks the covariance along the event, and moves the
    mean by what is left of it: features that have been seen often move little, features that are
    new move a lot. Positives weigh `rho` times as much as negatives, which is how a rare class is
    made to count.

    Features may come and go at any time, and a zero is the same as a feature that is not there.
    There is no intercept: add a constant feature where the classes need one. Events should be about
    as long as each other, with `preprocessing.Normalizer`, after a scaler where units differ.

    Time and memory grow with the square of the number of features. For more than a few thousand
    of them use `SSOA3Classifier` or `OA3DiagClassifier`.

    Parameters
    ----------
    eta
        The learning rate. The default was chosen by mean regret over seven imbalanced data sets
        with rows of unit length, at budgets of 1, 5 and 20 percent of the labels.
    gamma
        The regularisation: the larger it is, the slower the covariance shrinks.
    rho
        The weight of a positive relative to a negative. Use the ratio of the costs of a missed
        positive and a false alarm, or the ratio of negatives to positives for balanced accuracy.
        With few labels begin lower, at 1: a learner that has been taught little and weighs
        positives much calls everything positive.

    Examples
    --------

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from river_oa3 import OA3Classifier

    >>> def with_intercept(x):
    ...     return {**x, 'intercept': 1.0}

    >>> model = (
    ...     preprocessing.StandardScaler()
    ...     | with_intercept
    ...     | preprocessing.Normalizer()
    ...     | OA3Classifier(rho=13)
    ... )

    >>> evaluate.progressive_val_score(
    ...     dataset=datasets.Shuttle().take(10_000),
    ...     model=model,
    ...     metric=metrics.BalancedAccuracy(),
    ... )
    BalancedAccuracy: 87.82%

    How sure the model is depends on what it has seen:

    >>> model = OA3Classifier()
    >>> model.variance_one({'amount': 1.0})
    1.0
    >>> for _ in range(9):
    ...     model.learn_one({'amount': 1.0}, True)
    >>> round(model.variance_one({'amount': 1.0}), 6)
    0.1
    >>> model.variance_one({'weekday': 1.0})
    1.0

    References
    ----------
    [^1]: Zhang, Y. et al., 2019. [Online Adaptive Asymmetric Active Learning with Limited
        Budgets](https://arxiv.org/abs/1911.07498).

    """

    def __init__(self, eta: float = 0.1, gamma: float = 1.0, rho: float = 1.0):
        super().__init__(Full(eta, gamma, rho))
