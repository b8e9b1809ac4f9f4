"""A replay is the loop over single events: the same decisions, counts and weights, bit by bit."""

from __future__ import annotations

import functools
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from river import linear_model, preprocessing
from test_active_golden import LEARNERS as GOLDEN_LEARNERS
from test_active_golden import RUNS, TRACES, Uniforms

from river_oa3 import (
    ActiveLearner,
    OA3Classifier,
    OA3DiagClassifier,
    SOA3Classifier,
    SSOA3Classifier,
    budget,
    datasets,
    query,
    rivals,
)
from river_oa3.experiments import replay
from river_oa3.first_order import PerceptronClassifier

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
FULL = ["OA3", "SOAL", "SOAL-CS", "OA3-F", "OA3-R"]
CHANCY = [method for method in METHODS if method != "OA3-F"]

each_method = pytest.mark.parametrize("method", METHODS)
each_full_method = pytest.mark.parametrize("method", FULL)
each_light_method = pytest.mark.parametrize("method", [m for m in METHODS if m not in FULL])


# The loop that a replay stands for


def bits(numbers):
    return np.asarray(numbers, dtype=np.float64).tobytes()


def weights(model):
    learned = model.classifier.weights
    return list(learned), bits(list(learned.values()))


def one_by_one(model, stream, order, numbers, ticks, paper_accounting=False):
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
        if t in ticks:
            counts.append(tuple(count.values()))
    return SimpleNamespace(
        asked=asked, counts=counts, ticks=list(ticks), used=model._rng.used, weights=weights(model)
    )


def replayed(model, stream, order, numbers, ticks, paper_accounting=False):
    """The same of a replay."""
    outcome = replay(model, stream, order, np.array(numbers), ticks, paper_accounting)
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
        ticks=outcome.checkpoints.tolist(),
        used=outcome.uniforms_used,
        weights=weights(model),
    )


def both_ways(make, scene, labels=None, **kwargs):
    args = scene.stream, scene.order, scene.numbers, scene.ticks
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


def scene_of(stream, order, seed, ticks=None):
    return SimpleNamespace(
        stream=stream,
        order=np.array(order),
        numbers=np.random.default_rng(seed).random(len(order)),
        ticks=[len(order)] if ticks is None else ticks,
    )


@st.composite
def orders_and_ticks(draw, rows):
    order = draw(
        st.permutations(rows) | st.lists(st.sampled_from(rows), min_size=1, max_size=2 * len(rows))
    )
    ticks = draw(st.sets(st.integers(1, len(order)), max_size=6))
    return order, sorted(ticks)


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
    order, ticks = draw(orders_and_ticks(range(len(rows))))
    return scene_of(stream, order, draw(st.integers(0, 99)), ticks)


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
    rest, ticks = draw(orders_and_ticks(range(first_rows, len(rows))))
    order = [*range(first_rows), *rest]
    return scene_of(stream, order, draw(st.integers(0, 99)), [*ticks, len(order)])


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


# Bit by bit


@each_method
@given(scene=small_scenes(), labels=st.none() | st.integers(0, 30))
@settings(max_examples=25)
def test_replay_is_the_loop_over_single_events(method, scene, labels):
    replay_, loop = both_ways(METHODS[method], scene, labels)
    assert replay_ == loop


@each_light_method
@given(scene=wide_scenes(4, 1100), labels=st.none() | st.integers(0, 30))
@settings(max_examples=6)
def test_replay_is_the_loop_over_single_events_of_thousands_of_features(method, scene, labels):
    replay_, loop = both_ways(METHODS[method], scene, labels)
    assert replay_ == loop


@each_full_method
@given(scene=wide_scenes(3, 220), labels=st.none() | st.integers(0, 30))
@settings(max_examples=6)
def test_replay_is_the_loop_over_single_events_of_hundreds_of_sparse_features(
    method, scene, labels
):
    replay_, loop = both_ways(METHODS[method], scene, labels)
    assert replay_ == loop


