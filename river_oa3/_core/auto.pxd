from .auto_engine cimport AutoEngine
from .snapshot cimport Snapshot


cdef class Auto(AutoEngine):
    cdef object judge_raw(self, object x)
    cdef tuple answer(self, int missing)
    cdef object observe_raw(self, object x)
    cdef int copy_statistics(self, Snapshot copy) except -1
    cdef int copy_recall(self, Snapshot copy) except -1


cdef inline double confidence(double v) noexcept nogil:
    """The paper's c with eta = gamma = rho = 1."""
    return -0.5 * v / (1.0 + v)
