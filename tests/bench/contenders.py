"""Who runs in the benchmark: our learners, river's, and other libraries that are installed."""

from __future__ import annotations

import importlib.util
import typing
from collections.abc import Callable

import numpy as np
from river import active, linear_model, optim

from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

from .events import Events
from .floor import walk

__all__ = ["BASELINE", "CONTENDERS", "FLOOR", "Contender", "classifier", "installed"]

Pace = Callable[[Events], None]

FLOOR = "floor"
BASELINE = "LogisticRegression"


class Contender(typing.NamedTuple):
    """How to make a model that goes through events, given the names of all features."""

    make: Callable[[list[str]], Pace]
    # Time or memory that grows with the square of the features of the stream is cut off here.
    most_features: int = 10**9
    # Fails where an event lacks a feature.
    dense_only: bool = False
    needs: str | None = None
    # The method of the experiments that has the same learner, for ours; and whether it learns all.
    method: str | None = None
    is_bare: bool = True


def classifier(make: Callable[[], typing.Any]) -> Callable[[list[str]], Pace]:
    """Predict and learn every event."""

    def start(names: list[str]) -> Pace:
        model = make()

        def go(events: Events) -> None:
            predict, learn = model.predict_one, model.learn_one
            for x, y in events:
                predict(x)
                learn(x, y)

        return go

    return start


def _active(make: Callable[[], typing.Any]) -> Callable[[list[str]], Pace]:
    """Predict every event, and learn those that are asked about."""

    def start(names: list[str]) -> Pace:
        model = make()

        def go(events: Events) -> None:
            predict, learn = model.predict_one, model.learn_one
            for x, y in events:
                if predict(x)[1]:
                    learn(x, y)

        return go

    return start


def _floor(names: list[str]) -> Pace:
    table = dict.fromkeys(names, 0)

    def go(events: Events) -> None:
        walk([x for x, _ in events], table)

    return go


def _vowpal_wabbit(names: list[str]) -> Pace:
    from vowpalwabbit import Workspace

    model = Workspace("--quiet --loss_function logistic -b 22")

    def go(events: Events) -> None:
        for x, y in events:
            features = " ".join([f"{name}:{value}" for name, value in x.items()])
            model.predict(f"| {features}")
            model.learn(f"{1 if y else -1} | {features}")

    return go


def _scikit_activeml(names: list[str]) -> Pace:
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.stream import VariableUncertainty
    from sklearn.linear_model import SGDClassifier

    model = SklearnClassifier(SGDClassifier(loss="log_loss"), classes=[0, 1], random_state=0)
    model.partial_fit(np.zeros((2, len(names))), [0, 1])
    query = VariableUncertainty(random_state=0)

    def go(events: Events) -> None:
        for x, y in events:
            row = np.array([[x.get(name, 0.0) for name in names]])
            model.predict(row)
            asked, utilities = query.query(candidates=row, clf=model, return_utilities=True)
            query.update(row, asked, budget_manager_param_dict={"utilities": utilities})
            if len(asked):
                model.partial_fit(row, [int(y)])

    return go


CONTENDERS: dict[str, Contender] = {
    FLOOR: Contender(_floor),
    "OA3Diag": Contender(classifier(OA3DiagClassifier), method="OA3-diag"),
    "AutoOA3": Contender(classifier(AutoOA3Classifier)),
    "ActiveLearner()": Contender(_active(lambda: ActiveLearner(budget=100, seed=1)), is_bare=False),
    "SSOA3": Contender(classifier(SSOA3Classifier), method="SSOA3"),
    "SOA3": Contender(classifier(SOA3Classifier), most_features=20_000, method="SOA3"),
    "OA3": Contender(classifier(OA3Classifier), most_features=1_500, method="OA3"),
    "ActiveLearner(SSOA3)": Contender(
        _active(lambda: ActiveLearner(SSOA3Classifier(), seed=1)),
        method="SSOA3",
        is_bare=False,
    ),
    BASELINE: Contender(classifier(linear_model.LogisticRegression)),
    "PAClassifier": Contender(classifier(linear_model.PAClassifier)),
    "Perceptron": Contender(classifier(linear_model.Perceptron)),
    "ALMAClassifier": Contender(classifier(linear_model.ALMAClassifier)),
    "AdPredictor": Contender(classifier(linear_model.AdPredictor)),
    "LogisticRegression(Newton)": Contender(
        classifier(lambda: linear_model.LogisticRegression(optim.Newton())),
        most_features=300,
        dense_only=True,
    ),
    "EntropySampler(LogReg)": Contender(
        _active(lambda: active.EntropySampler(linear_model.LogisticRegression(), seed=1))
    ),
    "Vowpal Wabbit": Contender(_vowpal_wabbit, needs="vowpalwabbit"),
    "scikit-activeml": Contender(_scikit_activeml, most_features=2_000, needs="skactiveml"),
}


def installed() -> dict[str, Contender]:
    """The contenders whose libraries are there."""
    return {
        name: contender
        for name, contender in CONTENDERS.items()
        if contender.needs is None or importlib.util.find_spec(contender.needs) is not None
    }
