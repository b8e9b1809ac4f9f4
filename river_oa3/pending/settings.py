"""What a classifier was set to, apart from what it has learned."""

from __future__ import annotations

import typing

from river import base, compose

__all__ = ["settings_of"]


def settings_of(part: typing.Any) -> str:
    """The kind of a classifier or a pipeline, and its parameters, in one line."""
    if type(part) is compose.Pipeline:
        return " | ".join(settings_of(step) for step in part.steps.values())
    if isinstance(part, base.Base):
        parameters = part._get_params().items()
        inner = ", ".join(f"{name}={settings_of(value)}" for name, value in parameters)
        return f"{type(part).__name__}({inner})"
    return repr(part)
