"""How many labels may be asked for, and when.

`ActiveLearner` calls `tick` once for every event, then `can_ask`, and `try_spend` to ask.
A budget may be shared by several active learners, in several threads: each of its methods that
change it is one step, and together they never spend more than it has.
"""

from __future__ import annotations

import abc
import datetime as dt
import math
import sys
import time
import typing
from collections.abc import Callable

from river_oa3._core import checks
from river_oa3.one_step import StepLock, inside_step, one_step
from river_oa3.parameters import Mutable
from river_oa3.state import LARGEST_INTEGER, State, counted

__all__ = ["Budget", "Pace", "RateBudget", "TotalBudget", "WindowBudget"]

# No clock shows more seconds: a hundred million years.
_END_OF_TIME = 3e15
# No window of time has a higher number.
_LAST_WINDOW = 2**62

Clock = Callable[[], "dt.datetime | float"]


class Pace(typing.NamedTuple):
    """How fast to spend.

    An event of mean worth is asked about with probability `rate`, or for certain where that is
    above 1; of the rate, the share `floor` goes to all events alike, whatever they are worth.

    Examples
    --------

    >>> from river_oa3 import budget

    >>> budget.TotalBudget(100).pace()
    Pace(rate=0.3, floor=0.05)

    """

    rate: float
    floor: float


# A little faster than even, for what a window leaves over is lost.
SPREAD = 1.25

# The pace of whoever is not short of labels.
UNLIMITED = Pace(rate=0.3, floor=0.05)


class Budget(Mutable, abc.ABC):
    """What an active learner may still ask for, and what it pays with.

    A subclass says what is `left`, what an event brings (`tick`), what a label costs (`_spend`) and
    what comes back (`refund`). Asking and paying are one step here, which calls `can_ask` and
    `_spend` while other threads wait; the numbers that a subclass changes in a `tick` or a `refund`
    of its own are its own to guard.

    One that is to be kept in a model file, or in the store of a `PendingLabels`, also says what use
    has made of it (`state`, `restore`), and is registered: see `river_oa3.files.register`.

    Looking (`left`, `can_ask`) waits for nobody. In the middle of a step, where a finalizer or a
    signal handler may look, it shows the budget as the step before left it or as this one leaves
    it. Such a handler cannot start a step of its own there: that is a `RuntimeError`.

    """

    # Not among the attributes: a copy or a stored budget is not inside anybody's step.
    __slots__ = ("_guard",)
    _guard: StepLock

    def __new__(cls, *args: typing.Any, **kwargs: typing.Any) -> typing.Self:
        self = super().__new__(cls)
        self._guard = StepLock()
        return self

    def __init_subclass__(cls, **kwargs: typing.Any):
        super().__init_subclass__(**kwargs)
        if "left" in vars(cls) and "can_ask" not in vars(cls):
            # The `can_ask` of a base class may be a short way to that class's own `left`.
            cls.can_ask = Budget.can_ask  # type: ignore[method-assign]  # meant

    def __getstate__(self) -> typing.Any:
        attributes, slots = typing.cast(typing.Any, super().__getstate__())
        del slots["_guard"]
        return (attributes, slots) if slots else attributes

    def __setstate__(self, state: typing.Any) -> None:
        # The oldest protocols of pickle do not call __new__.
        self._guard = StepLock()
        attributes, slots = state if isinstance(state, tuple) else (state, {})
        self.__dict__.update(attributes or {})
        for name, value in slots.items():
            setattr(self, name, value)

    @property
    @abc.abstractmethod
    def left(self) -> int:
        """The number of labels that could be asked for right now."""

    def can_ask(self) -> bool:
        """Whether a label can be asked for right now."""
        return self.left > 0

    def pace(self) -> Pace:
        """How fast `query.AdaptiveQuery` should spend right now."""
        return UNLIMITED

    @abc.abstractmethod
    def tick(self) -> None:
        """Note that an event has come."""

    def _untick(self) -> None:
        """Take back what the newest event brought: it will come again."""

    def spend(self) -> None:
        """Pay for one label; an empty budget raises a `ValueError`."""
        if self._pay() is None:
            raise ValueError("there is no label left to spend")

    def try_spend(self) -> int | None:
        """Pay for one label if there is one left, in one step.

        Returns
        -------
        What `refund` takes to give this label back, or None if there was none left.

        """
        if type(self).spend is Budget.spend:
            return self._pay()
        # A subclass has its own way of spending.
        try:
            self.spend()
        except ValueError:
            if self.can_ask():
                raise
            return None
        return self.refund_token

    @one_step
    def _pay(self) -> int | None:
        self._catch_up()
        if not self.can_ask():
            return None
        self._spend()
        return self.refund_token

    def state(self) -> dict[str, typing.Any]:
        """What use has made of it, as plain values; its parameters are not among them."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to keep of it")

    def restore(self, state: dict[str, typing.Any]) -> None:
        """Go on where one of the same kind was when it gave this `state`.

        A `ValueError` says what cannot be a state; then nothing has changed. Parameters stay as
        they are, and may be others than those of the one that gave it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to go on")

    def _catch_up(self) -> None:
        """Note, at the start of a step, what time alone has changed."""

    @abc.abstractmethod
    def _spend(self) -> None: ...

    @one_step
    def mutate(self, new_attrs: dict[str, typing.Any]) -> None:
        super().mutate(new_attrs)
        self._adjust()

    def _adjust(self) -> None:
        """Make what is saved up fit parameters that have changed; what was spent stays spent."""

    @property
    def refund_token(self) -> int:
        """Says to `refund` which label is given back, where that matters: the newest one."""
        return 0

    @abc.abstractmethod
    def refund(self, refund_token: int | None = None) -> None:
        """Take back the price of one label that was asked for and never came.

        Parameters
        ----------
        refund_token
            What `try_spend` gave for the label. None means that it was asked for just now.

        """


