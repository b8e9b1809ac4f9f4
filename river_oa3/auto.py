from __future__ import annotations

import typing

import numpy as np
from river import base
from river.utils import dataframe

from river_oa3 import frames
from river_oa3._core import checks
from river_oa3._core.auto import Auto
from river_oa3._core.auto_batch import judge_rows, learn_rows
from river_oa3.base import Aside, Contribution, Event, UnsureClassifier, largest_first
from river_oa3.parameters import called

if typing.TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

    from river_oa3 import metrics

__all__ = ["AutoOA3Classifier"]

# Some 200 MB beyond the names.
MAX_FEATURES = 2**20

# What `explain_one` calls all that is no feature's.
INTERCEPT = "(intercept)"

# Of the label of an event that was observed before.
_importance = Aside()


class AutoOA3Classifier(UnsureClassifier, base.MiniBatchClassifier):
    """Takes events as they come, and needs nothing set.

    A second-order logistic regression with one variance per weight, an intercept, and all the
    preparation that linear models want done inside, from every event that passes, labelled or not:

    - numbers of any scale are standardised; those that most events have are centred, and cut into
      bins besides, so that a weight need not be a straight line;
    - texts are categories, one indicator per name and value;
    - None and NaN are missing: of a number that most events have, that is a bin of its own; of any
      other feature, the same as one that is not there, and as 0;
    - one wild value does no lasting harm: in the mean and the variance it counts as one that lies
      eight deviations away, and both begin anew from time to time, so that a column whose unit
      changes is followed;
    - rows are scaled by the length that rows have on average.

    The boundary follows the objective. For a weighted sum of sensitivity and specificity an event
    is positive where its probability is above the mean probability of the events: no ratio of the
    classes has to be known. For a cost it is positive where a false alarm is the cheaper mistake.

    Two learners share the rows. One hardly forgets; the other forgets what it knew of an event when
    its label surprises it, and answers while it does better on the newest labels: so a concept may
    change. The newest hundred labels are gone over again as others come. What `predict_proba_one`
    reports is calibrated on the labels.

    Inside an `ActiveLearner`, for which it was made, it observes every event that is predicted.
    Alone or in a pipeline of river's, it observes the events that it learns; `observe_one` adds
    those that have no label.

    Parameters
    ----------
    objective
        What the answers are judged by: `metrics.WeightedSum`, which is the default with equal
        weights, or `metrics.WeightedCost`.
    max_features
        The largest number of features, categories counted one by one, that are remembered. Beyond
        it, a quarter of them is forgotten: those that have not been seen for longest. Each takes
        no more than 2 kB where names have up to 200 letters, as those of the service: a text of
        more than 100 letters is a category by how it begins and the SHA-256 of all of it.

    Examples
    --------

    >>> from river import datasets, evaluate
    >>> from river_oa3 import AutoOA3Classifier, metrics

    >>> model = AutoOA3Classifier()
    >>> evaluate.progressive_val_score(
    ...     dataset=datasets.Phishing(), model=model, metric=metrics.WeightedSum()
    ... )
    WeightedSum: 91.03%

    >>> model = AutoOA3Classifier(metrics.WeightedCost(cost_fn=10, cost_fp=1))
    >>> model.learn_one({"amount": 1200.0, "country": "FR", "age": None}, False)
    >>> model.learn_one({"amount": 3.5, "country": "XX", "age": 31}, True)
    >>> model.predict_one({"country": "XX"})
    True

    """

    _core: Auto

    def __init__(
        self,
        objective: metrics.WeightedSum | metrics.WeightedCost | None = None,
        max_features: int = MAX_FEATURES,
    ):
        prices = _prices(objective)
        max_features = checks.positive_integer("max_features", max_features)
        super().__init__(Auto(*prices, max_features))
        self.objective = objective
        self._y_name: str | None = None

    def __repr__(self) -> str:
        shown = super().__repr__()
        if self.objective is None:
            return shown
        # river shows what a metric has measured, and an objective measures nothing.
        return shown.replace(repr(self.objective), called(self.objective), 1)

    @property
    def max_features(self) -> int:
        return self._core.max_features

    @property
    def intercept(self) -> float:
        """The mean weight of the intercept."""
        return self._core.intercept_weight

    @property
    def weights(self) -> dict[base.typing.FeatureName, float]:
        """The mean weight of each feature's standardised value; categories are (name, value)."""
        return self._core.weights()

    def margin_one(self, x: Event) -> float:
        """How far the event is above the boundary: it is predicted positive at 0 and above.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._core.margin_one(x)

    def explain_one(self, x: Event) -> list[Contribution]:
        """What the margin is made of: feature, value and contribution, the largest first.

        The contributions add up to `margin_one(x)`. A feature's is that of its standardised value
        and of its bin, shrunk as the margin is where little is known of such events. A feature that
        the event leaves out, and most events have, says something by that: its value is None. What
        is no feature's, the intercept and the boundary, has the name "(intercept)" and the value 1.

        Parameters
        ----------
        x
            A dictionary of features.

        Examples
        --------

        >>> from river_oa3 import AutoOA3Classifier

        >>> model = AutoOA3Classifier()
        >>> model.learn_one({'amount': 10.0, 'country': 'FR'}, False)
        >>> model.learn_one({'amount': 90.0, 'country': 'XX'}, True)
        >>> for feature, value, contribution in model.explain_one({'amount': 80, 'country': 'XX'}):
        ...     print(feature, value, round(contribution, 3))
        country XX 0.371
        amount 80 0.295
        (intercept) 1.0 -0.279

        """
        contributions, rest = self._core.explain_one(x)
        return largest_first([*contributions, (INTERCEPT, 1.0, rest)])

    def observe_one(self, x: Event) -> None:
        """Learn from an event without a label: the scale of its features, and the boundary.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        self._core.observe_one(x)

    def learn_one(self, x: Event, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Observe an event, and learn its label.

        Parameters
        ----------
        x
            A dictionary of features: numbers, texts as categories, None and NaN as missing.
        y
            A label: True or False, or 1 or 0.
        w
            A weight that multiplies the loss of this event.

        """
        importance = _importance.of(self)
        if importance is None:
            self._core.learn_one(x, y, w)
        else:
            self._core.learn_one(x, y, w, True, importance)

    def _learn_observed(
        self, x: Event, y: base.typing.ClfTarget, w: float, importance: float
    ) -> None:
        """Learn the label of an event that was observed before, as `learn_one` would.

        A subclass may have its own `learn_one`, which knows nothing of this.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            A label.
        w
            A weight that multiplies the loss of this event.
        importance
            The inverse of the probability with which the label was asked for.

        """
        if type(self).learn_one is AutoOA3Classifier.learn_one:
            self._core.learn_one(x, y, w, True, importance)
            return
        with _importance.given(self, importance):
            self.learn_one(x, y, *([w] if w != 1.0 else []))  # not all of them take a weight

    def learn_many(self, X: IntoDataFrame, y: IntoSeries, w: float | IntoSeries = 1.0) -> None:
        """Observe and learn the rows of a data frame, in order, as `learn_one` would.

        Parameters
        ----------
        X
            A data frame of features; nulls are missing, texts are categories.
        y
            A series of labels.
        w
            A weight, or a series of weights.

        """
        batch = self._read(X)
        labels, name = frames.labels(y, len(batch.frame))
        weights = frames.weights(w, len(batch.frame))
        learn_rows(
            self._core, batch.data, batch.indices, batch.indptr, batch.names, labels, weights
        )
        self._y_name = name

    def predict_many(self, X: IntoDataFrame) -> IntoSeries:
        batch = self._read(X)
        margins, _ = self._judge(batch)
        return dataframe.to_native_series(margins >= 0, name=self._y_name, like=batch.frame)

    def predict_proba_many(self, X: IntoDataFrame) -> IntoDataFrame:
        batch = self._read(X)
        _, positive = self._judge(batch)
        return dataframe.to_native_frame({False: 1.0 - positive, True: positive}, like=batch.frame)

    def _judge(self, batch: frames.RawBatch) -> tuple[frames.Matrix, frames.Matrix]:
        return judge_rows(self._core, batch.data, batch.indices, batch.indptr, batch.names)

    def _read(self, X: IntoDataFrame) -> frames.RawBatch:
        batch = frames.read_raw(X)
        widest = int(np.diff(batch.indptr).max(initial=0))
        if widest > self.max_features:
            raise ValueError(
                f"a row has {widest} features, and max_features is {self.max_features}: raise it, "
                "or leave some out"
            )
        return batch


def _prices(objective: typing.Any) -> tuple[float, float, bool]:
    """The prices of a miss and of a false alarm, and whether they are those of an event."""
    if objective is None:
        return 0.5, 0.5, False
    from river_oa3 import metrics

    if isinstance(objective, metrics.WeightedSum):
        return objective.alpha_pos, 1.0 - objective.alpha_pos, False
    if isinstance(objective, metrics.WeightedCost):
        if objective.cost_fn == objective.cost_fp == 0.0:
            raise ValueError("objective must have a cost: both of its costs are 0")
        return objective.cost_fn, objective.cost_fp, True
    raise TypeError(
        "objective must be metrics.WeightedSum or metrics.WeightedCost of river_oa3, not "
        f"{objective!r}"
    )
