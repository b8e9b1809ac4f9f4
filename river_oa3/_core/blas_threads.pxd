cdef void one_thread() noexcept nogil
cdef void threads_as_before() noexcept nogil
