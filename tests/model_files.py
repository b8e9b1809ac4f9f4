"""One model of each kind that a file holds, the events it takes, and what it says of them."""

from __future__ import annotations

import datetime as dt

from hypothesis import strategies as st
from river import compose, preprocessing, stats
from river import metrics as river_metrics

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3Classifier,
    OA3DiagClassifier,
    PendingLabels,
    Schema,
    SOA3Classifier,
    SSOA3Classifier,
    budget,
    metrics,
    query,
)
from river_oa3._core.category import Category
from river_oa3.first_order import (
    CostSensitiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)
from river_oa3.fixed_scaler import FixedColumn, FixedScaler
from river_oa3.schema import Column

# Not one parameter a default: a file that forgot one would show.
PARAMS = {"eta": 0.7, "gamma": 2.5, "rho": 3.0}
SKETCH = {**PARAMS, "sketch_size": 3, "seed": 9}

LEARNERS = {
    "OA3": lambda: OA3Classifier(**PARAMS),
    "OA3Diag": lambda: OA3DiagClassifier(**PARAMS),
    "SOA3": lambda: SOA3Classifier(**SKETCH),
    "SSOA3": lambda: SSOA3Classifier(**SKETCH),
    "PA": lambda: PassiveAggressiveClassifier(0.5, mode=0),
    "PA-I": lambda: PassiveAggressiveClassifier(0.5, mode=1),
    "PA-II": lambda: PassiveAggressiveClassifier(0.5, mode=2),
    "perceptron": lambda: PerceptronClassifier(0.25),
    "slope": lambda: CostSensitiveClassifier(0.3, 4.0),
    "margin": lambda: CostSensitiveClassifier(0.3, 4.0, "margin"),
    "Auto": AutoOA3Classifier,
    "Auto for a sum": lambda: AutoOA3Classifier(metrics.WeightedSum(0.8)),
    "Auto for a cost": lambda: AutoOA3Classifier(metrics.WeightedCost(9.0, 2.0)),
    "Auto that forgets": lambda: AutoOA3Classifier(max_features=8),
}


def asking(classifier=None, rule=None, labels=None, **params):
    return ActiveLearner(classifier, rule, labels, **({"seed": 5} | params))


ASKING = {
    "asymmetric": lambda: asking(OA3DiagClassifier(), query.AsymmetricQuery(0.4, 0.2, False), 12),
    "random": lambda: asking(
        OA3DiagClassifier(), query.RandomQuery(0.5), budget.RateBudget(0.6, 9)
    ),
    "first come": lambda: asking(
        SSOA3Classifier(), query.FirstComeQuery(), budget.WindowBudget(3, every=5)
    ),
    "by the hour": lambda: asking(
        OA3Classifier(), query.FirstComeQuery(), budget.WindowBudget(8, dt.timedelta(days=9999))
    ),
    "adaptive": lambda: asking(labels=budget.TotalBudget(15)),
    "adaptive at a rate": lambda: asking(labels=budget.RateBudget(0.4, 50)),
    "adaptive in windows": lambda: asking(labels=budget.WindowBudget(3, every=6)),
    "asymmetric on Auto": lambda: asking(AutoOA3Classifier(), query.AsymmetricQuery()),
    "without limit": lambda: asking(OA3DiagClassifier(), seed=None),
    "late scaling": lambda: asking(
        preprocessing.StandardScaler() | OA3DiagClassifier(), learn_transformers=False
    ),
}


def scaled(*steps):
    return asking(compose.Pipeline(*steps, OA3DiagClassifier()), labels=20)


NUMERIC = {
    "StandardScaler": lambda: scaled(preprocessing.StandardScaler()),
    "StandardScaler without std": lambda: scaled(preprocessing.StandardScaler(with_std=False)),
    "MinMaxScaler": lambda: scaled(preprocessing.MinMaxScaler()),
    "MaxAbsScaler": lambda: scaled(preprocessing.MaxAbsScaler()),
    "Normalizer": lambda: scaled(preprocessing.StandardScaler(), preprocessing.Normalizer(1)),
    "named steps": lambda: scaled(("kind", preprocessing.StandardScaler()), ("2", _nested())),
    "Discard": lambda: scaled(compose.Discard("a", "b"), preprocessing.StandardScaler()),
    "union": lambda: scaled(
        preprocessing.StandardScaler() + (compose.Discard("b") | preprocessing.MaxAbsScaler())
    ),
    "scaled Auto": lambda: asking(preprocessing.StandardScaler() | AutoOA3Classifier(), labels=20),
}
CATEGORICAL = {
    "OneHotEncoder": lambda: scaled(preprocessing.OneHotEncoder()),
    "OneHotEncoder of few": lambda: scaled(preprocessing.OneHotEncoder(drop_zeros=True)),
    "OneHotEncoder of some": lambda: scaled(
        preprocessing.OneHotEncoder({"colour": {"red", "né"}, "size": {1, 2}})
    ),
}
GAPS = {
    "StatImputer": lambda: scaled(
        preprocessing.StatImputer(("a", stats.Mean()), ("b", -1.5)),
        preprocessing.OneHotEncoder(drop_first=True),
    ),
    "StatImputer of categories": lambda: scaled(
        preprocessing.StatImputer(("a", stats.Mode(2)), ("b", stats.Mode())),
        preprocessing.OneHotEncoder(),
    ),
}


