from river_oa3._core.learner import Learner

class FirstOrder(Learner):
    rule: str
    def __init__(self, eta: float, rho: float, rule: str) -> None: ...
