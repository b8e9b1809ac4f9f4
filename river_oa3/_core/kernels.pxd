"""Inner loops, written so that a compiler without fast-math keeps its registers busy."""

from .event_buffer cimport Entry


cdef inline double larger(double a, double b) noexcept nogil:
    """max(a, b) without a call into the library."""
    return a if a > b else b


cdef inline double smaller(double a, double b) noexcept nogil:
    """min(a, b) without a call into the library."""
    return a if a < b else b


cdef inline double dot_entries(const double* line, const Entry* x, Py_ssize_t n) noexcept nogil:
    """The sum of line[slot] * value over an event."""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t i = 0
    while i + 4 <= n:
        a += line[x[i].slot] * x[i].value
        b += line[x[i + 1].slot] * x[i + 1].value
        c += line[x[i + 2].slot] * x[i + 2].value
        d += line[x[i + 3].slot] * x[i + 3].value
        i += 4
    while i < n:
        a += line[x[i].slot] * x[i].value
        i += 1
    return (a + b) + (c + d)


cdef inline double sum_squares(const Entry* x, Py_ssize_t n) noexcept nogil:
    """x.x"""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t i = 0
    while i + 4 <= n:
        a += x[i].value * x[i].value
        b += x[i + 1].value * x[i + 1].value
        c += x[i + 2].value * x[i + 2].value
        d += x[i + 3].value * x[i + 3].value
        i += 4
    while i < n:
        a += x[i].value * x[i].value
        i += 1
    return (a + b) + (c + d)


cdef inline void add_four(double* out, const double* p, const double* q, const double* r,
                          const double* s, double a, double b, double c, double d,
                          Py_ssize_t n) noexcept nogil:
    """out += a p + b q + c r + d s."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] += (a * p[i] + b * q[i]) + (c * r[i] + d * s[i])


cdef inline void add_one(double* out, const double* p, double a, Py_ssize_t n) noexcept nogil:
    """out += a p."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] += a * p[i]


cdef inline void lower_times(const double* matrix, const double* vector, double* out,
                             Py_ssize_t m) noexcept nogil:
    """out = matrix vector, for a small lower-triangular matrix in row-major order."""
    cdef Py_ssize_t i, j
    cdef double total
    for i in range(m):
        total = 0.0
        for j in range(i + 1):
            total += matrix[i * m + j] * vector[j]
        out[i] = total


cdef inline void sum_rows(const double* rows, Py_ssize_t width, const Entry* x, Py_ssize_t n,
                          double* out) noexcept nogil:
    """out = the sum of value * rows[slot] over an event, for rows of `width` numbers."""
    cdef double a, b, c, d
    cdef const double* row
    cdef Py_ssize_t i, j = 0
    while j + 4 <= width:
        a = b = c = d = 0.0
        for i in range(n):
            row = rows + x[i].slot * width + j
            a += row[0] * x[i].value
            b += row[1] * x[i].value
            c += row[2] * x[i].value
            d += row[3] * x[i].value
        out[j] = a
        out[j + 1] = b
        out[j + 2] = c
        out[j + 3] = d
        j += 4
    if j + 2 <= width:
        a = b = 0.0
        for i in range(n):
            row = rows + x[i].slot * width + j
            a += row[0] * x[i].value
            b += row[1] * x[i].value
        out[j] = a
        out[j + 1] = b
        j += 2
    if j < width:
        a = 0.0
        for i in range(n):
            a += rows[x[i].slot * width + j] * x[i].value
        out[j] = a
