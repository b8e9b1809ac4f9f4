"""Budgets and rules of somebody's own, which a program registers, in files and in a service."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from learners import sparse_events
from mutations import parts_of
from own_kinds import Curious, Wallet

from river_oa3 import ActiveLearner, OA3DiagClassifier, PendingLabels, budget, files, query
from river_oa3.files.archive import write_archive

EVENTS = sparse_events(120)


def learner():
    return ActiveLearner(OA3DiagClassifier(), Curious(0.5), Wallet(40, rise=0.1), seed=4)


def asking(model, events):
    """What the model says, while its owner moves the rule."""
    said = []
    for x, y in events:
        said.append((model.query_probability(x), model.predict_one(x), model.spending.left))
        if said[-1][1][1]:
            model.learn_one(x, y)
            model.rule.move(0.02 if y else -0.02)
    return said


def edited(model, change):
    """A file of this model with other fields, and checksums that fit."""
    entries = parts_of(files.to_bytes(model))
    content = json.loads(entries["model.json"])
    change(content)
    return write_archive({**entries, "model.json": json.dumps(content).encode()})


def test_stream_cut_in_two_by_a_file_is_the_uncut_one(tmp_path):
    uncut, head = learner(), learner()
    said = asking(head, EVENTS[:50])
    files.save(head, tmp_path / "model.oa3")
    tail = files.load(tmp_path / "model.oa3")
    assert 10 < tail.n_asked < 50
    assert said + asking(tail, EVENTS[50:]) == asking(uncut, EVENTS)
    assert (type(tail.rule), type(tail.spending)) == (Curious, Wallet)


def test_service_in_memory_is_stored_with_them():
    service = PendingLabels(learner())
    for i, (x, _) in enumerate(EVENTS[:20]):
        service.predict_one(i, x)
    twin = files.from_bytes(files.to_bytes(service))
    assert len(twin) == len(service) > 3
    assert twin.model.spending.left == service.model.spending.left < 40


def test_file_of_a_class_that_nobody_registered_makes_nothing():
    content = edited(learner(), lambda model: model["budget"].update(kind="os.system"))
    with pytest.raises(files.FileError, match=r"'os.system'.*registered before it is loaded"):
        files.from_bytes(content)


def test_program_that_has_not_registered_the_class_refuses_the_file(tmp_path):
    files.save(learner(), tmp_path / "model.oa3")
    code = f"import river_oa3; river_oa3.load({str(tmp_path / 'model.oa3')!r})"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "of the kind 'Curious', which this version of river_oa3 does not know" in ended.stderr
    assert "river_oa3.files.register" in ended.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda part: part["state"].pop("paid"), r"model.budget, Wallet: KeyError: 'paid'"),
        (lambda part: part["state"].update(prices=7), "TypeError: 'int' object is not iterable"),
        (lambda part: part["state"].update(more=7), "more is 7, and becomes another"),
        (lambda part: part["parameters"].update(more=7), "unexpected keyword argument 'more'"),
        (lambda part: part.update(parameters=[]), "Wallet: TypeError"),
        (lambda part: part.update(more=7), "fields that nothing is known of: .'more'"),
    ],
    ids=["missing", "of another type", "more", "parameter", "no parameters", "field"],
)
def test_damage_that_its_code_meets_is_a_file_error(change, said):
    content = edited(learner(), lambda model: change(model["budget"]))
    with pytest.raises(files.FileError, match=said):
        files.from_bytes(content)


# What is refused before it is stored


class Stateless(query.Query):
    """A rule that no use changes, and that nobody registered."""

    def probability(self, margin, confidence):
        return 0.5


def test_subclass_that_nobody_registered_is_refused_with_what_to_do():
    with pytest.raises(files.FileError, match=r"Stateless cannot .*files.register it"):
        files.to_bytes(ActiveLearner(OA3DiagClassifier(), Stateless()))


def test_subclass_of_a_registered_one_is_not_registered():
    class Purse(Wallet):
        pass

    with pytest.raises(files.FileError, match=r"Purse .* made from Wallet: give it state"):
        files.to_bytes(ActiveLearner(OA3DiagClassifier(), budget=Purse(3)))


def test_state_that_does_not_come_back_is_refused_when_it_is_stored():
    @files.register
    class Forgetful(Curious):
        def restore(self, state):
            pass

    model = ActiveLearner(OA3DiagClassifier(), Forgetful(0.5))
    files.to_bytes(model)
    model.rule.move(1.0)
    with pytest.raises(files.FileError, match=r"Forgetful .* does not come back .* moved is 1.0"):
        files.to_bytes(model)


def test_parameter_that_is_code_is_refused_by_name():
    @files.register
    class Called(Curious):
        pass

    with pytest.raises(files.FileError, match="function"):
        files.to_bytes(ActiveLearner(OA3DiagClassifier(), Called(lambda: 0.5)))


def test_budget_without_the_pair_is_not_registered():
    with pytest.raises(TypeError, match=r"Bare needs the methods state\(\) and restore\(state\)"):

        @files.register
        class Bare(budget.Budget):
            pass


def test_what_is_neither_a_budget_nor_a_rule_is_not_registered():
    with pytest.raises(TypeError, match="made from Budget or Query"):
        files.register(OA3DiagClassifier)


def test_name_of_another_class_is_taken():
    with pytest.raises(ValueError, match="know another TotalBudget: give"):
        files.register(type("TotalBudget", (Wallet,), {}))


def test_class_that_is_made_again_takes_its_own_place():
    """As where a notebook runs a cell again."""

    def make():
        @files.register
        class Again(Curious):
            pass

        return Again

    make()
    newest = make()
    model = files.from_bytes(files.to_bytes(ActiveLearner(OA3DiagClassifier(), newest(0.5))))
    assert type(model.rule) is newest
