"""Other people's code, at the worst moments: the collector, finalizers, signals, comparisons."""

from __future__ import annotations

import contextlib
import gc
import numbers
import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Mapping

import pytest
from learners import LEARNERS, each_learner, sparse_events, trained

from river_oa3 import AutoOA3Classifier, OA3Classifier, OA3DiagClassifier
from river_oa3.first_order import PerceptronClassifier

each_model = pytest.mark.parametrize(
    "learner", [*LEARNERS, PerceptronClassifier, AutoOA3Classifier], ids=lambda c: c.__name__
)


@contextlib.contextmanager
def finalizers(action, n=5):
    """Garbage that acts when it is collected, and a collector that runs at every chance."""
    ran = []

    class Garbage:
        def __init__(self):
            self.me = self

        def __del__(self):
            ran.append(True)
            action(len(ran))

    before = gc.get_threshold()
    gc.collect()
    gc.freeze()  # what was there before would be looked at in every collection, now and later
    gc.disable()
    for _ in range(n):
        Garbage()
    gc.set_threshold(1)
    gc.enable()
    try:
        yield ran
    finally:
        gc.disable()
        gc.set_threshold(*before)
        gc.collect()
        gc.enable()


def new_event(k, n=5):
    return {f"new{k}_{j}": 1.0 for j in range(n)}


def names_of(k, n=5):
    return set(new_event(k, n))


@each_model
@pytest.mark.parametrize("action", ["predict", "learn"])
def test_no_name_is_lost_to_a_finalizer_that_uses_the_model(learner, action):
    model, ran, taught = learner(), 0, set()
    model.learn_one({"a": 1.0}, False)
    for k in range(30):

        def act(i, k=k):
            if action == "predict":
                model.predict_one({"a": 1.0, f"unknown{i}": 1.0})
            else:
                taught.add(f"taught{k}_{i}")
                model.learn_one({f"taught{k}_{i}": 1.0, "a": 0.5}, False)

        x = new_event(k)
        with finalizers(act) as run:
            model.learn_one(x, False)
        ran += len(run)
    names = model._core.names()
    assert ran > 30
    assert len(set(names)) == len(names)
    assert {name for k in range(30) for name in names_of(k)} <= set(names)


@each_model
@pytest.mark.parametrize("question", ["names", "weights", "__getstate__"])
def test_answer_is_of_one_moment_whatever_finalizers_teach(learner, question):
    model = learner()
    for x, y in sparse_events(40):
        model.learn_one(x, y)
    for k in range(8):
        with finalizers(lambda i, k=k: model.learn_one(new_event((k, i), 20), False)):
            answer = getattr(model._core, question)()
        if question == "__getstate__":
            restored = learner()
            restored._core.__setstate__(answer)
            assert restored._core.names() == answer["names"]
            assert restored.weights.keys() == set(answer["names"])
        else:
            assert None not in answer
            assert len(set(answer)) == len(answer)


@each_model
def test_model_pickled_among_finalizers_can_be_loaded(learner):
    model = trained(learner) if learner in LEARNERS else learner()
    model.learn_one({"a": 1.0}, False)
    for k in range(8):
        with finalizers(lambda i, k=k: model.learn_one(new_event((k, i)), False)):
            stored = pickle.dumps(model)
        copy = pickle.loads(stored)
        assert len(set(copy._core.names())) == len(copy._core.names())
        copy.learn_one({"later": 1.0}, False)


@each_learner
def test_name_that_teaches_the_model_whenever_it_is_compared_is_refused(learner):
    model, taught = learner(), []

    class Name:
        def __hash__(self):
            return 7

        def __eq__(self, other):
            taught.append(True)
            model.learn_one({f"taught{len(taught)}": 1.0}, True)
            return False

    known = Name()
    model.learn_one({known: 1.0}, True)
    with pytest.raises(RuntimeError, match="Name, changes the model"):
        model.predict_one({Name(): 1.0})
    assert model.predict_one({known: 1.0}) in (True, False)


