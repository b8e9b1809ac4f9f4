from __future__ import annotations

from river_oa3._core.diagonal import Diagonal
from river_oa3.base import SecondOrderClassifier

__all__ = ["OA3DiagClassifier"]


class OA3DiagClassifier(SecondOrderClassifier):
    """Online adaptive asymmetric classifier with one variance a feature.

    The fastest of the four: `OA3Classifier` without the correlations between weights. Each feature
    has a learning rate of its own, which falls as the feature is seen. A good first choice for
    sparse events and large vocabularies; time and memory grow with the features of an event and
    of the stream.

    Parameters
    ----------
    eta
        The learning rate. The default was chosen by mean regret over seven imbalanced data sets
        with rows of unit length, at budgets of 1, 5 and 20 percent of the labels.
    gamma
        The regularisation: the larger it is, the slower the variances shrink.
    rho
        The weight of a positive relative to a negative. Use the ratio of the costs of a missed
        positive and a false alarm, or the ratio of negatives to positives for balanced accuracy.
        With few labels begin lower, at 1: a learner that has been taught little and weighs
        positives much calls everything positive.

    Examples
    --------

    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from river_oa3 import OA3DiagClassifier

    >>> def with_intercept(x):
    ...     return {**x, 'intercept': 1.0}

    >>> model = (
    ...     preprocessing.StandardScaler()
    ...     | with_intercept
    ...     | preprocessing.Normalizer()
    ...     | OA3DiagClassifier(rho=13)
    ... )

    >>> evaluate.progressive_val_score(
    ...     dataset=datasets.Shuttle().take(10_000),
    ...     model=model,
    ...     metric=metrics.BalancedAccuracy(),
    ... )
    BalancedAccuracy: 93.34%

    References
    ----------
    [^1]: Zhang, Y. et al., 2019. [Online Adaptive Asymmetric Active Learning with Limited
        Budgets](https://arxiv.org/abs/1911.07498).

    """

    def __init__(self, eta: float = 0.1, gamma: float = 1.0, rho: float = 1.0):
        super().__init__(Diagonal(eta, gamma, rho))
