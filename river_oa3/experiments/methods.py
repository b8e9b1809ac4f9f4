"""The methods of the paper's tables and figures, under the names it gives them, and AutoOA3.

Everything that the experiments know about a method stands in its entry: how it is made and tuned,
which rows it takes, the family that tables and conclusions put it in, how it is drawn, and what it
costs. `METHODS` has those of the paper.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping

from river.active.base import ActiveLearningClassifier

from river_oa3 import rivals
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.datasets.chunked import AnyStream
from river_oa3.experiments.scores import Goal
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.query import AsymmetricQuery, FirstComeQuery
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

__all__ = [
    "AUTO",
    "EVERY_LABEL",
    "METHODS",
    "Cost",
    "Family",
    "Method",
    "Setting",
    "Style",
    "build",
    "check_parameters",
    "find",
    "known",
    "of_families",
]


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all methods of a comparison share; each takes what it knows."""

    budget: int
    rho: float
    gamma: float = 1.0
    sketch_size: int = 5
    # The share of the events that the budget pays for, with which OA3-R asks.
    probability: float = 1.0
    # What AutoOA3 is told to be good at.
    goal: Goal = dataclasses.field(default_factory=lambda: Goal("sum"))


class Style(typing.NamedTuple):
    """How a line is drawn."""

    color: str
    dashes: typing.Literal["-", "--", "-.", ":"]
    marker: str
    width: float = 1.6

    @property
    def height(self) -> float:
        """Broken lines lie upon solid ones, so that a solid line under one is not hidden."""
        return 2.0 if self.dashes == "-" else 2.5


Family = typing.Literal[
    "AutoOA3",
    "first-order rival",
    "second-order rival",
    "OA3",
    "OA3 that asks otherwise",
    "river",
]
# Nanoseconds per event, from the non-zeros of an event, the features of the stream, and the share
# of the events that are learned.
Cost = Callable[[float, int, float], float]


@dataclasses.dataclass(frozen=True)
class Method:
    """A method.

    Parameters
    ----------
    make
        A function that makes it, as those of `river_oa3.rivals`.
    tuned
        Which of its parameters are chosen from the paper's grid.
    family
        Which methods it stands with.
    style
        How its lines are drawn.
    cost
        About how many nanoseconds an event takes beyond the reading of it, given the number of its
        non-zeros, the number of features of the stream, and the share of the events that are
        learned.
    takes_raw
        Whether it scales events itself. Others are given rows that are brought to scale.

    """

    make: Callable[..., ActiveLearningClassifier]
    tuned: tuple[str, ...]
    family: Family
    style: Style
    cost: Cost
    takes_raw: bool = False

    @property
    def parameters(self) -> dict[str, float]:
        """The tuned parameters with their defaults."""
        signature = inspect.signature(self.make)
        return {name: signature.parameters[name].default for name in self.tuned}

    def seconds(self, stream: AnyStream, events: int, share: float = 1.0) -> float:
        """About how many seconds a replay of so many events of a stream takes.

        `share` says how many of them are learned.
        """
        n, columns = stream.nonzeros / max(1, len(stream)), len(stream.names)
        return events * (100.0 + (5.0 + stream.reading) * n + self.cost(n, columns, share)) * 1e-9


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


def _auto(goal: Goal, budget: int | None = None, seed: int | None = None) -> ActiveLearner:
    """AutoOA3, which is told what to be good at, and nothing else."""
    return ActiveLearner(AutoOA3Classifier(goal.objective_metric), budget=budget, seed=seed)


def _every_label(goal: Goal, seed: int | None = None) -> ActiveLearner:
    """AutoOA3 without a budget, which asks about every event."""
    return ActiveLearner(AutoOA3Classifier(goal.objective_metric), FirstComeQuery(), seed=seed)


def _first_order(nonzeros: float, features: int, share: float) -> float:
    return 0.0


def _diagonal(nonzeros: float, features: int, share: float) -> float:
    return 3.0 * nonzeros


def _sketch(nonzeros: float, features: int, share: float) -> float:
    return 20.0 * nonzeros * share


def _full(nonzeros: float, features: int, share: float) -> float:
    # To ask takes a corner of the covariance, to learn takes all of it.
    covered = nonzeros + share * (features - nonzeros)
    return 0.3 * nonzeros * covered + 20.0 * share * features


AUTO = "AutoOA3"
EVERY_LABEL = "every label"

# No contestant: what there is to gain.
_CEILING = Method(
    _every_label,
    (),
    "AutoOA3",
    Style("#888888", "--", "_", 1.2),
    lambda nonzeros, features, share: 600.0 + 40.0 * nonzeros,
    takes_raw=True,
)