def in_a_process(code, timeout=60):
    """What a script prints; a deadlock is an error after `timeout` seconds."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_signal_handler_that_reads_a_model_while_it_grows_gets_an_answer():
    answers = in_a_process(
        """
        import pickle, signal
        from river_oa3 import OA3Classifier

        model, answers = OA3Classifier(), 0

        def save(*_):
            global answers
            pickle.dumps(model._core.names())
            answers += 1

        model.learn_one({i: 1e-3 for i in range(2000)}, True)
        signal.signal(signal.SIGALRM, save)
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        size = 2000
        while size < 6000:
            new = size // 2 + 10  # so that it asks the system for memory each time
            model.learn_one({i: 1e-3 for i in range(size, size + new)}, True)
            size += new
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(answers)
        """
    )
    assert int(answers) > 0


def test_finalizer_that_reads_a_model_while_it_looks_for_memory_gets_an_answer(monkeypatch):
    from river_oa3._core import full

    model, answers = OA3Classifier(), []
    available = full.available_bytes

    def collected():
        answers.append(model.predict_one({"a": 1.0}))
        return available()

    monkeypatch.setattr(full, "available_bytes", collected)
    model.learn_one(dict.fromkeys(range(2100), 0.001), True)
    assert len(answers) == 1
    assert len(model._core.names()) == 2100


def test_value_that_teaches_the_model_while_it_is_read_is_learned_after_it():
    model = OA3DiagClassifier()

    class Number(float):
        pass

    class Teacher:
        def __float__(self):
            model.learn_one({f"taught{i}": 1.0 for i in range(100)}, True)
            return 1.0

    numbers.Real.register(Teacher)
    model.learn_one({"a": Teacher(), "b": Number(2.0)}, False)
    assert set(model._core.names()) == {"a", "b", *(f"taught{i}" for i in range(100))}


class Echo:
    """A value that uses the model when it is let go of."""

    def __init__(self, model):
        self.model = model

    def __float__(self):
        return 1.0

    def __del__(self):
        self.model.predict_one({f"other{i}": 2.0 for i in range(9)})


numbers.Real.register(Echo)


class Fresh(Mapping):
    """An event that makes its names and values anew each time they are looked at."""

    def __init__(self, model):
        self.model = model

    def __getitem__(self, name):
        return Echo(self.model)

    def __iter__(self):
        return iter([f"made{i}{''.join(['!'])}" for i in range(3)])

    def __len__(self):
        return 3


@each_model
def test_value_that_uses_the_model_when_it_is_let_go_of_does_not_garble_the_event(learner):
    model, twin = learner(), learner()
    model.learn_one(Fresh(model), False)
    twin.learn_one({f"made{i}!": 1.0 for i in range(3)}, False)
    assert model.weights == twin.weights
    assert model.margin_one(Fresh(model)) == twin.margin_one({f"made{i}!": 1.0 for i in range(3)})


@each_model
def test_value_that_empties_the_dict_it_stands_in_is_read_with_the_others(learner):
    model, x = learner(), {}

    class Emptying:
        def __float__(self):
            x.clear()
            return 1.0

    numbers.Real.register(Emptying)
    x.update({"a": Emptying(), "b": Echo(model), "c": 2.0})
    model.learn_one(x, False)
    assert set(model._core.names()) == {"a", "b", "c"}


def test_name_that_teaches_the_model_it_is_loaded_into_is_refused():
    stored = trained(OA3DiagClassifier)._core.__getstate__()
    model, taught = OA3DiagClassifier(), []

    class Name:
        def __hash__(self):
            if taught:
                model.learn_one({"taught": 1.0}, False)
            return 7

    name = Name()
    names = [name, *stored["names"][1:]]
    taught.append(True)
    with pytest.raises(ValueError, match="this one has learned"):
        model._core.__setstate__(stored | {"names": names})
    assert list(model.weights) == ["taught"]
