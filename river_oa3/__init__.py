"""Second-order online classifiers for imbalanced streams with a budget of labels, for river."""

import importlib
import typing

from river_oa3 import budget, monitor, query, rivals
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.files import load, save
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.pending import PendingLabels
from river_oa3.schema import Schema
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

if typing.TYPE_CHECKING:
    from river_oa3 import metrics

__all__ = [
    "ActiveLearner",
    "AutoOA3Classifier",
    "OA3Classifier",
    "OA3DiagClassifier",
    "PendingLabels",
    "SOA3Classifier",
    "SSOA3Classifier",
    "Schema",
    "budget",
    "load",
    "metrics",
    "monitor",
    "query",
    "rivals",
    "save",
]


def __getattr__(name: str) -> typing.Any:
    """Import `metrics` on first use: river's, which it extends, take as long as all the rest."""
    if name == "metrics":
        return importlib.import_module("river_oa3.metrics")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
