import numpy as np
from numpy.typing import NDArray

from river_oa3._core.second_order import SecondOrder

class Sketch(SecondOrder):
    sketch_size: int
    seed: int | None

    def __init__(
        self, eta: float, gamma: float, rho: float, sketch_size: int, seed: int | None
    ) -> None: ...
    def basis(self) -> NDArray[np.float64]: ...
