from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from river_oa3._core.auto import Auto

Numbers = NDArray[np.float64]

LARGEST_VALUE: float

def as_counted(
    model: Auto, names: list[Hashable], values: Numbers, columns: NDArray[np.int32]
) -> Numbers: ...
def observe_sums(
    model: Auto,
    names: list[Hashable],
    n: Numbers,
    mean: Numbers,
    var: Numbers,
    gaps: Numbers,
    events: float,
    squares: float,
    slow: float,
    fast: float,
    positives: float,
) -> None: ...
