"""The steps of a river pipeline that need no labels, and those that do, taught apart.

river can do this too, with `compose.learn_during_predict`, but for all pipelines of a process at
once, and only before it is known whether the event is sound.
"""

from __future__ import annotations

import typing

from river import base, compose

__all__ = ["inputs", "learn_supervised", "learn_unsupervised"]


def inputs(pipeline: compose.Pipeline, x: typing.Any) -> list[typing.Any]:
    """What reaches each step, the last one included; no step learns."""
    reached = [x]
    for step in _steps(pipeline):
        reached.append(reached[-1] if _is_filter(step) else step.transform_one(reached[-1]))
    return reached


def learn_unsupervised(pipeline: compose.Pipeline, reached: list[typing.Any]) -> None:
    """Teach the steps before the last that need no labels what has reached them."""
    for step, x in zip(_steps(pipeline), reached, strict=False):
        if not _is_filter(step):
            for part in _parts(step):
                if not part._supervised:
                    part.learn_one(x)


def learn_supervised(
    pipeline: compose.Pipeline, x: typing.Any, y: typing.Any, kwargs: dict[str, typing.Any]
) -> None:
    """Teach the steps that need labels; filters of anomalies learn, and filter, here too."""
    for step in _steps(pipeline):
        if _is_filter(step):
            arguments = (x, y) if step._supervised else (x,)
            step.learn_one(*arguments)
            if step.classify(step.score_one(*arguments)):
                return
            continue
        transformed = step.transform_one(x)
        for part in _parts(step):
            if part._supervised:
                part.learn_one(x, y)
        x = transformed
    pipeline._last_step.learn_one(x, y, **kwargs)


def _steps(pipeline: compose.Pipeline) -> list[typing.Any]:
    return list(pipeline.steps.values())[:-1]


def _parts(step: typing.Any) -> list[typing.Any]:
    if isinstance(step, compose.TransformerUnion):
        return list(step.transformers.values())
    return [step]


def _is_filter(step: typing.Any) -> bool:
    return isinstance(step, base.AnomalyFilter)
