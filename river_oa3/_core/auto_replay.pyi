import numpy as np
from numpy.typing import NDArray

from river_oa3._core.auto import Auto
from river_oa3._core.query import AdaptiveRule

def replay_auto(
    learner: Auto,
    rule: AdaptiveRule,
    rate: float,
    floor: float,
    data: NDArray[np.float64],
    indices: NDArray[np.int32],
    indptr: NDArray[np.int64],
    y: NDArray[np.uint8],
    names: list[object],
    order: NDArray[np.intp],
    uniforms: NDArray[np.float64],
    budget: int,
    checkpoints: NDArray[np.intp],
    empty_is_mistake: bool,
) -> tuple[NDArray[np.int64], NDArray[np.uint8], int]: ...
