"""The losses, and how far each moves mu along y x: one place for all of them.

yp is the margin times the label, -1 or +1; rho_t the weight of the label's class; w the weight of
the event, which multiplies the loss. Where the rule is passive-aggressive, eta is its C.
"""

from libc.math cimport exp, fabs, log

from .kernels cimport larger, smaller

cdef enum Loss:
    # Passive-aggressive: the shortest step that leaves no hinge loss; at most C; with C as a ridge.
    PA = 0
    PA_I = 1
    PA_II = 2
    # eta y x on a mistake.
    PERCEPTRON = 3
    # The gradient of rho_t max(0, 1 - y p), the paper's equation (3), and of max(0, rho_t - y p).
    SLOPE = 4
    MARGIN = 5


cdef inline bint has_loss(int loss, double yp, double rho_t, bint y) noexcept nogil:
    """Whether anything is left to learn from a label; 0 is on the positive side."""
    if loss == PERCEPTRON:
        return yp < 0.0 or (yp == 0.0 and not y)
    return yp < (rho_t if loss == MARGIN else 1.0)


cdef inline double gradient_step(int loss, double eta, double rho_t, double w) noexcept nogil:
    """The step of those rules whose step does not depend on the event."""
    return eta * w * (rho_t if loss == SLOPE else 1.0)


cdef inline double step_size(int loss, double yp, double eta, double rho_t, double w, bint y,
                             double squares) noexcept nogil:
    """How far mu goes along y x, for an event whose squared length is `squares`, not 0."""
    if not has_loss(loss, yp, rho_t, y):
        return 0.0
    if loss == PA:
        return (1.0 - yp) / squares
    if loss == PA_I:
        return smaller(eta * w, (1.0 - yp) / squares)
    if loss == PA_II:
        return (1.0 - yp) / (squares + 0.5 / (eta * w))
    return gradient_step(loss, eta, rho_t, w)


# The logistic loss, with an implicit step: the slope where the step ends, not where it starts.


cdef inline double sigmoid(double x) noexcept nogil:
    cdef double e
    if x >= 0.0:
        return 1.0 / (1.0 + exp(-x))
    e = exp(x)
    return e / (1.0 + e)


cdef inline double logistic_lead(double ym, double other) noexcept nogil:
    """How much smaller the loss at the margin `other` is than that at `ym`, both times the label.
    """
    return log((1.0 + exp(smaller(500.0, -ym))) / (1.0 + exp(smaller(500.0, -other))))


cdef inline double implicit_logistic_step(double ym, double v, double w,
                                          double guess) noexcept nogil:
    """The a with a = w sigmoid(-(ym + a v)), by Newton's method kept within a bracket.

    ym is the margin times the label, v its variance, w the weight of the event, and `guess` where
    to begin; below 0 it says nothing. At the end of the step the loss has the slope -a, and the
    curvature a (1 - a / w).
    """
    cdef double low = 0.0, high = w * sigmoid(-ym), s, gap, a = guess, b
    cdef int i
    if w > 1.0:  # beyond this bound the right side is below 1, and a is not
        high = smaller(high, larger(1.0, (log(w) - ym) / v))
    if not 0.0 <= a <= high:
        if ym < 0.0:  # from the turning point of the sigmoid Newton's method cannot run in circles
            a = smaller(high, -ym / v)
        else:
            a = high / (1.0 + high * larger(0.0, 1.0 - high / w) * v)
    for i in range(60):
        s = sigmoid(-(ym + a * v))
        gap = a - w * s
        if gap > 0.0:
            high = a
        else:
            low = a
        b = a - gap / (1.0 + w * s * (1.0 - s) * v)
        if (i > 20 and i % 2) or not low <= b <= high:  # huge weights, and guesses far off
            b = 0.5 * (low + high)
        # Newton's error is about the square of the last step: what follows is rounding.
        if fabs(b - a) <= 1e-6 * a:
            return b
        a = b
    return a


cdef inline double curvature(double step, double w) noexcept nogil:
    """Of the logistic loss where an implicit step has ended."""
    return step * larger(0.0, 1.0 - step / w)
