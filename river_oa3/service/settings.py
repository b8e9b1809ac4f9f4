from __future__ import annotations

import dataclasses

__all__ = ["Limits", "Settings"]


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a request may ask of the service; whatever is larger is refused with its name.

    Parameters
    ----------
    body
        Bytes of one request.
    bodies
        Bytes of all requests that are being read, or wait for their answers, at the same time.
    seconds
        How long a client may take to send a request.
    batch
        Events, or labels, of one request.
    backlog
        Events, or labels, that wait for the learner; further ones are told to come again.
    features
        Features of one event.
    event
        Characters of one event, names and texts together: so much is kept of each that is asked
        about.
    name
        Characters of a feature's name, or of an analyst's.
    text
        Characters of a feature's value.
    id
        Characters of an event's id.

    """

    body: int = 4 * 2**20
    bodies: int = 64 * 2**20
    seconds: float = 30.0
    batch: int = 1_000
    backlog: int = 10_000
    features: int = 10_000
    event: int = 2**20
    name: int = 200
    text: int = 10_000
    id: int = 200


@dataclasses.dataclass(frozen=True)
class Settings:
    """How the service behaves.

    Parameters
    ----------
    token
        What every request has to show. None is for addresses of this machine alone: then requests
        that name another host are refused, since a browser was talked into sending them.
    question
        What the page asks about each event.
    undo
        Seconds until an answer that is not final is learned, and can no longer be withdrawn.
    lease
        Seconds for which an ask is kept for whoever looks at it.
    limits
        What a request may ask for.

    """

    token: str | None = None
    question: str = "Is this event positive?"
    undo: float = 10.0
    lease: float = 300.0
    limits: Limits = Limits()
