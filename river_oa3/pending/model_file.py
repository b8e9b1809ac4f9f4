"""Labels that are pending in memory, in a model file; those in a store stay there."""

from __future__ import annotations

import datetime as dt
import typing

from river_oa3.active import ActiveLearner
from river_oa3.files import values
from river_oa3.files.errors import FileError
from river_oa3.files.parts import (
    Fields,
    Json,
    Writer,
    check_attributes,
    register,
    register_remedy,
)
from river_oa3.monitor import AskedQuality
from river_oa3.pending.ask import Ask
from river_oa3.pending.clock import SteadyClock
from river_oa3.pending.memory import KEPT_EXPIRED, MemoryStore
from river_oa3.pending.pending_labels import PendingLabels
from river_oa3.pending.uniforms import EventUniforms
from river_oa3.state import LARGEST_INTEGER

_COUNTS = ("n_events", "n_expired", "n_unmatched")
_KNOWN = (
    *("model", "time_to_live", "capacity", "refund", "strict", "snapshot_every", "quality"),
    *("metric", "learns", "_clock", "_store", "_snapshot_due", "_unwritten", "_doubt"),
    *("_was_written", "n_failed_snapshots"),
)
# The end of the year 9999, in seconds since 1970.
_END_OF_TIME = 253402300799.0


def _encode_pending(service: PendingLabels, writer: Writer) -> Json:
    store = service._store
    if not isinstance(store, MemoryStore):
        raise FileError(
            "a PendingLabels with a store cannot be stored in a file, for its asks are in the "
            "store: make it again with the same store, and it goes on where that stands"
        )
    check_attributes(service, (*_KNOWN, *_COUNTS))
    if service._unwritten is not None:
        raise FileError("a PendingLabels cannot be stored inside of together(): leave it first")
    attributes = vars(service)
    return {
        "model": writer.part(service.model),
        "time_to_live": None
        if service.time_to_live is None
        else writer.span("a time_to_live", service.time_to_live),
        "capacity": writer.integer("a capacity", service.capacity),
        "snapshot_every": writer.integer("a number of events", service.snapshot_every),
        "refund": bool(service.refund),
        "strict": bool(service.strict),
        **{name: writer.count(attributes[name]) for name in _COUNTS},
        "quality": writer.part(service.quality),
        "metric_given": service.metric is not None,
        "clock": service._clock._latest,
        "asks": [_encode_ask(ask, store, writer) for ask in store._kept.values()],
        "expired": [_encode_ask(ask, store, writer) for ask in store._expired],
        "n_expired_in_store": writer.count(store._n_expired),
    }


def _decode_pending(fields: Fields) -> PendingLabels:
    service = PendingLabels(
        fields.part("model", (ActiveLearner,)),
        fields.optional(fields.span, "time_to_live"),
        fields.integer("capacity"),
        fields.flag("refund"),
        fields.flag("strict"),
        snapshot_every=fields.integer("snapshot_every"),
    )
    for name in _COUNTS:
        setattr(service, name, fields.count(name))
    service.quality = fields.part("quality", (AskedQuality,))
    service.metric = service.quality.metric if fields.flag("metric_given") else None
    service._clock = SteadyClock(fields.number("clock", 0.0, _END_OF_TIME))
    service._store = _decode_store(fields)
    return service


def _decode_store(fields: Fields) -> MemoryStore:
    store = MemoryStore()
    asks = [
        _decode_ask(fields.inside(content, f"asks[{number}]"), store)
        for number, content in enumerate(fields.items("asks"))
    ]
    expired = [
        _decode_ask(fields.inside(content, f"expired[{number}]"), None)
        for number, content in enumerate(fields.items("expired"))
    ]
    try:
        values.check_distinct([ask.event_id for ask in asks])
    except ValueError as error:
        fields.refuse("asks", f"have ids that cannot be: {error}")
    if not all(ask.state in ("open", "answered") for ask in asks):
        fields.refuse("asks", "are neither open nor answered")
    if len(expired) > KEPT_EXPIRED or not all(ask.state == "expired" for ask in expired):
        fields.refuse("expired", f"are not up to {KEPT_EXPIRED} asks that have expired")
    for ask in asks:
        store.note(ask)
        store._n_answered += ask.state == "answered"
    store._expired.extend(expired)
    store._n_expired = fields.count("n_expired_in_store")
    return store


def _encode_ask(ask: Ask, store: MemoryStore, writer: Writer) -> Json:
    is_kept = ask.state != "expired"
    return {
        "event_id": writer.names([ask.event_id])[0],
        "x": writer.value(ask.x),
        "label": writer.value(ask.label),
        "probability": _encode_number(ask.probability, writer),
        "margin": _encode_number(ask.margin, writer),
        "variance": _encode_number(ask.variance, writer),
        "query_probability": _encode_number(ask.query_probability, writer),
        "reason": str(ask.reason),
        "asked_at": ask.asked_at.timestamp(),
        "state": ask.state,
        "answer": writer.value(ask.answer),
        "answered_at": None if ask.answered_at is None else ask.answered_at.timestamp(),
        "weight": _encode_number(ask.weight, writer),
        "leased_to": None if ask.leased_to is None else str(ask.leased_to),
        "leased_until": store._leased_until.get(ask.event_id) if is_kept else None,
        "skips": writer.count(store._skips.get(ask.event_id, 0)) if is_kept else 0,
        "event": writer.count(ask.event),
        "refund_token": writer.value(ask.refund_token),
    }


def _encode_number(number: float | None, writer: Writer) -> typing.Any:
    return None if number is None else writer.value(float(number))


def _decode_ask(fields: Fields, store: MemoryStore | None) -> Ask:
    ask = Ask(
        event_id=fields.name("event_id"),
        x=fields.value("x"),
        label=fields.value("label"),
        probability=fields.optional(fields.any_number, "probability"),
        margin=fields.any_number("margin"),
        variance=fields.optional(fields.any_number, "variance"),
        query_probability=fields.number("query_probability", 0.0, 1.0),
        reason=fields.text("reason"),
        asked_at=_decode_time(fields, "asked_at"),
        state=typing.cast(typing.Any, fields.text("state")),
        answer=fields.value("answer"),
        answered_at=fields.optional(lambda name: _decode_time(fields, name), "answered_at"),
        weight=fields.optional(lambda name: fields.number(name, 0.0), "weight"),
        leased_to=fields.optional(fields.text, "leased_to"),
        event=fields.count("event"),
        refund_token=fields.optional(
            lambda name: fields.integer(name, -LARGEST_INTEGER), "refund_token"
        ),
    )
    until = fields.optional(lambda name: fields.number(name, 0.0), "leased_until")
    skips = fields.count("skips")
    fields.check_all_taken()
    if ask.state == "answered" and ask.answered_at is None:
        fields.refuse("answered_at", "is missing")
    if store is not None and ask.leased_to is not None and until is None:
        fields.refuse("leased_until", "is missing")
    if store is not None and until is not None:
        store._leased_until[ask.event_id] = until
    if store is not None and skips:
        store._skips[ask.event_id] = skips
    return ask


def _decode_time(fields: Fields, name: str) -> dt.datetime:
    return dt.datetime.fromtimestamp(fields.number(name, 0.0, _END_OF_TIME), dt.UTC)


register(PendingLabels, _encode_pending, _decode_pending)
register_remedy(
    EventUniforms,
    "it draws the decisions of an ActiveLearner that belongs to a store: store its classifier, or "
    "make the PendingLabels again with the same store",
)
