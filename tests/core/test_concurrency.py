"""One model in several threads and processes."""

import os
import pickle
import threading

import numpy as np
import pandas as pd
import pytest
from learners import each_learner
from threads import in_threads, switching_eagerly

from river_oa3 import OA3DiagClassifier


@pytest.fixture
def eager_switching():
    with switching_eagerly():
        yield


def frame(rows=20_000, columns=20):
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
