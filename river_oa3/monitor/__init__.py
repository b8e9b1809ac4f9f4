"""How good the answers are, from the labels that were asked for."""

from river_oa3.monitor.asked_quality import AskedQuality, Estimate

__all__ = ["AskedQuality", "Estimate"]
