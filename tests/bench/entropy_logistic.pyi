import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

def standardise(
    data: Reals, indices: NDArray[np.int32], indptr: NDArray[np.int64], features: int
) -> None: ...
def standardise_complete(rows: Reals) -> None: ...
def play(
    data: Reals,
    indices: NDArray[np.int32],
    indptr: NDArray[np.int64],
    y: NDArray[np.uint8],
    uniforms: Reals,
    features: int,
    budget: int,
    learning_rate: float,
    intercept_rate: float,
    weight: float,
    discount: float,
    probabilities: Reals | None = None,
    asked: NDArray[np.uint8] | None = None,
) -> tuple[int, int, int, int, int]: ...
