"""The main job: progressive validation on a real imbalanced stream that comes with river."""

from __future__ import annotations

import typing

from river import compose, datasets, evaluate, metrics, preprocessing

from river_oa3 import SSOA3Classifier


def with_intercept(x: dict[typing.Hashable, float]) -> dict[typing.Hashable, float]:
    """Add the constant feature that stands in for an intercept."""
    return {**x, "intercept": 1.0}


def main() -> None:
    """Print the balanced accuracy of SSOA3 on Shuttle, where 7 in 100 events are anomalies."""
    evaluate.progressive_val_score(
        dataset=datasets.Shuttle(),
        model=(
            preprocessing.StandardScaler()
            | compose.FuncTransformer(with_intercept)
            | preprocessing.Normalizer()
            | SSOA3Classifier(rho=13)
        ),
        metric=metrics.BalancedAccuracy(),
        print_every=10_000,
        show_time=True,
    )


if __name__ == "__main__":
    main()
