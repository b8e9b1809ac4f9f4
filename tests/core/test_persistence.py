"""A model can be stored, copied and cloned at any moment."""

import io
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from copies import each_copy, through_pickle
from hypothesis import given
from hypothesis import strategies as st
from learners import (
    LEARNERS,
    SKETCHES,
    arithmetic_events,
    each_learner,
    event_streams,
    learned,
    margins_while_learning,
    sparse_events,
    state,
    trained,
)

from river_oa3 import OA3Classifier

STORED = sorted((Path(__file__).parent.parent / "stored").glob("*.pickle"))

each_protocol = pytest.mark.parametrize("protocol", [2, 3, 4, 5])
each_stored_file = pytest.mark.parametrize("stored", STORED, ids=lambda path: path.stem)

# Not one of them a default: a copy that forgot a parameter would show.
PARAMS = {
    learner: {"eta": 0.7, "gamma": 2.5, "rho": 3.0}
    | ({"sketch_size": 3, "seed": 9} if learner in SKETCHES else {})
    for learner in LEARNERS
}


# A copy is the model


@each_learner
@each_copy
@given(stream=event_streams, data=st.data())
def test_stream_cut_in_two_by_a_copy_is_the_uncut_one(learner, duplicate, stream, data):
    cut = data.draw(st.integers(0, len(stream)), label="cut")
    model = learner(**PARAMS[learner])
    uncut = margins_while_learning(model, stream)
    head = learner(**PARAMS[learner])
    margins = margins_while_learning(head, stream[:cut])
    tail = duplicate(head)
    margins += margins_while_learning(tail, stream[cut:])
    assert margins == uncut
    assert tail.weights == model.weights


@each_learner
@each_protocol
def test_long_stream_pickled_every_few_events_is_the_uncut_one(learner, protocol):
    events = sparse_events(300)
    pickled, margins = learner(), []
    for start in range(0, len(events), 7):
        pickled = through_pickle(pickled, protocol)
        margins += margins_while_learning(pickled, events[start : start + 7])
    assert margins == margins_while_learning(learner(), events)


@each_learner
@each_copy
def test_copy_answers_every_question_alike(learner, duplicate):
    model = trained(learner, **PARAMS[learner])
    twin = duplicate(model)
    for x, _ in sparse_events(20, seed=5):
        assert twin.margin_one(x) == model.margin_one(x)
        assert twin.variance_one(x) == model.variance_one(x)
        assert twin.confidence_one(x) == model.confidence_one(x)
        assert twin.predict_proba_one(x) == model.predict_proba_one(x)


@each_learner
@each_copy
def test_copy_is_pickled_to_the_same_bytes(learner, duplicate):
    # One round trip first: pickle writes an object met twice by reference, a copied one in full.
    model = through_pickle(trained(learner, **PARAMS[learner]))
    assert state(duplicate(model)) == state(model)


@each_learner
@each_copy
def test_copy_has_the_parameters_of_the_model(learner, duplicate):
    twin = duplicate(trained(learner, **PARAMS[learner]))
    assert {name: getattr(twin, name) for name in PARAMS[learner]} == PARAMS[learner]


@each_learner
@each_copy
def test_copy_keeps_a_parameter_assigned_in_mid_stream(learner, duplicate):
    model = trained(learner)
    model.eta, model.gamma, model.rho = 0.25, 4.0, 9.0
    twin = duplicate(model)
    assert (twin.eta, twin.gamma, twin.rho) == (0.25, 4.0, 9.0)


@each_learner
@each_copy
def test_learning_leaves_the_copy_alone(learner, duplicate):
    model = trained(learner)
    twin = duplicate(model)
    before = state(twin)
    learned(model, sparse_events(100, seed=6))
    assert state(twin) == before


@each_learner
@each_copy
def test_learning_in_the_copy_leaves_the_model_alone(learner, duplicate):
    model = trained(learner)
    before = state(model)
    learned(duplicate(model), sparse_events(100, seed=6))
    assert state(model) == before


@each_learner
@each_copy
def test_assigning_in_the_copy_leaves_the_model_alone(learner, duplicate):
    model = trained(learner)
    before = state(model)
    duplicate(model).eta = 0.9
    assert state(model) == before


@each_learner
@each_copy
def test_copy_predicts_batches_under_the_same_name(learner, duplicate):
    pd = pytest.importorskip("pandas")
    model = learner()
    X = pd.DataFrame({"f0": [1.0, -1.0]})
    model.learn_many(X, pd.Series([True, False], name="target"))
    assert duplicate(model).predict_many(X).name == "target"


