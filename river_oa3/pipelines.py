"""The steps of a river pipeline that need no labels, and those that do, taught apart.

river can do this too, with `compose.learn_during_predict`, but for all pipelines of a process at
once, and only before it is known whether the event is sound.
"""

from __future__ import annotations

import copy
import inspect
import math
import typing
from collections.abc import Callable, Hashable

from river import base, compose, utils

from river_oa3._core import checks

__all__ = [
    "accepted",
    "dry_run",
    "inputs",
    "last_step",
    "learn",
    "learn_supervised",
    "learn_unsupervised",
    "stages",
    "would_learn_nonfinite",
]


def inputs(pipeline: compose.Pipeline, x: typing.Any) -> list[typing.Any]:
    """What reaches each step, the last one included; no step learns."""
    reached = [x]
    for step in _steps(pipeline):
        reached.append(_transformed(step, reached[-1]))
    return reached


def stages(
    pipeline: compose.Pipeline, x: typing.Any
) -> list[tuple[typing.Any, typing.Any, list[tuple[typing.Any, typing.Any]]]]:
    """Each step before the last and what it gives, also part by part in a union; none learns."""
    reached = inputs(pipeline, x)
    stages = []
    for step, x, given in zip(_steps(pipeline), reached, reached[1:], strict=False):
        parts = step.transformers.values() if isinstance(step, compose.TransformerUnion) else ()
        stages.append((step, given, [(part, _transformed(part, x)) for part in parts]))
    return stages


def would_learn_nonfinite(pipeline: compose.Pipeline, reached: list[typing.Any]) -> bool:
    """Whether a step would learn a NaN or an infinity, from which it would never recover.

    A scaler may well hide it from the classifier, for a feature that it has not seen before.
    """
    return any(
        _unsupervised_learners(step) and _first_nonfinite(x)
        for step, x in zip(_steps(pipeline), reached, strict=False)
    )


def dry_run(pipeline: compose.Pipeline, x: typing.Any) -> typing.Any:
    """What would reach the last step if those before had learned the event; none does.

    Raises a `ValueError` where one of them would learn a NaN or an infinity.
    """
    for step in copy.deepcopy(_steps(pipeline)):
        learners = _unsupervised_learners(step)
        if learners and (nonfinite := _first_nonfinite(x)):
            checks.refuse_value(*nonfinite)
        for part in learners:
            _teach(part, x, {})
        x = _transformed(step, x)
    return x


def learn_unsupervised(pipeline: compose.Pipeline, x: typing.Any) -> None:
    """Teach the steps that need no labels an event, in river's order: learn, then transform."""
    _teach_in_turn(_steps(pipeline), x, {})


def learn_supervised(
    pipeline: compose.Pipeline,
    reached: list[typing.Any],
    y: typing.Any,
    kwargs: dict[str, typing.Any],
    learn_last: Callable[..., None] | None = None,
) -> None:
    """Teach a label to the steps that need one, given what reaches each of them.

    The last step may be taught in a way of its own: `learn_last(step, x, y, **kwargs)`. Filters of
    anomalies learn, and filter, here in any case, as in river.
    """
    for step, x in zip(_steps(pipeline), reached, strict=False):
        if _is_filter(step):
            if _filters_out(step, x, y, kwargs):
                return
        else:
            _learn_supervised_parts(step, x, y, kwargs)
    last = last_step(pipeline)
    if learn_last is None:
        last.learn_one(reached[-1], y, **accepted(last, kwargs))
    else:
        learn_last(last, reached[-1], y, **accepted(last, kwargs))


def learn(
    pipeline: compose.Pipeline, x: typing.Any, y: typing.Any, kwargs: dict[str, typing.Any]
) -> None:
    """Teach an event and its label to all steps, in river's order."""
    for step in _steps(pipeline):
        if _is_filter(step):
            if _filters_out(step, x, y, kwargs):
                return
            continue
        for part in _unsupervised_learners(step):
            _teach(part, x, kwargs)
        transformed = _transformed(step, x)
        _learn_supervised_parts(step, x, y, kwargs)
        x = transformed
    last = last_step(pipeline)
    last.learn_one(x, y, **accepted(last, kwargs))


def _filters_out(
    step: typing.Any, x: typing.Any, y: typing.Any, kwargs: dict[str, typing.Any]
) -> bool:
    arguments = (x, y) if step._supervised else (x,)
    step.learn_one(*arguments, **accepted(step, kwargs))
    return bool(step.classify(step.score_one(*arguments)))


def _learn_supervised_parts(
    step: typing.Any, x: typing.Any, y: typing.Any, kwargs: dict[str, typing.Any]
) -> None:
    for part in _parts(step):
        if part._supervised:
            part.learn_one(x, y, **accepted(part, kwargs))


def _teach_in_turn(steps: list[typing.Any], x: typing.Any, kwargs: dict[str, typing.Any]) -> None:
    """Teach steps that need no labels; an event is transformed as far as anybody learns from it."""
    taught = [(step, _unsupervised_learners(step)) for step in steps]
    while taught and not taught[-1][1]:
        taught.pop()
    for number, (step, learners) in enumerate(taught, start=1):
        for part in learners:
            _teach(part, x, kwargs)
        if number < len(taught):
            x = _transformed(step, x)


def _teach(part: typing.Any, x: typing.Any, kwargs: dict[str, typing.Any]) -> None:
    steps = list(part.steps.values()) if type(part) is compose.Pipeline else []
    if steps and not any(map(_is_filter, steps)):
        # As the part would teach them, but for events of zeros that reach a Normalizer.
        _teach_in_turn(steps, x, kwargs)
    else:
        part.learn_one(x, **accepted(part, kwargs))


def _transformed(step: typing.Any, x: typing.Any) -> typing.Any:
    if _is_filter(step):
        return x
    if type(step) is compose.TransformerUnion:
        merged: dict[typing.Any, typing.Any] = {}
        for part in reversed(step.transformers.values()):
            merged.update(_transformed(part, x))
        return merged
    if type(step) is compose.Pipeline:
        for inner in step.steps.values():
            # As in river, a last step that does not transform is left out.
            if isinstance(inner, (base.Transformer, compose.Pipeline)):
                x = _transformed(inner, x)
        return x
    try:
        return step.transform_one(x)
    except ZeroDivisionError:
        if _has_no_length(step, x):
            return {}
        raise


def _has_no_length(step: typing.Any, x: typing.Any) -> bool:
    """Whether the step is river's Normalizer, which divides an event of zeros by its length.

    A scaler that has seen one event gives nothing else. Any other division by zero is a mistake in
    somebody's own step, and theirs to see.
    """
    from river import preprocessing  # where a step can be one, it is imported already

    if getattr(type(step), "transform_one", None) is not preprocessing.Normalizer.transform_one:
        return False
    return bool(utils.math.norm(x, order=step.order) == 0)


def _unsupervised_learners(step: typing.Any) -> list[typing.Any]:
    """The parts of a step that learn, and need no labels for it."""
    if _is_filter(step):
        return []
    return [
        part
        for part in _parts(step)
        if not part._supervised and type(part).learn_one is not base.Transformer.learn_one
    ]


def _first_nonfinite(x: typing.Any) -> tuple[Hashable, float] | None:
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
