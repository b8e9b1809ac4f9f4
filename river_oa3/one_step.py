"""Methods that run as one step: nothing that uses the same object comes in between.

Other threads wait for their turn. The thread that is inside already cannot wait for itself: a
finalizer or a signal handler that starts a second step there gets a `RuntimeError`.
"""

from __future__ import annotations

import functools
import os
import threading
import typing
import weakref
from collections.abc import Callable

__all__ = ["StepLock", "inside_step", "one_step"]


class StepLock:
    """The lock of one object."""

    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.renew()
        _guards.add(self)

    def renew(self) -> None:
        # Acquiring an RLock and recording its owner is one step: no finalizer comes in between.
        self.lock: typing.Any = threading.RLock()


class Guarded(typing.Protocol):
    _guard: StepLock


_guards: weakref.WeakSet[StepLock] = weakref.WeakSet()


def _renew_guards() -> None:
    """In a forked child the threads that were inside are gone, and would never come out."""
    for guard in _guards:
        guard.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_guards)

Self = typing.TypeVar("Self", bound=Guarded)
Rest = typing.ParamSpec("Rest")
Result = typing.TypeVar("Result")


def one_step(
    method: Callable[typing.Concatenate[Self, Rest], Result],
) -> Callable[typing.Concatenate[Self, Rest], Result]:
    """Make a method one step of an object that has a `_guard`."""

    def step(self: Self, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Result:
        lock = self._guard.lock
        if lock._is_owned():
            raise _second_step(self, method)
        with lock:
            return method(self, *args, **kwargs)

    def step_without_arguments(self: typing.Any) -> typing.Any:
        # The same again: unpacking nothing takes longer than some of the steps.
        lock = self._guard.lock
        if lock._is_owned():
            raise _second_step(self, method)
        with lock:
            return bare(self)

    bare: typing.Any = method
    takes_arguments = method.__code__.co_argcount > 1
    wrapper: typing.Any = step if takes_arguments else step_without_arguments
    return typing.cast(
        Callable[typing.Concatenate[Self, Rest], Result], functools.wraps(method)(wrapper)
    )


def inside_step(guarded: Guarded) -> bool:
    """Whether the calling thread is in the middle of a step of this object."""
    return bool(guarded._guard.lock._is_owned())


def _second_step(guarded: Guarded, method: Callable[..., object]) -> RuntimeError:
    return RuntimeError(
        f"{type(guarded).__name__}.{method.__name__.lstrip('_')} was called in the middle of "
        "another step of the same object, as a finalizer or a signal handler may do: call it when "
        "that step is over"
    )
