"""What is known of the quality of the answers."""

from __future__ import annotations

import typing

from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.monitor import AskedQuality


def _encode_quality(quality: AskedQuality, writer: Writer) -> Json:
    fresh = vars(AskedQuality())
    check_attributes(quality, fresh)
    state = {name: writer.value(value) for name, value in _plain(quality).items()}
    return {"metric": writer.optional_part(quality.metric), "state": state}


def _decode_quality(fields: Fields) -> AskedQuality:
    quality = AskedQuality(fields.optional_part("metric"))
    inner = fields.inner("state")
    for name, value in _plain(quality).items():
        stored = inner.value(name)
        if type(stored) is not type(value):
            inner.refuse(name, f"is not a {type(value).__name__}")
        setattr(quality, name, stored)
    inner.check_all_taken()
    return quality


def _plain(quality: AskedQuality) -> dict[str, typing.Any]:
    return {name: value for name, value in vars(quality).items() if name != "metric"}


register(AskedQuality, _encode_quality, _decode_quality)