class TotalBudget(Budget):
    """So many labels in all.

    Parameters
    ----------
    labels
        The number of labels.

    Examples
    --------

    >>> from river_oa3 import budget

    >>> labels = budget.TotalBudget(2)
    >>> labels.spend()
    >>> labels.left
    1

    """

    _mutable_checks: typing.ClassVar = {"labels": checks.count}

    def __init__(self, labels: int):
        try:
            self.labels = checks.count("a budget, or its labels,", labels)
        except TypeError as error:
            raise TypeError(f"{error}: a share of the events is budget.RateBudget(0.02)") from None
        self._spent = 0

    @property
    def left(self) -> int:
        # Fewer than none where the number of labels has been lowered since.
        return max(0, self.labels - self._spent)

    def can_ask(self) -> bool:
        return self._spent < self.labels

    def pace(self) -> Pace:
        # Nothing is gained by saving labels up, but a little by choosing: the less, the more
        # labels there are.
        return Pace(min(1.0, 0.3 * math.sqrt(max(1.0, self.labels / 100))), 0.05)

    def tick(self) -> None:
        pass

    def _spend(self) -> None:
        self._spent += 1

    @one_step
    def refund(self, refund_token: int | None = None) -> None:
        self._spent = max(0, self._spent - 1)

    def state(self) -> dict[str, typing.Any]:
        return {"spent": counted(self._spent)}

    @one_step
    def restore(self, state: dict[str, typing.Any]) -> None:
        given = State(state)
        spent = given.count("spent")
        given.check_all_taken()
        self._spent = spent


class RateBudget(Budget):
    """A share of the events, with little memory of those that nobody asked about.

    Every event adds `rate` of a label to the budget, which holds no more than a window's worth.
    So the first n events cost at most `1 + rate * n` labels, and a month in which nobody asked does
    not become an hour in which everybody does: no more than `rate * window` labels are saved up.
    Where a rule wants to ask about more than the rate, the budget is mostly empty, and what is
    asked about is close to first come, first served.

    Parameters
    ----------
    rate
        The share of events, above 0 and up to 1.
    window
        The number of events whose labels can be saved up.

    Examples
    --------

    >>> from river_oa3 import budget

    >>> labels = budget.RateBudget(rate=0.25, window=100)
    >>> asked = []
    >>> for _ in range(9):
    ...     labels.tick()
    ...     asked.append(labels.try_spend() is not None)
    >>> asked
    [True, False, False, False, True, False, False, False, True]

    """

    _mutable_checks: typing.ClassVar = {"rate": checks.share, "window": checks.positive_integer}

    def __init__(self, rate: float, window: int = 1000):
        self.rate = checks.share("rate", rate)
        self.window = checks.positive_integer("window", window)
        self._saved = 1.0 - self.rate
        self._adjust()

    def _adjust(self) -> None:
        # A label and the next event's share fit in, or steady demand would lose some of its due.
        self._most = max(1.0 + self.rate, self.rate * self.window)
        self._saved = min(self._saved, self._most)

    @property
    def left(self) -> int:
        # Shares such as 0.1 are not exact, and ten of them should make a label.
        return math.floor(self._saved + 1e-9)

    def can_ask(self) -> bool:
        return self._saved + 1e-9 >= 1.0

    def pace(self) -> Pace:
        # The more is saved up, the faster: about two labels are in hand, and all of them are used.
        # More for all alike than where there are so many in all: what goes on may change.
        return Pace(0.5 * self.rate * max(1.0, self._saved), 0.2)

    @one_step
    def tick(self) -> None:
        saved = self._saved + self.rate
        self._saved = saved if saved < self._most else self._most

    @one_step
    def _untick(self) -> None:
        self._saved = max(0.0, self._saved - self.rate)

    def _spend(self) -> None:
        self._saved -= 1.0

    @one_step
    def refund(self, refund_token: int | None = None) -> None:
        self._saved = min(self._most, self._saved + 1.0)

    def state(self) -> dict[str, typing.Any]:
        return {"saved": self._saved}

    @one_step
    def restore(self, state: dict[str, typing.Any]) -> None:
        given = State(state)
        # Ten shares of 0.1 may be a little less than the label they pay for.
        saved = given.number("saved", -1e-6)
        given.check_all_taken()
        self._saved = min(self._most, saved)


