"""The main job: progressive validation on a real imbalanced stream that comes with river."""

from __future__ import annotations

import typing

from river import compose, datasets, evaluate, preprocessing

from river_oa3 import ActiveLearner, SSOA3Classifier
from river_oa3.metrics import WeightedSum


def with_intercept(x: dict[typing.Hashable, float]) -> dict[typing.Hashable, float]:
    """Add the constant feature that stands in for an intercept."""
    return {**x, "intercept": 1.0}


def main() -> None:
    """Print the weighted sum of SSOA3 with 500 labels on Shuttle, where 7 in 100 are anomalies."""
    evaluate.progressive_val_score(
        dataset=datasets.Shuttle(),
        model=ActiveLearner(
            preprocessing.StandardScaler()
            | compose.FuncTransformer(with_intercept)
            | preprocessing.Normalizer()
            | SSOA3Classifier(rho=13),
            budget=500,
            seed=42,
        ),
        metric=WeightedSum(),
        print_every=10_000,
        show_time=True,
    )


if __name__ == "__main__":
    main()
