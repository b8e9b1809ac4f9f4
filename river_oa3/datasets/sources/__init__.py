"""Tables of any size, read in chunks and as often as is needed."""

from river_oa3.datasets.sources.kinds import open_source
from river_oa3.datasets.sources.source import Batch, Cells, Source

__all__ = ["Batch", "Cells", "Source", "open_source"]
