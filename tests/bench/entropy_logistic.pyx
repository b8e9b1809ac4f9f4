"""River's EntropySampler around its LogisticRegression, over rows of numbers.

Twins of river's code, line by line, for grids of settings that would take it days: what they
decide is what river decides, which a test holds them to. `standardise` is StandardScaler, which
learns each event before it scales it; `play` is the sampler, the regression with a constant
learning rate and a weight for positives, and a hard budget.
"""

from libc.math cimport exp, log2, pow, sqrt

import numpy as np


def standardise(
    double[::1] data, const int[::1] indices, const long long[::1] indptr, Py_ssize_t features
):
    """Rows after StandardScaler, in place; a feature that a row leaves out is left out."""
    cdef double[::1] counts = np.zeros(features)
    cdef double[::1] means = np.zeros(features)
    cdef double[::1] variances = np.zeros(features)
    cdef Py_ssize_t k
    cdef int j
    cdef double x, before
    with nogil:
        for k in range(indptr[0], indptr[indptr.shape[0] - 1]):
            j = indices[k]
            x = data[k]
            counts[j] += 1.0
            before = means[j]
            means[j] += (x - before) / counts[j]
            variances[j] += ((x - before) * (x - means[j]) - variances[j]) / counts[j]
            data[k] = (x - means[j]) / sqrt(variances[j]) if variances[j] != 0.0 else 0.0


def standardise_complete(double[:, ::1] rows):
    """Complete rows after StandardScaler, in place."""
    cdef Py_ssize_t n = rows.shape[0], features = rows.shape[1], i, j
    cdef double[::1] means = np.zeros(features)
    cdef double[::1] variances = np.zeros(features)
    cdef double x, before, count
    with nogil:
        for i in range(n):
            count = i + 1.0
            for j in range(features):
                x = rows[i, j]
                before = means[j]
                means[j] += (x - before) / count
                variances[j] += ((x - before) * (x - means[j]) - variances[j]) / count
                rows[i, j] = (x - means[j]) / sqrt(variances[j]) if variances[j] != 0.0 else 0.0


cdef double _dot(const double* x, const int* columns, const double* weights, Py_ssize_t n) noexcept nogil:
    # Four sums at a time: one would wait for itself.
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t k = 0
    if columns == NULL:
        while k + 4 <= n:
            a += x[k] * weights[k]
            b += x[k + 1] * weights[k + 1]
            c += x[k + 2] * weights[k + 2]
            d += x[k + 3] * weights[k + 3]
            k += 4
        while k < n:
            a += x[k] * weights[k]
            k += 1
    else:
        while k < n:
            a += x[k] * weights[columns[k]]
            k += 1
    return (a + b) + (c + d)


cdef double _sigmoid(double z) noexcept nogil:
    if z < -30.0:
        return 0.0
    if z > 30.0:
        return 1.0
    return 1.0 / (1.0 + exp(-z))


cdef double _chance(double p, double discount) noexcept nogil:
    """With which chance the sampler asks about an event whose probability is p."""
    cdef double q = 1.0 - p
    if p <= 0.0 or q <= 0.0:
        return 0.0
    return pow(-(q * log2(q) + p * log2(p)), discount)


cdef double _slope(bint y, double z, double weight) noexcept nogil:
    """The gradient of river's log loss, positives weighted."""
    cdef double sign = 1.0 if y else -1.0
    cdef double w = weight if y else 1.0
    z *= sign
    if z > 18.0:
        return w * exp(-z) * -sign
    if z < -18.0:
        return w * -sign
    return w * -sign / (exp(z) + 1.0)


def play(
    const double[::1] data,
    const int[::1] indices,
    const long long[::1] indptr,
    const unsigned char[::1] y,
    const double[::1] uniforms,
    Py_ssize_t features,
    Py_ssize_t budget,
    double learning_rate,
    double intercept_rate,
    double weight,
    double discount,
    double[::1] probabilities=None,
    unsigned char[::1] asked=None,
):
    """Predict, account, ask and learn; indices may be empty where every row has every feature.

    The counts are true and false positives, true and false negatives, and labels. Probabilities and
    decisions are written where there is room for them.
    """
    cdef double[::1] weights = np.zeros(features)
    cdef double intercept = 0.0, z, p, step
    cdef Py_ssize_t n = y.shape[0], i, k, start, length, left = budget
    cdef const double* x
    cdef const int* columns
    cdef bint positive, asks, complete = indices.shape[0] == 0
    cdef long long[::1] counts = np.zeros(5, dtype=np.int64)
    if n == 0 or features == 0:
        raise ValueError("no events or no features")
    if data.shape[0] == 0:
        data = np.zeros(1)
    with nogil:
        for i in range(n):
            start = indptr[i]
            length = indptr[i + 1] - start
            x = &data[0] + start
            columns = NULL if complete else &indices[0] + start
            z = _dot(x, columns, &weights[0], length) + intercept
            p = _sigmoid(z)
            # As all that is compared is judged; of two equal probabilities river takes the first.
            positive = p >= 0.5
            counts[(0 if y[i] else 1) if positive else (3 if y[i] else 2)] += 1
            asks = left > 0 and uniforms[i] < _chance(p, discount)
            if probabilities is not None:
                probabilities[i] = p
            if asked is not None:
                asked[i] = asks
            if not asks:
                continue
            left -= 1
            step = _slope(y[i], z, weight)
            intercept -= intercept_rate * step
            step *= learning_rate
            if complete:
                for k in range(length):
                    weights[k] -= x[k] * step
            else:
                for k in range(length):
                    weights[columns[k]] -= x[k] * step
    counts[4] = budget - left
    return tuple(np.asarray(counts).tolist())
