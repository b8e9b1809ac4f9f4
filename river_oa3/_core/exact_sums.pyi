import numpy as np
from numpy.typing import NDArray

UNIT: int
SQUARE_UNIT: int

def exact_sums(
    values: NDArray[np.float64], starts: NDArray[np.intp]
) -> list[tuple[int, int, int]]: ...
