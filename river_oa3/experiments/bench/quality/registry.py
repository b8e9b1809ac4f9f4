"""All who take part, by name."""

from __future__ import annotations

from river_oa3.experiments.bench.quality.contest import Contender
from river_oa3.experiments.bench.quality.logistic import LOGISTIC_REGRESSION
from river_oa3.experiments.bench.quality.package import LEARNERS, OURS
from river_oa3.experiments.bench.quality.river_models import RIVER_MODELS
from river_oa3.experiments.bench.quality.scikit_activeml import SCIKIT_ACTIVEML
from river_oa3.experiments.bench.quality.vowpal_wabbit import VOWPAL_WABBIT

__all__ = ["CONTENDERS"]

CONTENDERS: dict[str, Contender] = {
    "ActiveLearner": OURS,
    **LEARNERS,
    "LogisticRegression": LOGISTIC_REGRESSION,
    "VowpalWabbit": VOWPAL_WABBIT,
    **RIVER_MODELS,
    "scikit-activeml": SCIKIT_ACTIVEML,
}
"""Contenders by the names that options take: ours first, then the paper's, then the peers."""
