"""Raw values to standardised ones, from what every event, labelled or not, says of its features.

A value of 0 is the same as a feature that is not there. What that means depends on the feature:
sparse ones (present in half of the events or fewer) are scaled and not centred, so that 0 stays 0;
dense ones are standardised over all events, zeros included; and where the values of a dense one lie
far from 0, as years do, 0 is no value of it but a gap, with a bin of its own.
"""

from libc.math cimport log, sqrt

from .auto_constants cimport (
    BIN_START, CLIP, DENSE, FAR, MISSING_BIN, ROUNDING, SMALLEST,
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


cdef struct Statistics:
    # How often a feature was present, and the mean and the variance of its values.
    double n
    double mean
    double var


cdef struct Feature:
    Statistics seen
    # The newest event that had it.
    double last
    Weight weight
    # Which of the rows of bins is its own; -1 where it has none.
    long long bins


cdef inline double clipped(double value, double limit) noexcept nogil:
    return limit if value > limit else (-limit if value < -limit else value)


cdef inline double count_value(Statistics* seen, double x) noexcept nogil:
    """Take one more value into the mean and the variance; returns 1 / n."""
    cdef double gap = x - seen.mean, part
    seen.n += 1.0
    part = 1.0 / seen.n
    seen.mean += gap * part
    seen.var += (gap * (x - seen.mean) - seen.var) * part
    if seen.var < 0.0:  # rounding, where n was next to nothing
        seen.var = 0.0
    return part


cdef inline double rarity(double part, double t) noexcept nogil:
    """Rare features count more: the square of the factor, for one that 1 / `part` of t events have.
    """
    return 1.0 + log(DENSE * t * part)


cdef inline double sparse_value(const Statistics* seen, double x, double t,
                                double part) noexcept nogil:
    """x over its root mean square, clipped, times the factor of rare features."""
    cdef double square = seen.var + seen.mean * seen.mean, factor = rarity(part, t)
    if square < SMALLEST:  # values too small to be squared: its inverse may not be finite
        return 0.0
    if x * x > CLIP * CLIP * square:
        return (CLIP if x > 0.0 else -CLIP) * sqrt(factor)
    return x * sqrt(factor / square)


cdef inline double dense_value(const Statistics* seen, double x, double share,
                               int* bin) noexcept nogil:
    """The standardised value of a feature that this share of the events has; -1 for no bin yet."""
    cdef double square = seen.mean * seen.mean, mean, var, z
    cdef bint is_flag = seen.var <= ROUNDING * square + SMALLEST
    cdef bint has_gaps = not is_flag and share < 1.0 and FAR * FAR * seen.var < square
    if has_gaps:
        mean = seen.mean
        var = seen.var
    else:
        mean = share * seen.mean
        var = share * (seen.var + square * (1.0 - share))
    z = 0.0
    if var > ROUNDING * mean * mean + SMALLEST and not (has_gaps and x == 0.0):
        z = clipped((x - mean) / sqrt(var), CLIP)
    bin[0] = -1
    if seen.n >= BIN_START and not is_flag:
        bin[0] = MISSING_BIN if has_gaps and x == 0.0 else octile(z)
    return z


cdef inline int octile(double z) noexcept nogil:
    """Which eighth of a Gaussian a standardised value lies in, without a branch to guess wrong."""
    return (
        (z > -1.1503493803760079) + (z > -0.6744897501960817) + (z > -0.31863936396437526)
        + (z > 0.0) + (z > 0.31863936396437526) + (z > 0.6744897501960817)
        + (z > 1.1503493803760079)
    )
