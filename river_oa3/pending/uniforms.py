"""Numbers at random that a retry repeats: they come from a seed and the id of the event."""

from __future__ import annotations

import hashlib

__all__ = ["EventUniforms"]


class EventUniforms:
    """Stands in for the generator of an active learner while it decides about one event.

    Examples
    --------

    >>> from river_oa3.pending.uniforms import EventUniforms

    >>> uniforms = EventUniforms(seed=42)
    >>> uniforms.key = "payment-1"
    >>> uniforms.random() == uniforms.random()
    True

    """

    __slots__ = ("_seed", "key")

    def __init__(self, seed: int):
        self._seed = seed.to_bytes(16, "little", signed=True)
        self.key = ""

    def random(self) -> float:
        """A number from 0 up to 1, in 53 bits as those of `random.Random`."""
        digest = hashlib.blake2b(self.key.encode(), digest_size=8, key=self._seed).digest()
        return (int.from_bytes(digest, "little") >> 11) * 2.0**-53
