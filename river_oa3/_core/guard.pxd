cdef class Guard:
    """Lets a batch work on a model without the GIL, and everybody else wait for it.

    A single event needs no lock. It is read and learned in one go, in which no code of others can
    run: nothing between reading an event and having done with it runs Python code or allocates a
    Python container, which might start the garbage collector and, with it, anybody's finalizers.
    """
    # The generation of the process in which a batch is at work; 0 where none is.
    cdef long busy
    cdef unsigned long owner

    cdef int wait(self) except -1
    cdef int acquire(self) except -1
    cdef void release(self) noexcept
