"""Budgets and rules of a user's own, by a list that the user's program fills in."""

from __future__ import annotations

import functools
import typing

from river_oa3.budget import Budget
from river_oa3.files import parts, values
from river_oa3.files.errors import FileError
from river_oa3.files.parts import Fields, Json, Writer, check_goes_on, full_name
from river_oa3.query import Query

__all__ = ["register"]

Kind = typing.TypeVar("Kind", bound=type[Budget] | type[Query])


def register(kind: Kind) -> Kind:
    """Let model files hold a budget or a rule of your own, and stores of `PendingLabels` keep it.

    The class says what use has made of it: `state()` gives a dict of numbers, texts, None, and
    tuples, lists and dicts of these, and `restore(state)` goes on from one. A rule that no use
    changes needs neither. How it was made is stored too, and must be as plain: each parameter of
    its `__init__` is kept under its own name.

    A file holds the name of the class, and nothing that could be run or imported: a program that
    loads it registers the class first. Its `__init__` and `restore` then get what is in the file,
    whoever wrote it, and an error of theirs is a `FileError`.

    Parameters
    ----------
    kind
        The class, which comes back: this is a decorator too.

    Examples
    --------

    >>> import river_oa3
    >>> from river_oa3 import ActiveLearner, budget, files

    >>> @files.register
    ... class Purse(budget.Budget):
    ...     def __init__(self, coins: int, price: int):
    ...         self.coins, self.price = coins, price
    ...         self._paid = 0
    ...
    ...     @property
    ...     def left(self):
    ...         return (self.coins - self._paid) // self.price
    ...
    ...     def tick(self):
    ...         pass
    ...
    ...     def _spend(self):
    ...         self._paid += self.price
    ...
    ...     def refund(self, refund_token=None):
    ...         self._paid -= self.price
    ...
    ...     def state(self):
    ...         return {"paid": self._paid}
    ...
    ...     def restore(self, state):
    ...         self._paid = state["paid"]

    >>> purse = Purse(coins=100, price=20)
    >>> purse.spend()
    >>> model = files.from_bytes(files.to_bytes(ActiveLearner(budget=purse)))
    >>> model.spending.left
    4

    """
    if not (isinstance(kind, type) and issubclass(kind, (Budget, Query))):
        raise TypeError(f"a class made from Budget or Query is registered, not {kind!r}")
    if kind.state is Budget.state or kind.restore is Budget.restore:
        raise TypeError(f"{full_name(kind)} needs the methods state() and restore(state)")
    parts.register_kinds()  # whose names are taken
    parts.register(kind, _encode, functools.partial(_decode, kind))
    return kind


def _encode(part: typing.Any, writer: Writer) -> Json:
    kind = type(part)
    try:
        parameters, state = part._get_params(), part.state()
        content = {"parameters": writer.value(parameters), "state": writer.value(state)}
        _made(kind, parameters, state)
    except FileError:
        raise
    except Exception as error:  # whatever code of somebody's own may raise
        raise FileError(
            f"a {full_name(kind)} cannot be stored, for it does not come back from its parameters "
            f"and its state: {_said(error)}"
        ) from None
    return content


def _decode(kind: type, fields: Fields) -> typing.Any:
    try:
        return _made(kind, fields.value("parameters"), fields.value("state"))
    except FileError:
        raise
    except Exception as error:  # as above
        raise ValueError(_said(error)) from None


def _made(kind: type, parameters: typing.Any, state: typing.Any) -> typing.Any:
    part = kind(**parameters)
    part.restore(state)
    check_goes_on(part, state)
    return part


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {values.on_a_line(error)}"


for _base in (Budget, Query):
    parts.register_remedy(_base, "give it state() and restore(), and river_oa3.files.register it")
