import os
import time

from cpython.pythread cimport PyThread_get_thread_ident

cdef ForkState state
fork_state = &state
# Batches under way in this process that pause when asked to.
cdef long n_batches = 0
# The threads that fork.
cdef set forkers = set()


def _before_fork():
    forkers.add(PyThread_get_thread_ident())
    add_to(&state.n_forking, 1)
    while state.n_paused < n_batches:
        time.sleep(1e-4)


def _after_fork_in_parent():
    forkers.discard(PyThread_get_thread_ident())
    add_to(&state.n_forking, -1)


def _after_fork_in_child():
    global n_batches
    forkers.clear()
    state.n_forking = 0
    state.n_paused = 0
    n_batches = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )


cdef class Guard:
    cdef int wait(self) except -1:
        """Wait until no batch is at work; from the return on, none is until Python code runs."""
        while self.busy and self.busy == process_number():
            if self.owner == <unsigned long>PyThread_get_thread_ident():
                raise RuntimeError("this model is in the middle of a batch of this very thread")
            time.sleep(1e-4)
        self.busy = 0
        return 0

    cdef int acquire(self) except -1:
        """Wait for one's turn and take it: let go of the GIL next, and run no Python code."""
        global n_batches
        self.wait()
        self.owner = <unsigned long>PyThread_get_thread_ident()
        self.pauses = PyThread_get_thread_ident() not in forkers
        self.busy = process_number()
        n_batches += self.pauses
        return 0

    cdef void release(self) noexcept:
        global n_batches
        self.busy = 0
        n_batches -= self.pauses