_OURS: dict[str, Method] = {
    AUTO: Method(
        _auto,
        (),
        "AutoOA3",
        Style("#CC3311", "-", "p", 2.6),
        lambda nonzeros, features, share: 300.0 + 25.0 * nonzeros,
        takes_raw=True,
    )
}

_OA3 = ("delta_pos", "delta_neg", "eta")

# Colours of Okabe and Ito and of Tol, which the colour-blind tell apart. Ours are solid, the
# second-order rivals dashed, the first-order ones dotted, and each has a marker of its own.
METHODS: dict[str, Method] = {
    "PAA": Method(
        rivals.paa,
        ("delta", "C"),
        "first-order rival",
        Style("#E69F00", ":", "v"),
        _first_order,
    ),
    # A perceptron's eta only sets the scale of its margins, as the biases do.
    "OAAL": Method(
        rivals.oaal,
        ("delta_pos", "delta_neg"),
        "first-order rival",
        Style("#882255", ":", "<"),
        _first_order,
    ),
    "CSOAL": Method(
        rivals.csoal,
        ("delta", "eta"),
        "first-order rival",
        Style("#CC79A7", ":", ">"),
        _first_order,
    ),
    "SOAL": Method(
        rivals.soal, ("delta", "eta"), "second-order rival", Style("#56B4E9", "--", "P"), _full
    ),
    "SOAL-CS": Method(
        rivals.soal_cs, ("delta", "eta"), "second-order rival", Style("#999933", "--", "X"), _full
    ),
    "OA3": Method(_learner(OA3Classifier), _OA3, "OA3", Style("#000000", "-", "o"), _full),
    "OA3-diag": Method(
        _learner(OA3DiagClassifier), _OA3, "OA3", Style("#0072B2", "-", "s"), _diagonal
    ),
    # Wider, because SSOA3 lies right upon it.
    "SOA3": Method(_learner(SOA3Classifier), _OA3, "OA3", Style("#D55E00", "-", "D", 4.0), _sketch),
    "SSOA3": Method(_learner(SSOA3Classifier), _OA3, "OA3", Style("#009E73", "-", "^"), _sketch),
    "OA3-F": Method(
        rivals.oa3_first_come,
        ("eta",),
        "OA3 that asks otherwise",
        Style("#999999", "-.", "h"),
        _full,
    ),
    "OA3-R": Method(
        rivals.oa3_random,
        ("eta",),
        "OA3 that asks otherwise",
        Style("#332288", "--", "*"),
        _full,
    ),
}


def known() -> dict[str, Method]:
    """Every method that can be compared: AutoOA3, those of the paper, and those of river."""
    from river_oa3.experiments.peers import PEERS

    return {**_OURS, **METHODS, **PEERS}


def find(name: str) -> Method:
    """A method by its name.

    Examples
    --------

    >>> from river_oa3.experiments.methods import find

    >>> find("AutoOA3").takes_raw, find("CSOAL").takes_raw
    (True, False)

    """
    return _CEILING if name == EVERY_LABEL else known()[name]


def of_families(*families: Family) -> tuple[str, ...]:
    """The names of the methods of these families, in their order.

    Examples
    --------

    >>> from river_oa3.experiments.methods import of_families

    >>> of_families("OA3")
    ('OA3', 'OA3-diag', 'SOA3', 'SSOA3')

    """
    return tuple(name for name, method in METHODS.items() if method.family in families)


def build(
    name: str, setting: Setting, parameters: Mapping[str, float], seed: int | None
) -> typing.Any:
    """A method with the shared setting, as far as it knows it, and parameters of its own.

    Examples
    --------

    >>> from river_oa3.experiments.methods import Setting, build

    >>> model = build("CSOAL", Setting(budget=100, rho=9), {"eta": 0.5}, seed=1)
    >>> model.classifier.rho, model.classifier.eta
    (9.0, 0.5)

    """
    make = find(name).make
    takes = inspect.signature(make).parameters
    shared = {
        field.name: getattr(setting, field.name)
        for field in dataclasses.fields(setting)
        if field.name in takes
    }
    return make(**{**shared, **parameters}, seed=seed)


def check_parameters(name: str, parameters: Mapping[str, float]) -> None:
    """Refuse parameters that the method does not have or does not take."""
    own = find(name).parameters
    for key, value in parameters.items():
        if key not in own:
            has = f"it has {', '.join(own)}" if own else "there is nothing to set"
            raise ValueError(f"{name} has no parameter {key!r}; {has}")
        if not 0.0 < value < float("inf"):
            raise ValueError(f"{name}'s {key} must be finite and above 0, not {value!r}")
