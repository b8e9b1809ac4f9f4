"""The BLAS that scipy brings, in one thread.

Its functions are taken from scipy where it runs, not where this is built: the build needs no scipy.

OpenBLAS wakes a second thread for products that one thread has done in a tenth of a millisecond.
On a busy machine that thread gets its turn milliseconds later. So around such products its number
of threads is set to 1, and set back to what it was after the last of them that is under way.
"""

import ctypes
import os
from pathlib import Path

import scipy
import scipy.linalg.cython_blas

from cpython.pycapsule cimport PyCapsule_GetName, PyCapsule_GetPointer

cdef extern from *:
    """
    #ifdef _MSC_VER
    #include <intrin.h>
    #define take_flag(flag) (_InterlockedExchange((flag), 1) == 0)
    #define drop_flag(flag) _InterlockedExchange((flag), 0)
    #else
    #define take_flag(flag) (__atomic_exchange_n((flag), 1, __ATOMIC_ACQUIRE) == 0)
    #define drop_flag(flag) __atomic_store_n((flag), 0, __ATOMIC_RELEASE)
    #endif
    """
    bint take_flag(long* flag) noexcept nogil
    void drop_flag(long* flag) noexcept nogil

cdef void* function(str name) except NULL:
    """The address of a function of scipy's, which must take plain ints."""
    capsule = scipy.linalg.cython_blas.__pyx_capi__[name]
    cdef const char* signature = PyCapsule_GetName(capsule)
    if b" int *" not in signature:
        raise ImportError(f"the {name} of this scipy takes other integers: {signature.decode()}")
    return PyCapsule_GetPointer(capsule, signature)


dgemm = <Dgemm>function("dgemm")
dgemv = <Dgemv>function("dgemv")
dsyrk = <Dsyrk>function("dsyrk")

ctypedef int (*Getter)() noexcept nogil
ctypedef void (*Setter)(int) noexcept nogil

cdef Getter get_threads = NULL
cdef Setter set_threads = NULL
# Held for a few instructions at a time.
cdef long flag = 0
cdef int users = 0
cdef int before = 1


cdef void one_thread() noexcept nogil:
    """Let BLAS work in one thread until `threads_as_before`; no effect on other libraries."""
    global users, before
    if set_threads == NULL:
        return
    while not take_flag(&flag):
        pass
    if users == 0:
        before = get_threads()
        if before != 1:
            set_threads(1)
    users += 1
    drop_flag(&flag)


cdef void threads_as_before() noexcept nogil:
    global users
    if set_threads == NULL:
        return
    while not take_flag(&flag):
        pass
    users -= 1
    if users == 0 and before != 1:
        set_threads(before)
    drop_flag(&flag)


def _forked():
    """The threads that were at work are not in this process."""
    global flag, users
    if users and before != 1:
        set_threads(before)
    flag = 0
    users = 0


def _find():
    """The two functions of the OpenBLAS that scipy uses, as addresses; None where it is another."""
    around = Path(scipy.__file__).parent
    libraries = [
        Path(scipy.linalg.cython_blas.__file__),
        *sorted((around.parent / "scipy.libs").glob("*openblas*")),
    ]
    for path in libraries:
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for name in ("scipy_openblas_{}_num_threads", "openblas_{}_num_threads"):
            for suffix in ("", "64_"):
                try:
                    found = [getattr(library, name.format(verb) + suffix) for verb in ("get", "set")]
                except AttributeError:
                    continue
                return [ctypes.cast(function, ctypes.c_void_p).value for function in found]
    return None


def controls_blas() -> bool:
    """Whether the number of threads of scipy's BLAS can be set here."""
    return set_threads != NULL


cdef size_t getter_address, setter_address
_found = _find()
if _found is not None:
    getter_address, setter_address = _found
    get_threads = <Getter>getter_address
    set_threads = <Setter>setter_address
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)
