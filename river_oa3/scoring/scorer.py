"""What an active learner thinks of many events at once, and how likely it would ask about each."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from river import base, compose
from scipy.sparse import csr_array
from scipy.special import ndtr

from river_oa3 import pipelines
from river_oa3._core.auto_batch import report_rows
from river_oa3._core.auto_observed import as_counted
from river_oa3._core.query import asymmetric_probabilities
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.base import SecondOrderClassifier
from river_oa3.query import AdaptiveQuery, AsymmetricQuery, FirstComeQuery, RandomQuery
from river_oa3.schema import Schema
from river_oa3.schema.batch import as_python
from river_oa3.scoring.observed import Observed
from river_oa3.scoring.rows import Rows, rows_of_table
from river_oa3.scoring.spending import Spending

__all__ = ["Scorer", "Scores"]

Numbers = NDArray[np.float64]

# Rows of a matrix that is made full for a learner of the paper's: as many as take so many bytes.
MOST_BYTES = 2**26


class Scores(typing.NamedTuple):
    """What is thought of each event; where one is refused, the numbers mean nothing."""

    label: NDArray[np.bool_]
    probability: Numbers
    margin: Numbers
    variance: Numbers
    query_probability: Numbers
    errors: dict[int, str]
    # Squared length, both learners' probabilities and worth, of each row: what `observed` adds up.
    details: Numbers


class Scorer:
    """Scores batches of events with a model that stands still.

    Parameters
    ----------
    model
        A learner of this package, a pipeline from a `Schema` to one, or an `ActiveLearner` around
        either.
    spending
        What its budget says to all events. By default it is asked once for each batch, and where
        it counts time, the clock of this machine decides.

    Examples
    --------

    >>> import pyarrow as pa
    >>> from river_oa3 import AutoOA3Classifier
    >>> from river_oa3.scoring import Scorer, rows_of_columns

    >>> model = AutoOA3Classifier()
    >>> model.learn_one({'amount': 2.0}, False)
    >>> model.learn_one({'amount': 900.0}, True)
    >>> scorer = Scorer(model)
    >>> scores = scorer.score(rows_of_columns({'amount': pa.array([3.0, 800.0])}))
    >>> scores.label.tolist()
    [False, True]

    """

    def __init__(self, model: base.Classifier | ActiveLearner, spending: Spending | None = None):
        kind: type = type(model)  # river's isinstance looks into pipelines
        if kind is compose.Pipeline or not isinstance(model, ActiveLearner):
            model = ActiveLearner(model)
        first: typing.Any = None
        classifier: typing.Any = model.classifier
        if type(classifier) is compose.Pipeline:
            first = next(iter(classifier.steps.values()))
        self.schema: Schema | None = first if type(first) is Schema else None
        """What the model makes events of rows by, where it takes the rows of a table."""
        self.classifier: typing.Any = (
            classifier if self.schema is None else pipelines.last_step(classifier)
        )
        if type(self.classifier) is not AutoOA3Classifier and not (
            isinstance(self.classifier, SecondOrderClassifier)
            and type(self.classifier).__module__.startswith("river_oa3.")
        ):
            raise TypeError(
                "batches are scored by AutoOA3Classifier, by one of the paper's four learners, or "
                "by a pipeline from a Schema to one of them, not by "
                f"{type(self.classifier).__name__}"
            )
        self.model = model
        self.spending = spending
        # Whether a batch reaches the classifier without a dictionary per row.
        self.is_direct = self.schema is None or (self.is_raw and len(classifier.steps) == 2)

    @property
    def is_raw(self) -> bool:
        """Whether texts are categories, and nulls are missing."""
        return isinstance(self.classifier, AutoOA3Classifier)

    def score_table(
        self, columns: Mapping[str, pa.Array | tuple[pa.Array, NDArray[np.int64] | None]], n: int
    ) -> Scores:
        """What a model with a schema thinks of rows of a table.

        Parameters
        ----------
        columns
            The values of each column, with the rows that have it where not all of them do.
        n
            How many rows there are.

        """
        if self.is_direct:
            return self.score(rows_of_table(typing.cast(Schema, self.schema), columns, n))
        rows: list[dict[str, typing.Any]] = [{} for _ in range(n)]
        for name, found in columns.items():
            values, having = found if isinstance(found, tuple) else (found, None)
            places = range(n) if having is None else having.tolist()
            for row, value in zip(places, as_python(values), strict=True):
                rows[row][name] = value
        return self._score_rows(rows)

    def score(self, rows: Rows) -> Scores:
        """What the model thinks of each row; nothing is learned, drawn or spent."""
        if self.is_raw:
            return self._score_raw(rows)
        return self._score_numbers(rows)

    def counted(self, rows: Rows) -> Rows:
        """The rows as they count in the scale of the features, where wild values are drawn in."""
        if not self.is_raw:
            return rows
        core = typing.cast(AutoOA3Classifier, self.classifier)._core
        data = as_counted(core, rows.names, rows.data, rows.indices)
        return dataclasses.replace(rows, data=data)

    def observed(self, rows: Rows, scores: Scores) -> Observed:
        """What these events teach without their labels."""
        good = np.ones(len(rows), dtype=bool)
        good[list(rows.errors)] = False
        squares, slow, fast, worth = (float(line[good].sum()) for line in scores.details)
        positives = float(scores.label[good].sum())
        if not self.is_raw:
            rows = dataclasses.replace(rows, data=rows.data[:0], indices=rows.indices[:0])
        return Observed.of(self.counted(rows), (squares, slow, fast, positives, worth))

    def _score_raw(self, rows: Rows) -> Scores:
        core = typing.cast(AutoOA3Classifier, self.classifier)._core
        rows = self._without_the_longest(rows)
        found = report_rows(core, rows.data, rows.indices, rows.indptr, rows.names)
        margin, probability, second_margin, variance, squares, slow, fast = found
        asking, worth = self._asking(
            margin, second_margin, variance, -0.5 * variance / (1.0 + variance)
        )
        details = np.stack([squares, slow, fast, worth])
        label = margin >= 0.0
        return Scores(label, probability, margin, variance, asking, rows.errors, details)

    def _without_the_longest(self, rows: Rows) -> Rows:
        """Refuse rows of more features than the model may know, in its own words."""
        most = self.classifier.max_features
        if np.diff(rows.indptr).max(initial=0) <= most:
            return rows
        rows = dataclasses.replace(rows, data=rows.data.copy(), errors=dict(rows.errors))
        for row in np.flatnonzero(np.diff(rows.indptr) > most).tolist():
            try:
                self.classifier.predict_one(rows.event(row))
            except ValueError as error:
                rows.errors.setdefault(row, str(error))
                rows.data[rows.indptr[row] : rows.indptr[row + 1]] = 0.0
        return rows

    def _score_numbers(self, rows: Rows) -> Scores:
        classifier = typing.cast(SecondOrderClassifier, self.classifier)
        shape = (len(rows), len(rows.names))
        sparse = csr_array((rows.data, rows.indices, rows.indptr), shape=shape)
        step = max(1, MOST_BYTES // (8 * max(1, shape[1])))
        margin, variance = np.zeros(len(rows)), np.zeros(len(rows))
        errors = dict(rows.errors)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            try:
                matrix = np.ascontiguousarray(sparse[part].toarray())
                margin[part], variance[part] = classifier._core.judge_many(matrix, rows.names)
            except OverflowError:
                self._score_each(rows, range(*part.indices(len(rows))), margin, variance, errors)
        teachable = np.asarray((sparse != 0).sum(axis=1)).reshape(-1) > 0
        confidence = classifier._core.confidences(variance)
        asking, worth = self._asking(margin, margin, variance, confidence)
        probability = ndtr(margin / np.sqrt(classifier.gamma + variance))
        details = np.stack([np.zeros(len(rows))] * 3 + [worth])
        label = margin >= 0.0
        return Scores(
            label, probability, margin, variance, np.where(teachable, asking, 0.0), errors, details
        )

    def _score_each(
        self, rows: Rows, which: range, margin: Numbers, variance: Numbers, errors: dict[int, str]
    ) -> None:
        """One by one, where some of them are too large."""
        core = self.classifier._core
        for row in which:
            try:
                margin[row], variance[row], _, _ = core.judge_one(rows.event(row))
            except (ArithmeticError, TypeError, ValueError) as error:
                margin[row] = variance[row] = 0.0
                errors.setdefault(row, str(error))

    def _score_rows(self, rows: list[dict[str, typing.Any]]) -> Scores:
        """One by one, where there are steps between the schema and the classifier."""
        numbers, errors = np.zeros((6, len(rows))), dict[int, str]()
        for i, row in enumerate(rows):
            try:
                opinion, _ = self.model._judge(row, {}, proba=True)
            except (ArithmeticError, TypeError, ValueError) as error:
                errors[i] = str(error)
                continue
            odds = typing.cast("dict[bool, float]", opinion.odds)
            numbers[:, i] = (
                *(opinion.margin, odds[True], opinion.second_margin, opinion.variance),
                *(opinion.confidence, opinion.teachable),
            )
        margin, probability, second_margin, variance, confidence, teachable = numbers
        asking, worth = self._asking(margin, second_margin, variance, confidence)
        details = np.stack([np.zeros(len(rows))] * 3 + [worth])
        asking = np.where(teachable, asking, 0.0)
        return Scores(margin >= 0.0, probability, margin, variance, asking, errors, details)

    def _asking(
        self, margin: Numbers, second_margin: Numbers, variance: Numbers, confidence: Numbers
    ) -> tuple[Numbers, Numbers]:
        """The probability of asking about each event as the next one, and its worth."""
        model, rule = self.model, self.model._query
        nothing = np.zeros(len(margin))
        spending = self.spending
        if spending is None:
            spending = Spending.on_next(model._budget)
        worth = nothing
        if type(rule) is AdaptiveQuery:
            missing = model._missing_class
            asking, worth = rule._rule.probabilities(
                margin, second_margin, variance, missing, *spending.pace
            )
        elif type(rule) is AsymmetricQuery:
            confidence = confidence if rule.use_confidence else nothing
            asking = asymmetric_probabilities(margin, confidence, rule.delta_pos, rule.delta_neg)
        elif type(rule) in (RandomQuery, FirstComeQuery):
            asking = np.full(len(margin), rule.probability(0.0, 0.0))
        else:
            pairs = zip(margin.tolist(), confidence.tolist(), strict=True)
            asking = np.array([rule.probability(*pair) for pair in pairs])
        return (asking if spending.can_ask else nothing), worth
