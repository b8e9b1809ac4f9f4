"""Asks that wait for their labels, in memory or in a store that outlives the process."""

from river_oa3.files.parts import register_room
from river_oa3.pending.ask import Ask
from river_oa3.pending.errors import IdError, LabelLearnedError, StoreError, StoreTakenError
from river_oa3.pending.old import _Ask
from river_oa3.pending.page import Page
from river_oa3.pending.pending_labels import PendingLabels

__all__ = [
    "Ask",
    "IdError",
    "LabelLearnedError",
    "Page",
    "PendingLabels",
    "StoreError",
    "StoreTakenError",
    "_Ask",
]

register_room("river_oa3.pending.model_file")