@each_method
@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_longer_replay_is_the_loop_over_single_events(method, scale):
    replay_, loop = both_ways(METHODS[method], a_scene(seed=4, n=600, scale=scale), 400)
    assert replay_ == loop


@pytest.mark.parametrize("method", CHANCY)
def test_scenes_leave_much_to_chance(method):
    _, loop = both_ways(METHODS[method], a_scene())
    assert loop.used > 30
    assert 30 < loop.counts[-1][-1] < 170


def test_long_rows_at_the_start_teach_more_than_4096_features():
    counts = set()

    @given(scene=wide_scenes(4, 1100))
    @settings(max_examples=3)
    def count(scene):
        for method in METHODS:
            if method not in FULL:
                model = METHODS[method]()
                replay(model, scene.stream, scene.order, scene.numbers)
                counts.add(len(model.classifier.weights) > 4096)

    count()
    assert counts == {True}


@each_method
@given(scene=small_scenes(), labels=st.none() | st.integers(0, 30))
@settings(max_examples=6)
def test_replay_with_the_papers_accounting_is_the_loop_over_single_events(method, scene, labels):
    replay_, loop = both_ways(METHODS[method], scene, labels, paper_accounting=True)
    assert replay_ == loop


@pytest.mark.parametrize("method", ["OA3-diagonal", "SOA3", "SSOA3", *FULL])
def test_covariance_after_a_replay_is_that_of_the_loop(method):
    scene, models = a_scene(), (METHODS[method](), METHODS[method]())
    replayed(models[0], scene.stream, scene.order, scene.numbers, scene.ticks)
    one_by_one(models[1], scene.stream, scene.order, scene.numbers, scene.ticks)
    one, other = (model.classifier._core.covariance() for model in models)
    assert bits(one) == bits(other)


@each_method
def test_model_learns_on_after_a_replay_as_after_the_loop(method):
    scene, later = a_scene(), a_scene(seed=1)
    models = METHODS[method](), METHODS[method]()
    replayed(models[0], scene.stream, scene.order, scene.numbers, scene.ticks)
    one_by_one(models[1], scene.stream, scene.order, scene.numbers, scene.ticks)
    one, other = (
        one_by_one(model, later.stream, later.order, later.numbers, later.ticks) for model in models
    )
    assert one == other


@each_method
@pytest.mark.parametrize("labels", [None, 50])
def test_replay_of_a_model_with_a_past_goes_on_like_the_loop(method, labels):
    first, later = a_scene(), a_scene(seed=1, n_columns=40)
    models = METHODS[method](labels), METHODS[method](labels)
    for model in models:
        one_by_one(model, first.stream, first.order[:90], first.numbers, [90])
    args = later.stream, later.order, later.numbers, later.ticks
    assert replayed(models[0], *args) == one_by_one(models[1], *args)


@each_method
def test_replay_in_two_halves_is_one_replay(method):
    scene = a_scene()
    whole, halves = METHODS[method](), METHODS[method]()
    replay(whole, scene.stream, scene.order, scene.numbers)
    first = replay(halves, scene.stream, scene.order[:77], scene.numbers)
    replay(
        halves,
        scene.stream,
        scene.order[77:],
        np.append(scene.numbers[first.uniforms_used :], [0.5] * first.uniforms_used),
    )
    assert weights(halves) == weights(whole)


@pytest.mark.parametrize("method", CHANCY)
def test_numbers_are_those_of_the_seed_by_default(method):
    scene = a_scene()
    outcome = replay(METHODS[method](60, seed=9), scene.stream)
    model = METHODS[method](60, seed=9)
    asked = []
    for x, y in scene.stream.events():
        _, ask = model.predict_one(x)
        if ask:
            model.learn_one(x, y)
        asked.append(ask)
    assert outcome.asked.tolist() == asked