class Sensor:
    """A name that only equals itself once it is found again by its number."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Sensor) and other.number == self.number

    def __hash__(self):
        return hash(self.number)


@each_learner
@each_copy
def test_names_of_any_type_survive(learner, duplicate):
    names = ["text", 7, 2.5, None, ("a", 1), b"raw", frozenset({1, 2}), Sensor(3)]
    model = learner()
    for i, name in enumerate(names):
        model.learn_one({name: 1.0, names[i - 1]: 0.5}, i % 2 == 0)
    twin = duplicate(model)
    assert [twin.margin_one({name: 1.0}) for name in names] == [
        model.margin_one({name: 1.0}) for name in names
    ]


# A clone starts afresh


@each_learner
def test_clone_has_learned_nothing(learner):
    model = trained(learner)
    assert state(model.clone()) == state(learner())


@each_learner
def test_clone_learns_as_the_model_did(learner):
    model = learner(**PARAMS[learner])
    events = sparse_events(60)
    margins = margins_while_learning(model, events)
    assert margins_while_learning(model.clone(), events) == margins


@each_learner
def test_clone_takes_new_parameters(learner):
    clone = trained(learner).clone({"eta": 0.25})
    assert state(clone) == state(learner(eta=0.25))


@each_learner
def test_clone_keeps_an_assigned_parameter(learner):
    model = trained(learner)
    model.eta = 0.25
    assert model.clone().eta == 0.25


@each_learner
def test_clone_with_attributes_goes_on_under_new_parameters(learner):
    assigned = trained(learner)
    clone = assigned.clone({"eta": 0.25, "gamma": 3.0, "rho": 2.0}, include_attributes=True)
    assigned.eta, assigned.gamma, assigned.rho = 0.25, 3.0, 2.0
    events = sparse_events(60, seed=8)
    assert margins_while_learning(clone, events) == margins_while_learning(assigned, events)


# What a pickle holds


@each_learner
def test_pickle_of_a_fresh_model_is_small(learner):
    assert len(state(learner())) < 2048


@each_learner
def test_pickle_grows_by_no_more_than_each_feature_needs(learner):
    """Spare capacity would show as a jump where arrays double."""
    numbers_each = {"OA3Classifier": 4 * 300}.get(learner.__name__, 2 * (5 + 2))
    model, size = learner(), len(state(learner()))
    jumps = []
    for i in range(300):
        model.learn_one({f"f{i}": 1.0}, True)
        jumps.append(len(state(model)) - size)
        size += jumps[-1]
    # The first event brings the empty arrays themselves.
    assert max(jumps[1:]) < 8 * numbers_each + 64


@each_learner
def test_pickle_holds_plain_dicts_and_arrays(learner):
    """Nothing but numbers, names and containers, so that other versions can read it."""
    (_, (_, _, held)) = trained(learner)._core.__reduce__()
    assert {type(value) for value in held.values()} <= {int, float, list, np.ndarray}


# Files of other times


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda c: c.__name__)
def test_a_file_of_every_learner_is_stored(learner):
    assert any(path.stem.endswith(f"_{learner.__name__}") for path in STORED)


def unpacked(stored):
    story = json.loads(stored.with_suffix(".json").read_text())
    events = list(arithmetic_events(story["n_learned"] + len(story["margins"])))
    return pickle.loads(stored.read_bytes()), story, events[story["n_learned"] :]


@each_stored_file
def test_stored_margins_are_worth_repeating(stored):
    _, story, _ = unpacked(stored)
    assert min(story["margins"]) < -0.1 < 0.1 < max(story["margins"])


@each_stored_file
def test_stored_file_gives_the_stored_margins(stored):
    model, story, events = unpacked(stored)
    margins = [model.margin_one(x) for x, _ in events]
    assert margins == pytest.approx(story["margins"], rel=1e-9, abs=1e-12)


@each_stored_file
def test_stored_file_goes_on_learning(stored):
    model, story, events = unpacked(stored)
    margins = margins_while_learning(model, events)
    assert margins == pytest.approx(story["margins_while_learning"], rel=1e-9, abs=1e-12)


class Forger(pickle.Pickler):
    """Writes a model with something else in the state of its core."""

    def __init__(self, file, core, change):
        super().__init__(file)
        self.core, self.change = core, change

    def reducer_override(self, thing):
        if thing is not self.core:
            return NotImplemented
        restore, (kind, params, held) = thing.__reduce__()
        return restore, (kind, params, held | self.change)


def forged(model, **change):
    file = io.BytesIO()
    Forger(file, model._core, change).dump(model)
    return file.getvalue()


@each_learner
def test_forged_file_with_nothing_forged_is_loaded(learner):
    model = trained(learner)
    assert pickle.loads(forged(model)).weights == model.weights


@each_learner
def test_format_of_the_future_is_refused(learner):
    file = forged(trained(learner), format=1_000_000)
    with pytest.raises(ValueError, match=r"1_?,?000_?,?000"):
        pickle.loads(file)


@each_learner
def test_array_that_does_not_fit_is_refused(learner):
    """The compiled core must not read past the end of what it was given."""
    model = trained(learner)
    (_, (_, _, held)) = model._core.__reduce__()
    arrays = [name for name, value in held.items() if isinstance(value, np.ndarray)]
    assert arrays
    for name in arrays:
        file = forged(model, **{name: held[name][..., :-1]})
        with pytest.raises(ValueError):  # noqa: PT011 - NumPy words some of these
            pickle.loads(file)


@each_learner
def test_state_is_taken_by_a_new_model_only(learner):
    model = trained(learner)
    before = state(model)
    with pytest.raises(ValueError, match="loaded into a new one"):
        model._core.__setstate__(trained(learner, n=10)._core.__getstate__())
    assert state(model) == before


# Numbers that no model can have, by the name of the part that they damage.
DAMAGES = {
    "reach": [float("nan"), float("inf"), -1.0, None, 10**400],
    "square": [-1e300, 2.0],
    "waiting": [1e200],
    "U": [1e200],
    "A": [1e300],
    "F": [1e200],
    "names": [None, "ab", [[]]],
    "sigma": [-0.5, 1.5, float("nan")],
    "diagonal": [-0.5, 1.5, float("nan")],
    "eigenvalues": [-1.0, float("inf"), 1e308],
    "lengths": [-1.0],
    "mu": [float("nan")],
    "t": [-1, 2.5, None, 2**63 - 1],
    "rank": [-1, 10_000],
    "anchors": [-1],
}


@each_learner
def test_number_that_no_model_can_have_is_refused_by_name(learner):
    model = trained(learner)
    held = model._core.__getstate__()
    for part in DAMAGES.keys() & held.keys():
        for damage in DAMAGES[part]:
            damaged = held[part]
            if isinstance(damaged, np.ndarray):
                damaged = damaged.copy()
                damaged.flat[0] = damage
            else:
                damaged = damage
            with pytest.raises(ValueError, match=rf"damaged: '{part}'"):
                pickle.loads(forged(model, **{part: damaged}))


@each_learner
def test_damaged_state_leaves_a_new_model_new(learner):
    held = trained(learner)._core.__getstate__()
    model = learner()
    with pytest.raises(ValueError, match="damaged"):
        model._core.__setstate__(held | {"reach": float("nan")})
    assert model.weights == {}
    model._core.__setstate__(held)
    assert list(model.weights) == held["names"]


@each_learner
def test_name_that_is_stored_twice_is_refused(learner):
    held = trained(learner)._core.__getstate__()
    names = [held["names"][0], *held["names"][:-1]]
    model = learner()
    with pytest.raises(ValueError, match="occurs twice"):
        model._core.__setstate__(held | {"names": names})
    assert model.weights == {}


@each_learner
def test_part_that_is_missing_or_not_an_array_is_refused_by_name(learner):
    held = trained(learner)._core.__getstate__()
    for part in held:
        model = learner()
        with pytest.raises(ValueError, match=rf"damaged: '{part}' is missing"):
            model._core.__setstate__({name: held[name] for name in held if name != part})
        if isinstance(held[part], np.ndarray):
            for bad in (None, 5, "abc", held[part].astype(complex), held[part].astype(object)):
                with pytest.raises(ValueError, match=rf"damaged: '{part}' is not an array"):
                    model._core.__setstate__(held | {part: bad})
    with pytest.raises(ValueError, match="not a dict"):
        learner()._core.__setstate__([held])


def test_covariance_that_does_not_fit_together_is_refused():
    held = trained(OA3Classifier)._core.__getstate__()
    skewed = held["square"].copy()
    skewed[0, 1] += 0.5
    for change in ({"diagonal": np.zeros_like(held["diagonal"])}, {"square": skewed}):
        with pytest.raises(ValueError, match="damaged: 'square' is not the covariance"):
            OA3Classifier()._core.__setstate__(held | change)
