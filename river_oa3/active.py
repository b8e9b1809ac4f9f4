from __future__ import annotations

import copy
import functools
import sys
import typing

import numpy as np
from river import base, compose
from river.active.base import ActiveLearningClassifier

from river_oa3 import debugging, opinions, parameters, pipelines
from river_oa3._core import checks
from river_oa3.answers import NO, NO_AND_ASK, YES, YES_AND_ASK, Answer, Odds, OddsAnswer, answer
from river_oa3.auto import AutoOA3Classifier
from river_oa3.base import Aside, Contribution, MarginClassifier
from river_oa3.budget import UNLIMITED, Budget, RateBudget, TotalBudget, WindowBudget
from river_oa3.opinions import Opinion
from river_oa3.query import (
    AdaptiveQuery,
    AsymmetricQuery,
    FirstComeQuery,
    Query,
    RandomQuery,
)
from river_oa3.state import LARGEST_INTEGER, State, counted

__all__ = ["ActiveLearner", "LastQuery"]


# A stream that starts with so many events of zeros is asked about them all the same from there on.
MAX_LEADING_ZERO_EVENTS = 10


# What it counts, under the names of its state.
_COUNTS = {
    "n_seen": "n_seen",
    "n_asked": "n_asked",
    "n_learned": "n_learned",
    "n_leading_zero_events": "_n_leading_zero_events",
    "taught": "_taught",
}

# The probability with which a label was asked for.
_asked_with = Aside()


class LastQuery(typing.NamedTuple):
    """What became of the newest event.

    `1 / probability` is the importance weight of its label: the mean of anything over asked events
    with these weights is an unbiased estimate of its mean over the events that could be asked
    about. Those that had probability 0, as when the budget was spent, are not among them.

    """

    probability: float
    asked: bool


