"""What `debug_one` shows, in the manner of river's pipelines."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator

from river import compose

from river_oa3 import pipelines

if typing.TYPE_CHECKING:
    from river_oa3.active import ActiveLearner

__all__ = ["RIVERS_DEBUG_ONE", "odds", "report"]

# Who calls from here is a pipeline that shows what its last step says.
RIVERS_DEBUG_ONE = compose.Pipeline.debug_one.__code__

_TAB = " " * 4


def odds(model: ActiveLearner, x: typing.Any) -> dict[typing.Any, float]:
    """The probability of each label; empty where the classifier gives none."""
    try:
        return model._judge(x, {}, proba=True)[0].odds or {}
    except NotImplementedError:
        return {}


def report(model: ActiveLearner, x: typing.Any, n_decimals: int) -> str:
    def shown(value: typing.Any) -> str:
        return f"{value:,.{n_decimals}f}" if isinstance(value, float) else str(value)

    last, x_reached = pipelines.last_step(model.classifier), x
    lines: list[str] = []
    if isinstance(model.classifier, compose.Pipeline):
        stages = pipelines.stages(model.classifier, x)
        lines += _title("0. Input") + _features(x, shown)
        for number, (step, x_reached, parts) in enumerate(stages, start=1):
            lines += _title(f"{number}. {'Transformer union' if parts else step}")
            for part_number, (part, given) in enumerate(parts):
                text = _title(f"{number}.{part_number} {part}") + _features(given, shown)
                lines += [_TAB + line for line in text]
            lines += _features(x_reached, shown)
        lines += _title(f"{len(stages) + 1}. {last}")
    if hasattr(last, "debug_one") and (own := last.debug_one(x_reached)):
        lines += [own, ""]
    lines += [f"{name}: {shown(value)}" for name, value in _verdict(model, x)]
    return "\n".join(line.rstrip() for line in lines)


def _title(title: str) -> list[str]:
    return [title, "-" * len(title)]


def _features(x: typing.Any, shown: Callable[[typing.Any], str]) -> list[str]:
    if not isinstance(x, dict):
        return [str(x), ""]
    # Names of different types have no order of their own.
    names = sorted(x, key=str)
    return [*(f"{name}: {shown(x[name])} ({type(x[name]).__name__})" for name in names), ""]


def _verdict(model: ActiveLearner, x: typing.Any) -> Iterator[tuple[str, typing.Any]]:
    opinion, _ = model._judge(x, {}, proba=False)
    yield "Prediction", opinion.label
    for label, probability in sorted(odds(model, x).items(), key=str):
        yield f"Probability of {label}", probability
    if model._knows_margin or model._query.uses_margin:
        yield "Margin", opinion.margin
    yield "Query probability", model.query_probability(x)
    yield "Budget left", "no limit" if model._budget is None else model._budget.left
