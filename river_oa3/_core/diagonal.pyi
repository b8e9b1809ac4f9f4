from river_oa3._core.second_order import SecondOrder

class Diagonal(SecondOrder):
    def __init__(self, eta: float, gamma: float, rho: float) -> None: ...
