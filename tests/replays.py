"""The loop over single events that a replay stands for, and streams for both."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from golden_traces import Uniforms
from hypothesis import strategies as st

from river_oa3 import (
    ActiveLearner,
    AutoOA3Classifier,
    OA3Classifier,
    OA3DiagClassifier,
    SOA3Classifier,
    SSOA3Classifier,
    datasets,
    metrics,
    query,
    rivals,
)
from river_oa3.experiments import replay

SECOND_ORDER = {"eta": 0.3, "gamma": 0.5, "rho": 4.0}
SKETCHED = {**SECOND_ORDER, "sketch_size": 4, "seed": 3}


def under_its_query(classifier, parameters):
    def make(labels=None, seed=None):
        return ActiveLearner(
            classifier(**parameters), query.AsymmetricQuery(0.4, 0.2), labels, seed
        )

    return make


def rival(function, **parameters):
    def make(labels=None, seed=None):
        return function(**parameters, budget=labels, seed=seed)

    return make


# The methods of the paper's tables, with all of their variants.
METHODS = {
    "OA3": under_its_query(OA3Classifier, SECOND_ORDER),
    "OA3-diagonal": under_its_query(OA3DiagClassifier, SECOND_ORDER),
    "SOA3": under_its_query(SOA3Classifier, SKETCHED),
    "SSOA3": under_its_query(SSOA3Classifier, SKETCHED),
    "PAA": rival(rivals.paa, delta=0.3, C=0.7, mode=0),
    "PAA-I": rival(rivals.paa, delta=0.3, C=0.7, mode=1),
    "PAA-II": rival(rivals.paa, delta=0.3, C=0.7, mode=2),
    "OAAL": rival(rivals.oaal, delta_pos=0.4, delta_neg=0.2, eta=0.6),
    "CSOAL": rival(rivals.csoal, delta=0.3, eta=0.3, rho=4.0, loss="slope"),
    "CSOAL-margin": rival(rivals.csoal, delta=0.3, eta=0.3, rho=4.0, loss="margin"),
    "SOAL": rival(rivals.soal, delta=0.3, eta=0.3, gamma=0.5),
    "SOAL-CS": rival(rivals.soal_cs, delta=0.3, **SECOND_ORDER),
    "OA3-F": rival(rivals.oa3_first_come, **SECOND_ORDER),
    "OA3-R": rival(rivals.oa3_random, probability=0.6, **SECOND_ORDER),
}


def auto(objective=None, **parameters):
    def make(labels=None, seed=None):
        return ActiveLearner(AutoOA3Classifier(objective, **parameters), budget=labels, seed=seed)

    return make


# AutoOA3 observes every event, empty ones too, and asks by its own rule: some tests are not for it.
AUTO = {
    "AutoOA3-sum": auto(),
    "AutoOA3-cost": auto(metrics.WeightedCost(5, 2)),
    "AutoOA3-few": auto(max_features=12),
}
WAYS = METHODS | AUTO
FULL = ["OA3", "SOAL", "SOAL-CS", "OA3-F", "OA3-R"]
CHANCY = [method for method in METHODS if method != "OA3-F"]

each_way = pytest.mark.parametrize("method", WAYS)
each_auto = pytest.mark.parametrize("method", AUTO)
each_method = pytest.mark.parametrize("method", METHODS)
each_full_method = pytest.mark.parametrize("method", FULL)
each_light_method = pytest.mark.parametrize("method", [m for m in METHODS if m not in FULL])


# The loop that a replay stands for


def bits(numbers):
    return np.asarray(numbers, dtype=np.float64).tobytes()


def weights(model):
    learned = model.classifier.weights
    return list(learned), bits(list(learned.values()))


def one_by_one(model, stream, order, numbers, checkpoints, paper_accounting=False):
    """What `replay` should give and leave behind, from `predict_one` and `learn_one`."""
    model._rng = Uniforms(list(numbers))
    count = dict.fromkeys(["tp", "fp", "tn", "fn", "labels"], 0)
    asked, counts = [], []
    for t, (x, y) in enumerate(stream.events(order), start=1):
        label, ask = model.predict_one(x)
        if paper_accounting and not x:
            label = not y
        count[("tp" if y else "fp") if label else ("fn" if y else "tn")] += 1
        count["labels"] += ask
        if ask:
            model.learn_one(x, y)
        asked.append(ask)
        if t in checkpoints:
            counts.append(tuple(count.values()))
    return SimpleNamespace(
        asked=asked,
        counts=counts,
        checkpoints=list(checkpoints),
        used=model._rng.used,
        weights=weights(model),
    )


def replayed(model, stream, order, numbers, checkpoints, paper_accounting=False):
    """The same of a replay."""
    outcome = replay(model, stream, order, np.array(numbers), checkpoints, paper_accounting)
    return summary(model, outcome)


def summary(model, outcome):
    counts = zip(
        outcome.true_positives.tolist(),
        outcome.false_positives.tolist(),
        outcome.true_negatives.tolist(),
        outcome.false_negatives.tolist(),
        outcome.labels.tolist(),
        strict=True,
    )
    return SimpleNamespace(
        asked=outcome.asked.tolist(),
        counts=list(counts),
        checkpoints=outcome.checkpoints.tolist(),
        used=outcome.uniforms_used,
        weights=weights(model),
    )


def both_ways(make, scene, labels=None, **kwargs):
    args = scene.stream, scene.order, scene.numbers, scene.checkpoints
    return replayed(make(labels), *args, **kwargs), one_by_one(make(labels), *args, **kwargs)


# Streams


def make_stream(rows, labels, names):
    """A stream of rows of (columns, values)."""
    indptr = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    indices = np.concatenate([np.asarray(columns, dtype=np.int32) for columns, _ in rows])
    data = np.concatenate([np.asarray(values, dtype=np.float64) for _, values in rows])
    X = scipy.sparse.csr_array((data, indices, indptr), shape=(len(rows), len(names)))
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int64)
    # Not by way of `datasets.stream`, which wants both classes.
    return datasets.Stream("made", X, np.array(labels), names)


def names_of_all_kinds(n):
    kinds = ("f{}".format, int, lambda i: ("pair", i), "né{}".format)
    return [kinds[i % 4](i) for i in range(n)]


def scene_of(stream, order, seed, checkpoints=None):
    return SimpleNamespace(
        stream=stream,
        order=np.array(order),
        numbers=np.random.default_rng(seed).random(len(order)),
        checkpoints=[len(order)] if checkpoints is None else checkpoints,
    )


@st.composite
def orders_and_checkpoints(draw, rows):
    order = draw(
        st.permutations(rows) | st.lists(st.sampled_from(rows), min_size=1, max_size=2 * len(rows))
    )
    checkpoints = draw(st.sets(st.integers(1, len(order)), max_size=6))
    return order, sorted(checkpoints)


# Values that tie and cancel, next to those that do not.
tying = st.sampled_from([1.0, -1.0, 0.5, -0.5, 2.0])
untied = st.floats(0.01, 10.0) | st.floats(-10.0, -0.01)
small_rows = st.dictionaries(st.integers(0, 13), tying | untied, max_size=9)


@st.composite
def small_scenes(draw):
    """Few columns and short rows, some of them empty, all of them drawn."""
    rows = draw(st.lists(st.tuples(small_rows, st.booleans()), min_size=1, max_size=25))
    stream = make_stream(
        [(list(x), list(x.values())) for x, _ in rows], [y for _, y in rows], names_of_all_kinds(14)
    )
    order, checkpoints = draw(orders_and_checkpoints(range(len(rows))))
    return scene_of(stream, order, draw(st.integers(0, 99)), checkpoints)


LENGTHS = [0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 47, 48, 49, 70, 110]


@st.composite
def wide_scenes(draw, first_rows, first_length):
    """Thousands of columns, most of them met in a few very long rows at the start.

    Then come rows of all lengths, in which some columns appear for the first time.
    """
    lengths = draw(st.lists(st.sampled_from(LENGTHS), min_size=2, max_size=15))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_columns = max(5000, first_rows * first_length + 500)
    columns = rng.permutation(n_columns)
    early, late = np.split(columns, [first_rows * first_length])
    # Wherever the long rows have been learned, half of what comes is known.
    pool = np.concatenate([rng.choice(early, 150, replace=False), late[:150]])
    rows = [(part, rng.normal(size=first_length) / 8) for part in np.split(early, first_rows)]
    rows += [(rng.choice(pool, n, replace=False), rng.normal(size=n) / 4) for n in lengths]
    # A margin of 0 is asked about, and a negative there is a mistake: all learn the long rows.
    labels = [False] * first_rows + [bool(y) for y in rng.random(len(lengths)) < 0.4]
    stream = make_stream(rows, labels, names_of_all_kinds(n_columns))
    rest, checkpoints = draw(orders_and_checkpoints(range(first_rows, len(rows))))
    order = [*range(first_rows), *rest]
    return scene_of(stream, order, draw(st.integers(0, 99)), [*checkpoints, len(order)])


def a_scene(seed=0, n=200, n_columns=30, scale=1.0):
    """A stream of short rows whose columns appear one after another; every ninth row is empty."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_columns)
    rows, labels = [], []
    for i in range(n):
        known = 5 + (n_columns - 5) * i // n
        columns = rng.choice(known, 0 if i % 9 == 4 else rng.integers(1, 6), replace=False)
        values = rng.normal(size=len(columns)) * scale
        rows.append((columns, values))
        labels.append(bool(values @ truth[columns] > 0.5))
    stream = make_stream(rows, labels, names_of_all_kinds(n_columns))
    return scene_of(stream, range(n), seed, [1, 2, n // 2, n])
