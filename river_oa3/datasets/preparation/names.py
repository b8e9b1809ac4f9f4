"""Names of columns that say what is in them."""

from __future__ import annotations

import re

_LAST_WORDS = {"id", "ids", "uuid", "guid", "key", "index", "idx", "no", "nr", "row", "rowid"}
# "paid" and "grid" end in "id", too; these words before it make an id of it.
_OWNERS = (
    "account|application|card|case|client|contract|customer|device|event|invoice|item|loan|member|"
    "order|patient|person|product|record|row|session|ticket|transaction|user"
)
_ONE_WORD = re.compile(rf"(?:{_OWNERS})(?:id|key|no|nr)$", re.IGNORECASE)
_DAYS = {"at", "date", "datetime", "day", "epoch", "stamp", "time", "timestamp", "ts", "unixtime"}
_VERSIONS = {"build", "firmware", "release", "ver", "version"}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def is_called_an_id(name: str) -> bool:
    """Whether a name says that a column holds an id, as in order_id, orderId, ID or orderid."""
    words = _WORDS.findall(name)
    if words and words[-1].casefold() in _LAST_WORDS:
        return True
    return bool(_ONE_WORD.search(name) or name.casefold().startswith("unnamed"))


def is_called_a_day(name: str) -> bool:
    """Whether a name says that a column holds days or times, as in created_at and bookingDate."""
    words = _WORDS.findall(name)
    return bool(words) and words[-1].casefold() in _DAYS


def is_called_a_version(name: str) -> bool:
    """Whether a name says that a column holds versions, as in app_version."""
    return any(word.casefold() in _VERSIONS for word in _WORDS.findall(name))
