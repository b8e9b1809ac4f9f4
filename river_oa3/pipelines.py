"""The steps of a river pipeline that need no labels, and those that do, taught apart.

river can do this too, with `compose.learn_during_predict`, but for all pipelines of a process at
once, and only before it is known whether the event is sound.
"""

from __future__ import annotations

import math
import typing

from river import base, compose

from river_oa3._core import checks

__all__ = ["inputs", "last_step", "learn", "learn_unsupervised", "refuse_non_finite"]


def inputs(pipeline: compose.Pipeline, x: typing.Any) -> list[typing.Any]:
    """What reaches each step, the last one included; no step learns."""
    reached = [x]
    for step in _steps(pipeline):
        reached.append(reached[-1] if _is_filter(step) else _transformed(step, reached[-1]))
    return reached


def refuse_non_finite(pipeline: compose.Pipeline, reached: list[typing.Any]) -> None:
    """Raise if a step would learn a NaN or an infinity, and be spoiled by it for ever.

    A scaler may well hide it from the classifier, for a feature that it has not seen before.
    """
    for part, x in _unsupervised(pipeline, reached):
        if type(part).learn_one is not base.Transformer.learn_one and isinstance(x, dict):
            for name, value in x.items():
                if isinstance(value, float) and not math.isfinite(value):
                    checks.refuse_value(name, value)


def learn_unsupervised(pipeline: compose.Pipeline, reached: list[typing.Any]) -> None:
    """Teach the steps before the last that need no labels what has reached them."""
    for part, x in _unsupervised(pipeline, reached):
        part.learn_one(x)


def learn(
    pipeline: compose.Pipeline,
    x: typing.Any,
    y: typing.Any,
    kwargs: dict[str, typing.Any],
    unsupervised: bool,
) -> None:
    """Teach a label to the steps that need one and, in river's order, on request to all others.

    Filters of anomalies learn, and filter, here in any case, as in river.
    """
    for step in _steps(pipeline):
        if _is_filter(step):
            arguments = (x, y) if step._supervised else (x,)
            step.learn_one(*arguments)
            if step.classify(step.score_one(*arguments)):
                return
            continue
        parts = _parts(step)
        for part in parts:
            if unsupervised and not part._supervised:
                part.learn_one(x)
        transformed = _transformed(step, x)
        for part in parts:
            if part._supervised:
                part.learn_one(x, y)
        x = transformed
    last_step(pipeline).learn_one(x, y, **kwargs)


def _transformed(step: typing.Any, x: typing.Any) -> typing.Any:
    try:
        return step.transform_one(x)
    except ZeroDivisionError:
        # Nothing but zeros, out of a scaler that has seen one event, does this to a Normalizer.
        return {}


def _unsupervised(
    pipeline: compose.Pipeline, reached: list[typing.Any]
) -> typing.Iterator[tuple[typing.Any, typing.Any]]:
    for step, x in zip(_steps(pipeline), reached, strict=False):
        if not _is_filter(step):
            yield from ((part, x) for part in _parts(step) if not part._supervised)


def last_step(model: typing.Any) -> typing.Any:
    """What a pipeline ends in, also where that is the end of another pipeline; else the model."""
    while isinstance(model, compose.Pipeline):
        model = model._last_step
    return model


def _steps(pipeline: compose.Pipeline) -> list[typing.Any]:
    *steps, last = pipeline.steps.values()
    return steps + _steps(last) if isinstance(last, compose.Pipeline) else steps


def _parts(step: typing.Any) -> list[typing.Any]:
    if isinstance(step, compose.TransformerUnion):
        return list(step.transformers.values())
    return [step]


def _is_filter(step: typing.Any) -> bool:
    return isinstance(step, base.AnomalyFilter)
