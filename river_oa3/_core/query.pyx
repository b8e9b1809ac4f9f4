"""Whether to ask: one formula, for single events, for replays and for batches."""

import numpy as np


def asymmetric_probability(double margin, double confidence, double delta_pos, double delta_neg):
    return asymmetric(margin, confidence, delta_pos, delta_neg)


def asymmetric_probabilities(const double[::1] margins, const double[::1] confidences,
                             double delta_pos, double delta_neg):
    """The same for many events."""
    chances = np.empty(margins.shape[0])
    cdef double[::1] out = chances
    cdef Py_ssize_t i
    with nogil:
        for i in range(margins.shape[0]):
            out[i] = asymmetric(margins[i], confidences[i], delta_pos, delta_neg)
    return chances


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

    def probabilities(self, const double[::1] margins, const double[::1] second_margins,
                      const double[::1] variances, int missing, double rate, double floor):
        """The probability of asking about each of many events as the next one, and its worth."""
        chances, scores = np.empty(margins.shape[0]), np.empty(margins.shape[0])
        cdef double[::1] chance = chances, score = scores
        cdef Py_ssize_t i
        cdef View view
        with nogil:
            for i in range(margins.shape[0]):
                view = View(margins[i], second_margins[i], variances[i], missing)
                score[i] = adaptive_score(view)
                chance[i] = self.chance(view, rate, floor)
        return chances, scores

    def note_batch(self, double score, double count):
        """Take so many events into the running mean, of which the mean worth is known."""
        self.note_many(score, count)

    def __reduce__(self):
        return AdaptiveRule, (self.mean, self.count)
