from libc.math cimport exp, fabs, pi, sqrt

from .kernels cimport larger, smaller
from .threshold cimport share_of_new

cdef enum:
    # Which class has not been learned yet.
    NEITHER = 0
    POSITIVE = 1
    NEGATIVE = -1
    BOTH = 2

cdef extern from *:
    """
    /* How fast the worth of a label falls with the distance from the boundary. */
    #define OA3_SHARPNESS 6.0
    /* How much more it is worth where the event is predicted positive. */
    #define OA3_ASYMMETRY 10.0
    /* The weight of the lean to a class that has not been seen. */
    #define OA3_LEAN 3.0
    /* The least rate before the first label. */
    #define OA3_FIRST_RATE 0.3
    /* Events in the running mean of the score. */
    #define OA3_SCORE_WINDOW 200.0
    """
    const double SHARPNESS "OA3_SHARPNESS"
    const double ASYMMETRY "OA3_ASYMMETRY"
    const double LEAN "OA3_LEAN"
    const double FIRST_RATE "OA3_FIRST_RATE"
    const double SCORE_WINDOW "OA3_SCORE_WINDOW"


cdef inline double asymmetric(double margin, double confidence, double delta_pos,
                              double delta_neg) noexcept nogil:
    """1 where q = |p| + c <= 0, else delta / (delta + q), with the delta of the margin's side."""
    cdef double q = fabs(margin) + confidence, delta
    if q <= 0.0:
        return 1.0
    delta = delta_pos if margin >= 0.0 else delta_neg
    return delta / (delta + q)


cdef class Rule:
    """A rule for asking, for replays: the asymmetric one, or a fixed probability."""
    cdef double fixed, delta_pos, delta_neg
    cdef bint use_confidence

    cdef inline double probability(self, double margin, double confidence) noexcept nogil:
        if self.fixed >= 0.0:
            return self.fixed
        return asymmetric(margin, confidence, self.delta_pos, self.delta_neg)


cdef struct View:
    # What is thought of an event: by the learner that answers, and by another one beside it.
    double margin
    double second_margin
    double v
    int missing


cdef inline double nearness(double margin, double spread) noexcept nogil:
    """High near the boundary, and higher on its positive side."""
    cdef double q = SHARPNESS * margin / spread
    return (ASYMMETRY if margin >= 0.0 else 1.0) / (1.0 + q * q)


cdef inline double adaptive_score(View view) noexcept nogil:
    """How much a label is worth: where the event is near the boundary for its uncertainty.

    As long as one class has not been seen: how new the event is, and how much it leans to that one.
    """
    cdef double spread
    if view.missing == BOTH:
        return view.v
    if view.missing != NEITHER:
        return view.v * exp(smaller(20.0, LEAN * view.missing * view.margin))
    spread = sqrt((1.0 + view.v) / (1.0 + pi / 8.0 * view.v))
    return 0.5 * (nearness(view.margin, spread) + nearness(view.second_margin, spread))


cdef inline double first_rate(View view, double rate) noexcept nogil:
    """There is nothing to choose by before the first label."""
    return larger(rate, FIRST_RATE) if view.missing == BOTH else rate


cdef inline double relative_chance(double score, double mean, double rate,
                                   double floor) noexcept nogil:
    return smaller(1.0, rate * (floor + (1.0 - floor) * (score / mean if mean > 0.0 else 1.0)))


cdef class AdaptiveRule:
    """The score of an event relative to those before it, in their running mean."""
    cdef double mean
    cdef double count

    cdef inline double next_mean(self, double score) noexcept nogil:
        return self.mean + (score - self.mean) / smaller(self.count + 1.0, SCORE_WINDOW)

    cdef inline double chance(self, View view, double rate, double floor) noexcept nogil:
        """The probability of asking, at this rate, of which the share `floor` goes to all alike."""
        cdef double score = adaptive_score(view)
        return relative_chance(score, self.next_mean(score), first_rate(view, rate), floor)

    cdef inline double noted_chance(self, View view, double rate, double floor) noexcept nogil:
        """The same for an event that has been noted, as its label comes."""
        return relative_chance(adaptive_score(view), self.mean, first_rate(view, rate), floor)

    cdef inline void note(self, View view) noexcept nogil:
        """Take the event into the running mean."""
        self.mean = self.next_mean(adaptive_score(view))
        self.count = smaller(self.count + 1.0, SCORE_WINDOW)

    cdef inline void note_many(self, double score, double count) noexcept nogil:
        """Take so many events at once into the running mean, of which the mean score is known."""
        self.mean += share_of_new(self.count, count, SCORE_WINDOW) * (score - self.mean)
        self.count = smaller(self.count + count, SCORE_WINDOW)
