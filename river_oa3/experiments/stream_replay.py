"""An active learner over a whole stream in memory, in compiled code.

The one file of the experiments that reaches into the core: the core's loop over rows has no other
door.
"""

from __future__ import annotations

import copy
import functools
import math
import random
import time
import typing

import numpy as np
from numpy.typing import NDArray
from river import compose

from river_oa3._core import checks
from river_oa3._core.auto_replay import replay_auto
from river_oa3._core.query import AdaptiveRule, Rule
from river_oa3._core.replay import replay as _replay
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.base import MarginClassifier, SecondOrderClassifier
from river_oa3.budget import UNLIMITED, Pace, TotalBudget
from river_oa3.datasets import Stream
from river_oa3.experiments.scores import Counts
from river_oa3.opinions import answers_as_core
from river_oa3.query import AdaptiveQuery, AsymmetricQuery, FirstComeQuery, Query, RandomQuery

__all__ = ["GivenUniforms", "Outcome", "Replay", "Uniforms", "replay", "uniforms"]

# What an active learner decides by, and what a budget does.
DECIDING = ("predict_one", "learn_one", "_answer", "_chance", "_decide", "_must_ask_anyway")
SPENDING = ("left", "can_ask", "pace", "tick", "spend", "try_spend", "_pay", "_spend")

# The pace at which every event is asked about, whatever its score.
EVERY_EVENT = Pace(rate=1.0, floor=1.0)

Integers = NDArray[np.int64]


class Outcome(typing.NamedTuple):
    """What became of a replay: counts after as many events as each checkpoint, and the decisions.

    Examples
    --------

    >>> from river_oa3 import datasets, rivals
    >>> from river_oa3.experiments import replay

    >>> stream = datasets.open_stream("Phishing").unit_rows()
    >>> outcome = replay(rivals.oa3_first_come(budget=10), stream, checkpoints=[5, 1000])
    >>> outcome.labels
    array([ 5, 10])
    >>> outcome.asked[:12]
    array([ True,  True,  True,  True,  True,  True,  True,  True,  True,
            True, False, False])

    """

    checkpoints: Integers
    true_positives: Integers
    false_positives: Integers
    true_negatives: Integers
    false_negatives: Integers
    labels: Integers
    asked: NDArray[np.bool_]
    uniforms_used: int
    seconds: float

    @property
    def counts(self) -> Counts:
        """The counts as one, one array per number."""
        return Counts(
            self.true_positives,
            self.false_positives,
            self.true_negatives,
            self.false_negatives,
            self.labels,
        )


class Uniforms:
    """Uniform random numbers, looked at before they are used.

    Parameters
    ----------
    seed
        Gives the numbers that an `ActiveLearner` with this seed would draw.

    """

    def __init__(self, seed: int | None):
        self._draw = random.Random(seed).random
        self._ahead: NDArray[np.float64] = np.empty(0)

    def ahead(self, n: int) -> NDArray[np.float64]:
        """The next numbers, at least so many."""
        missing = n - len(self._ahead)
        if missing > 0:
            more = np.fromiter((self._draw() for _ in range(missing)), np.float64, missing)
            self._ahead = np.concatenate([self._ahead, more])
        return self._ahead

    def use(self, n: int) -> None:
        """Go past the next numbers."""
        self._ahead = self._ahead[n:]


class GivenUniforms(Uniforms):
    """Numbers that somebody has drawn before."""

    def __init__(self, numbers: NDArray[np.float64]):
        self._ahead = np.ascontiguousarray(numbers, dtype=np.float64)

    def ahead(self, n: int) -> NDArray[np.float64]:
        """The next numbers, at least so many."""
        if len(self._ahead) < n:
            raise ValueError(f"{n} events may need as many uniforms, not {len(self._ahead)}")
        return self._ahead


def uniforms(seed: int | None, n: int) -> NDArray[np.float64]:
    """The first `n` numbers that an `ActiveLearner` with this seed would draw."""
    return Uniforms(seed).ahead(n)


