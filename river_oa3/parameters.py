"""Parameters of the parts of a model: river's grids and mutations, where the parts are wrapped."""

from __future__ import annotations

import numbers
import typing
from collections.abc import Callable, Mapping

from river import base, compose

__all__ = ["Mutable", "called", "mutate", "nested"]

Params = Mapping[str, typing.Any]


class Mutable(base.Base):
    """Has attributes that may be mutated, each with the check that it has at construction."""

    _mutable_checks: typing.ClassVar[dict[str, Callable[[str, typing.Any], typing.Any]]] = {}

    @property
    def _mutable_attributes(self) -> set[str]:
        return set(self._mutable_checks)

    def mutate(self, new_attrs: dict[str, typing.Any]) -> None:
        checked = {
            name: check(name, new_attrs[name])
            for name, check in self._mutable_checks.items()
            if name in new_attrs
        }
        # Those that river may refuse come first: nothing changes if anything is refused.
        super().mutate({name: new_attrs[name] for name in new_attrs.keys() - checked})
        super().mutate(checked)


def nested(model: base.Base, new_params: Params) -> dict[str, typing.Any]:
    """New parameters for `clone`, in which a dict for a part stands for a clone of that part."""
    params = {}
    for name, value in new_params.items():
        part = _part(model, name)
        is_nested = isinstance(value, dict) and isinstance(part, base.Base)
        params[name] = _cloned(part, value) if is_nested else value
    return params


def _cloned(part: typing.Any, new_params: Params) -> typing.Any:
    if isinstance(part, (compose.Pipeline, compose.TransformerUnion)):
        steps = part.steps if isinstance(part, compose.Pipeline) else part.transformers
        for name in new_params:
            if name not in steps:  # river would leave it out without a word
                raise ValueError(f"{name!r} is not a step of the pipeline: {', '.join(steps)}")
        return part.clone(
            {
                name: _cloned(steps[name], value) if isinstance(value, dict) else value
                for name, value in new_params.items()
            }
        )
    return part.clone(nested(part, new_params))


def _part(model: base.Base, name: str) -> typing.Any:
    """A part as it is in use: what a None or a number has been made into, where it was given."""
    in_use = getattr(model, f"_{name}", None)
    return in_use if isinstance(in_use, base.Base) else getattr(model, name, None)


def mutate(model: typing.Any, new_attrs: Params) -> None:
    """Mutate the parts of an active learner, which cannot be exchanged for others."""
    for name, value in new_attrs.items():
        if name not in model._mutable_attributes:
            base.Base.mutate(model, {name: value})  # refuses it
        part = _part(model, name)
        given_as_number = not isinstance(getattr(model, name), base.Base) and name == "budget"
        if given_as_number and isinstance(value, numbers.Integral):
            value = {"labels": value}
        if not isinstance(value, dict):
            raise ValueError(
                f"'{name}' of {type(model).__name__} can be mutated, not replaced: give a "
                "dictionary of its own attributes, or make a new model with clone"
            )
        part.mutate(value)
        # What a clone, or whoever looks, is shown.
        if name != "classifier":
            setattr(model, name, part.labels if given_as_number else part)


def called(part: base.Base) -> str:
    """How a part of a model is made; what a metric has counted is not a setting of it."""
    return _called(type(part), part._get_params())


def _called(kind: type, parameters: Params) -> str:
    given = []
    for name, value in parameters.items():
        # As river gives parameters that are objects.
        is_object = type(value) is tuple and len(value) == 2 and isinstance(value[0], type)
        if name not in ("cm", "pos_val"):
            given.append(f"{name}={_called(*value) if is_object else repr(value)}")
    return f"{kind.__name__}({', '.join(given)})"
