"""The steps of a river pipeline that need no labels, and those that do, taught apart.

river can do this too, with `compose.learn_during_predict`, but for all pipelines of a process at
once, and only before it is known whether the event is sound.
"""

from __future__ import annotations

import copy
import inspect
import math
import typing
from collections.abc import Hashable

from river import base, compose

from river_oa3._core import checks

__all__ = [
    "accepted",
    "inputs",
    "last_step",
    "learn",
    "learn_unsupervised",
    "rehearse",
    "spoils",
]


def inputs(pipeline: compose.Pipeline, x: typing.Any) -> list[typing.Any]:
    """What reaches each step, the last one included; no step learns."""
    reached = [x]
    for step in _steps(pipeline):
        reached.append(_transformed(step, reached[-1]))
    return reached


def spoils(pipeline: compose.Pipeline, reached: list[typing.Any]) -> bool:
    """Whether a step would learn a NaN or an infinity, and be spoiled by it for ever.

    A scaler may well hide it from the classifier, for a feature that it has not seen before.
    """
    return any(
        _unsupervised_learners(step) and _first_bad(x)
        for step, x in zip(_steps(pipeline), reached, strict=False)
    )


def rehearse(pipeline: compose.Pipeline, x: typing.Any) -> typing.Any:
    """What would reach the last step if those before had learned the event; none does.

    Raises a `ValueError` where one of them would be spoiled.
    """
    for step in copy.deepcopy(_steps(pipeline)):
        learners = _unsupervised_learners(step)
        if learners and (bad := _first_bad(x)):
            checks.refuse_value(*bad)
        for part in learners:
            part.learn_one(x)
        x = _transformed(step, x)
    return x


def learn_unsupervised(pipeline: compose.Pipeline, x: typing.Any) -> None:
    """Teach the steps that need no labels an event, in river's order: learn, then transform."""
    for step in _steps(pipeline):
        for part in _unsupervised_learners(step):
            part.learn_one(x)
        x = _transformed(step, x)


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
            step.learn_one(*arguments, **accepted(step, kwargs))
            if step.classify(step.score_one(*arguments)):
                return
            continue
        if unsupervised:
            for part in _unsupervised_learners(step):
                part.learn_one(x, **accepted(part, kwargs))
        transformed = _transformed(step, x)
        for part in _parts(step):
            if part._supervised:
                part.learn_one(x, y, **accepted(part, kwargs))
        x = transformed
    last = last_step(pipeline)
    last.learn_one(x, y, **accepted(last, kwargs))


def _transformed(step: typing.Any, x: typing.Any) -> typing.Any:
    if _is_filter(step):
        return x
    try:
        return step.transform_one(x)
    except ZeroDivisionError:
        # Nothing but zeros, out of a scaler that has seen one event, does this to a Normalizer.
        return {}


def _unsupervised_learners(step: typing.Any) -> list[typing.Any]:
    """The parts of a step that learn, and need no labels for it."""
    if _is_filter(step):
        return []
    return [
        part
        for part in _parts(step)
        if not part._supervised and type(part).learn_one is not base.Transformer.learn_one
    ]


def _first_bad(x: typing.Any) -> tuple[Hashable, float] | None:
    """The first feature that is a NaN or an infinity."""
    if not isinstance(x, dict):
        return None
    for name, value in x.items():
        if isinstance(value, float) and not math.isfinite(value):
            return name, value
    return None


def accepted(model: typing.Any, kwargs: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """The arguments among `kwargs` that a model's `learn_one` takes, seen through wrappers."""
    if not kwargs:
        return kwargs
    parameters = inspect.signature(model.learn_one).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        if isinstance(model, base.Wrapper):
            return accepted(last_step(model._wrapped_model), kwargs)
        return kwargs
    return {name: value for name, value in kwargs.items() if name in parameters}


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
