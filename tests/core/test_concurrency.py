"""One model in several threads and processes."""

import os
import pickle
import signal
import sys
import threading

import numpy as np
import pytest
from learners import each_learner
from threads import in_threads, switching_eagerly

from river_oa3 import OA3Classifier, OA3DiagClassifier


@pytest.fixture
def eager_switching():
    with switching_eagerly():
        yield


def frame(rows=20_000, columns=20):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, columns)), columns=[f"f{j}" for j in range(columns)])
    return X, pd.Series(rng.random(rows) < 0.5)


@each_learner
def test_names_that_threads_teach_at_once_are_all_there_once(learner, eager_switching):
    model = learner()

    def teach(first):
        for i in range(first, first + 400, 5):
            model.learn_one(dict.fromkeys(range(i, i + 5), 1.0), False)

    in_threads(*(lambda k=k: teach(400 * k) for k in range(4)))
    names = model._core.names()
    assert sorted(names) == list(range(1600))


@each_learner
def test_model_pickled_while_a_batch_is_learned_is_whole(learner):
    model, (X, y) = learner(), frame()
    model.learn_many(X[:50], y[:50])
    stored = []

    def store():
        while batch.is_alive():
            stored.append(pickle.dumps(model))

    batch = threading.Thread(target=lambda: [model.learn_many(X, y) for _ in range(3)])
    batch.start()
    store()
    assert stored
    for file in stored[:20]:
        copy = pickle.loads(file)
        covariance = copy._core.covariance()
        np.testing.assert_allclose(covariance, covariance.T, atol=1e-12)
        if hasattr(copy._core, "basis"):
            V = copy._core.basis()
            np.testing.assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-9)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_process_forked_while_a_batch_is_learned_answers():
    model, (X, y) = OA3DiagClassifier(), frame(200_000)
    model.learn_many(X[:50], y[:50])
    batch = threading.Thread(target=lambda: [model.learn_many(X, y) for _ in range(5)])
    batch.start()
    for _ in range(5):
        child = os.fork()
        if child == 0:
            threading.Timer(20.0, os._exit, [1]).start()
            model.predict_one({"f0": 1.0})
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    batch.join()


@each_learner
def test_batch_is_predicted_by_one_state_of_the_model(learner, eager_switching):
    """Half of the columns are taught by another thread in the meantime: all of them or none."""
    x, X = {"a": 1.0, "b": 1.0}, np.array([[1.0, 1.0]])

    def predict_while_learning():
        model, seen = learner(), []
        model.learn_one({"a": 1.0}, True)
        before = model.margin_one(x)
        in_threads(
            lambda: seen.append(float(model._core.margins(X, ["a", "b"])[0])),
            lambda: model.learn_one(x, False),
        )
        return seen[0] in (before, model.margin_one(x))

    assert all(predict_while_learning() for _ in range(200))


@each_learner
def test_batches_of_two_threads_are_learned_one_after_the_other(learner, eager_switching):
    rng = np.random.default_rng(1)
    X = [rng.normal(size=(30, 12)) for _ in range(2)]
    y = [(rng.random(30) < 0.5).astype(np.uint8) for _ in range(2)]
    names = [[f"{k}{j}" for j in range(12)] for k in range(2)]

    def teach(model, k):
        squares = np.einsum("ij,ij->i", X[k], X[k])
        model._core.learn_many(X[k], names[k], y[k], np.ones(30), squares)

    serial = []
    for order in ((0, 1), (1, 0)):
        model = learner()
        for k in order:
            teach(model, k)
        serial.append(model.weights)
    for _ in range(20):
        model = learner()
        in_threads(*(lambda k=k, m=model: teach(m, k) for k in range(2)))
        assert model.weights in serial


def test_batches_without_new_columns_take_no_memory():
    model, (X, y) = OA3Classifier(), frame(4, 10)
    model.learn_many(X, y)
    before = sys.getsizeof(model._core)
    for _ in range(50):
        model.learn_many(X, y)
    assert sys.getsizeof(model._core) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@each_learner
def test_process_forked_while_a_batch_is_learned_has_a_whole_model(learner):
    """The child sees a moment between two rows, and may go on learning."""
    model, (X, y) = learner(), frame(30_000, 100)
    model.learn_many(X[:50], y[:50])
    batch = threading.Thread(target=lambda: [model.learn_many(X, y) for _ in range(20)])
    batch.start()
    x = dict.fromkeys(X.columns, 0.1)
    codes = []
    for _ in range(15):
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            answers = {model.margin_one(x) for _ in range(3)}
            covariance = model._core.covariance()
            model.learn_one(x, True)
            whole = len(answers) == 1 and np.allclose(covariance, covariance.T, atol=1e-12)
            os._exit(0 if whole else 3)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    batch.join()
    assert codes == [0] * 15


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_that_fork_at_once_do_not_wait_for_each_others_batches():
    model, (X, y) = OA3DiagClassifier(), frame(50_000, 20)
    stop = threading.Event()

    def teach():
        while not stop.is_set():
            model.learn_many(X, y)

    def fork():
        for _ in range(10):
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)

    batch = threading.Thread(target=teach, daemon=True)
    batch.start()
    forking = [threading.Thread(target=fork, daemon=True) for _ in range(4)]
    for thread in forking:
        thread.start()
    for thread in forking:
        thread.join(60)
    stuck = [thread for thread in forking if thread.is_alive()]
    stop.set()
    batch.join()
    assert not stuck


@each_learner
def test_names_read_while_a_batch_brings_new_ones_are_those_before_or_after(learner):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 60)) * (rng.random((2000, 60)) < 0.01)
    y = (rng.random(2000) < 0.5).astype(np.uint8)
    squares = np.einsum("ij,ij->i", X, X)
    columns = [f"n{j}" for j in range(60)]
    for _ in range(10):
        model, seen = learner(), set()
        args = (X, columns, y, np.ones(2000), squares)
        batch = threading.Thread(target=model._core.learn_many, args=args)
        batch.start()
        while batch.is_alive():
            seen.add(len(model._core.names()))
            sys.getsizeof(model._core)
        batch.join()
        assert seen <= {0, len(model._core.names())}
