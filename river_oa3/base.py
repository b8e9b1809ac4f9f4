"""What the learners have in common, as river sees them."""

from __future__ import annotations

import contextlib
import threading
import typing

import numpy as np
from river import base
from river.utils import dataframe
from scipy.special import ndtr

from river_oa3 import frames, remedies  # noqa: F401 - remedies fill in what the core cannot know
from river_oa3._core import checks

if typing.TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

    from river_oa3._core.auto import Auto
    from river_oa3._core.learner import Learner
    from river_oa3._core.second_order import SecondOrder
    from river_oa3._core.sketch import Sketch

__all__ = [
    "Aside",
    "Contribution",
    "MarginClassifier",
    "SecondOrderClassifier",
    "SketchedClassifier",
    "UnsureClassifier",
    "largest_first",
    "parameter",
]

Event = dict[base.typing.FeatureName, typing.Any]

# A feature, its value in the event, and what it adds to the margin.
Contribution = tuple[base.typing.FeatureName, typing.Any, float]


class Aside(threading.local):
    """An argument of `learn_one` that only this package knows of.

    It gets past the `learn_one` of a subclass, which does not take it, to the overridden one.
    Objects are shared between threads, so it stands in none of them.

    """

    receiver: typing.Any = None
    value: float | None = None

    @contextlib.contextmanager
    def given(self, receiver: typing.Any, value: float) -> typing.Iterator[None]:
        before = self.receiver, self.value
        self.receiver, self.value = receiver, value
        try:
            yield
        finally:
            self.receiver, self.value = before

    def of(self, receiver: typing.Any) -> float | None:
        return self.value if self.receiver is receiver else None


def largest_first(contributions: list[Contribution]) -> list[Contribution]:
    """By size, whatever the sign; equal ones stay in their order."""
    return sorted(contributions, key=lambda contribution: -abs(contribution[2]))


def parameter(name: str, core_name: str | None = None) -> property:
    """A parameter that lives in the core, which may call it by another name."""

    def get(self: MarginClassifier) -> typing.Any:
        return getattr(self._core, core_name or name)

    def set_(self: MarginClassifier, value: float) -> None:
        setattr(self._core, core_name or name, checks.positive(name, value))

    return property(get, set_)


class MarginClassifier(base.Classifier):
    """A binary linear classifier on the compiled core, which knows its margin.

    The parameters live in the core, so that setting one on a model that has learned takes effect,
    and is checked, at once.

    """

    def __init__(self, core: Learner | Auto):
        self._core = core

    def clone(
        self, new_params: dict[str, typing.Any] | None = None, include_attributes: bool = False
    ) -> typing.Self:
        clone = super().clone(new_params, include_attributes)
        # Parameters live in the core, which came along with the attributes.
        for name in self._mutable_attributes & set(new_params or {}):
            setattr(clone, name, (new_params or {})[name])
        return clone

    @property
    def weights(self) -> dict[base.typing.FeatureName, float]:
        """The mean weight of each feature that has been learned."""
        return self._core.weights()

    def margin_one(self, x: Event) -> float:
        """The signed margin `mu.x`: positive events are predicted at 0 and above.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._core.margin_one(x)

    def explain_one(self, x: Event) -> list[Contribution]:
        """What the margin is made of: feature, value and contribution, the largest first.

        The contributions add up to `margin_one(x)`. Features that have not been learned are there
        too, with a contribution of 0.

        Parameters
        ----------
        x
            A dictionary of features.

        Examples
        --------

        >>> from river_oa3 import OA3Classifier

        >>> model = OA3Classifier(eta=1.0)
        >>> model.learn_one({'amount': 1.0, 'night': 1.0}, True)
        >>> model.learn_one({'night': 1.0}, False)
        >>> x = {'night': 1, 'amount': 2, 'age': 3}
        >>> for feature, value, contribution in model.explain_one(x):
        ...     print(feature, value, round(contribution, 3))
        amount 2 1.067
        night 1 -0.067
        age 3 0.0

        """
        contributions, _ = self._core.explain_one(x)
        return largest_first(contributions)

    def predict_one(self, x: Event) -> bool:  # type: ignore[override]  # river's takes any kwargs
        return self._core.predict_one(x)

    def predict_proba_one(self, x: Event) -> dict[bool, float]:  # type: ignore[override]  # as above
        positive, negative = self._core.probability_one(x)
        return {False: negative, True: positive}

    def learn_one(self, x: Event, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Update the model with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features. Zeros are the same as features that are not there.
        y
            A label: True or False, or 1 or 0.
        w
            A weight that multiplies the loss of this event.

        """
        self._core.learn_one(x, y, w)


class UnsureClassifier(MarginClassifier):
    """A margin classifier that knows how sure it is of a margin."""

    _core: SecondOrder | Auto

    def variance_one(self, x: Event) -> float:
        """The variance of the margin, 0 or above: how little is known of such events.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._core.variance_one(x)

    def confidence_one(self, x: Event) -> float:
        """The query confidence, 0 or below: the lower it is, the more a label would teach.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._core.confidence_one(x)


class SecondOrderClassifier(UnsureClassifier, base.MiniBatchClassifier):
    """A binary linear classifier that knows how sure it is: weights ~ N(mu, Sigma).

    Subclasses choose how Sigma is kept.

    """

    _core: SecondOrder

    def __init__(self, core: SecondOrder):
        super().__init__(core)
        self._y_name: str | None = None

    eta = parameter("eta")
    gamma = parameter("gamma")
    rho = parameter("rho")

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"eta", "gamma", "rho"}

    def learn_many(self, X: IntoDataFrame, y: IntoSeries, w: float | IntoSeries = 1.0) -> None:
        """Update the model with the rows of a data frame, in order, as `learn_one` would.

        Parameters
        ----------
        X
            A data frame of features.
        y
            A series of labels.
        w
            A weight, or a series of weights.

        """
        batch = frames.read(X)
        labels, name = frames.labels(y, len(batch.matrix))
        weights = frames.weights(w, len(batch.matrix))
        self._core.learn_many(batch.matrix, batch.columns, labels, weights, batch.squares)
        self._y_name = name

    def predict_many(self, X: IntoDataFrame) -> IntoSeries:
        batch = frames.read(X)
        labels = self._core.margins(batch.matrix, batch.columns) >= 0
        return dataframe.to_native_series(labels, name=self._y_name, like=batch.frame)

    def predict_proba_many(self, X: IntoDataFrame) -> IntoDataFrame:
        batch = frames.read(X)
        margins, variances = self._core.judge_many(batch.matrix, batch.columns)
        z = margins / np.sqrt(self.gamma + variances)
        return dataframe.to_native_frame({False: ndtr(-z), True: ndtr(z)}, like=batch.frame)


class SketchedClassifier(SecondOrderClassifier):
    """A second-order classifier whose covariance is a sketch of a few directions."""

    _core: Sketch

    @property
    def sketch_size(self) -> int:
        return self._core.sketch_size

    @property
    def seed(self) -> int | None:
        return self._core.seed
