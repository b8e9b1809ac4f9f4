from __future__ import annotations

from collections.abc import Hashable

__all__ = ["AnswerChangedError", "IdError", "LabelLearnedError", "StoreError", "StoreTakenError"]


class StoreError(RuntimeError):
    """The store of asks cannot be read or written, or belongs to somebody else."""


class StoreTakenError(StoreError):
    """Another process learns from the store since: this one never will again."""


class IdError(ValueError):
    """An id that an event cannot have: it is in use, or too long."""


class LabelLearnedError(ValueError):
    """Another label has been learned for this event already."""


class AnswerChangedError(RuntimeError):
    """Somebody else has answered an ask, or withdrawn the answer, while it was being learned."""

    def __init__(self, event_id: Hashable):
        super().__init__(
            f"the answer for {event_id!r} was changed by somebody else just now: send it again"
        )
        self.event_id = event_id
