import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

def asymmetric_probability(
    margin: float, confidence: float, delta_pos: float, delta_neg: float
) -> float: ...
def asymmetric_probabilities(
    margins: Numbers, confidences: Numbers, delta_pos: float, delta_neg: float
) -> Numbers: ...

class Rule:
    def __init__(
        self,
        fixed: float = -1.0,
        delta_pos: float = 0.0,
        delta_neg: float = 0.0,
        use_confidence: bool = False,
    ) -> None: ...

class AdaptiveRule:
    def __init__(self, mean: float = 0.0, count: float = 0.0) -> None: ...
    def probability(
        self,
        margin: float,
        second_margin: float,
        variance: float,
        missing: int,
        rate: float,
        floor: float,
    ) -> float: ...
    def ask(
        self,
        margin: float,
        second_margin: float,
        variance: float,
        missing: int,
        rate: float,
        floor: float,
    ) -> float: ...
    def noted_probability(
        self,
        margin: float,
        second_margin: float,
        variance: float,
        missing: int,
        rate: float,
        floor: float,
    ) -> float: ...
    def probabilities(
        self,
        margins: Numbers,
        second_margins: Numbers,
        variances: Numbers,
        missing: int,
        rate: float,
        floor: float,
    ) -> tuple[Numbers, Numbers]: ...
    def note_batch(self, score: float, count: float) -> None: ...
