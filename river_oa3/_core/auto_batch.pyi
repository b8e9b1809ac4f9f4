from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from river_oa3._core.auto import Auto

Numbers = NDArray[np.float64]

def judge_rows(
    learner: Auto,
    data: Numbers,
    indices: NDArray[np.int32],
    indptr: NDArray[np.int64],
    names: list[Hashable],
) -> tuple[Numbers, Numbers]: ...
def report_rows(
    learner: Auto,
    data: Numbers,
    indices: NDArray[np.int32],
    indptr: NDArray[np.int64],
    names: list[Hashable],
) -> Numbers: ...
def learn_rows(
    learner: Auto,
    data: Numbers,
    indices: NDArray[np.int32],
    indptr: NDArray[np.int64],
    names: list[Hashable],
    y: NDArray[np.uint8],
    weights: Numbers,
) -> None: ...
