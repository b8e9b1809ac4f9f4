"""Streams from files, data frames and river's data sets, and the paper's sets by name."""

from river_oa3.datasets import paper
from river_oa3.datasets.errors import DataError
from river_oa3.datasets.opening import open_stream
from river_oa3.datasets.streams import Stream, stream

__all__ = ["DataError", "Stream", "open_stream", "paper", "stream"]
