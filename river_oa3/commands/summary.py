"""What a file holds, in a few lines for a person."""

from __future__ import annotations

import typing

from river import compose

from river_oa3 import pipelines
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.base import MarginClassifier
from river_oa3.budget import Budget, RateBudget, TotalBudget, WindowBudget
from river_oa3.files.container import Content
from river_oa3.parameters import called
from river_oa3.pending import PendingLabels

__all__ = ["printable", "summary"]

Lines = dict[str, typing.Any]
_LONGEST_NAME = 60


def summary(content: Content, n_weights: int = 10) -> Lines:
    """Headings, with a text, a number, or a table of texts and numbers each; all of it plain."""
    model, n_learned = content.model, None
    lines: Lines = {
        "model": kind_of(model),
        "written by": ", ".join(
            f"{name} {version}" for name, version in sorted(content.versions.items())
        ),
        "format": content.format,
    }
    if isinstance(model, PendingLabels):
        lines |= _of_pending(model)
        model = model.model
    if isinstance(model, ActiveLearner):
        lines |= _of_active(model)
        n_learned, model = model.n_learned, model.classifier
    last = pipelines.last_step(model)
    if isinstance(last, MarginClassifier):
        lines |= _of_classifier(last, n_weights, n_learned)
    return {heading: _safe(line) for heading, line in lines.items()}


def kind_of(model: typing.Any) -> str:
    """The kinds of a model's parts, from the outside in."""
    if isinstance(model, PendingLabels):
        return f"PendingLabels of {kind_of(model.model)}"
    # Not isinstance: river's looks into pipelines.
    if type(model) is ActiveLearner:
        return f"ActiveLearner of {kind_of(model.classifier)}"
    if type(model) is compose.Pipeline:
        return " | ".join(map(kind_of, model.steps.values()))
    if type(model) is compose.TransformerUnion:
        return f"({' + '.join(map(kind_of, model.transformers.values()))})"
    return type(model).__name__


def _of_pending(service: PendingLabels) -> Lines:
    return {
        "labels pending": service.count("open"),
        "labels answered": service.count("answered"),
        "labels expired": service.n_expired,
    }


def _of_active(model: ActiveLearner) -> Lines:
    return {
        "events seen": model.n_seen,
        "labels asked for": model.n_asked,
        "labels learned": model.n_learned,
        "budget": _budget(model.spending),
        "query": called(model.rule),
    }


def _budget(budget: Budget | None) -> str:
    if isinstance(budget, TotalBudget):
        spent = budget.state()["spent"]
        return f"{budget.labels:,} labels, {spent:,} spent, {budget.left:,} left"
    if isinstance(budget, RateBudget):
        return f"{budget.rate:g} of the events, {budget.left:,} labels left right now"
    if isinstance(budget, WindowBudget):
        length = f"{budget.every:,} events" if isinstance(budget.every, int) else budget.every
        left = budget.left
        now = f"in this one {budget.labels - left:,} spent, {left:,} left"
        return f"{budget.labels:,} labels in every {length}; {now}"
    return "no limit" if budget is None else called(budget)


def _of_classifier(model: MarginClassifier, n_weights: int, n_learned: int | None) -> Lines:
    weights = model.weights
    lines: Lines = {"classifier": called(model), "features": len(weights)}
    if isinstance(model, AutoOA3Classifier):
        n_observed, n_positive, n_negative = model._core.counts
        n_before = 0 if n_learned is None else n_positive + n_negative - n_learned
        # By the classifier alone, before an active learner was made around it.
        lines |= {"learned before": n_before} if n_before > 0 else {}
        lines |= {
            "events observed": n_observed,
            "positives learned": n_positive,
            "negatives learned": n_negative,
            "intercept": model.intercept,
        }
    heaviest = sorted(weights, key=lambda name: -abs(weights[name]))[:n_weights]
    lines["heaviest weights"] = [[_name(name), weights[name]] for name in heaviest]
    return lines


def _name(name: typing.Hashable) -> str:
    """A category, which `weights` has as a pair, as an equation."""
    if type(name) is tuple and len(name) == 2 and all(type(part) is str for part in name):
        return " = ".join(name)
    return name if type(name) is str and name else repr(name)


def _safe(line: typing.Any) -> typing.Any:
    if isinstance(line, list):
        return [[printable(name), number] for name, number in line]
    return printable(line, 200) if isinstance(line, str) else line


def printable(text: str, most: int = _LONGEST_NAME) -> str:
    """A text of anybody's that neither moves a cursor nor turns the line around, cut to length."""
    shown = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text[:most]
    )
    return shown[:most] + ("..." if len(text) > most or len(shown) > most else "")
