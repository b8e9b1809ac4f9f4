from __future__ import annotations

__all__ = ["StoreError"]


class StoreError(RuntimeError):
    """The store of asks cannot be read or written, or belongs to somebody else."""
