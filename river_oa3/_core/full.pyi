from river_oa3._core.second_order import SecondOrder

class Full(SecondOrder):
    def __init__(self, eta: float, gamma: float, rho: float) -> None: ...
