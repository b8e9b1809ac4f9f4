from libc.math cimport fabs


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
