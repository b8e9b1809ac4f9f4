from __future__ import annotations

import datetime as dt
import typing
from collections import deque
from collections.abc import Callable, Hashable, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from river_oa3 import budget as budgets
from river_oa3.active import ActiveLearner
from river_oa3.pending.batches import ONE_BY_ONE, Batch, PendingBatches
from river_oa3.pending.errors import AnswerChangedError
from river_oa3.pending.pending_labels import PendingLabels
from river_oa3.pending.rows import key_of
from river_oa3.scoring import Scorer
from river_oa3.scoring.record_batches import Features
from river_oa3.scoring.spending import Spending
from river_oa3.spark.columns import check_comparable, check_id, features_of
from river_oa3.spark.packing import named, packed
from river_oa3.spark.proposals import (
    SCHEMA,
    found_events,
    found_in,
    proposing,
    reading_events,
)
from river_oa3.spark.scoring import through_java
from river_oa3.spark.sessions import is_connect
from river_oa3.spark.workers import Model, renaming

if typing.TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["ActiveStream"]

# So many of the newest events that were refused are remembered.
KEPT_ERRORS = 1000

# So often a batch is run while people change answers that it learns.
MOST_RUNS = 5

# Whether a row is a label; and an id of a label that is none of the kind that events have.
IS_LABEL, LOST_ID = "oa3_is_label", "oa3_lost_id"


