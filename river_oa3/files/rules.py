"""Rules for asking."""

from __future__ import annotations

import typing

from river_oa3._core.query import AdaptiveRule
from river_oa3.files.parts import Fields, Json, Writer, check_attributes, register
from river_oa3.query import AdaptiveQuery, AsymmetricQuery, FirstComeQuery, RandomQuery

# Of the worth of a label, whose running mean is kept over so many events.
_MOST_WORTH = 1e300
_SCORE_WINDOW = 200.0


def _encode_asymmetric(rule: AsymmetricQuery, writer: Writer) -> Json:
    check_attributes(rule, ("delta_pos", "delta_neg", "use_confidence"))
    return {
        "delta_pos": rule.delta_pos,
        "delta_neg": rule.delta_neg,
        "use_confidence": bool(rule.use_confidence),
    }


def _decode_asymmetric(fields: Fields) -> AsymmetricQuery:
    return AsymmetricQuery(
        fields.number("delta_pos"), fields.number("delta_neg"), fields.flag("use_confidence")
    )


def _encode_adaptive(rule: AdaptiveQuery, writer: Writer) -> Json:
    check_attributes(rule, ("_rule",))
    mean, count = typing.cast(typing.Any, rule._rule).__reduce__()[1]
    return {"mean": mean, "count": count}


def _decode_adaptive(fields: Fields) -> AdaptiveQuery:
    rule = AdaptiveQuery()
    rule._rule = AdaptiveRule(
        fields.number("mean", 0.0, _MOST_WORTH), fields.number("count", 0.0, _SCORE_WINDOW)
    )
    return rule


def _encode_random(rule: RandomQuery, writer: Writer) -> Json:
    check_attributes(rule, ("_probability",))
    return {"probability": rule._probability}


def _decode_random(fields: Fields) -> RandomQuery:
    return RandomQuery(fields.number("probability"))


def _encode_first_come(rule: FirstComeQuery, writer: Writer) -> Json:
    check_attributes(rule, ())
    return {}


def _decode_first_come(fields: Fields) -> FirstComeQuery:
    return FirstComeQuery()


register(AsymmetricQuery, _encode_asymmetric, _decode_asymmetric)
register(AdaptiveQuery, _encode_adaptive, _decode_adaptive)
register(RandomQuery, _encode_random, _decode_random)
register(FirstComeQuery, _encode_first_come, _decode_first_come)
