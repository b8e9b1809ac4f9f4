"""The files of the page, from memory: nothing that a request says becomes a path."""

from __future__ import annotations

import importlib.resources

from starlette.responses import Response

from river_oa3.service.problems import Problem

__all__ = ["Pages"]

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Pages:
    """All files of the folder `page`."""

    def __init__(self) -> None:
        folder = importlib.resources.files("river_oa3.service") / "page"
        self._files: dict[str, tuple[bytes, str]] = {}
        for file in folder.iterdir():
            kind = _TYPES.get("." + file.name.rpartition(".")[2])
            if kind is not None:
                self._files[file.name] = file.read_bytes(), kind

    def response(self, name: str) -> Response:
        """A file, if there is one of this name."""
        if name not in self._files:
            raise Problem(404, "not found")
        content, kind = self._files[name]
        return Response(content, headers={"content-type": kind})