@each_method
def test_counters_of_the_model_are_left_alone(method):
    scene, model = a_scene(), METHODS[method](60)
    replay(model, scene.stream, scene.order, scene.numbers)
    assert (model.n_seen, model.n_asked, model.n_learned) == (0, 0, 0)


@each_method
def test_budget_of_the_model_is_left_alone(method):
    scene, model = a_scene(), METHODS[method](60)
    replay(model, scene.stream, scene.order, scene.numbers)
    assert model._budget.left == 60


@each_method
@pytest.mark.parametrize("labels", [0, 1, 17])
def test_budget_is_never_exceeded(method, labels):
    scene = a_scene()
    outcome = replay(METHODS[method](labels), scene.stream, scene.order, scene.numbers)
    assert outcome.asked.sum() == outcome.labels[-1] <= labels


def test_budget_of_a_model_that_has_spent_is_what_is_left():
    scene, model = a_scene(), METHODS["OA3-F"](30)
    for _ in range(10):
        model.predict_one({"somewhere": 1.0})
    outcome = replay(model, scene.stream, scene.order, scene.numbers)
    assert outcome.labels[-1] == 20


def test_counts_add_up_to_the_events_at_every_tick():
    scene = a_scene()
    outcome = replay(METHODS["OA3"](), scene.stream, scene.order, scene.numbers, [1, 5, 90, 200])
    sums = sum(outcome[1:5])
    assert sums.tolist() == outcome.checkpoints.tolist() == [1, 5, 90, 200]


def test_no_ticks_give_no_counts():
    scene = a_scene()
    outcome = replay(METHODS["OA3"](), scene.stream, scene.order, scene.numbers, [])
    assert outcome.labels.tolist() == []


def test_order_of_no_rows_asks_about_nothing():
    outcome = replay(METHODS["OA3"](), a_scene().stream, np.arange(0))
    assert outcome.asked.tolist() == []


def test_numbers_to_spare_are_ignored():
    scene = a_scene()
    spare = np.append(scene.numbers, [0.0, 1.0])
    outcomes = [
        replay(METHODS["OA3"](), scene.stream, scene.order, n) for n in (scene.numbers, spare)
    ]
    assert outcomes[0].asked.tolist() == outcomes[1].asked.tolist()


def test_time_is_measured():
    scene = a_scene(n=2000)
    assert replay(METHODS["OA3"](), scene.stream).seconds > 0


# Where rounding makes chance certain. One feature, so that both ways compute the same margin.


@pytest.mark.parametrize("eta", [1e-300, 1e-20, 1e20, 1e100], ids=lambda eta: f"{eta:g}")
@pytest.mark.parametrize("delta", [1e-300, 1e-20, 1e20, 1e300], ids=lambda delta: f"{delta:g}")
def test_uniforms_are_used_alike_where_the_odds_round_to_zero_or_one(eta, delta):
    stream = make_stream([([0], [1.0])] * 20, [False, True] * 10, ["a"])
    scene = scene_of(stream, range(20), seed=0)
    replay_, loop = both_ways(rival(rivals.oaal, delta_pos=delta, delta_neg=delta, eta=eta), scene)
    assert replay_ == loop


def test_first_order_classifier_under_the_second_order_query_is_replayed():
    def make(labels=None):
        return ActiveLearner(PerceptronClassifier(), query.AsymmetricQuery(0.4, 0.2), labels)

    replay_, loop = both_ways(make, a_scene())
    assert replay_ == loop


def test_second_order_classifier_under_the_first_order_query_is_replayed():
    def make(labels=None):
        rule = query.AsymmetricQuery(0.4, 0.2, use_confidence=False)
        return ActiveLearner(OA3Classifier(), rule, labels)

    replay_, loop = both_ways(make, a_scene())
    assert replay_ == loop


def test_any_classifier_under_the_default_query_is_replayed():
    def make(labels=None):
        return ActiveLearner(SSOA3Classifier(), budget=labels)

    replay_, loop = both_ways(make, a_scene(), 70)
    assert replay_ == loop


