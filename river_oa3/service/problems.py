"""What is wrong with a request, as JSON that names the field."""

from __future__ import annotations

import json
import typing

__all__ = ["Problem", "as_json", "headers_of"]


class Problem(Exception):
    """A request that is not answered as it wished.

    Parameters
    ----------
    status
        The HTTP status.
    message
        What is wrong, for whoever wrote the client: no paths, nothing of the inside.
    field
        Where in the request, as in `events[3].x.amount`.
    retry_after
        Seconds after which the same request may do better.
    allow
        The methods that a path takes.

    """

    def __init__(
        self,
        status: int,
        message: str,
        field: str | None = None,
        retry_after: int | None = None,
        allow: str | None = None,
    ):
        super().__init__(message)
        self.status = status
        self.message = message
        self.field = field
        self.retry_after = retry_after
        self.allow = allow

    def described(self) -> dict[str, typing.Any]:
        """What the client is told."""
        place = {} if self.field is None else {"field": self.field}
        return {**place, "message": self.message}


def as_json(problem: Problem) -> bytes:
    return json.dumps({"error": problem.described()}).encode()


def headers_of(problem: Problem) -> dict[str, str]:
    headers = {}
    if problem.retry_after is not None:
        headers["retry-after"] = str(problem.retry_after)
    if problem.allow is not None:
        headers["allow"] = problem.allow
    if problem.status == 401:
        headers["www-authenticate"] = "Bearer"
    if problem.status in (408, 413):
        # The rest of such a request is not waited for.
        headers["connection"] = "close"
    return headers
