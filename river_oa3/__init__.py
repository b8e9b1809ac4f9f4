"""Second-order online classifiers for imbalanced streams with a budget of labels, for river."""

from river_oa3 import budget, metrics, monitor, query, rivals
from river_oa3.active import ActiveLearner
from river_oa3.auto import AutoOA3Classifier
from river_oa3.files import load, save
from river_oa3.oa3 import OA3Classifier
from river_oa3.oa3_diag import OA3DiagClassifier
from river_oa3.pending import PendingLabels
from river_oa3.schema import Schema
from river_oa3.soa3 import SOA3Classifier
from river_oa3.ssoa3 import SSOA3Classifier

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
