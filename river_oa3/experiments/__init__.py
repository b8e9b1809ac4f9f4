"""The experiments of the paper, and what it reports of them."""

from river_oa3.experiments.replaying import Outcome, replay

__all__ = ["Outcome", "replay"]
