"""The ways to copy a model."""

import copy
import pickle

import pytest


def through_pickle(model, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(model, protocol))


def with_attributes(model):
    return model.clone(include_attributes=True)


COPIES = {"pickle": through_pickle, "deepcopy": copy.deepcopy, "clone": with_attributes}
each_copy = pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