class _Window(typing.NamedTuple):
    """A window of a `WindowBudget`; one object, so that nobody sees half of a change."""

    number: int
    refund_token: int
    spent: int = 0
    # The earliest time that the clock has shown since it went back to before this window.
    went_back_to: float | None = None
    # Events and labels before it, and events in the window before; None where there was none.
    events_before: int = 0
    labels_before: int = 0
    events_last: int | None = None
    # Which share of it was over when it was opened.
    opened: float = 0.0

    def state(self) -> dict[str, typing.Any]:
        return {
            "number": min(self.number, _LAST_WINDOW),
            "refund_token": min(self.refund_token, _LAST_WINDOW),
            "spent": counted(self.spent),
            "went_back_to": None if self.went_back_to is None else float(self.went_back_to),
            "events_before": counted(self.events_before),
            "labels_before": counted(self.labels_before),
            "events_last": None if self.events_last is None else counted(self.events_last),
            "opened": self.opened,
        }

    @classmethod
    def restored(cls, given: State) -> _Window:
        """The window that gave this state."""
        window = cls(
            number=given.integer("number", -LARGEST_INTEGER, _LAST_WINDOW),
            refund_token=given.integer("refund_token", -LARGEST_INTEGER, _LAST_WINDOW),
            spent=given.count("spent"),
            went_back_to=given.optional(
                lambda name: given.number(name, -_END_OF_TIME, _END_OF_TIME), "went_back_to"
            ),
            events_before=given.count("events_before"),
            labels_before=given.count("labels_before"),
            events_last=given.optional(given.count, "events_last"),
            opened=given.number("opened", 0.0, 1.0),
        )
        given.check_all_taken()
        return window


# Before any clock, and any event.
_UNOPENED = _Window(number=-sys.maxsize, refund_token=-sys.maxsize)


