"""Whether to ask: one formula, for single events and for replays."""


def asymmetric_probability(double margin, double confidence, double delta_pos, double delta_neg):
    return asymmetric(margin, confidence, delta_pos, delta_neg)


cdef class Rule:
    def __init__(self, fixed=-1.0, delta_pos=0.0, delta_neg=0.0, use_confidence=False):
        self.fixed = fixed
        self.delta_pos = delta_pos
        self.delta_neg = delta_neg
        self.use_confidence = use_confidence
