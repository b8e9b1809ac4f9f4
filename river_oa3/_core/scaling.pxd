"""Raw values to standardised ones, from what every event, labelled or not, says of its features.

A value of 0 is the same as a feature that is not there. What that means depends on the feature:
sparse ones (present in half of the events or fewer) are scaled and not centred, so that 0 stays 0;
dense ones are standardised over all events, zeros included; and where the values of a dense one lie
far from 0, as years do, 0 is no value of it but a gap, with a bin of its own.
"""

from libc.math cimport log, sqrt

from .auto_constants cimport (
    BIN_START, CLIP, DENSE, FAR, LARGEST, MISSING_BIN, ROUNDING,
)


cdef enum:
    # Two learners share the rows: one that hardly forgets, and one that does when it is surprised.
    SLOW = 0
    FAST = 1
    SIDES = 2


cdef struct Gaussian:
    double mu
    double sigma


cdef struct Weight:
    # What each learner believes of it.
    Gaussian of[SIDES]


cdef struct Feature:
    # How often it was present, the mean and the variance of its values, and its newest event.
    double n
    double mean
    double var
    double last
    Weight weight
    # Which of the rows of bins is its own; -1 where it has none.
    long long bins


cdef inline double clipped(double value, double limit) noexcept nogil:
    return limit if value > limit else (-limit if value < -limit else value)


cdef inline void count_value(Feature* seen, double x) noexcept nogil:
    """Take one more value into the mean and the variance."""
    cdef double gap = x - seen.mean
    seen.n += 1.0
    seen.mean += gap / seen.n
    seen.var += (gap * (x - seen.mean) - seen.var) / seen.n


cdef inline double rarity(double n, double t) noexcept nogil:
    """Rare features count more: the square of the factor, for one present in n of t events."""
    return 1.0 + log(DENSE * t / n)


cdef inline double sparse_value(const Feature* seen, double x, double t) noexcept nogil:
    cdef double square = seen.var + seen.mean * seen.mean
    if square <= 0.0:  # values too small to be squared
        return 0.0
    return clipped(x / sqrt(square), CLIP) * sqrt(rarity(seen.n, t))


cdef inline double dense_value(const Feature* seen, double x, double t, int* bin) noexcept nogil:
    """The standardised value, and its bin; -1 where the feature has none yet."""
    cdef double share = seen.n / t, square = seen.mean * seen.mean, mean, var, z
    cdef bint is_flag = seen.var <= ROUNDING * square
    cdef bint has_gaps = not is_flag and seen.n < t and FAR * FAR * seen.var < square
    if has_gaps:
        mean = seen.mean
        var = seen.var
    else:
        mean = share * seen.mean
        var = share * (seen.var + square * (1.0 - share))
    z = 0.0
    if var > ROUNDING * mean * mean and not (has_gaps and x == 0.0):
        z = clipped((x - mean) / sqrt(var), CLIP)
    bin[0] = -1
    if seen.n >= BIN_START and not is_flag:
        bin[0] = MISSING_BIN if has_gaps and x == 0.0 else octile(z)
    return z


cdef inline int octile(double z) noexcept nogil:
    """Which eighth of a Gaussian a standardised value lies in."""
    if z > 0.0:
        if z > 0.6744897501960817:
            return 7 if z > 1.1503493803760079 else 6
        return 5 if z > 0.31863936396437526 else 4
    if z > -0.6744897501960817:
        return 3 if z > -0.31863936396437526 else 2
    return 1 if z > -1.1503493803760079 else 0