class WindowBudget(Budget):
    """So many labels in every so many events, or in every so much time.

    Windows of time start at multiples of their length since 1970 in UTC: a day starts at midnight.
    What is left at the end of a window is lost, and so is what would be given back later.

    A clock that goes back opens no new window at once: the labels that are left are those of the
    latest window it showed. It opens one when it has since advanced by the length of a window, so
    that one wrong reading from the far future silences the learner for no longer than that.

    Parameters
    ----------
    labels
        The number of labels in each window.
    every
        The length of a window: a number of events, or a `datetime.timedelta`.
    clock
        Tells the time, as a `datetime.datetime` with a time zone or in seconds since 1970. The
        default is the system's clock; a replay gives its own. It has to be picklable for the budget
        to be, and must not wait for other threads that use the budget: they may be waiting for it.

    Examples
    --------

    >>> import datetime as dt
    >>> from river_oa3 import budget

    >>> now = dt.datetime(2024, 5, 1, 23, 59, tzinfo=dt.timezone.utc)
    >>> labels = budget.WindowBudget(labels=1, every=dt.timedelta(days=1), clock=lambda: now)
    >>> labels.spend()
    >>> labels.can_ask()
    False
    >>> now += dt.timedelta(minutes=1)
    >>> labels.can_ask()
    True

    """

    _mutable_checks: typing.ClassVar = {"labels": checks.count}

    def __init__(self, labels: int, every: int | dt.timedelta, clock: Clock | None = None):
        self.labels = checks.count("labels", labels)
        if isinstance(every, dt.timedelta):
            if every <= dt.timedelta(0):
                raise ValueError(f"every must be longer than nothing, not {every!r}")
        else:
            every = checks.positive_integer("every", every)
        self.every = every
        self.clock = clock
        self._events = 0
        self._window = _UNOPENED

    def __setstate__(self, state: typing.Any) -> None:
        super().__setstate__(state)
        if not isinstance(self._window, _Window):  # stored by version 0.1
            number: int | None = self._window
            spent: int = self.__dict__.pop("_spent")
            self._window = _UNOPENED if number is None else _Window(number, number, spent)

    def _window_of_now(self) -> _Window:
        """The open window, or the new one that is due; notes nothing."""
        window = self._window
        if isinstance(self.every, int):
            number = (self._events - 1) // self.every if self._events else 0
            return window if number == window.number else self._following(window, number, number)
        now, length = self._seconds(), self.every.total_seconds()
        number = math.floor(now / length)
        if number == window.number:
            return window if window.went_back_to is None else window._replace(went_back_to=None)
        if number < window.number:
            lowest = window.went_back_to
            if lowest is None or now < lowest:
                return window._replace(went_back_to=now)
            if now - lowest < length:
                return window
        # A clock that went back shows the same windows again: their labels must not be mixed up.
        opened = now / length - number
        return self._following(window, number, max(number, window.refund_token + 1), opened)

    def _following(
        self, last: _Window, number: int, refund_token: int, opened: float = 0.0
    ) -> _Window:
        """A new window after the last one."""
        before = max(0, self._events - 1)
        return _Window(
            number,
            refund_token,
            events_before=before,
            labels_before=last.labels_before + last.spent,
            events_last=before - last.events_before if number == last.number + 1 else None,
            opened=opened,
        )

    def pace(self) -> Pace:
        """Spread over the window, by how many events are expected in the rest of it."""
        window, floor = self._window, 0.2
        if window.labels_before + window.spent < 30 and 2 * window.spent < self.labels:
            return Pace(0.3, floor)  # to have something to go by soon, for half a window at most
        events = self._events - window.events_before
        if isinstance(self.every, int):
            to_come: float = self.every - events
        else:
            elapsed = self._seconds() / self.every.total_seconds() - window.number
            elapsed = min(1.0, max(0.0, elapsed))
            # As many as in the window before, or as this one promises since it was opened.
            whole = events / max(1e-9, elapsed - window.opened)
            if window.events_last is not None:
                whole = max(window.events_last, events)
            to_come = (1.0 - elapsed) * whole
        left = self.labels - window.spent
        return Pace(max(1e-3, SPREAD * left / max(1.0, to_come)), floor)

    def _seconds(self) -> float:
        now = time.time() if self.clock is None else self.clock()
        if isinstance(now, dt.datetime) and now.utcoffset() is None:
            raise ValueError(
                f"the clock must say which time zone it means, and {now!r} has none: give "
                "datetime.now(timezone.utc), or seconds since 1970"
            )
        seconds = now.timestamp() if isinstance(now, dt.datetime) else now
        if isinstance(seconds, (int, float)) and abs(seconds) < _END_OF_TIME:
            return seconds
        raise ValueError(f"the clock must give a datetime, or seconds since 1970, not {now!r}")

    def _catch_up(self) -> None:
        self._window = self._window_of_now()

    @property
    def left(self) -> int:
        # Only a tick changes windows of events. A step reads the clock once: a second reading
        # could belong to another window.
        is_noted = isinstance(self.every, int) or inside_step(self)
        window = self._window if is_noted else self._window_of_now()
        return max(0, self.labels - window.spent)

    @one_step
    def tick(self) -> None:
        self._events += 1
        try:
            self._catch_up()
        except Exception:  # of a clock: no event has come
            self._events -= 1
            raise

    @one_step
    def _untick(self) -> None:
        self._events = max(0, self._events - 1)

    def _spend(self) -> None:
        self._window = self._window._replace(spent=self._window.spent + 1)

    @property
    def refund_token(self) -> int:
        return self._window.refund_token

    @one_step
    def refund(self, refund_token: int | None = None) -> None:
        self._catch_up()
        window = self._window
        if window.spent > 0 and refund_token in (None, window.refund_token):
            self._window = window._replace(spent=window.spent - 1)

    def state(self) -> dict[str, typing.Any]:
        return {"events": counted(self._events), "window": self._window.state()}

    @one_step
    def restore(self, state: dict[str, typing.Any]) -> None:
        given = State(state)
        events, window = given.count("events"), _Window.restored(given.inner("window"))
        given.check_all_taken()
        self._events, self._window = events, window
