"""Model files: JSON and plain arrays, which run no code when they are loaded."""

from river_oa3.files.container import from_bytes, to_bytes
from river_oa3.files.errors import FileError
from river_oa3.files.paths import load, save

__all__ = ["FileError", "from_bytes", "load", "save", "to_bytes"]
