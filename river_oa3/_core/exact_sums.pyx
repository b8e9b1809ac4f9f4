"""Sums of numbers and of their squares without any rounding: the same in whatever order.

A double is a whole number of 53 bits times a power of two. Such numbers are added up in a long whole
number, kept as digits of 32 bits that have room for the carries of 2^28 numbers.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

# Sums count in the smallest double, sums of squares in its square.
UNIT, SQUARE_UNIT = 1074, 2 * 1074

cdef enum:
    FRACTION = 52
    EXPONENTS = 0x7FF
    HALF = 27
    DIGIT = 32
    # As many as the square of the largest double takes.
    DIGITS = 136

cdef uint64_t LOW = 0xFFFFFFFF


cdef struct Long:
    int64_t digits[DIGITS]
    # Which of them may be other than 0.
    int first
    int last


cdef inline void clear(Long* total) noexcept nogil:
    cdef int k
    for k in range(total.first, total.last + 1):
        total.digits[k] = 0
    total.first, total.last = DIGITS, -1


cdef inline void add(Long* total, uint64_t number, int place, int64_t sign) noexcept nogil:
    """Add a number of up to 54 bits, times 2 to the power of `place`."""
    cdef int k = place // DIGIT, bits = place % DIGIT
    cdef uint64_t low = (number & LOW) << bits, high = (number >> DIGIT) << bits
    total.digits[k] += sign * <int64_t> (low & LOW)
    total.digits[k + 1] += sign * <int64_t> ((low >> DIGIT) + (high & LOW))
    total.digits[k + 2] += sign * <int64_t> (high >> DIGIT)
    if k < total.first:
        total.first = k
    if k + 2 > total.last:
        total.last = k + 2


cdef inline void add_double(Long* total, Long* squares, double x) noexcept nogil:
    cdef uint64_t bits, number, high, low
    cdef int place
    memcpy(&bits, &x, sizeof(double))
    number = bits & ((<uint64_t> 1 << FRACTION) - 1)
    place = <int> ((bits >> FRACTION) & EXPONENTS)
    if place:  # else it is one of the smallest, whose first bit is not left out
        number |= <uint64_t> 1 << FRACTION
        place -= 1
    add(total, number, place, 1 if x > 0.0 else -1)
    high, low = number >> HALF, number & ((1 << HALF) - 1)
    add(squares, high * high, 2 * (place + HALF), 1)
    add(squares, high * low, 2 * place + HALF + 1, 1)
    add(squares, low * low, 2 * place, 1)


cdef object read(const Long* total):
    cdef int k
    found = 0
    for k in range(total.last, total.first - 1, -1):
        found = (found << DIGIT) + total.digits[k]
    return found << (DIGIT * total.first) if found else 0


def exact_sums(const double[::1] values, const Py_ssize_t[::1] starts):
    """The number, the sum and the sum of squares of each stretch of values, without 0 and NaN.

    Sums are whole numbers, to be multiplied by 2^-UNIT and 2^-SQUARE_UNIT.
    """
    cdef Long total, squares
    cdef Py_ssize_t i, k, n
    total.first = squares.first = 0
    total.last = squares.last = DIGITS - 1
    found = []
    for i in range(starts.shape[0] - 1):
        n = 0
        with nogil:
            clear(&total)
            clear(&squares)
            for k in range(starts[i], starts[i + 1]):
                if values[k] > 0.0 or values[k] < 0.0:
                    n += 1
                    add_double(&total, &squares, values[k])
        found.append((n, read(&total), read(&squares)))
    return found
