from river_oa3._core.learner import Learner

class Full(Learner):
    def __init__(self, eta: float, gamma: float, rho: float) -> None: ...
