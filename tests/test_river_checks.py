"""Each of river's own estimator checks, one case each, none skipped."""

import pytest
from first_order_kinds import KINDS, make
from learners import LEARNERS, SKETCHES
from river import checks

from river_oa3 import AutoOA3Classifier, Schema, metrics
from river_oa3.fixed_scaler import FixedScaler

# Phishing has nine features: a sketch of twenty rows never fills up, one of one row always has.
MODELS = (
    {learner.__name__: learner() for learner in LEARNERS}
    | {f"{learner.__name__}-wide": learner(sketch_size=20, seed=7) for learner in SKETCHES}
    | {"AutoOA3Classifier": AutoOA3Classifier()}
    | {"AutoOA3Classifier-cost": AutoOA3Classifier(metrics.WeightedCost(9, 1), max_features=20)}
    | {"Schema": Schema(next(Schema._unit_test_params())["columns"])}
    | {"FixedScaler": FixedScaler(next(FixedScaler._unit_test_params())["columns"])}
    | {kind: make(kind) for kind in KINDS}
    | {f"{learner.__name__}-one-row": learner(sketch_size=1) for learner in SKETCHES}
)


def cases():
    for name, model in MODELS.items():
        for number, check in enumerate(checks.yield_checks(model)):
            yield pytest.param(model, check, id=f"{name}-{check.__name__}-{number}")


@pytest.mark.parametrize(("model", "check"), list(cases()))
def test_passes_river_check(model, check):
    check(model.clone())


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_asks_to_be_let_off_no_check(model):
    assert not model._unit_test_skips()
