"""What is sent from Java to Python: numbers of an event together, which takes half the time."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, types
from pyspark.sql import functions as F

from river_oa3.scoring.record_batches import Features

__all__ = ["named", "packed"]

# All values of these are floats of 64 bits, or become such in the same way everywhere.
_NUMBERS = (types.IntegralType, types.FractionalType, types.BooleanType)


def named(name: str) -> Column:
    """A column by its name, whatever is in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def packed(
    frame: DataFrame, features: Features, others: Sequence[str]
) -> tuple[DataFrame, Features]:
    """A frame to be sent, of features and other columns, and where its features are.

    Parameters
    ----------
    frame
        The frame.
    features
        Its features.
    others
        Columns that are sent as they are, features among them or not.

    """
    together = () if features.is_map else _packable(frame, features, others)
    alone = [name for name in features.columns if name not in together]
    columns = [named(name) for name in dict.fromkeys([*others, *alone])]
    if not together:
        return frame.select(*columns), features
    name = "oa3_numbers"
    while name in frame.columns:
        name += "_"
    numbers = F.array(*(named(each).cast("double") for each in together)).alias(name)
    return frame.select(*columns, numbers), features._replace(packed=together, packed_as=name)


def _packable(frame: DataFrame, features: Features, others: Sequence[str]) -> tuple[str, ...]:
    found = [
        name
        for name in features.columns
        if name not in others and _is_number(frame.schema[name].dataType)
    ]
    return tuple(found) if len(found) > 1 else ()


def _is_number(kind: types.DataType) -> bool:
    return isinstance(kind, _NUMBERS) and not isinstance(kind, types.DecimalType)
