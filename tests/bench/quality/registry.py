"""All who take part, by name."""

from __future__ import annotations

from ..quality.contest import Contender
from ..quality.logistic import LOGISTIC_REGRESSION
from ..quality.package import LEARNERS, OURS
from ..quality.river_models import RIVER_MODELS
from ..quality.scikit_activeml import SCIKIT_ACTIVEML
from ..quality.vowpal_wabbit import VOWPAL_WABBIT

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
