from __future__ import annotations

from collections.abc import Hashable

__all__ = ["AnswerChangedError", "StoreError"]


class StoreError(RuntimeError):
    """The store of asks cannot be read or written, or belongs to somebody else."""


class AnswerChangedError(RuntimeError):
    """Somebody else has answered an ask, or withdrawn the answer, while it was being learned."""

    def __init__(self, event_id: Hashable):
        super().__init__(
            f"the answer for {event_id!r} was changed by somebody else just now: send it again"
        )
        self.event_id = event_id
