"""Raw values to standardised ones, from what every event, labelled or not, says of its features.

A value of 0 is the same as a feature that is not there. What that means depends on the feature:
sparse ones (present in half of the events or fewer) are scaled and not centred, so that 0 stays 0;
dense ones are standardised over all events, zeros included; and where the values of a dense one lie
far from 0, as years do, 0 is no value of it but a gap. So is a missing number, None or NaN, of any
dense feature; a gap has a bin of its own.

One wild value must not hide all that come after it: a value enters the mean and the variance as one
that lies OUTLIER deviations away at most. And nothing is kept for ever: the moments begin anew from
those of the newest block of values, whose length grows with what has been seen. So a column whose
unit has changed is read right after two blocks, and a wild first value is forgotten.
"""

from libc.math cimport log, sqrt

from .auto_constants cimport (
    BIN_START, BLOCK_SHARE, BLOCK_START, CLIP, DENSE, FAR, MISSING_BIN, OUTLIER, ROUNDING,
    SCALE_WINDOW, SMALLEST,
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
    # How often its value was missing.
    double gaps
    # The moments of the newest block of values.
    double block_n
    double block_mean
    double block_var


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
    cdef double part
    if seen.n >= 2.0:
        x = drawn_in(seen, x)
    seen.n += 1.0
    part = 1.0 / seen.n
    move_moments(&seen.mean, &seen.var, x, part)
    seen.block_n += 1.0
    move_moments(&seen.block_mean, &seen.block_var, x, 1.0 / seen.block_n)
    end_block(seen)
    return part


cdef inline double drawn_in(const Statistics* seen, double x) noexcept nogil:
    """A value as it counts: where all others are alike, what they are is the unit."""
    cdef double gap = x - seen.mean, square = seen.mean * seen.mean
    if seen.var > ROUNDING * square + SMALLEST:
        square = seen.var
    if gap * gap <= OUTLIER * OUTLIER * square:
        return x
    return seen.mean + (OUTLIER if gap > 0.0 else -OUTLIER) * sqrt(square)


cdef inline void move_moments(double* mean, double* var, double x, double part) noexcept nogil:
    """Take a value that weighs this part of all into a mean and a variance."""
    cdef double gap = x - mean[0]
    mean[0] += gap * part
    var[0] += (gap * (x - mean[0]) - var[0]) * part
    if var[0] < 0.0:  # rounding, where a count was next to nothing
        var[0] = 0.0


cdef inline void end_block(Statistics* seen) noexcept nogil:
    """Begin anew from the newest block where it is as long as it has to be."""
    if seen.block_n >= BLOCK_START and (
        seen.block_n >= BLOCK_SHARE * seen.n or seen.block_n >= SCALE_WINDOW
    ):
        seen.mean = seen.block_mean
        seen.var = seen.block_var
        seen.block_n = seen.block_mean = seen.block_var = 0.0


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


cdef inline double share_of(const Statistics* seen, double t) noexcept nogil:
    """The share of t events that have a dense feature, of those in which it is not missing."""
    cdef double there = t - seen.gaps
    return seen.n / there if there > seen.n else 1.0


cdef inline double dense_value(const Statistics* seen, double x, double share, bint is_missing,
                               int* bin) noexcept nogil:
    """The standardised value of a feature that this share of the events has; -1 for no bin yet."""
    cdef double square = seen.mean * seen.mean, mean, var, z
    cdef bint is_flag = seen.var <= ROUNDING * square + SMALLEST
    cdef bint zeros_are_gaps = not is_flag and share < 1.0 and FAR * FAR * seen.var < square
    cdef bint is_gap = is_missing or (zeros_are_gaps and x == 0.0)
    if zeros_are_gaps:
        mean = seen.mean
        var = seen.var
    else:
        mean = share * seen.mean
        var = share * (seen.var + square * (1.0 - share))
    z = 0.0
    if var > ROUNDING * mean * mean + SMALLEST and not is_gap:
        z = clipped((x - mean) / sqrt(var), CLIP)
    bin[0] = -1
    if seen.n >= BIN_START and not is_flag:
        bin[0] = MISSING_BIN if is_gap else octile(z)
    return z


cdef inline int octile(double z) noexcept nogil:
    """Which eighth of a Gaussian a standardised value lies in, without a branch to guess wrong."""
    return (
        (z > -1.1503493803760079) + (z > -0.6744897501960817) + (z > -0.31863936396437526)
        + (z > 0.0) + (z > 0.31863936396437526) + (z > 0.6744897501960817)
        + (z > 1.1503493803760079)
    )