class ActiveLearner(ActiveLearningClassifier):
    """Asks for the labels that are worth their price, and never for more than the budget.

    On its own it takes events as they come, and needs nothing set: see `AutoOA3Classifier`. Or it
    wraps any river classifier, or a pipeline that ends in one.

    `predict_one` gives a label and says whether to ask for the true one; when it comes, now or much
    later, hand it to `learn_one`. A label is paid for when it is asked for, so no delay can
    overspend.

    The classifiers of this package are asked for their margin and for how sure they are of it. For
    any other the margin is `2 P(True) - 1`, or the gap between the two most likely classes where
    there are more than two. A classifier without an opinion yet is always asked about.

    In a pipeline the margin is that of the event which reaches the classifier, and the steps that
    need no labels learn from every event that is predicted, once, whether or not it is asked about.
    So does an `AutoOA3Classifier`.

    Parameters
    ----------
    classifier
        The classifier to wrap. The default is `AutoOA3Classifier()`.
    query
        The rule for asking, from `river_oa3.query`. The default is `AdaptiveQuery` for an
        `AutoOA3Classifier`, and the paper's `AsymmetricQuery` for any other.
    budget
        The number of labels in all, or a budget from `river_oa3.budget`. None sets no limit.
    seed
        Random number generator seed for reproducibility.
    learn_transformers
        Whether the steps of a pipeline that need no labels, and an `AutoOA3Classifier`, learn from
        the events that are predicted. If not, they learn from labelled events alone, as in a river
        pipeline. A label is taken for that of a predicted event as long as there are more
        predictions than labels; any other, as when a model is trained before it is put to use,
        teaches these steps too.

    Attributes
    ----------
    n_seen
        The number of events that have been predicted.
    n_asked
        The number of labels that have been asked for.
    n_learned
        The number of labels that have been learned, asked for or not.
    last_query
        The probability with which the newest event was asked about, and the decision.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_oa3 import ActiveLearner, SSOA3Classifier, metrics

    >>> model = ActiveLearner(budget=500, seed=42)
    >>> evaluate.progressive_val_score(datasets.Shuttle(), model, metrics.WeightedSum())
    WeightedSum: 99.04%

    One of the paper's learners wants its events scaled, and of about the same length:

    >>> def with_intercept(x):
    ...     return {**x, 'intercept': 1.0}

    >>> model = ActiveLearner(
    ...     preprocessing.StandardScaler()
    ...     | with_intercept
    ...     | preprocessing.Normalizer()
    ...     | SSOA3Classifier(),
    ...     budget=500,
    ...     seed=42,
    ... )

    >>> evaluate.progressive_val_score(
    ...     dataset=datasets.Shuttle(),
    ...     model=model,
    ...     metric=metrics.WeightedSum(),
    ...     print_every=20_000,
    ... )
    [20,000] WeightedSum: 97.95% – 500 samples used
    [40,000] WeightedSum: 98.01% – 500 samples used
    [49,097] WeightedSum: 97.94% – 500 samples used
    WeightedSum: 97.94%

    >>> model.n_seen, model.n_asked
    (49097, 500)

    References
    ----------
    [^1]: Zhang, Y. et al., 2019. [Online Adaptive Asymmetric Active Learning with Limited
        Budgets](https://arxiv.org/abs/1911.07498).

    """

    def __init__(
        self,
        classifier: base.Classifier | compose.Pipeline | None = None,
        query: Query | None = None,
        budget: int | Budget | None = None,
        seed: int | None = None,
        learn_transformers: bool = True,
    ):
        if classifier is None:
            classifier = AutoOA3Classifier()
        if not isinstance(classifier, base.Classifier) or isinstance(
            classifier, ActiveLearningClassifier
        ):
            raise TypeError(f"classifier must be a river classifier, not {classifier!r}")
        if not (query is None or isinstance(query, Query)):
            raise TypeError(f"query must be a rule from river_oa3.query, not {query!r}")
        super().__init__(classifier, int(seed) if isinstance(seed, np.integer) else seed)
        self.query = query
        self.budget = budget
        self.learn_transformers = learn_transformers
        self._budget = (
            budget if budget is None or isinstance(budget, Budget) else TotalBudget(budget)
        )
        self._is_pipeline = isinstance(classifier, compose.Pipeline)
        # river's isinstance looks into pipelines, which takes its time.
        self._knows_margin = isinstance(classifier, MarginClassifier)
        last = pipelines.last_step(classifier)
        self._answers_as_core = opinions.answers_as_core(last)
        is_auto = isinstance(last, AutoOA3Classifier)
        self._observes = is_auto and learn_transformers
        default = AdaptiveQuery if is_auto else AsymmetricQuery
        self._query = default() if query is None else query
        self._adapts = _adapts(self._query)
        self._keeps_odds = False
        self._takes_short_way = self._has_short_way()
        self.n_seen = 0
        self.n_asked = 0
        self.n_learned = 0
        # Probability, decision and refund token of the newest event, bare for the sake of speed.
        self._last: tuple[float, bool, int | None] | None = None
        self._n_leading_zero_events = 0
        # Predicted events that have taught the transformers and not been learned since.
        self._taught = 0
        # What the newest ask was decided by: both margins, variance, confidence, missing class.
        self._asked_about: tuple[float, float, float, float, int] | None = None
        # What it thought of that event; for whoever keeps asks, and None without anybody who does.
        self._asked_odds: dict[typing.Any, float] | None = None

    def __setstate__(self, state: dict[str, typing.Any]) -> None:
        fresh = {"_asked_about": None, "_asked_odds": None, "_keeps_odds": False}
        self.__dict__.update(fresh | state)  # which those that were stored long ago did not have
        if "_n_blank" in state:  # stored by version 0.1
            self._n_leading_zero_events = self.__dict__.pop("_n_blank")
            self._last = None if state["_last"] is None else (*state["_last"], None)
            self._answers_as_core = opinions.answers_as_core(pipelines.last_step(self.classifier))
        if "_observes" not in state:  # stored before there was a classifier that does
            self._observes = self._adapts = False
        self._takes_short_way = self._has_short_way()

    def _has_short_way(self) -> bool:
        """Whether answers need the core alone, and nothing that decides can fail.

        The short way observes an event before it decides about it.
        """
        is_auto = isinstance(self.classifier, AutoOA3Classifier)
        needs_core = self._answers_as_core and not self._is_pipeline
        cannot_fail = type(self._query) in _OWN_RULES and _cannot_fail(self._budget)
        needs_no_more = cannot_fail and not self._keeps_odds
        return needs_core and (self._observes or not is_auto) and needs_no_more

    def _keep_odds(self) -> None:
        """Note from now on what it thinks of each event that it asks about."""
        self._keeps_odds = True
        self._takes_short_way = self._has_short_way()

    @property
    def last_query(self) -> LastQuery | None:
        return None if self._last is None else LastQuery(*self._last[:2])

    def predict_one(  # type: ignore[override]  # as every active learner of river
        self, x: typing.Any, **kwargs: typing.Any
    ) -> Answer:
        """Predict the label of `x` and say whether its true label should be asked for.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The predicted label, and whether to ask.

        """
        if self._takes_short_way and not kwargs:
            # The short way through what follows, for the sake of speed.
            classifier: typing.Any = self.classifier
            if self._observes:
                judged = classifier._core.judge_and_observe_one(x)
                margin, second_margin, variance, confidence, missing = judged
                self._taught += 1
                if self._adapts:
                    ask = self._decide_at_pace(margin, second_margin, variance, missing)
                else:
                    ask = self._decide(self._chance(margin, confidence, True))
                if ask:
                    self._asked_about = margin, second_margin, variance, confidence, missing
            else:
                margin, variance, confidence, teachable = classifier._core.judge_one(x)
                if not teachable and self._is_leading_zero_event(x):
                    teachable = self._must_ask_anyway()
                    self._n_leading_zero_events += 1
                ask = self._decide(self._chance(margin, confidence, teachable))
                if ask:
                    self._asked_about = margin, margin, variance, confidence, 0
            if margin >= 0.0:
                return YES_AND_ASK if ask else YES
            return NO_AND_ASK if ask else NO
        opinion, ask = self._answer(x, kwargs, proba=False)
        return answer(opinion.label, ask)

    def predict_proba_one(  # type: ignore[override]  # as above
        self, x: typing.Any, **kwargs: typing.Any
    ) -> Answer:
        """Predict the probability of each label and say whether to ask for the true one.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The probability of each label, and whether to ask.

        """
        if sys._getframe(1).f_code is debugging.RIVERS_DEBUG_ONE:
            # It shows a dictionary, and nobody is there to be asked.
            return debugging.odds(self, x)  # type: ignore[return-value]  # river shows a dict
        opinion, ask = self._answer(x, kwargs, proba=True)
        odds = opinion.odds
        return OddsAnswer((Odds(odds) if type(odds) is dict else odds, ask))

    def query_probability(self, x: typing.Any) -> float:
        """The probability with which `x` would be asked about, drawing and spending nothing.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        opinion, _ = self._judge(x, {}, proba=False)
        can_ask, pace = opinion.teachable, UNLIMITED
        if self._budget is not None:
            budget = copy.deepcopy(self._budget)
            budget.tick()
            can_ask, pace = can_ask and budget.can_ask(), budget.pace()
        if not can_ask:
            return 0.0
        if self._adapts:
            rule = typing.cast(AdaptiveQuery, self._query)._rule
            return rule.probability(*opinion.view, *pace)
        return self._query.probability(opinion.margin, opinion.confidence)

    def learn_one(self, x: typing.Any, y: base.typing.ClfTarget, **kwargs: typing.Any) -> None:
        """Learn a label, whether or not it was asked for.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            The true label.
        kwargs
            Passed on to the classifier; a weight `w` only if it takes one.

        """
        self._learn(x, y, _asked_with.of(self), kwargs)

    def _learn_asked(
        self, x: typing.Any, y: typing.Any, probability: float, **kwargs: typing.Any
    ) -> None:
        """Learn a label that was asked for with this probability, as `learn_one` would."""
        if type(self).learn_one is ActiveLearner.learn_one:
            self._learn(x, y, probability, kwargs)
            return
        with _asked_with.given(self, probability):
            self.learn_one(x, y, **kwargs)

    def _learn(
        self,
        x: typing.Any,
        y: typing.Any,
        asked_with: float | None,
        kwargs: dict[str, typing.Any],
    ) -> None:
        classifier: typing.Any = self.classifier
        last = functools.partial(self._learn_observed, asked_with) if self._observes else None
        if not self._is_pipeline:
            accepted = pipelines.accepted(classifier, kwargs)
            if self._taught and last is not None:
                last(classifier, x, y, **accepted)
            else:
                classifier.learn_one(x, y, **accepted)
            self._taught -= self._taught > 0
        else:
            reached = None
            if self._knows_margin:
                # What the classifier will refuse must not have taught the steps before it.
                checks.as_label(y)
                checks.as_weight(kwargs.get("w", 1.0))
                _, reached = self._judge(x, {}, proba=False)
            if self._taught:
                reached = pipelines.inputs(classifier, x) if reached is None else reached
                pipelines.learn_supervised(classifier, reached, y, kwargs, last)
                self._taught -= 1
            else:
                pipelines.learn(classifier, x, y, kwargs)
        self.n_learned += 1

    def _learn_observed(
        self,
        asked_with: float | None,
        classifier: typing.Any,
        x: typing.Any,
        y: typing.Any,
        w: float = 1.0,
    ) -> None:
        """Teach an AutoOA3Classifier the label of an event that it observed when it was predicted.

        By the probability with which it was asked about, where that is known; else by that with
        which such an event is asked about now, for labels may come late.
        """
        if asked_with is not None:
            classifier._learn_observed(x, y, w, 1.0 / max(asked_with, 1e-6))
            return
        judged = classifier._core.judge_observed_one(x)
        margin, second_margin, variance, confidence, missing = judged
        if self._adapts:
            pace = UNLIMITED if self._budget is None else self._budget.pace()
            rule = typing.cast(AdaptiveQuery, self._query)._rule
            probability = rule.noted_probability(margin, second_margin, variance, missing, *pace)
        else:
            probability = self._query.probability(margin, confidence)
        classifier._learn_observed(x, y, w, 1.0 / max(probability, 1e-6))

    def _observe(self, x: typing.Any) -> None:
        """Teach what `predict_one` teaches, and predict, decide and count nothing."""
        classifier: typing.Any = self.classifier
        teaches, reached = self._is_pipeline and self.learn_transformers, x
        if self._observes and self._is_pipeline:
            reached = pipelines.inputs(classifier, x)[-1]
        if teaches:
            pipelines.learn_unsupervised(classifier, x)
        if self._observes:
            pipelines.last_step(classifier).observe_one(reached)
        self._taught += self._observes or teaches

    @property
    def _missing_class(self) -> int:
        """The class that an AutoOA3Classifier has not learned yet, as in an `Opinion`."""
        last: typing.Any = pipelines.last_step(self.classifier)
        return last._core.missing_class if isinstance(last, AutoOA3Classifier) else 0

    @property
    def spending(self) -> Budget | None:
        """The budget that labels are paid from, also where it was given as a number.

        Examples
        --------

        >>> from river_oa3 import ActiveLearner

        >>> ActiveLearner(budget=500).spending.left
        500

        """
        return self._budget

    @property
    def rule(self) -> Query:
        """The rule for asking, also where none was given.

        Examples
        --------

        >>> from river_oa3 import ActiveLearner

        >>> ActiveLearner().rule
        AdaptiveQuery ()

        """
        return self._query

    def state(self) -> dict[str, typing.Any]:
        """What it has counted, the newest event, and its generator of random numbers as it is.

        The classifier, `rule` and `spending` are parts with a state of their own.
        """
        last = self._last
        return {
            **{name: counted(getattr(self, attribute)) for name, attribute in _COUNTS.items()},
            "last_query": None
            if last is None
            else {"probability": last[0], "asked": last[1], "refund_token": last[2]},
            "random": self._rng,
        }

    def restore(self, state: dict[str, typing.Any]) -> None:
        """Go on where one was when it gave this `state`; a `ValueError` says what cannot be one."""
        given = State(state)
        counts = {attribute: given.count(name) for name, attribute in _COUNTS.items()}
        last = given.optional(lambda name: _restored_last(given.inner(name)), "last_query")
        source = given.take("random")
        given.check_all_taken()
        vars(self).update(counts)
        self._last, self._rng = last, source

    @property
    def refund_token(self) -> int | None:
        """What `refund` takes to give back the label of the newest event, if it was asked for."""
        return None if self._last is None else self._last[2]

    def refund(self, refund_token: int | None = None) -> None:
        """Give the price of a label back to the budget that was asked for and will never come.

        Parameters
        ----------
        refund_token
            What `refund_token` was when the label was asked for. None means just now.

        """
        if self._budget is not None:
            self._budget.refund(refund_token)

    def clone(
        self, new_params: dict[str, typing.Any] | None = None, include_attributes: bool = False
    ) -> typing.Self:
        return super().clone(parameters.nested(self, new_params or {}), include_attributes)

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"classifier", "query"} | (set() if self._budget is None else {"budget"})

    def mutate(self, new_attrs: dict[str, typing.Any]) -> None:
        parameters.mutate(self, new_attrs)

    def debug_one(self, x: typing.Any, n_decimals: int = 5) -> str:
        """Show what becomes of `x`, step by step; nothing is asked for, spent, learned or counted.

        Parameters
        ----------
        x
            A dictionary of features.
        n_decimals
            The number of decimals of each number.

        """
        return debugging.report(self, x, n_decimals)

    def explain_one(self, x: typing.Any) -> list[Contribution]:
        """What the margin is made of, as the classifier's own `explain_one` says.

        In a pipeline, what is explained is the event that reaches the classifier. Nothing is asked
        for, spent, learned or counted.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        last: typing.Any = pipelines.last_step(self.classifier)
        if not hasattr(last, "explain_one"):
            raise NotImplementedError(f"{type(last).__name__} does not explain its answers")
        if not self._is_pipeline:
            return typing.cast(list[Contribution], last.explain_one(x))
        pipeline = typing.cast(compose.Pipeline, self.classifier)
        reached = pipelines.inputs(pipeline, x)
        try:
            sound = not pipelines.would_learn_nonfinite(pipeline, reached)
            if sound or not self.learn_transformers:
                return typing.cast(list[Contribution], last.explain_one(reached[-1]))
        except ValueError:
            if not self.learn_transformers:
                raise
        # As in `_judge`: see what would come of steps that had learned it.
        return typing.cast(list[Contribution], last.explain_one(pipelines.dry_run(pipeline, x)))

    def _answer(
        self, x: typing.Any, kwargs: dict[str, typing.Any], proba: bool
    ) -> tuple[Opinion, bool]:
        """What the classifier thinks of the event, and whether to ask about it."""
        wants_odds = proba or (self._keeps_odds and self._knows_margin)
        opinion, reached = self._judge(x, kwargs, wants_odds)
        is_leading = not opinion.teachable and self._is_leading_zero_event(reached[-1])
        teachable = opinion.teachable or (is_leading and self._must_ask_anyway())
        # A rule or a clock that fails does so before anything is learned.
        probability = self._chance(opinion.margin, opinion.confidence, teachable)
        if self._budget is not None:
            self._budget.can_ask()
        # Before anything is paid: a step may refuse the event.
        if self._is_pipeline and self.learn_transformers:
            pipelines.learn_unsupervised(typing.cast(compose.Pipeline, self.classifier), x)
        if self._observes:
            pipelines.last_step(self.classifier).observe_one(reached[-1])
        self._taught += self._observes or (self._is_pipeline and self.learn_transformers)
        if self._adapts and teachable:
            ask = self._decide_at_pace(*opinion.view)
        else:
            ask = self._decide(probability)
        self._n_leading_zero_events += is_leading
        if ask:
            margin, second_margin, variance, missing = opinion.view
            self._asked_about = margin, second_margin, variance, opinion.confidence, missing
            self._asked_odds = opinion.odds if self._keeps_odds else None
        return opinion, ask

    def _judge(
        self, x: typing.Any, kwargs: dict[str, typing.Any], proba: bool
    ) -> tuple[Opinion, list[typing.Any]]:
        """What the classifier thinks of the event, and what reached each step of the pipeline.

        Changes nothing.
        """
        classifier: typing.Any = self.classifier
        if not self._is_pipeline:
            return self._opinion(classifier, x, kwargs, proba), [x]
        reached = pipelines.inputs(classifier, x)
        last = pipelines.last_step(classifier)
        if not self.learn_transformers:
            return self._opinion(last, reached[-1], kwargs, proba), reached
        if not pipelines.would_learn_nonfinite(classifier, reached):
            try:
                return self._opinion(last, reached[-1], kwargs, proba), reached
            except ValueError:
                pass
        # A step that has learned nothing may give what is not a number, as MinMaxScaler does.
        # With this event it will have learned something: see what would come of that.
        return self._opinion(last, pipelines.dry_run(classifier, x), kwargs, proba), reached

    def _opinion(
        self, classifier: typing.Any, x: typing.Any, kwargs: dict[str, typing.Any], proba: bool
    ) -> Opinion:
        if self._knows_margin:
            if kwargs:
                raise TypeError(
                    f"{type(classifier).__name__} takes nothing but the event, and not "
                    f"{', '.join(kwargs)}"
                )
            return opinions.of_margin_classifier(classifier, x, proba, self._answers_as_core)
        needs_margin = self._query.uses_margin
        return opinions.of_other_classifier(classifier, x, kwargs, proba, needs_margin)

    def _is_leading_zero_event(self, x: typing.Any) -> bool:
        """Whether the stream has started with nothing but zeros, and this event goes on so."""
        learns_by_itself = self._is_pipeline and self.learn_transformers
        return bool(x) and not learns_by_itself and self.n_seen <= self._n_leading_zero_events

    def _must_ask_anyway(self) -> bool:
        """Whether a further leading event of zeros should be asked about all the same.

        Nothing can be learned from zeros. But where a stream starts with nothing else, a scaler
        before this learner is waiting for the labels of its first events.
        """
        return self._n_leading_zero_events >= MAX_LEADING_ZERO_EVENTS

    def _chance(self, margin: float, confidence: float, teachable: bool) -> float:
        """What the rule would ask with."""
        probability = self._query.probability(margin, confidence) if teachable else 0.0
        if not 0.0 <= probability <= 1.0:
            raise ValueError(f"the query's probability must be from 0 to 1, not {probability!r}")
        return probability

    def _decide_at_pace(
        self, margin: float, second_margin: float, variance: float, missing: int
    ) -> bool:
        """Decide as `AdaptiveQuery` does, which looks at the pace of the budget."""
        budget = self._budget
        probability, pace = 0.0, UNLIMITED
        if budget is not None:
            budget.tick()
        if budget is None or budget.can_ask():
            pace = UNLIMITED if budget is None else budget.pace()
            rule = self._query._rule  # type: ignore[attr-defined]  # of an AdaptiveQuery
            probability = rule.ask(margin, second_margin, variance, missing, *pace)
        return self._draw(probability, budget)

    def _decide(self, probability: float) -> bool:
        """Decide, draw, spend and count."""
        budget = self._budget
        if budget is not None:
            budget.tick()
            if not budget.can_ask():
                probability = 0.0
        return self._draw(probability, budget)

    def _draw(self, probability: float, budget: Budget | None) -> bool:
        # A number is drawn where the decision is open, and only there.
        ask = probability >= 1.0 or (probability > 0.0 and self._rng.random() <= probability)
        refund_token = None
        if ask and budget is not None:
            refund_token = budget.try_spend()
            # A learner in another thread may have had the last label.
            ask = refund_token is not None
        self.n_seen += 1
        self.n_asked += ask
        self._last = probability, ask, refund_token
        return ask

    def _ask_for_label(self, x: typing.Any, y_pred: dict[typing.Any, float]) -> bool:
        return self._decide(self._chance(opinions.margin_of(y_pred), 0.0, True))

    def __repr__(self) -> str:
        # river's own shows the parameters of what comes from river alone.
        parameters = "".join(
            f"\n  {name}=" + repr(getattr(self, name)).replace("\n", "\n  ")
            for name in self._get_params()
        )
        return f"{type(self).__name__} ({parameters}\n)"

    @classmethod
    def _unit_test_params(cls) -> typing.Iterator[dict[str, typing.Any]]:
        from river import preprocessing

        from river_oa3 import SSOA3Classifier

        yield {"classifier": SSOA3Classifier(), "budget": 100}
        yield {"classifier": preprocessing.StandardScaler() | SSOA3Classifier()}

    def _unit_test_skips(self) -> set[str]:
        # It expects a dict where every active learner, river's own too, gives a dict and a bool.
        return {"check_predict_proba_one_binary"}


def _restored_last(given: State) -> tuple[float, bool, int | None]:
    last = (
        given.number("probability", 0.0, 1.0),
        given.flag("asked"),
        given.optional(lambda name: given.integer(name, -LARGEST_INTEGER), "refund_token"),
    )
    given.check_all_taken()
    return last


def _adapts(query: Query) -> bool:
    """Whether a rule is the adaptive one, and not a subclass with a way of its own."""
    return isinstance(query, AdaptiveQuery) and type(query).probability is AdaptiveQuery.probability


_OWN_RULES = {AdaptiveQuery, AsymmetricQuery, FirstComeQuery, RandomQuery}


def _cannot_fail(budget: Budget | None) -> bool:
    """Whether a budget is one of this package, and has nobody else's clock."""
    if type(budget) is WindowBudget:
        return budget.clock is None
    return budget is None or type(budget) in (TotalBudget, RateBudget)
