"""Model files: JSON and plain arrays, which run no code when they are loaded."""

from river_oa3.files.container import from_bytes, to_bytes
from river_oa3.files.errors import FileError
from river_oa3.files.paths import load, save
from river_oa3.files.yours import register

__all__ = ["FileError", "from_bytes", "load", "register", "save", "to_bytes"]
