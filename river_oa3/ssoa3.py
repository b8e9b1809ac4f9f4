from __future__ import annotations

from river_oa3._core.sparse_sketch import SparseSketch
from river_oa3.base import SketchedClassifier

__all__ = ["SSOA3Classifier"]


class SSOA3Classifier(SketchedClassifier):
    """Sparse sketched online adaptive asymmetric classifier.

    `SOA3Classifier` in factored form: the same answers to rounding, while an event costs time for
    the features it has, not for those the stream has. Made for text, links and other events with
    a few features out of a large and growing vocabulary, and as good for dense ones.

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
    sketch_size
        The number of directions.
    seed
        Where the directions start. A feature's start depends on the seed and its name alone, so
        models with the same seed agree whatever the order in which they meet their features.

    Examples
    --------

    >>> from river import datasets, evaluate, feature_extraction, metrics, preprocessing
    >>> from river_oa3 import SSOA3Classifier

    >>> def with_intercept(x):
    ...     return {**x, 'intercept': 1.0}

    >>> model = (
    ...     preprocessing.StandardScaler()
    ...     | with_intercept
    ...     | preprocessing.Normalizer()
    ...     | SSOA3Classifier(rho=13)
    ... )

    >>> evaluate.progressive_val_score(
    ...     dataset=datasets.Shuttle().take(10_000),
    ...     model=model,
    ...     metric=metrics.BalancedAccuracy(),
    ... )
    BalancedAccuracy: 96.11%

    Words are features like any others, known or not:

    >>> model = feature_extraction.TFIDF() | SSOA3Classifier()
    >>> for text, spam in [
    ...     ('win a prize now', True),
    ...     ('see you at lunch', False),
    ...     ('claim your prize', True),
    ... ]:
    ...     model.learn_one(text, spam)
    >>> model.predict_one('a prize for you')
    True

    References
    ----------
    [^1]: Zhang, Y. et al., 2019. [Online Adaptive Asymmetric Active Learning with Limited
        Budgets](https://arxiv.org/abs/1911.07498).
    [^2]: Luo, H. et al., 2016. [Efficient Second Order Online Learning by
        Sketching](https://arxiv.org/abs/1602.02202).

    """

    def __init__(
        self,
        eta: float = 0.1,
        gamma: float = 1.0,
        rho: float = 1.0,
        sketch_size: int = 5,
        seed: int | None = 0,
    ):
        super().__init__(SparseSketch(eta, gamma, rho, sketch_size, seed))
