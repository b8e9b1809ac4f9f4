"""Each change of a budget is one step, whatever threads, finalizers, signals and forks do."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import gc
import os
import pickle
import signal
import threading

import pytest
from asking import ALWAYS, Clock, X
from interleaving import each_interruption, thread_that
from threads import in_threads, switching_eagerly

from river_oa3 import ActiveLearner, OA3DiagClassifier, budget

DAY = dt.timedelta(days=1)


def with_a_past(limit):
    for _ in range(3):
        limit.tick()
    limit.spend()
    limit.spend()
    return limit


def on_the_next_day():
    limit = with_a_past(budget.WindowBudget(3, every=DAY, clock=Clock(0.0)))
    limit.clock.now += DAY.total_seconds()
    return limit


BUDGETS = {
    "total": lambda: with_a_past(budget.TotalBudget(3)),
    "rate": lambda: with_a_past(budget.RateBudget(0.9, window=3)),
    "events": lambda: with_a_past(budget.WindowBudget(3, every=5)),
    "last event": lambda: with_a_past(budget.WindowBudget(3, every=3)),
    "next day": on_the_next_day,
}
each_budget = pytest.mark.parametrize("make", BUDGETS.values(), ids=BUDGETS)


def spend(limit):
    with contextlib.suppress(ValueError):
        limit.spend()


def tick(limit):
    limit.tick()


def refund(limit):
    limit.refund()


STEPS = [spend, tick, refund]
each_step = pytest.mark.parametrize("step", STEPS)
each_other = pytest.mark.parametrize("other", STEPS)


def contents(limit):
    """Everything that is in a budget, its clock apart."""
    return {name: value for name, value in vars(limit).items() if name != "clock"}


def after(make, *steps):
    limit = make()
    for step in steps:
        step(limit)
    return contents(limit)


# Threads


@each_budget
@each_step
@each_other
def test_steps_of_two_threads_are_one_after_the_other(make, step, other):
    in_turn = [after(make, step, other), after(make, other, step)]
    threads = []
    for limit in each_interruption(make, step, thread_that(other, threads)):
        threads[-1].join()
        assert contents(limit) in in_turn


@each_budget
@each_step
def test_look_from_another_thread_waits_for_nobody(make, step):
    looks = []

    def look(limit):
        looks.append((limit.left, limit.can_ask()))

    def from_another_thread(limit):
        thread = threading.Thread(target=look, args=[limit], daemon=True)
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive()

    for _ in each_interruption(make, step, from_another_thread):
        pass
    assert all(can_ask == (left > 0) for left, can_ask in looks)


@pytest.fixture
def eager_switching():
    with switching_eagerly():
        yield


def four_learners(limit, n):
    """Predict in four threads that share a budget, and give three of four labels back."""
    learners = [ActiveLearner(OA3DiagClassifier(), ALWAYS, limit) for _ in range(4)]
    refunded = [0] * 4

    def work(i):
        for k in range(n):
            _, ask = learners[i].predict_one(X)
            if ask and k % 4:
                learners[i].refund(learners[i].refund_token)
                refunded[i] += 1

    in_threads(*(lambda i=i: work(i) for i in range(4)))
    return sum(learner.n_asked for learner in learners) - sum(refunded)


def test_budget_shared_by_threads_is_not_overspent(eager_switching):
    for _ in range(20):
        limit = budget.TotalBudget(100)
        learners = [ActiveLearner(OA3DiagClassifier(), ALWAYS, limit) for _ in range(4)]
        in_threads(*(lambda m=m: [m.predict_one({"a": 1.0}) for _ in range(100)] for m in learners))
        assert sum(learner.n_asked for learner in learners) == 100


def test_total_is_exact_in_four_threads_with_refunds(eager_switching):
    limit = budget.TotalBudget(2000)
    assert four_learners(limit, 4000) + limit.left == 2000


def test_rate_is_exact_in_four_threads_with_refunds(eager_switching):
    net = four_learners(budget.RateBudget(0.3, window=10), 4000)
    assert 0.1 * 16_000 < net <= 1 + 0.3 * 16_000 + 1e-6


def test_window_of_events_is_exact_in_four_threads_with_refunds(eager_switching):
    net = four_learners(budget.WindowBudget(3, every=10), 4000)
    assert 0 < net <= 3 * 1600


def test_each_thread_has_a_learner_of_its_own_around_one_classifier_and_one_budget(
    eager_switching,
):
    classifier, limit = OA3DiagClassifier(), budget.TotalBudget(300)
    learners = [ActiveLearner(classifier, ALWAYS, limit) for _ in range(4)]

    def work(number):
        for _ in range(200):
            if learners[number].predict_one(X)[1]:
                learners[number].learn_one({f"f{number}": 1.0}, True)

    in_threads(*(lambda i=i: work(i) for i in range(4)))
    taught = {f"f{i}" for i, learner in enumerate(learners) if learner.n_learned}
    assert sum(learner.n_asked for learner in learners) == 300
    assert sum(learner.n_seen for learner in learners) == 800
    assert set(classifier.weights) == taught


def test_budget_is_exact_where_threads_share_one_learner(eager_switching):
    model = ActiveLearner(OA3DiagClassifier(), ALWAYS, 500)
    asked = [[], [], [], []]
    in_threads(*(lambda a=a: a.extend(model.predict_one(X)[1] for _ in range(1000)) for a in asked))
    assert sum(map(sum, asked)) == 500


# Finalizers and signal handlers run in the thread that is in the middle of a step.


@each_budget
@each_step
@each_other
def test_step_in_the_middle_of_a_step_is_refused_or_done(make, step, other):
    in_turn = [after(make, step, other), after(make, other, step)]
    refusals = []

    def attempt(limit):
        refusals.append("")
        try:
            other(limit)
        except RuntimeError as error:
            refusals[-1] = str(error)

    for limit in each_interruption(make, step, attempt):
        assert contents(limit) in ([after(make, step)] if refusals[-1] else in_turn)
    changes_nothing = type(make()) is budget.TotalBudget and tick in (step, other)
    was_refused = any("in the middle of another step" in refusal for refusal in refusals)
    assert was_refused != changes_nothing


@each_budget
@each_step
def test_look_in_the_middle_of_a_step_shows_the_budget_before_or_after(make, step):
    fresh, done = make(), make()
    # A step reads the clock once: until then it shows the day before.
    day_before = 1 if make is on_the_next_day else fresh.left
    step(done)
    looks = set()
    for _ in each_interruption(make, step, lambda limit: looks.add(limit.left)):
        pass
    assert looks <= {fresh.left, day_before, done.left}


@each_budget
@each_step
def test_probability_can_be_asked_for_in_the_middle_of_a_step(make, step):
    told = set()

    def look(limit):
        told.add(ActiveLearner(OA3DiagClassifier(), ALWAYS, limit).query_probability(X))

    for _ in each_interruption(make, step, look):
        pass
    assert told <= {0.0, 1.0}


class Finalized:
    """Something in a cycle, which the garbage collector finds at a time of its own."""

    def __init__(self, action):
        self.cycle = self
        self.action = action

    def __del__(self):
        self.action()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_learner_whose_finalizers_spend_too_keeps_to_the_budget():
    limit, extra = budget.TotalBudget(300), []
    model = ActiveLearner(OA3DiagClassifier(), ALWAYS, limit)
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(400):
            Finalized(lambda: extra.append(limit.try_spend() is not None))
            model.predict_one(X)
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert any(extra)
    assert model.n_asked + sum(extra) == 300 - limit.left


class Alarming:
    """A clock that a signal interrupts while it is read."""

    def __init__(self):
        self.is_armed = False

    def __call__(self):
        if self.is_armed:
            self.is_armed = False
            signal.raise_signal(signal.SIGUSR1)
        return 0.0


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there is no such signal")
def test_signal_handler_in_the_middle_of_a_step_can_look_and_not_spend():
    limit = budget.WindowBudget(1, every=DAY, clock=Alarming())
    seen = []

    def handler(*_):
        seen.append(limit.left)
        with pytest.raises(RuntimeError, match="in the middle"):
            limit.spend()
        seen.append("refused")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        limit.tick()
        limit.clock.is_armed = True
        limit.spend()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (seen, limit.left) == ([1, "refused"], 0)


def test_interrupted_step_leaves_the_budget_usable():
    class Interrupted(Exception):
        pass

    def clock():
        if interrupt:
            raise Interrupted
        return 0.0

    interrupt, limit = False, budget.WindowBudget(2, every=DAY, clock=clock)
    limit.spend()
    interrupt = True
    for step in STEPS:
        with pytest.raises(Interrupted):
            step(limit)
    interrupt = False
    in_threads(limit.spend)
    assert limit.left == 0


# Copies


@each_budget
@each_step
@pytest.mark.parametrize(
    "copied",
    [
        lambda limit: pickle.loads(pickle.dumps(limit)),
        lambda limit: pickle.loads(pickle.dumps(limit, protocol=0)),
        copy.copy,
        copy.deepcopy,
        lambda limit: limit.clone(include_attributes=True),
    ],
    ids=["pickle", "pickle 0", "copy", "deepcopy", "clone"],
)
def test_copy_in_the_middle_of_a_step_is_whole_and_free(make, step, copied):
    copies = []
    for _ in each_interruption(make, step, lambda limit: copies.append(copied(limit))):
        twin = copies.pop()
        in_threads(twin.refund)
        done = contents(twin)
        assert done in [
            after(make, refund),
            after(make, step, refund),
            # The event is counted, its window not yet turned.
            after(make, refund) | {"_events": done.get("_events")},
        ]


@each_budget
def test_lock_is_not_stored(make):
    assert b"Guard" not in pickle.dumps(make())


# Processes


def code_of_child(action):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        action()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("whose", ["the same", "another"])
def test_child_forked_in_the_middle_of_a_step_can_spend(whose):
    inside, go_on, reads = threading.Event(), threading.Event(), []

    def clock():
        if threading.current_thread() is not threading.main_thread():
            reads.append(1)
            if len(reads) == 3:  # after those of `tick` and `can_ask` comes that of the payment
                inside.set()
                go_on.wait(60)
        return 0.0

    def model(labels):
        return ActiveLearner(OA3DiagClassifier(), ALWAYS, labels)

    limit = budget.WindowBudget(10, every=DAY, clock=clock)
    mine = model(limit if whose == "the same" else 10)
    thread = threading.Thread(target=model(limit).predict_one, args=[X])
    thread.start()
    try:
        assert inside.wait(60)
        assert code_of_child(lambda: os._exit(0 if mine.predict_one(X)[1] else 3)) == 0
    finally:
        go_on.set()
        thread.join()


# Subclasses


class Half(budget.TotalBudget):
    """Keeps half of its labels back."""

    @property
    def left(self):
        return super().left - self.labels // 2


class Logged(budget.TotalBudget):
    """Has its own way of spending."""

    def __init__(self, labels):
        super().__init__(labels)
        self.log = []

    def spend(self):
        super().spend()
        self.log.append(self.left)


class Generous(budget.WindowBudget):
    """Gives a label back with every fourth event."""

    def tick(self):
        super().tick()
        if self._events % 4 == 0:
            self.refund()


class FromScratch(budget.Budget):
    """Calls no constructor, and counts down in a list."""

    def __init__(self, labels):
        self.items = ["label"] * labels

    @property
    def left(self):
        return len(self.items)

    def tick(self):
        self.items.append("label")

    def _spend(self):
        self.items.pop()

    def refund(self, refund_token=None):
        self.items.append("label")


class Slotted(budget.TotalBudget):
    __slots__ = ("note",)


def asked(limit, n):
    model = ActiveLearner(OA3DiagClassifier(), ALWAYS, limit)
    return [model.predict_one(X)[1] for _ in range(n)]


def test_subclass_that_says_what_is_left_is_believed():
    assert sum(asked(Half(10), 20)) == 5


def test_subclass_that_spends_in_its_own_way_does_so():
    limit = Logged(3)
    assert (asked(limit, 5), limit.log) == ([True] * 3 + [False] * 2, [2, 1, 0])


def test_error_of_a_subclass_that_spends_in_its_own_way_is_raised():
    class Broken(budget.TotalBudget):
        def spend(self):
            raise ValueError("the bank is closed")

    with pytest.raises(ValueError, match="bank"):
        Broken(3).try_spend()


def test_subclass_that_refunds_in_a_tick_does_so():
    assert sum(asked(Generous(2, every=100), 12)) == 5


def test_budget_from_scratch_works():
    limit = FromScratch(2)
    limit.spend()
    assert (limit.try_spend() is not None, limit.try_spend(), asked(limit, 3)) == (
        True,
        None,
        [True] * 3,
    )


def test_budget_from_scratch_is_not_overspent_by_threads():
    threads = []
    for limit in each_interruption(lambda: FromScratch(1), spend, thread_that(spend, threads)):
        threads[-1].join()
        assert limit.left == 0


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda limit: pickle.loads(pickle.dumps(limit))])
def test_slots_of_a_subclass_are_copied(copied):
    limit = Slotted(3)
    limit.note = "from a user"
    limit.spend()
    twin = copied(limit)
    assert (twin.note, twin.left) == ("from a user", 2)


# One step for asking and paying


def test_payment_gives_a_token_as_long_as_there_are_labels():
    limit = budget.TotalBudget(2)
    assert [limit.try_spend() is not None for _ in range(3)] == [True, True, False]


@each_budget
def test_token_of_a_payment_gives_its_label_back(make):
    limit = make()
    limit.tick()
    before = limit.left
    limit.refund(refund_token=limit.try_spend())
    assert limit.left == before