class ActiveStream:
    """An active learner on Spark's Structured Streaming: its model, its budget and its promises.

    Executors score each micro-batch with the model as it stood at its start, and send back only
    the events that may be asked about; random numbers come from the seed and the event's id, so
    that a task which is tried again proposes the same. The driver takes them in the order of their
    ids until the budget says no, and learns the labels that have come. What unlabelled events teach
    is added up by the executors. Asks, payments, labels, the model and the number of the batch are
    one transaction of the store: whatever is killed, the budget is exact, no ask is lost or
    doubled, and the model is that of an uninterrupted run over the same batches.

    The first events go through the driver one by one, at most 2,000 of a batch, until the model has
    learned 200 labels of both classes or the budget is spent. From then on a batch asks for no more
    than half as many labels as have been learned, and for 10 at any rate: a model that stands still
    would ask too much of one kind.

    Labels come as a stream of their own, or from people who answer on the page of
    `river-oa3 serve --answers-only`, which reads the same store. A label that comes in the same
    batch as its event is learned in that batch, and so is one that came in an earlier batch: the
    newest labels that nobody has asked for are kept in the store for that. Labels that nobody asks
    for are not learned.

    An id is that of one event for ever. An event that comes again, in the same batch or a later
    one, is asked about once at most; what it teaches without a label may count again. Of two labels
    of one event, the one that came last before its ask is learned, or else the first one after it;
    of two in one batch, True.

    The promise after a restart holds to the last bit for the same batches. A batch that Spark's
    checkpoint has written down is run again with the same rows, if the source can be read again, as
    files and Kafka can. One that was not yet written down may be cut otherwise, as it may be by
    chance on any other day: the run is then that of these batches, budget and asks as exact as
    ever. Files do so: killed between taking a file and writing down the batch, a source gives the
    next batch one file more.

    The order of the rows and how they are split into partitions do not matter, so that the cluster
    may be another one: each event is scored on its own, events are taken in the order of their ids,
    and sums are exact. Scores are as exact as the machine: executors of one kind of processor, with
    one version of the package, round alike. Answers from people count as they stand when a batch is
    run, an ask expires by the clock where `time_to_live` is a time, and a budget of so many labels
    in so much time looks at the driver's clock, once for all events of a batch.

    Parameters
    ----------
    model
        A learner of this package, `schema | AutoOA3Classifier()`, which takes raw columns as
        `score` does, or an `ActiveLearner` around either. None is an `AutoOA3Classifier`.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`; of an `ActiveLearner`, its
        own is taken.
    store
        Where asks are kept, the URL of SQLite or PostgreSQL: see `PendingLabels`.
    id
        The column of ids, texts or whole numbers; events of a batch are taken in their order.
    features
        The columns of features, or the one that is a map. The default is all columns but the id; a
        model with a `Schema` has its own.
    seed
        The seed of decisions; of an `ActiveLearner`, its own is taken.
    time_to_live
        How long an ask stays open: see `PendingLabels`.
    refund
        Whether an ask that expires gives its label back to the budget.
    on_error
        What becomes of an event that one process would refuse: "fail" ends the query with the
        reason, "mark" leaves it out and notes the reason in `errors`. An answer from people that
        the model refuses is open again either way, and its batch is kept.
    early_labels
        How many labels that nobody has asked for are kept, the newest ones; 0 keeps none. Make room
        for as many as may come before their events: those of events that are never asked about
        take room too.

    Attributes
    ----------
    pending
        The `PendingLabels` of the driver: asks, quality, the budget.
    errors
        The newest events that were refused, each with the reason.

    Examples
    --------

    ```python
    stream = ActiveStream(budget=10_000, store="postgresql+psycopg://...", id="payment")
    query = stream.start(events, labels, checkpoint="s3://...")
    query.awaitTermination()
    ```

    """

    def __init__(
        self,
        model: typing.Any = None,
        budget: int | budgets.Budget | None = None,
        store: str | None = None,
        id: str = "id",
        features: str | Sequence[str] | None = None,
        seed: int | None = None,
        time_to_live: int | dt.timedelta | None = None,
        refund: bool = False,
        on_error: typing.Literal["fail", "mark"] = "fail",
        early_labels: int = 10_000,
    ):
        if on_error not in ("fail", "mark"):
            raise ValueError(f"on_error must be 'fail' or 'mark', not {on_error!r}")
        if store is None:
            raise ValueError(
                "store must be a URL such as sqlite:///asks.db: without it nothing would be known "
                "of the asks after a restart"
            )
        if not isinstance(model, ActiveLearner):
            model = ActiveLearner(model, budget=budget, seed=seed)
        elif budget is not None or seed is not None:
            raise ValueError("an ActiveLearner has its own budget and seed: give them there")
        self._scorer = Scorer(model)
        if not self._scorer.is_direct:
            raise TypeError(
                "a stream takes schema | AutoOA3Classifier(), without further steps: what events "
                "teach those could not be added up"
            )
        self._batches = PendingBatches(model, store, time_to_live, refund, early_labels)
        self.model: ActiveLearner = model
        self.errors: deque[tuple[Hashable, str]] = deque(maxlen=KEPT_ERRORS)
        self._id, self._features, self._marks = id, features, on_error == "mark"
        self._query: StreamingQuery | None = None

    @property
    def pending(self) -> PendingLabels:
        return self._batches.pending

    def start(
        self,
        events: DataFrame,
        labels: DataFrame | None = None,
        *,
        checkpoint: str,
        label: str = "label",
        then: Callable[[DataFrame, int], None] | None = None,
        trigger: dict[str, typing.Any] | None = None,
    ) -> StreamingQuery:
        """Start the query; one that has ended, by a fault or not, may be started again.

        Parameters
        ----------
        events
            A streaming frame of events.
        labels
            A streaming frame of labels: the id, and True or False, or 1 or 0.
        checkpoint
            Where Spark keeps how far the query has come.
        label
            The column of labels.
        then
            Called with each batch and its number, once or, after a fault, more often: the events
            with their scores by the model at the start of the batch, as `score` gives them. The
            frame is good until `then` returns.
        trigger
            When batches begin, as `trigger` of Spark's writer takes it: `{"availableNow": True}`,
            `{"processingTime": "10 seconds"}`.

        """
        if is_connect(events.sparkSession):
            raise TypeError(
                "ActiveStream decides and learns in the driver, which a session of Spark Connect "
                "has not: use a classic session, as local_session() gives it"
            )
        check_id(events.schema, self._id)
        found = features_of(events.schema, self._scorer, self._id, self._features)
        check_comparable(events.schema, self._id)
        if self._query is not None and self._query.isActive:
            raise RuntimeError("a query of this stream is running: stop it before another one")
        events = events.select(*map(named, dict.fromkeys((self._id, *found.columns))))
        frame = self._together(events, labels, label)

        def run(batch: DataFrame, number: int) -> None:
            for _ in range(MOST_RUNS):
                try:
                    return self._run(batch, number, found, None if labels is None else label, then)
                except AnswerChangedError:
                    # Somebody took an answer back that was being learned: nothing is kept, and the
                    # batch is run again from where the store stands.
                    self._batches.reopen()
            raise RuntimeError(f"answers kept changing while batch {number} was run")

        writer = frame.writeStream.foreachBatch(run).option("checkpointLocation", checkpoint)
        if trigger is not None:
            writer = writer.trigger(**trigger)
        if self._batches.is_running:
            # The last query ended inside a batch, and the model is ahead of the store.
            self._batches.reopen()
        self._query = writer.start()
        return self._query

    def close(self) -> None:
        """Let go of the store."""
        self._batches.close()

    def _together(self, events: DataFrame, labels: DataFrame | None, label: str) -> DataFrame:
        """Events and labels as one stream: one query has one order of batches."""
        if labels is None:
            return events
        check_id(labels.schema, self._id)
        check_comparable(labels.schema, self._id)
        if label not in labels.columns:
            raise ValueError(f"the labels have no column {label!r}")
        is_exact = events.sparkSession.conf.get("spark.sql.caseSensitive") in ("true", "TRUE")
        taken = {name if is_exact else name.casefold(): name for name in events.columns}
        name = taken.get(label if is_exact else label.casefold())
        if name is not None:
            raise ValueError(
                f"the events have a column {name!r}, as the labels: is it the label? Name the "
                "features, or another column with label="
            )
        for name in (IS_LABEL, LOST_ID):
            if name in taken:
                raise ValueError(f"the events have a column {taken[name]!r}: give it another name")
        marked = events.withColumn(IS_LABEL, F.lit(False))
        given = named(self._id)
        # Spark may be set to make another number of one that is too large for its type.
        known_id = given.try_cast(events.schema[self._id].dataType)
        lost = F.when(known_id.isNull(), given.cast("string"))
        columns = (known_id.alias(self._id), named(label), lost.alias(LOST_ID))
        known = labels.select(*columns).withColumn(IS_LABEL, F.lit(True))
        return marked.unionByName(known, allowMissingColumns=True)

    def _run(
        self,
        frame: DataFrame,
        number: int,
        features: Features,
        label: str | None,
        then: Callable[[DataFrame, int], None] | None,
    ) -> None:
        context = frame.sparkSession.sparkContext
        stream = context.getLocalProperty("sql.streaming.queryId") or "stream"
        batch = self._batches.begin(stream, number)
        if batch is None:
            return
        frame = frame.persist()
        try:
            events = frame
            # Answers from people are learned, whether or not there is a stream of labels.
            batch.learn({} if label is None else self._labels(frame, label))
            self._note_refused(batch)
            if label is not None:
                columns = map(named, dict.fromkeys((self._id, *features.columns)))
                events = frame.filter(~F.col(IS_LABEL)).select(*columns)
            at_start = Model.of(self.model, Spending.on_next(self.model._budget))
            rest: DataFrame | None = events
            if not self._batches.is_warm:
                rest = self._one_by_one(batch, events, features)
            if rest is not None:
                self._propose(batch, rest, features)
            if then is not None:
                self._hand_on(then, number, events, at_start, features)
            batch.finish()
        finally:
            frame.unpersist()
        # Once the batch is kept, and the asks are open again: it is not run again for them.
        self._note(batch.refused_answers)

    def _hand_on(
        self,
        then: Callable[[DataFrame, int], None],
        number: int,
        events: DataFrame,
        model: Model,
        features: Features,
    ) -> None:
        sent = events.sparkSession.sparkContext.broadcast(model)
        try:
            then(through_java(events, sent, self._id, features, self._marks), number)
        finally:
            sent.destroy()

    def _labels(self, frame: DataFrame, label: str) -> dict[Hashable, typing.Any]:
        # By all: of two labels of one event, the same one is learned however often it is run.
        columns = [named(self._id), named(label), F.col(LOST_ID)]
        rows = frame.filter(F.col(IS_LABEL)).select(*columns).orderBy(*columns).collect()
        kind = frame.schema[self._id].dataType.simpleString()
        found: dict[Hashable, typing.Any] = {}
        for event_id, y, lost in rows:
            words = _wrong(event_id, y)
            if lost is not None:
                event_id, words = lost, f"ids of events are of type {kind}, and this cannot be one"
            if words is None:
                found[event_id] = bool(y)
            elif self._marks:
                self.errors.append((event_id, words))
            else:
                raise ValueError(f"event {event_id!r}: {words}")
        return found

    def _one_by_one(self, batch: Batch, events: DataFrame, features: Features) -> DataFrame | None:
        """Take the first events of a batch; the rest, if there is one, is left to executors."""
        this = named(self._id)
        # By the features too: of events with one id, it is always the same ones that come first.
        features_text = F.struct(*map(named, features.columns)).cast("string")
        first = events.orderBy(this.asc_nulls_last(), features_text).limit(ONE_BY_ONE)
        sent = packed(first, features, [self._id])
        read = reading_events(self._id, sent.features, self._scorer.is_raw, self._marks)
        rows = sent.frame.mapInArrow(renaming(sent.names, read), SCHEMA).collect()
        found = found_events(rows)
        self.errors.extend(found.errors)
        batch.one_by_one(found.events)
        self._note_refused(batch)
        if len(rows) < ONE_BY_ONE:
            return None
        return events.filter(this.isNull() | (this > F.lit(found.last)))

    def _propose(self, batch: Batch, events: DataFrame, features: Features) -> None:
        spending = Spending.on_batch(self.model._budget)
        model = events.sparkSession.sparkContext.broadcast(Model.of(self.model, spending))
        sent = packed(events, features, [self._id])
        try:
            seed, most = self._batches.seed, batch.most_asks
            propose = proposing(model, self._id, sent.features, seed, self._marks, most)
            found = found_in(sent.frame.mapInArrow(renaming(sent.names, propose), SCHEMA).collect())
        finally:
            model.destroy()
        self.errors.extend(found.errors)
        batch.take(found.proposals, found.expected, found.observed)
        self._note_refused(batch)

    def _note_refused(self, batch: Batch) -> None:
        self._note(batch.refused)
        batch.refused.clear()

    def _note(self, refused: list[tuple[Hashable, str]]) -> None:
        """What the model would not take is noted, or ends the query."""
        for event_id, words in refused:
            if not self._marks:
                raise ValueError(f"event {event_id!r}: {words}")
            self.errors.append((event_id, words))


def _wrong(event_id: Hashable, y: typing.Any) -> str | None:
    """What is wrong with a label, if anything."""
    try:
        key_of(event_id)
    except (TypeError, ValueError) as error:
        return str(error)
    if isinstance(y, (bool, int)) and y in (0, 1):
        return None
    return f"a label is True or False (or 1 or 0), not {y!r}"
