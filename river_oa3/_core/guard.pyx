import os
import time

from cpython.pythread cimport PyThread_get_thread_ident

# A process that was forked from one at work must not wait for a thread that it does not have.
cdef long generation = 1


def _forked():
    global generation
    generation += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


cdef class Guard:
    cdef int wait(self) except -1:
        """Wait until no batch is at work; from the return on, none is until Python code runs."""
        while self.busy == generation:
            if self.owner == <unsigned long>PyThread_get_thread_ident():
                raise RuntimeError("this model is in the middle of a batch of this very thread")
            time.sleep(1e-4)
        self.busy = 0  # where it was left behind by a thread of the process this one was forked from
        return 0

    cdef int acquire(self) except -1:
        """Wait for one's turn and take it: let go of the GIL next, and run no Python code."""
        self.wait()
        self.owner = <unsigned long>PyThread_get_thread_ident()
        self.busy = generation
        return 0

    cdef void release(self) noexcept:
        self.busy = 0
