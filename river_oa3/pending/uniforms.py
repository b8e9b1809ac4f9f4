"""Numbers at random that a retry repeats: they come from a seed and the id of the event."""

from __future__ import annotations

import hashlib
import random

__all__ = ["EventUniforms"]


class EventUniforms:
    """Stands in for the generator of an active learner while it decides about events with ids.

    The number of an id is given once, right after `key` has been set. Whatever else is drawn comes
    from the generator that this one stands in for.

    Parameters
    ----------
    seed
        What the numbers are made of, with the ids.
    own
        That generator; there is none where nothing else is drawn.

    Examples
    --------

    >>> from river_oa3.pending.uniforms import EventUniforms

    >>> uniforms = EventUniforms(seed=42)
    >>> uniforms.key = "payment-1"
    >>> number = uniforms.random()
    >>> uniforms.key = "payment-1"
    >>> uniforms.random() == number
    True

    """

    __slots__ = ("_own", "_seed", "key")

    def __init__(self, seed: int, own: random.Random | None = None):
        self._seed = _bytes_of(seed)
        self._own = own
        self.key: str | None = None

    def random(self) -> float:
        """A number from 0 up to 1, in 53 bits as those of `random.Random`."""
        key, self.key = self.key, None
        if key is None:
            if self._own is None:
                raise RuntimeError("the number of this event was drawn before: set its key again")
            return self._own.random()
        digest = hashlib.blake2b(key.encode(), digest_size=8, key=self._seed).digest()
        return (int.from_bytes(digest, "little") >> 11) * 2.0**-53


def _bytes_of(seed: int) -> bytes:
    if -(2**127) <= seed < 2**127:
        return seed.to_bytes(16, "little", signed=True)
    return hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
