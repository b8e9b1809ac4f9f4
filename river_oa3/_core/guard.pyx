import os
import time

from cpython.pythread cimport PyThread_get_thread_ident

cdef ForkState state
fork_state = &state
# Batches under way in this process.
cdef long n_batches = 0


def _before_fork():
    state.is_forking = 1
    while state.resting < n_batches:
        time.sleep(1e-4)


def _after_fork_in_parent():
    state.is_forking = 0


def _after_fork_in_child():
    global n_batches
    state.is_forking = 0
    state.resting = 0
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
        self.busy = process_number()
        n_batches += 1
        return 0

    cdef void release(self) noexcept:
        global n_batches
        self.busy = 0
        n_batches -= 1
