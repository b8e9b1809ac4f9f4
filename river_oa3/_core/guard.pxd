cdef extern from *:
    """
    #ifdef _MSC_VER
    #include <process.h>
    #include <windows.h>
    #define process_number() ((long)_getpid())
    #define sleep_briefly() Sleep(1)
    #define add_to(counter, n) _InterlockedExchangeAdd((counter), (n))
    #else
    #include <unistd.h>
    #define process_number() ((long)getpid())
    #define sleep_briefly() usleep(100)
    #define add_to(counter, n) __atomic_fetch_add((counter), (n), __ATOMIC_SEQ_CST)
    #endif
    /* Read by batches between two rows: threads that fork, and batches that pause for them. */
    typedef struct { volatile long n_forking; volatile long n_paused; } ForkState;
    """
    ctypedef struct ForkState:
        long n_forking
        long n_paused
    long process_number() noexcept nogil
    void sleep_briefly() noexcept nogil
    long add_to(volatile long* counter, long n) noexcept nogil

# A batch pauses between two rows while another thread forks, so that the child gets models whose
# numbers are those of a moment between two events, and no lock of BLAS that nobody holds.
cdef ForkState* fork_state


cdef class Guard:
    """Lets a batch work on a model without the GIL, and everybody else wait for it.

    A single event needs no lock. It is read and learned in one go, in which no code of others can
    run: nothing between reading an event and having done with it runs Python code or allocates a
    Python container, which might start the garbage collector and, with it, anybody's finalizers.
    """
    # The number of the process in which a batch is at work; 0 where none is. In a forked process it
    # may be that of the parent, whose threads are not here.
    cdef long busy
    cdef unsigned long owner
    # Whether the batch waits for threads that fork: not if its own thread is one of them.
    cdef bint pauses

    cdef int wait(self) except -1
    cdef int acquire(self) except -1
    cdef void release(self) noexcept

    cdef inline void pause_while_forking(self) noexcept nogil:
        """To be called by a batch before each row."""
        if fork_state.n_forking and self.pauses:
            add_to(&fork_state.n_paused, 1)
            while fork_state.n_forking:
                sleep_briefly()
            add_to(&fork_state.n_paused, -1)