RAW = {
    "Schema": lambda: asking(
        Schema(
            {
                "a": Column("number", decimal=",", gaps=("keine",)),
                "né": "category",
                "opened": Column("date", day_first=True, hours=False, sparse=True),
                "made": Column("date", form="seconds"),
                "at": "time",
                "note": "text",
                "new": "boolean",
                "id": "left out",
            }
        )
        | AutoOA3Classifier(),
        labels=20,
    ),
    "FixedScaler": lambda: asking(
        Schema({"a": Column("number", decimal=",", gaps=("keine",)), "né": "category"})
        | FixedScaler(
            {
                "a": FixedColumn("a", 0.5, 2.0, True, 0.25),
                Category("né", "x"): FixedColumn("né=x", scale=float("inf")),
            },
            {"a": FixedColumn("a is missing", scale=0.5)},
            intercept=True,
            unit_rows=True,
        )
        | OA3DiagClassifier(),
        labels=20,
    ),
}


def serving(classifier, labels, **params):
    model = asking(classifier, query.AsymmetricQuery(1.0, 0.5), labels)
    return PendingLabels(model, **{"time_to_live": 8, "capacity": 6, "refund": True, **params})


PENDING = {
    "pending": lambda: serving(OA3DiagClassifier(), 12),
    "pending at a rate": lambda: serving(
        OA3DiagClassifier(),
        budget.RateBudget(0.5, 20),
        strict=False,
        metric=river_metrics.Precision(),
    ),
    "pending in windows": lambda: serving(
        OA3DiagClassifier(), budget.WindowBudget(3, every=7), time_to_live=dt.timedelta(days=36500)
    ),
    "pending on Auto": lambda: PendingLabels(asking(labels=12), time_to_live=None, refund=False),
}


def _nested():
    return preprocessing.MaxAbsScaler() | preprocessing.Normalizer()


_number = st.floats(-10, 10).map(lambda value: round(value, 3))
_names = ["a", "b", "", 7, -0.5, None, ("pair", ("né", 2**70)), *(f"f{i}" for i in range(6))]
_events = st.dictionaries(st.sampled_from(_names), _number, max_size=6)
_raw_events = st.dictionaries(
    st.sampled_from(_names), _number | st.sampled_from(["red", "né", ""]) | st.none(), max_size=6
)
_categories = st.fixed_dictionaries(
    {"colour": st.sampled_from(["red", "né", "\x1b[2J"]), "size": st.integers(0, 3) | st.none()}
)
_gaps = st.fixed_dictionaries(dict.fromkeys("ab", st.none() | st.integers(-3, 3)))
_rows = st.fixed_dictionaries(
    {"a": st.sampled_from(["1.234,5", "-2", "keine", None]), "note": st.text(max_size=9)},
    optional={
        "né": st.text(max_size=3) | st.integers(0, 3),
        "opened": st.sampled_from(["31.1.2024", "5/2/2024", "2024-07-31 07:00"]),
        "made": st.integers(0, 10**9),
        "at": st.sampled_from(["12:30", "9:05 pm"]),
        "new": st.booleans(),
        "id": st.none(),
    },
)


def streams(events):
    return st.lists(st.tuples(events, st.booleans()), max_size=30)


KINDS = {
    **{
        name: (make, streams(_events))
        for name, make in {**LEARNERS, **ASKING, **NUMERIC, **PENDING}.items()
    },
    **{
        name: (make, streams(_raw_events))
        for name, make in {**LEARNERS, **ASKING}.items()
        if name.startswith(("Auto", "adaptive"))
    },
    **{name: (make, streams(_categories)) for name, make in CATEGORICAL.items()},
    **{name: (make, streams(_rows)) for name, make in RAW.items()},
    **{name: (make, streams(_gaps)) for name, make in GAPS.items()},
}


def told(model, stream):
    """What the model says of each event before it learns its label, where it wants that."""
    said = []
    for x, y in stream:
        if isinstance(model, PendingLabels):
            said.append(told_pending(model, x, y))
        elif isinstance(model, ActiveLearner):
            chance = model.query_probability(x)
            answer = model.predict_one(x)
            said.append((chance, answer, model.last_query, model.refund_token))
            if answer[1]:
                model.learn_one(x, y)
        else:
            said.append((model.margin_one(x), model.predict_proba_one(x)))
            model.learn_one(x, y)
    return said


def told_pending(service, x, y):
    """What a service says of an event; some labels come late, some not at all."""
    number = service.n_events
    answer = service.predict_one(("event", number), x)
    waiting = [(ask.event_id, ask.margin, ask.query_probability) for ask in service]
    if number % 3 == 0 and waiting:
        service.learn_one(waiting[0][0], y)
    elif number % 5 == 0 and waiting:
        service.answer(waiting[-1][0], y, 0.5)
    elif number % 5 == 2:
        service.learn_answered()
    elif number % 5 == 3:
        service.lease("somebody", 1e6)
    return answer, waiting, service.n_expired, service.model.last_query


def examples(name, n=40):
    """A stream for a kind of model, the same on any machine, in any year."""
    events = []
    for i in range(n):
        if name in CATEGORICAL:
            x = {"colour": ("red", "né", "\x1b[2J")[i * i % 3], "size": (1, 2, None)[i % 3]}
        elif name in RAW:
            x = {"a": ("1,5", "keine", "-2")[i % 3], "né": "xyz"[i * i % 3], "note": f"paid {i}"}
            x |= {"opened": f"{i % 28 + 1}/2/2024"} if i % 5 else {"at": f"{i % 24}:15"}
        elif name in GAPS:
            x = {"a": (1, None, -2, 3)[i % 4], "b": (None, 2, 0)[i * i % 3]}
        else:
            x = {_names[(i * k) % 13]: ((i * 7 + k * 5) % 11 - 5) / 4 for k in (1, 3, 5)}
            if name.startswith(("Auto", "adaptive")) and i % 3:
                x["colour"] = ("red", "né", None)[i * i % 3]
        events.append((x, (i * i) % 7 > 3))
    return events


def trained(name, n=40):
    """A model of this kind with a past."""
    model = KINDS[name][0]()
    told(model, examples(name, n))
    return model
