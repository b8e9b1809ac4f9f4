"""What the columns of a table are: rows and batches through the same rules."""

from river_oa3.schema.column import Column
from river_oa3.schema.schema import Schema

__all__ = ["Column", "Schema"]
