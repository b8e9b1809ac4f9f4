"""What was sent: read within limits, understood strictly, and checked by hand.

Thousands of events come in a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import math
import re
import sys
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

from starlette.requests import Request

from river_oa3.service.problems import Problem
from river_oa3.service.settings import Limits

__all__ = [
    "ANNOTATOR_PATTERN",
    "MAX_ASKS",
    "PLACE_PATTERN",
    "STATES",
    "Body",
    "BodyReader",
    "EventId",
    "Label",
    "as_annotator",
    "as_event",
    "as_id",
    "as_label",
    "as_measured_event",
    "as_part",
    "batch_of",
    "fields",
    "parse_json",
]

Receive = Callable[[], Awaitable[typing.MutableMapping[str, typing.Any]]]

EventId = str | int

# What databases keep as a whole number.
_LARGEST = 2**63

# A name of somebody: anything but what moves a cursor or ends a line.
ANNOTATOR_PATTERN = r"[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+"
_is_annotator = re.compile(ANNOTATOR_PATTERN).fullmatch

STATES = ("open", "answered", "learned", "expired")
MAX_ASKS = 500

# What `next` gives: a state and a number, for answers with a time in seconds before it.
PLACE_PATTERN = (
    "(?:open|learned|expired):[0-9]{1,18}"
    r"|answered:[0-9]{1,12}(?:\.[0-9]{1,9})?:[0-9]{1,18}"
)
_is_place = re.compile(PLACE_PATTERN).fullmatch


class Body(typing.NamedTuple):
    """A value that was sent, and the bytes that it took."""

    value: typing.Any
    size: int


class BodyReader:
    """Reads bodies of JSON, and bounds the bytes of those that are read or wait for answers."""

    def __init__(self, limits: Limits):
        self._limits = limits
        self._held = 0

    @contextlib.asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[Body]:
        """What a request brings; its bytes are held until it is answered."""
        self._check(dict(request.scope["headers"]))
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await self._read(request.receive)
        except TimeoutError:
            raise Problem(
                408, f"the request took more than {self._limits.seconds:g} seconds to arrive"
            ) from None
        self._held += len(body)
        try:
            yield Body(parse_json(body, 10 * self._limits.batch), len(body))
        finally:
            self._held -= len(body)

    def _check(self, headers: dict[bytes, bytes]) -> None:
        kind, _, parameters = headers.get(b"content-type", b"").lower().partition(b";")
        charset = parameters.strip().removeprefix(b"charset=").strip(b'"')
        if kind.strip() != b"application/json" or charset not in (b"", b"utf-8"):
            raise Problem(415, "send JSON in UTF-8, with the header Content-Type: application/json")
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise Problem(415, "compressed requests are not read: send the JSON as it is")
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self._limits.body:
            raise self._too_large()

    async def _read(self, receive: Receive) -> bytes:
        pieces: list[bytes] = []
        size = 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "the connection was closed before the request was complete")
                piece = message.get("body", b"")
                pieces.append(piece)
                size += len(piece)
                self._held += len(piece)
                if size > self._limits.body:
                    raise self._too_large()
                if self._held > self._limits.bodies:
                    raise Problem(503, "too many large requests at once", retry_after=1)
                if not message.get("more_body", False):
                    return b"".join(pieces)
        finally:
            self._held -= size

    def _too_large(self) -> Problem:
        return Problem(
            413, f"a request may have {self._limits.body:,} bytes: send its events in smaller parts"
        )


def parse_json(body: bytes, most_objects: int | None = None) -> typing.Any:
    """A JSON text as plain values; what some parsers let pass is refused.

    Parameters
    ----------
    body
        The text.
    most_objects
        How many objects it may hold: millions of empty ones would hold up everybody else.

    Examples
    --------

    >>> from river_oa3.service.parse import parse_json

    >>> parse_json(b'{"amount": 12.5}')
    {'amount': 12.5}
    >>> parse_json(b'{"amount": NaN}')
    Traceback (most recent call last):
        ...
    river_oa3.service.problems.Problem: NaN is not JSON: leave the feature out, or send null

    """
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise Problem(400, f"the request is not UTF-8: see byte {error.start}") from None
    try:
        with _no_collections():
            value = _decoder(most_objects).decode(text)
    except json.JSONDecodeError as error:
        raise Problem(
            400, f"the request is not JSON: {error.msg} in line {error.lineno}, {error.colno}"
        ) from None
    except RecursionError:
        raise Problem(400, "the request is nested too deeply") from None
    except ValueError:  # from int, for thousands of digits
        raise Problem(400, "the request holds a number with too many digits") from None
    if b"\\ud" in body or b"\\uD" in body:
        _check_surrogates(value)
    return value


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    """Going through a million lists again and again, as they come, takes longer than reading them.

    JSON has no cycles to be found.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _check_surrogates(value: typing.Any) -> None:
    """Refuse unpaired surrogates: nothing can store or show them."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem(
            400, "the request holds an unpaired surrogate: one of \\ud800 to \\udfff alone"
        ) from None


def _decoder(most_objects: int | None) -> json.JSONDecoder:
    n_objects = 0

    def as_object(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
        nonlocal n_objects
        n_objects += 1
        if n_objects == most_objects:
            raise Problem(
                413,
                f"a request may have {most_objects:,} objects: send its events in smaller parts",
            )
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            # `add` gives None, so that this stops at the first name that is there again.
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise Problem(400, f"the name {twice[:100]!r} is there twice in one object")
        return found

    return json.JSONDecoder(object_pairs_hook=as_object, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> typing.NoReturn:
    raise Problem(400, f"{name} is not JSON: leave the feature out, or send null")


class Label(typing.NamedTuple):
    """An answer to an ask."""

    event_id: EventId
    label: typing.Any
    weight: float | None
    is_final: bool
    annotator: str | None


def batch_of(value: typing.Any, name: str, limits: Limits) -> list[typing.Any] | None:
    """The entries of a batch, which is a list or an object that holds one; None for one alone."""
    if type(value) is dict and name in value:
        fields(value, "", (name,))
        value = value[name]
        if type(value) is not list:
            raise Problem(422, f"{name} must be a list", name)
    if type(value) is not list:
        return None
    if len(value) > limits.batch:
        raise Problem(413, f"{len(value):,} are too many at once: send {limits.batch:,}", name)
    return value


def fields(
    value: typing.Any, place: str, needed: tuple[str, ...], others: tuple[str, ...] = ()
) -> dict[str, typing.Any]:
    """An object that has what it needs, and nothing unknown."""
    if type(value) is not dict:
        raise Problem(422, f"must be an object with {' and '.join(needed)}", place or None)
    for name in needed:
        if name not in value:
            raise Problem(422, "is missing", place + name)
    if len(value) > len(needed):
        for name in value:
            if name not in needed and name not in others:
                raise Problem(422, "is not known here", place + name[:100])
    return value


def as_event(
    value: typing.Any, place: str, limits: Limits
) -> tuple[EventId, dict[str, typing.Any]]:
    """The id and the features of an event."""
    fields(value, place, ("id", "x"))
    event_id = as_id(value["id"], place, limits)
    x = value["x"]
    if type(x) is not dict:
        raise Problem(422, "must be an object of features", place + "x")
    if len(x) > limits.features:
        raise Problem(
            422, f"has {len(x):,} features, and may have {limits.features:,}", place + "x"
        )
    longest_name, longest_text = limits.name, limits.text
    for name, feature in x.items():
        if len(name) > longest_name:
            message = f"the name has {len(name):,} characters, and may have {longest_name:,}"
            raise Problem(422, message, f"{place}x.{name[:40]}...")
        kind = type(feature)
        if kind is float:
            if not math.isfinite(feature):
                raise Problem(422, "is too large for a number", f"{place}x.{name}")
        elif kind is str:
            if len(feature) > longest_text:
                message = f"has {len(feature):,} characters, and may have {longest_text:,}"
                raise Problem(422, message, f"{place}x.{name}")
        elif kind is int:
            if abs(feature) > sys.float_info.max:
                raise Problem(422, "is too large for a number", f"{place}x.{name}")
        elif kind is list or kind is dict:
            message = "must be a number, a text, true, false or null"
            raise Problem(422, message, f"{place}x.{name}")
    return event_id, x


def as_measured_event(
    value: typing.Any, place: str, limits: Limits
) -> tuple[EventId, dict[str, typing.Any]]:
    """The same, unless it has too many characters as a whole."""
    event_id, x = as_event(value, place, limits)
    size = sum(map(len, x)) + sum(len(each) for each in x.values() if type(each) is str)
    if size > limits.event:
        message = f"has {size:,} characters, and may have {limits.event:,}"
        raise Problem(422, message, place + "x")
    return event_id, x


def as_id(value: typing.Any, place: str, limits: Limits) -> EventId:
    """A text, or a whole number."""
    if type(value) is str:
        if 0 < len(value) <= limits.id:
            return value
    else:
        number = _whole(value)
        if number is not None and -_LARGEST <= number < _LARGEST:
            return number
    message = f"must be a text of up to {limits.id} characters, or a whole number"
    raise Problem(422, message, place + "id")


def _whole(value: typing.Any) -> int | None:
    """A whole number, however it is written: JSON has one kind of numbers, and 7.0 is 7."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def as_label(value: typing.Any, place: str, limits: Limits, is_binary: bool) -> Label:
    """An answer; where there may be more than two, which of them it knows is the model's to say."""
    fields(value, place, ("id", "label"), ("weight", "final", "who"))
    label, weight = value["label"], value.get("weight")
    if type(label) is not bool:
        label = label if type(label) is str else _whole(label)
        if is_binary:
            if label not in (0, 1):
                message = f"must be true or false (or 1 or 0), not {_quoted(value['label'])}"
                raise Problem(422, message, place + "label")
            label = bool(label)
        elif label is None or (type(label) is str and len(label) > limits.name):
            raise Problem(422, "must be true or false, a whole number or a text", place + "label")
    is_number = type(weight) in (int, float) and 0.0 < weight < _LARGEST
    if not (weight is None or is_number):
        raise Problem(422, "must be a number above 0", place + "weight")
    is_final = value.get("final", True)
    if type(is_final) is not bool:
        raise Problem(422, "must be true or false", place + "final")
    annotator = None if value.get("who") is None else as_annotator(value["who"], place, limits)
    weight = None if weight is None else float(weight)
    return Label(as_id(value["id"], place, limits), label, weight, is_final, annotator)


def as_annotator(value: typing.Any, place: str, limits: Limits) -> str:
    """Who asks for an ask: a name without line ends and the like."""
    if type(value) is str and len(value) <= limits.name and _is_annotator(value):
        return value
    raise Problem(
        422, f"must be a name of up to {limits.name} characters in one line", place + "who"
    )


def as_part(query: Mapping[str, str]) -> tuple[str, int, str | None]:
    """The state of some asks, how many of them, and where they begin."""
    state = query.get("state", "open")
    if state not in STATES:
        raise Problem(422, f"must be one of {', '.join(STATES)}", "state")
    limit = _number(query, "limit", 100, 1, MAX_ASKS)
    if "offset" in query:  # of the first versions: it left asks out
        raise Problem(422, "is not known any more: give next of the part before as after", "offset")
    after = query.get("after")
    if after is not None and not _is_place(after):
        raise Problem(422, "must be the `next` value of the previous page", "after")
    return state, limit, after


def _number(query: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = query.get(name, str(default))
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise Problem(422, f"must be a whole number from {least} to {most:,}", name)


def _quoted(value: typing.Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."
