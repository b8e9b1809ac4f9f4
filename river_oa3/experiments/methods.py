"""The eleven methods of the paper's tables and figures, under the names it gives them."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping

from river_oa3 import rivals
from river_oa3._core import checks
from river_oa3.active import ActiveLearner
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.query import AsymmetricQuery
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

__all__ = ["METHODS", "Method", "Setting", "build", "check_parameters"]


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all methods of a comparison share; each takes what it knows."""

    budget: int
    rho: float
    gamma: float = 1.0
    sketch_size: int = 5
    # The share of the events that the budget pays for, with which OA3-R asks.
    probability: float = 1.0


@dataclasses.dataclass(frozen=True)
class Method:
    """A method: how to make it, and which of its parameters are tuned."""

    make: Callable[..., ActiveLearner]
    tuned: tuple[str, ...]
    # What its covariance costs in time, for the progress bar's guess of the time left.
    kind: typing.Literal["first order", "diagonal", "sketch", "full"]

    @property
    def parameters(self) -> dict[str, float]:
        """The tuned parameters with their defaults."""
        signature = inspect.signature(self.make)
        return {name: signature.parameters[name].default for name in self.tuned}


def _learner(
    classifier: type[OA3Classifier | OA3DiagClassifier | SOA3Classifier | SSOA3Classifier],
) -> Callable[..., ActiveLearner]:
    """A function as those of `rivals` for one of the four learners with OA3's own query."""
    rule = inspect.signature(AsymmetricQuery).parameters

    def make(
        eta: float = inspect.signature(classifier).parameters["eta"].default,
        delta_pos: float = rule["delta_pos"].default,
        delta_neg: float = rule["delta_neg"].default,
        gamma: float = 1.0,
        rho: float = 1.0,
        sketch_size: int = 5,
        budget: int | None = None,
        seed: int | None = None,
    ) -> ActiveLearner:
        sketch: dict[str, typing.Any] = (
            {"sketch_size": sketch_size, "seed": seed}
            if "sketch_size" in inspect.signature(classifier).parameters
            else {}
        )
        model = classifier(eta=eta, gamma=gamma, rho=rho, **sketch)
        return ActiveLearner(model, AsymmetricQuery(delta_pos, delta_neg), budget, seed)

    return make


_OA3 = ("delta_pos", "delta_neg", "eta")

METHODS: dict[str, Method] = {
    "PAA": Method(rivals.paa, ("delta", "C"), "first order"),
    # A perceptron's eta only sets the scale of its margins, as the biases do.
    "OAAL": Method(rivals.oaal, ("delta_pos", "delta_neg"), "first order"),
    "CSOAL": Method(rivals.csoal, ("delta", "eta"), "first order"),
    "SOAL": Method(rivals.soal, ("delta", "eta"), "full"),
    "SOAL-CS": Method(rivals.soal_cs, ("delta", "eta"), "full"),
    "OA3": Method(_learner(OA3Classifier), _OA3, "full"),
    "OA3-diag": Method(_learner(OA3DiagClassifier), _OA3, "diagonal"),
    "SOA3": Method(_learner(SOA3Classifier), _OA3, "sketch"),
    "SSOA3": Method(_learner(SSOA3Classifier), _OA3, "sketch"),
    "OA3-F": Method(rivals.oa3_first_come, ("eta",), "full"),
    "OA3-R": Method(rivals.oa3_random, ("eta",), "full"),
}


def build(
    name: str, setting: Setting, parameters: Mapping[str, float], seed: int | None
) -> ActiveLearner:
    """A method with the shared setting, as far as it knows it, and parameters of its own.

    Examples
    --------

    >>> from river_oa3.experiments.methods import Setting, build

    >>> model = build("CSOAL", Setting(budget=100, rho=9), {"eta": 0.5}, seed=1)
    >>> model.classifier.rho, model.classifier.eta
    (9.0, 0.5)

    """
    make = METHODS[name].make
    known = inspect.signature(make).parameters
    shared = {key: value for key, value in dataclasses.asdict(setting).items() if key in known}
    return make(**{**shared, **parameters}, seed=seed)


def check_parameters(name: str, parameters: Mapping[str, float]) -> None:
    """Refuse parameters that the method does not have or does not take."""
    known = METHODS[name].parameters
    for key, value in parameters.items():
        if key not in known:
            raise ValueError(f"{name} has no parameter {key!r}; it has {', '.join(known)}")
        checks.positive(f"{name}'s {key}", value)
