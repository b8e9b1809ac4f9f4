"""An ask as a row of a table, and back."""

from __future__ import annotations

import datetime as dt
import json
import typing
from collections.abc import Hashable, Mapping

from river_oa3.files.values import from_json, to_json
from river_oa3.pending.ask import Ask, State
from river_oa3.pending.errors import IdError

__all__ = ["as_ask", "as_row", "as_text", "as_waiting", "from_text", "id_of", "key_of"]

# Of an id in JSON, where a letter takes up to 12 bytes; an index of PostgreSQL holds 2,704.
LONGEST_ID = 2500


def key_of(event_id: Hashable) -> str:
    """An id as the store keeps it: text and whole numbers stay apart."""
    if not isinstance(event_id, str) and type(event_id) is not int:
        raise TypeError(
            f"a store keeps ids that are text or whole numbers, not {event_id!r}: give str(id)"
        )
    # What JSON has for a whole number, in a tenth of the time.
    key = str(event_id) if type(event_id) is int else json.dumps(event_id)
    if len(key) > LONGEST_ID:
        raise IdError(
            f"an id that takes {len(key)} bytes is too long for a store, which takes "
            f"{LONGEST_ID}: give a digest of it"
        )
    return key


def as_text(value: typing.Any) -> str:
    return json.dumps(to_json(value), separators=(",", ":"))


def from_text(text: str) -> typing.Any:
    return from_json(json.loads(text))


def as_row(ask: Ask) -> dict[str, typing.Any]:
    """All of an ask but for its number and what is known of its answer."""
    return {
        "event_id": key_of(ask.event_id),
        "x": _event_text(ask.x),
        "label": as_text(ask.label),
        "probability": ask.probability,
        "margin": ask.margin,
        "variance": ask.variance,
        "query_probability": ask.query_probability,
        "reason": ask.reason,
        "asked_at": ask.asked_at.timestamp(),
        "event": ask.event,
        "refund_token": ask.refund_token,
        "state": ask.state,
        "skips": 0,
    }


def _event_text(x: typing.Any) -> str:
    try:
        return as_text(x)
    except TypeError as error:
        for name, value in x.items() if isinstance(x, dict) else ():
            try:
                as_text(value)
            except TypeError as its_error:
                raise TypeError(f"feature {name!r}: {its_error}") from None
        raise error


def as_ask(row: Mapping[typing.Any, typing.Any]) -> Ask:
    answer, answered_at = row["answer"], row["answered_at"]
    return Ask(
        json.loads(row["event_id"]),
        from_text(row["x"]),
        from_text(row["label"]),
        row["probability"],
        row["margin"],
        row["variance"],
        row["query_probability"],
        row["reason"],
        _time(row["asked_at"]),
        row["state"],
        None if answer is None else from_text(answer),
        None if answered_at is None else _time(answered_at),
        row["weight"],
        row["leased_to"],
        row["event"],
        row["refund_token"],
    )


def as_waiting(
    key: str, state: State, asked_at: float, event: int, refund_token: int | None
) -> Ask:
    """An ask of which no more is known than it takes to let it expire."""
    thought = (None, None, None, 0.0, None, 1.0, "")
    asked = _time(asked_at)
    return Ask(id_of(key), *thought, asked, state, event=event, refund_token=refund_token)


def id_of(key: str) -> Hashable:
    """The id of a key; most are plain text, and there may be very many."""
    is_plain = key[0] == '"' and "\\" not in key
    return key[1:-1] if is_plain else typing.cast(Hashable, json.loads(key))


def _time(seconds: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(seconds, dt.UTC)
