from river_oa3._core.learner import Learner

class Diagonal(Learner):
    def __init__(self, eta: float, gamma: float, rho: float) -> None: ...