class Replay:
    """A replay that goes on from one part of the events to the next.

    Parameters
    ----------
    model
        A new active learner, as `replay` takes it.
    numbers
        The uniforms that it decides with.
    checkpoints
        After how many events to write the counts down.
    paper_accounting
        Whether an event without features is counted as a mistake.

    """

    def __init__(
        self,
        model: ActiveLearner,
        numbers: Uniforms,
        checkpoints: typing.Sequence[int] | NDArray[np.integer[typing.Any]],
        paper_accounting: bool = False,
    ):
        _check_model(model)
        self._model = model
        self._numbers = numbers
        self._checkpoints = _whole_numbers("checkpoints", checkpoints)
        self._paper_accounting = paper_accounting
        budget = model._budget
        if not (budget is None or _decides_as(TotalBudget, budget, *SPENDING)):
            raise TypeError(f"replay takes a budget of labels in all as it is, not {budget!r}")
        self._budget = None if budget is None else budget.left
        if isinstance(model.classifier, AutoOA3Classifier):
            rule, pace = _adaptive_rule(model)
            self._play = functools.partial(replay_auto, model.classifier._core, rule, *pace)
        else:
            learner: typing.Any = model.classifier
            self._play = functools.partial(_replay, learner._core, _rule(model._query))
        self._events = self._n_used = 0
        self._totals = np.zeros(5, dtype=np.int64)
        self._curve: list[NDArray[np.int64]] = []
        self._asked: list[NDArray[np.bool_]] = []
        self._seconds = 0.0

    def go_on(self, stream: Stream, rows: NDArray[np.intp]) -> None:
        """Replay these rows of a stream, after all that went before."""
        if not isinstance(self._model.classifier, AutoOA3Classifier):
            stream.refuse_missing("AutoOA3 alone takes")
        n, done = len(rows), self._events
        stops = self._checkpoints[(self._checkpoints > done) & (self._checkpoints <= done + n)]
        stops = stops - done
        # What was counted by the end of this part.
        if n and not (stops.size and stops[-1] == n):
            stops = np.append(stops, n)
        overflow = _first_overflow(self._model.classifier, stream, rows)
        if overflow is not None:
            rows, stops = rows[:overflow], stops[:0]
        left = n if self._budget is None else self._budget - int(self._totals[-1])
        start = time.thread_time()
        counts, asked, used = self._play(
            stream.X.data,
            stream.X.indices,
            stream.X.indptr,
            stream.y.view(np.uint8),
            stream.names,
            rows,
            self._numbers.ahead(n),
            left,
            stops,
            self._paper_accounting,
        )
        self._seconds += time.thread_time() - start
        if overflow is not None:
            checks.refuse_size(f"event {done + overflow + 1} of the replay is too large")
        self._numbers.use(used)
        self._n_used += used
        if n:
            counts = counts + self._totals
            self._totals = counts[-1]
            self._curve.append(counts[np.isin(stops + done, self._checkpoints)])
            self._asked.append(asked.view(np.bool_))
        self._events += n

    def outcome(self) -> Outcome:
        """What became of all events so far."""
        curve = np.concatenate([np.empty((0, 5), dtype=np.int64), *self._curve])
        asked = np.concatenate([np.empty(0, dtype=np.bool_), *self._asked])
        reached = self._checkpoints[self._checkpoints <= self._events].astype(np.int64)
        tp, fp, tn, fn, labels = curve.T
        return Outcome(reached, tp, fp, tn, fn, labels, asked, self._n_used, self._seconds)


def replay(
    model: ActiveLearner,
    stream: Stream,
    order: NDArray[np.integer[typing.Any]] | None = None,
    numbers: NDArray[np.float64] | None = None,
    checkpoints: typing.Sequence[int] | NDArray[np.integer[typing.Any]] | None = None,
    paper_accounting: bool = False,
) -> Outcome:
    """Predict, account, ask and learn over a whole stream, as one event after another would.

    The decisions are those of `predict_one` and `learn_one` on `stream.events(order)`, made without
    a dict or a Python call per event. The model should be a new one: its classifier learns, its
    counters and its budget are left alone.

    Parameters
    ----------
    model
        An active learner around a classifier of this package, with one of the rules of
        `river_oa3.query` and a budget of labels in all, or none.
    stream
        The events.
    order
        The rows in the order in which they come. The default is the order of the stream.
    numbers
        Uniform random numbers in the order in which they are used, at least one per event. The
        default is what the model's seed gives.
    checkpoints
        After how many events to write the counts down. The default is the end.
    paper_accounting
        Whether an event without features is counted as a mistake, as in the paper's published
        figures. It is not asked about either way.

    Examples
    --------

    >>> from river_oa3 import ActiveLearner, OA3DiagClassifier, datasets
    >>> from river_oa3.experiments import replay

    >>> stream = datasets.open_stream("Shuttle").unit_rows()
    >>> outcome = replay(ActiveLearner(OA3DiagClassifier(rho=13), budget=490, seed=1), stream)
    >>> outcome.labels
    array([490])

    """
    _check_model(model)
    rows = np.arange(len(stream)) if order is None else _whole_numbers("order", order)
    if rows.size and not (rows.min() >= 0 and rows.max() < len(stream)):
        raise ValueError(f"order must hold rows from 0 to {len(stream) - 1}")
    drawn = Uniforms(model.seed) if numbers is None else GivenUniforms(numbers)
    drawn.ahead(len(rows))
    stops = _whole_numbers("checkpoints", [len(rows)] if checkpoints is None else checkpoints)[
        : len(rows)
    ]
    if stops.size and not (stops[0] >= 1 and stops[-1] <= len(rows) and (np.diff(stops) > 0).all()):
        raise ValueError(f"checkpoints must be rising numbers from 1 to {len(rows)}")
    run = Replay(model, drawn, stops, paper_accounting)
    run.go_on(stream, rows)
    return run.outcome()


