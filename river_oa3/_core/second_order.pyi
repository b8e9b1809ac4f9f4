from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from river_oa3._core.learner import Learner

Numbers = NDArray[np.float64]

class SecondOrder(Learner):
    gamma: float

    def variance_one(self, x: Any) -> float: ...
    def confidence_one(self, x: Any) -> float: ...
    def covariance(self) -> Numbers: ...
    def margins(self, X: Numbers, columns: list[Hashable]) -> Numbers: ...
    def judge_many(self, X: Numbers, columns: list[Hashable]) -> tuple[Numbers, Numbers]: ...
    def confidences(self, variances: Numbers) -> Numbers: ...
    def learn_many(
        self,
        X: Numbers,
        columns: list[Hashable],
        y: NDArray[np.uint8],
        w: Numbers,
        row_squares: Numbers,
    ) -> None: ...
