from __future__ import annotations

__all__ = ["FileError"]


class FileError(ValueError):
    """A file that cannot be loaded, or a model that no file can hold; says what and why."""
