"""Model files: JSON and plain arrays, which run no code when they are loaded."""

from river_oa3.files import asking, learners  # noqa: F401 - each adds the kinds it knows
from river_oa3.files.container import from_bytes, to_bytes
from river_oa3.files.errors import FileError

__all__ = ["FileError", "from_bytes", "to_bytes"]
