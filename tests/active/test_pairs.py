"""The pair that an active learner answers with: a tuple, and no label or dictionary."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from asking import ALWAYS, Opinionated, X
from river import linear_model, preprocessing

from river_oa3 import ActiveLearner, AutoOA3Classifier, OA3Classifier
from river_oa3.answers import Answer

MODELS = {
    "bare": lambda: ActiveLearner(OA3Classifier(), ALWAYS, budget=1),
    "auto": lambda: ActiveLearner(AutoOA3Classifier(), ALWAYS, budget=1),
    "pipeline": lambda: ActiveLearner(
        preprocessing.Normalizer() | OA3Classifier(), ALWAYS, budget=1
    ),
    "other": lambda: ActiveLearner(linear_model.LogisticRegression(), ALWAYS, budget=1),
    "text": lambda: ActiveLearner(Opinionated({"spam": 1.0}, "spam"), ALWAYS, budget=1),
}
each_model = pytest.mark.parametrize("model", [make() for make in MODELS.values()], ids=MODELS)
each_method = pytest.mark.parametrize("method", ["predict_one", "predict_proba_one"])


@pytest.fixture(params=["predict_one", "predict_proba_one"])
def pair(request):
    return getattr(MODELS["bare"](), request.param)(X)


@each_method
@each_model
def test_answer_refuses_to_be_a_label(model, method):
    with pytest.raises(TypeError, match="OneVsRestClassifier"):
        bool(getattr(model.clone(), method)(X))


MISUSES = {
    "truth": bool,
    "hash": hash,
    "key": lambda pair: {pair: 1},
    "equal": lambda pair: pair == True,  # noqa: E712 - as ensembles compare
    "unequal": lambda pair: pair != True,  # noqa: E712 - as drift detection compares
    "equal-from-the-left": lambda pair: True == pair,  # noqa: E712, SIM300 - as metrics compare
    "equal-to-numpy": lambda pair: np.bool_(True) == pair,
    "unequal-to-numpy": lambda pair: np.bool_(True) != pair,
    "unequal-to-nothing": lambda pair: pair != {},
    "get": lambda pair: pair.get(True, 0.0),
    "items": lambda pair: pair.items(),
    "values": lambda pair: pair.values(),
    "keys": lambda pair: pair.keys(),
    "dictionary": dict,
}


# Only probabilities are looked up under a label.
LOOKUPS = {
    "probability-of-true": lambda pair: pair[True],
    "probability-of-numpys-true": lambda pair: pair[np.bool_(True)],
    "probability-of-text": lambda pair: pair["spam"],
}


@pytest.mark.parametrize("use", LOOKUPS.values(), ids=LOOKUPS)
def test_use_as_a_dictionary_of_probabilities_says_what_to_do(use):
    with pytest.raises(TypeError, match=r"Wrap such a model in the ActiveLearner instead"):
        use(MODELS["bare"]().predict_proba_one(X))


@pytest.mark.parametrize("use", MISUSES.values(), ids=MISUSES)
def test_use_as_anything_but_a_pair_says_what_to_do(pair, use):
    with pytest.raises(TypeError, match=r"Wrap such a model in the ActiveLearner instead"):
        use(pair)


def test_odds_in_a_pair_say_what_to_do_where_they_are_counted():
    odds, _ = MODELS["bare"]().predict_proba_one(X)
    with pytest.raises(TypeError, match="OneVsRestClassifier"):
        hash(odds)


def test_pair_is_a_tuple(pair):
    first, ask = pair
    assert isinstance(pair, tuple)
    assert (pair[0], pair[1], pair[-1], pair[:1], len(pair)) == (first, ask, ask, (first,), 2)


def test_pair_equals_the_plain_tuple(pair):
    plain = tuple(pair)
    assert type(plain) is tuple
    assert pair == plain
    assert plain == pair
    assert pair == type(pair)(plain)
    assert (pair != plain) is False
    assert pair != (*plain, True)


def test_pair_prints_as_the_plain_tuple(pair):
    assert (str(pair), repr(pair)) == (str(tuple(pair)), repr(tuple(pair)))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pair_is_stored_as_plain_objects(pair, protocol):
    stored = pickle.dumps(pair, protocol)
    assert b"river_oa3" not in stored
    assert pickle.loads(stored) == pair


def test_pair_may_be_copied(pair):
    assert copy.deepcopy(pair) == copy.copy(pair) == pair


def test_pair_matches_as_a_sequence(pair):
    match pair:
        case (_, ask):
            assert ask is True
        case _:
            pytest.fail("not a sequence")


def test_label_and_wish_to_ask_make_json():
    assert json.dumps(MODELS["bare"]().predict_one(X)) == "[true, true]"


@each_model
def test_budget_decides_on_the_wish_to_ask(model):
    model = model.clone()
    assert [model.predict_one(X)[1] for _ in range(2)] == [True, False]


@each_method
@each_model
def test_all_kinds_of_models_answer_with_such_a_pair(model, method):
    assert isinstance(getattr(model.clone(), method)(X), Answer)
