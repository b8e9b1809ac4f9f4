"""The least that any learner has to do with an event: walk its dict and look up each name once.

One name after the other, that is. A learner that asks for cold memory ahead of its use may pass
this where the vocabulary does not fit into the cache.
"""

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject


cdef extern from "Python.h":
    PyObject* PyDict_GetItem(object table, object name)


def walk(list events, dict table):
    """How many names of the events are in the table."""
    cdef PyObject* name
    cdef PyObject* value
    cdef Py_ssize_t position, found = 0
    cdef dict x
    for x in events:
        position = 0
        while PyDict_Next(x, &position, &name, &value):
            found += PyDict_GetItem(table, <object>name) != NULL
    return found