def test_total_budget_object_is_replayed_as_the_number():
    scene = a_scene()
    outcome = replay(METHODS["OA3-F"](budget.TotalBudget(23)), scene.stream)
    assert outcome.labels[-1] == 23


# Rows without features


def with_empty_rows(n=6):
    """A stream that starts with empty rows of both labels, and goes on with others between them."""
    rows, labels = [([], [])] * n, [True, False] * (n // 2)
    rows = [*rows, *([([0, 1], [1.0, -1.0]), ([], []), ([1], [2.0]), ([], [])] * n)]
    labels = [*labels, *([True, True, False, False] * n)]
    return make_stream(rows, labels, ["a", "b"])


@each_method
@pytest.mark.parametrize("paper_accounting", [False, True])
def test_an_empty_row_is_never_asked_about(method, paper_accounting):
    stream = with_empty_rows()
    outcome = replay(METHODS[method](seed=1), stream, paper_accounting=paper_accounting)
    assert not outcome.asked[np.diff(stream.X.indptr) == 0].any()


@each_method
def test_an_empty_row_is_predicted_positive(method):
    outcome = replay(METHODS[method](seed=1), with_empty_rows(), np.arange(6))
    counts = [outcome.true_positives, outcome.false_positives]
    counts += [outcome.true_negatives, outcome.false_negatives]
    assert [count.tolist() for count in counts] == [[3], [3], [0], [0]]


@each_method
def test_an_empty_row_is_always_a_mistake_in_the_papers_accounting(method):
    outcome = replay(METHODS[method](seed=1), with_empty_rows(), np.arange(6), None, None, True)
    counts = [outcome.true_positives, outcome.false_positives]
    counts += [outcome.true_negatives, outcome.false_negatives]
    assert [count.tolist() for count in counts] == [[0], [3], [0], [3]]


@each_method
def test_papers_accounting_changes_no_decision(method):
    scene = a_scene()
    one, other = (
        replay(METHODS[method](60), scene.stream, scene.order, scene.numbers, None, accounting)
        for accounting in (False, True)
    )
    assert one.asked.tolist() == other.asked.tolist()


def test_papers_accounting_changes_the_counts_of_empty_rows_alone():
    stream = with_empty_rows()
    filled = np.flatnonzero(np.diff(stream.X.indptr))
    one, other = (
        summary(model, replay(model, stream, filled, None, None, accounting)).counts
        for model, accounting in ((METHODS["OA3"](seed=1), False), (METHODS["OA3"](seed=1), True))
    )
    assert one == other


@each_method
def test_stream_of_empty_rows_alone_is_replayed(method):
    stream = make_stream([([], [])] * 4, [True, False, False, True], ["a"])
    replay_, loop = both_ways(METHODS[method], scene_of(stream, range(4), seed=0, ticks=[1, 4]))
    assert replay_ == loop


# Many dense features: the full learner works ahead in blocks, which rounds otherwise

D = 600


@functools.cache
def dense_stream(scale=1.0, late=None, sparse=(), huge=(), n=300, kinds=D):
    """Rows that are dense but for a few zeros.

    From the row `late` on the last fifty columns appear one after another. The rows `sparse` have
    few features. The rows `huge` are of a size that the full update cannot resolve; they come
    twice, with either label, so that one of them has a loss.
    """
    rng = np.random.default_rng(7)
    truth = rng.normal(size=kinds)
    X = rng.normal(size=(n, kinds)) / np.sqrt(kinds)
    X[rng.random(X.shape) < 0.02] = 0.0
    X[0] = rng.normal(size=kinds) / np.sqrt(kinds)
    y = X @ truth > 0.2
    y[0] = False
    if late is not None:
        X[:, kinds - 50 :] *= np.arange(n)[:, None] >= late + 3 * np.arange(50)
    for row in sparse:
        X[row, rng.permutation(kinds)[: kinds - 20]] = 0.0
    X *= scale
    for row in huge:
        X[row] *= 1e9
        X[row + 1] = X[row]
        y[row : row + 2] = True, False
    return datasets.stream("dense", X, y, positive=True, names=names_of_all_kinds(kinds))


DENSE = {
    "plain": {},
    "long": {"scale": 100.0},
    "late": {"late": 100},
    "late-and-long": {"late": 100, "scale": 100.0},
    "sparse-between": {"sparse": (40, 41, 90, 133, 134, 200, 299)},
    "huge": {"huge": (150,)},
    "huge-and-all": {"huge": (75, 150), "late": 100, "sparse": (40, 149, 151, 200)},
    "just-511": {"kinds": 511},
    "just-512": {"kinds": 512},
}
CASES = [
    *(("OA3", kind, None) for kind in DENSE),
    *(("OA3", kind, 90) for kind in ("late", "sparse-between", "huge-and-all")),
    *((method, "sparse-between", 120) for method in FULL if method != "OA3"),
    *((method, "huge-and-all", None) for method in ("OA3-F", "OA3-R")),
    *(("OA3", "plain", labels) for labels in (1, 33, 64, 100)),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def dense(request):
    """A dense stream replayed, and one event at a time."""
    method, kind, labels = request.param
    stream = dense_stream(**DENSE[kind])
    scene = scene_of(stream, range(len(stream)), seed=1, ticks=[1, 64, 65, 150, 300])

    def run(way):
        model = METHODS[method](labels)
        trace = way(model, scene.stream, scene.order, scene.numbers, scene.ticks)
        trace.mu = np.array(list(model.classifier.weights.values()))
        trace.names = list(model.classifier.weights)
        trace.covariance = model.classifier._core.covariance()
        return trace

    return SimpleNamespace(blocks=run(replayed), loop=run(one_by_one), labels=labels)


def test_decisions_on_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.asked == dense.loop.asked


def test_counts_on_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.counts == dense.loop.counts


def test_uniforms_on_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.used == dense.loop.used


def test_features_of_dense_rows_are_those_of_the_loop(dense):
    assert dense.blocks.names == dense.loop.names


def test_weights_on_dense_rows_are_those_of_the_loop(dense):
    one, other = dense.blocks.mu, dense.loop.mu
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(other).max())


def test_covariance_on_dense_rows_is_that_of_the_loop(dense):
    one, other = dense.blocks.covariance, dense.loop.covariance
    deviation = np.sqrt(other.diagonal())
    scale = np.outer(deviation, deviation)
    np.testing.assert_allclose(one / scale, other / scale, rtol=0, atol=1e-9)


def test_dense_rows_are_asked_about_often(dense):
    assert sum(dense.loop.asked) >= (150 if dense.labels is None else dense.labels)


def test_huge_rows_take_the_step_for_large_events():
    model = METHODS["OA3-F"]()
    replay(model, dense_stream(**DENSE["huge"]))
    assert model.classifier._core.covariance().diagonal().min() < 1e-9


# The published code


@pytest.fixture(scope="module", params=RUNS)
def golden(request):
    kind, number = request.param
    trace = TRACES[kind]
    run = trace["runs"][number]
    parameters = dict(run["params"])
    rule = query.AsymmetricQuery(parameters.pop("delta_pos"), parameters.pop("delta_neg"))
    labels = parameters.pop("budget")
    model = ActiveLearner(GOLDEN_LEARNERS[run["learner"]](**parameters), rule, labels)
    stream = datasets.open_stream(trace["events"])
    outcome = replay(model, stream, numbers=np.array(trace["uniforms"]))
    return SimpleNamespace(run=run, model=model, outcome=outcome)


def test_published_decisions_are_repeated(golden):
    assert golden.outcome.asked.tolist() == [bool(asked) for asked in golden.run["asked"]]


def test_as_many_uniforms_are_used_as_by_the_published_code(golden):
    assert golden.outcome.uniforms_used == golden.run["uniforms_used"]


def test_as_many_labels_are_asked_for_as_by_the_published_code(golden):
    assert golden.outcome.labels.tolist() == [golden.run["labels_used"]]


def test_published_weights_are_repeated(golden):
    assert golden.model.classifier.weights == pytest.approx(golden.run["weights"], rel=0, abs=1e-12)


def test_published_sensitivity_is_repeated(golden):
    hits, misses = golden.outcome.true_positives[-1], golden.outcome.false_negatives[-1]
    assert hits / (hits + misses) == pytest.approx(golden.run["sensitivity"], abs=1e-12)


def test_published_specificity_is_repeated(golden):
    hits, misses = golden.outcome.true_negatives[-1], golden.outcome.false_positives[-1]
    assert hits / (hits + misses) == pytest.approx(golden.run["specificity"], abs=1e-12)


# What is refused


def assert_refused(model, error, match, *args, **kwargs):
    """The replay is refused, and the model has learned nothing of it."""
    with pytest.raises(error, match=match):
        replay(model, *args, **kwargs)
    assert model.classifier.weights == {}


@pytest.mark.parametrize("order", [[-1], [200], [0, 1, 200], [5, -200]], ids=str)
def test_order_of_rows_that_are_not_there_is_refused(order):
    match = "order must hold rows from 0 to 199"
    assert_refused(METHODS["OA3"](), ValueError, match, a_scene().stream, np.array(order))


@pytest.mark.parametrize("order", [[0.5, 1.7], [True, False], [[0, 1], [2, 3]]], ids=str)
def test_order_that_holds_no_rows_is_refused(order):
    with pytest.raises((TypeError, ValueError), match="order"):
        replay(METHODS["OA3"](), a_scene().stream, np.array(order))


def test_too_few_uniforms_are_refused():
    stream = a_scene().stream
    match = "200 events may need as many uniforms, not 199"
    assert_refused(METHODS["OA3"](), ValueError, match, stream, numbers=np.zeros(199))


@pytest.mark.parametrize("ticks", [[0], [201], [1, 0], [5, 5], [7, 3], [-1, 4]], ids=str)
def test_ticks_that_do_not_rise_through_the_events_are_refused(ticks):
    match = "checkpoints must be rising numbers from 1 to 200"
    assert_refused(METHODS["OA3"](), ValueError, match, a_scene().stream, checkpoints=ticks)


@pytest.mark.parametrize(
    "classifier",
    [
        linear_model.LogisticRegression(),
        preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        preprocessing.StandardScaler() | OA3Classifier(),
    ],
    ids=["LogisticRegression", "pipeline", "pipeline-of-ours"],
)
def test_classifier_from_elsewhere_is_refused(classifier):
    with pytest.raises(TypeError, match="replay takes the classifiers of river_oa3"):
        replay(ActiveLearner(classifier), a_scene().stream)


@pytest.mark.parametrize(
    "purse", [budget.RateBudget(0.1), budget.WindowBudget(3, every=10)], ids=lambda b: repr(type(b))
)
def test_budget_that_is_not_of_labels_in_all_is_refused(purse):
    match = "replay takes a budget of labels in all"
    assert_refused(METHODS["OA3"](purse), TypeError, match, a_scene().stream)


class Never(query.Query):
    def probability(self, margin, confidence):
        return 0.0


def test_rule_from_elsewhere_is_refused():
    model = ActiveLearner(OA3Classifier(), Never())
    assert_refused(model, TypeError, "replay takes the rules of river_oa3.query", a_scene().stream)


# An event that overflows

N_SOUND = 12


def overflowing_stream(value=1e200, column=0, n_after=3):
    """Sound events of both labels, then one with a huge value, then sound ones again."""
    rows = [([0, 1], [1.0, (-1.0) ** i]) for i in range(N_SOUND + n_after)]
    rows[N_SOUND] = ([1, column] if column != 1 else [0, 1], [1.0, value])
    labels = [i % 3 == 0 for i in range(len(rows))]
    labels[N_SOUND] = False
    return make_stream(rows, labels, ["a", "b", "new"])


def certain(method):
    """The method, asking about every event."""
    classifier = METHODS[method]().classifier
    return ActiveLearner(classifier, query.AsymmetricQuery(1e300, 1e300))


each_overflow = pytest.mark.parametrize("column", [0, 2], ids=["known", "new"])


@each_method
@each_overflow
def test_event_that_overflows_is_named_by_its_number(method, column):
    model, stream = certain(method), overflowing_stream(column=column)
    with pytest.raises(OverflowError, match=rf"\bevent {N_SOUND + 1}\b"):
        replay(model, stream)


@each_method
@each_overflow
def test_event_that_overflows_is_numbered_by_the_order_in_which_it_comes(method, column):
    model, stream = certain(method), overflowing_stream(column=column)
    with pytest.raises(OverflowError, match=r"\bevent 4\b"):
        replay(model, stream, np.array([0, 5, 0, N_SOUND, 1, 2]))


@each_method
@each_overflow
def test_model_has_learned_what_came_before_an_event_that_overflows(method, column):
    stream, models = overflowing_stream(column=column), (certain(method), certain(method))
    with pytest.raises(OverflowError):
        replay(models[0], stream)
    replay(models[1], stream, np.arange(N_SOUND))
    assert weights(models[0]) == weights(models[1])


@each_method
@each_overflow
def test_model_goes_on_learning_after_an_event_that_overflows(method, column):
    stream, models = overflowing_stream(column=column), (certain(method), certain(method))
    with pytest.raises(OverflowError):
        replay(models[0], stream)
    replay(models[1], stream, np.arange(N_SOUND))
    for model in models:
        replay(model, stream, np.arange(N_SOUND + 1, len(stream)))
    assert weights(models[0]) == weights(models[1])


def overflow_of(run, *args):
    """Whether an event stops the run."""
    try:
        run(*args)
    except OverflowError:
        return True
    return False


@each_method
@each_overflow
@pytest.mark.parametrize("value", [1e100, 1e200])
@pytest.mark.parametrize("labels", [None, 5], ids=["unlimited", "spent"])
def test_replay_overflows_where_the_loop_does(method, column, value, labels):
    scene = scene_of(overflowing_stream(value, column), range(N_SOUND + 1), seed=0)
    args = scene.stream, scene.order, scene.numbers, scene.ticks
    one, other = METHODS[method](labels), METHODS[method](labels)
    assert overflow_of(replayed, one, *args) == overflow_of(one_by_one, other, *args)


# Threads


def test_replays_in_two_threads_end_as_each_alone():
    scenes = [a_scene(seed=seed, n=4000, n_columns=60) for seed in (1, 2)]
    methods = [("OA3", "SSOA3"), ("CSOAL", "OA3-diagonal"), ("SOA3", "PAA")]
    for pair in methods:
        alone = [
            replayed(METHODS[m](1000), s.stream, s.order, s.numbers, s.ticks)
            for m, s in zip(pair, scenes, strict=True)
        ]
        together = [None, None]

        def work(place, m, s, results=together):
            results[place] = replayed(METHODS[m](1000), s.stream, s.order, s.numbers, s.ticks)

        threads = [
            threading.Thread(target=work, args=(place, m, s))
            for place, (m, s) in enumerate(zip(pair, scenes, strict=True))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert together == alone


def test_another_thread_works_during_a_replay():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 300)), rng.random(3000) < 0.5
    stream, numbers = datasets.stream("dense", X, y).unit_rows(), np.zeros(3000)
    model, outcomes = METHODS["OA3-F"](), []
    replay(model, stream, np.arange(1), numbers)  # makes the features known, which takes the lock
    thread = threading.Thread(
        target=lambda: outcomes.append(replay(model, stream, numbers=numbers))
    )
    start = time.thread_time()
    thread.start()
    while thread.is_alive():
        pass
    assert time.thread_time() - start > outcomes[0].seconds / 10
