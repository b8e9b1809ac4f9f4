"""Whether to ask: one formula, for single events and for replays."""


def asymmetric_probability(double margin, double confidence, double delta_pos, double delta_neg):
    return asymmetric(margin, confidence, delta_pos, delta_neg)


cdef class Rule:
    def __init__(self, fixed=-1.0, delta_pos=0.0, delta_neg=0.0, use_confidence=False):
        self.fixed = fixed
        self.delta_pos = delta_pos
        self.delta_neg = delta_neg
        self.use_confidence = use_confidence


cdef class AdaptiveRule:
    def __init__(self, double mean=0.0, double count=0.0):
        self.mean = mean
        self.count = count

    def probability(self, margin, second_margin, variance, missing, double rate, double floor):
        return self.chance(View(margin, second_margin, variance, missing), rate, floor)

    def ask(self, double margin, double second_margin, double variance, int missing, double rate,
            double floor):
        """The same, and the event is taken into the running mean."""
        cdef View view = View(margin, second_margin, variance, missing)
        cdef double chance = self.chance(view, rate, floor)
        self.note(view)
        return chance

    def noted_probability(self, margin, second_margin, variance, missing, double rate,
                          double floor):
        return self.noted_chance(View(margin, second_margin, variance, missing), rate, floor)

    def __reduce__(self):
        return AdaptiveRule, (self.mean, self.count)
