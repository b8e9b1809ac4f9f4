"""What a stored monitor may hold."""

from __future__ import annotations

import math
import typing

from river_oa3._core import checks
from river_oa3.monitor.loss_watch import LARGEST_LOSS, WINDOW
from river_oa3.state import LARGEST_COUNT

__all__ = ["check"]


def check(kept: dict[str, typing.Any]) -> None:
    """Raise a `ValueError` for attributes that no labels can have led to."""
    of_kinds = [_numbers(kept["_counts"], int, 4)]
    of_kinds += [_numbers(kept[name], float, 4) for name in ("_weights", "_squares")]
    losses = [*_numbers(kept["_losses"], float), *_numbers([kept["_half_way"]], float)]
    (n_drifts,) = _numbers([kept["n_drifts"]], int)
    _numbers([kept["_has_risen"]], bool)
    if not (
        # No weight is below 1; what is reverted leaves a little rounding behind.
        all(
            0 <= count <= 1.001 * weight <= 1.01 * square + 0.01 < math.inf
            and count <= LARGEST_COUNT
            for count, weight, square in zip(*of_kinds, strict=True)
        )
        and len(losses) <= 2 * WINDOW
        and all(0.0 <= loss <= LARGEST_LOSS for loss in losses)
        and 0 <= n_drifts <= LARGEST_COUNT
    ):
        checks.refuse_state("an AskedQuality holds numbers that cannot be")


def _numbers(numbers: typing.Any, kind: type, size: int | None = None) -> list[typing.Any]:
    if not (
        type(numbers) is list
        and size in (None, len(numbers))
        and all(type(number) is kind for number in numbers)
    ):
        checks.refuse_state(
            f"an AskedQuality holds {numbers!r:.50} in place of its {kind.__name__}s"
        )
    return numbers
