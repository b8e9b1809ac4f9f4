"""Which columns of a frame are features, decided before anything is run."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import types

from river_oa3.scoring import Scorer
from river_oa3.scoring.record_batches import Features, check_known, check_names, features_by

__all__ = ["check_comparable", "check_id", "features_of"]

# How Spark compares texts unless a column says otherwise: by their bytes.
PLAIN = "UTF8_BINARY"

_TEXTS = (types.StringType,)
_NUMBERS = (types.NumericType, types.BooleanType, types.NullType)

_REMEDIES = {
    types.DateType: "take numbers of it, such as dayofweek() and datediff()",
    types.TimestampType: "take numbers of it, such as hour() and dayofweek()",
    types.TimestampNTZType: "take numbers of it, such as hour() and dayofweek()",
    types.ArrayType: "take its parts as columns, or make a map of it",
    types.StructType: "take its parts as columns with select('column.*')",
    types.MapType: "give a map as the only feature, features='column'",
    types.BinaryType: "take numbers or a text of it",
}


def features_of(
    schema: types.StructType,
    scorer: Scorer,
    id: str | None,
    features: str | Sequence[str] | None,
) -> Features:
    """Find the features in a schema; a `TypeError` for a column that cannot be one.

    Parameters
    ----------
    schema
        The columns of the frame.
    scorer
        What is to score them.
    id
        The column of ids, if there is one, which is not a feature unless the model says so.
    features
        The columns of features, or the one that is a map. None takes all but the id.

    """
    if scorer.schema is not None:
        return features_by(scorer.schema, schema.names, features)
    if id is not None:
        check_id(schema, id)
    if isinstance(features, str):
        kind = _column(schema, features)
        if isinstance(kind, types.MapType):
            _check_map(features, kind, scorer.is_raw)
            return Features((features,), True)
        features = [features]
    if features is None:
        features = [field.name for field in schema.fields if field.name != id]
    for name in features:
        _check(name, _column(schema, name), scorer.is_raw)
    check_names(features, id)
    check_known(scorer, features)
    return Features(tuple(features), False)


def check_id(schema: types.StructType, id: str) -> None:
    """Ids are texts or whole numbers, as the store keeps them."""
    kind = _column(schema, id)
    if not isinstance(kind, (types.StringType, types.IntegralType)):
        raise TypeError(
            f"the id {id!r} is of type {kind.simpleString()}: give texts or whole numbers, as by "
            "cast('string')"
        )


def check_comparable(schema: types.StructType, id: str) -> None:
    """Ids are compared letter by letter, here as on Spark."""
    kind = _column(schema, id)
    if isinstance(kind, types.StringType) and kind.collation != PLAIN:
        raise TypeError(
            f"the id {id!r} is of type {kind.simpleString()}, in which different texts may be "
            f"equal: a store compares letter by letter. Give one text for each event, such as "
            f"lower(id), as collate(..., {PLAIN!r})"
        )


def _column(schema: types.StructType, name: str) -> types.DataType:
    for field in schema.fields:
        if field.name == name:
            return field.dataType
    raise ValueError(f"there is no column {name!r}; there are {', '.join(schema.names)}")


def _check_map(name: str, kind: types.MapType, is_raw: bool) -> None:
    if not isinstance(kind.keyType, types.StringType):
        raise TypeError(
            f"the map {name!r} has keys of type {kind.keyType.simpleString()}: names are texts"
        )
    _check(name, kind.valueType, is_raw)


def _check(name: str, kind: types.DataType, is_raw: bool) -> None:
    if isinstance(kind, _NUMBERS) or (is_raw and isinstance(kind, _TEXTS)):
        return
    if isinstance(kind, _TEXTS):
        remedy = "use AutoOA3Classifier, which takes texts as categories, or encode it before"
    else:
        remedy = _REMEDIES.get(type(kind), "turn it into numbers or a text")
    raise TypeError(
        f"column {name!r} is of type {kind.simpleString()} and cannot be a feature: {remedy}, or "
        "name the other columns with features=[...]"
    )
