"""The losses, and how far each moves mu along y x: one place for all of them.

yp is the margin times the label, -1 or +1; rho_t the weight of the label's class; w the weight of
the event, which multiplies the loss. Where the rule is passive-aggressive, eta is its C.
"""

from libc.math cimport fmin

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
        return fmin(eta * w, (1.0 - yp) / squares)
    if loss == PA_II:
        return (1.0 - yp) / (squares + 0.5 / (eta * w))
    return gradient_step(loss, eta, rho_t, w)
