import numpy as np
from numpy.typing import NDArray

def first_repeats(
    indices: NDArray[np.int32], indptr: NDArray[np.int64], n_columns: int
) -> list[int]: ...