def _check_model(model: ActiveLearner) -> None:
    """Refuse a model that decides or learns in a way that a replay would pass over."""
    if not _decides_as(ActiveLearner, model, *DECIDING):
        raise TypeError(f"replay would pass over what this active learner changes: {model!r}")
    classifier = model.classifier
    # river's isinstance looks into pipelines.
    if isinstance(classifier, compose.Pipeline) or not isinstance(classifier, MarginClassifier):
        raise TypeError(f"replay takes the classifiers of river_oa3 alone, not {classifier!r}")
    kind = AutoOA3Classifier if isinstance(classifier, AutoOA3Classifier) else MarginClassifier
    if not (answers_as_core(classifier) and _decides_as(kind, classifier, "learn_one")):
        raise TypeError(
            f"replay would pass over what this subclass does its own way: {classifier!r}"
        )


def _whole_numbers(name: str, values: typing.Any) -> NDArray[np.intp]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a row of whole numbers")
    return np.ascontiguousarray(array, dtype=np.intp)


def _first_overflow(classifier: typing.Any, stream: Stream, rows: NDArray[np.intp]) -> int | None:
    """The first event whose variance is not finite, which is an error to predict, asked or not."""
    if not isinstance(classifier, SecondOrderClassifier) or stream.squares.max() < math.inf:
        return None
    events = np.flatnonzero(~np.isfinite(stream.squares[rows]))
    return int(events[0]) if len(events) else None


def _rule(query: Query) -> Rule:
    """The compiled form of a rule; one that decides in its own way has none."""
    changed = any(hasattr(type(query), name) for name in ("delta_pos", "delta_neg"))
    if _decides_as(AsymmetricQuery, query, "probability") and not changed:
        assert isinstance(query, AsymmetricQuery)
        return Rule(
            delta_pos=query.delta_pos,
            delta_neg=query.delta_neg,
            use_confidence=query.use_confidence,
        )
    if any(_decides_as(base, query, "probability") for base in (RandomQuery, FirstComeQuery)):
        return Rule(fixed=query.probability(0.0, 0.0))
    raise TypeError(f"replay takes the rules of river_oa3.query as they are, not {query!r}")


def _adaptive_rule(model: ActiveLearner) -> tuple[AdaptiveRule, Pace]:
    """The running mean of the model's scores, to begin with, and the pace of its budget."""
    query, budget = model._query, model._budget
    if model.learn_transformers and _decides_as(AdaptiveQuery, query, "probability"):
        rule = typing.cast(AdaptiveQuery, copy.deepcopy(query))._rule
        return rule, UNLIMITED if budget is None else budget.pace()
    if model.learn_transformers and _decides_as(FirstComeQuery, query, "probability"):
        return AdaptiveRule(), EVERY_EVENT
    raise TypeError(
        "replay takes AutoOA3 with its own query, AdaptiveQuery, or with FirstComeQuery, not "
        f"{model!r}"
    )


def _decides_as(base: type, thing: object, *methods: str) -> bool:
    """Whether an object is a `base` with none of these methods changed."""
    return isinstance(thing, base) and all(
        getattr(type(thing), name) is getattr(base, name) and name not in vars(thing)
        for name in methods
    )
