import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy


cdef class Snapshot:
    def __dealloc__(self):
        cdef int i
        for i in range(self.n_parts):
            free(self.parts[i].data)

    cdef int add_names(self, NameTable names) except -1:
        self.names = names.copy()
        return 0

    cdef Part* add(self, const char* name) except NULL:
        cdef Part* part = self.parts + self.n_parts
        if self.n_parts == MAX_PARTS:
            raise RuntimeError(f"a snapshot has no more than {MAX_PARTS} parts")
        self.n_parts += 1
        part.name = name
        part.data = NULL
        return part

    cdef int add_integer(self, const char* name, uint64_t value) except -1:
        cdef Part* part = self.add(name)
        part.is_integer = True
        part.integer = value
        return 0

    cdef int add_real(self, const char* name, double value) except -1:
        cdef Part* part = self.add(name)
        part.is_integer = False
        part.real = value
        return 0

    cdef int add_vector(self, const char* name, const double* data, Py_ssize_t size,
                        Py_ssize_t stride) except -1:
        """`size` numbers that are `stride` apart."""
        self.add_matrix(name, data, size, 1, stride)
        self.parts[self.n_parts - 1].is_vector = True
        return 0

    cdef int add_matrix(self, const char* name, const double* data, Py_ssize_t rows,
                        Py_ssize_t columns, Py_ssize_t stride) except -1:
        """Rows of `columns` numbers each, that start `stride` numbers apart."""
        cdef double* copy = self.new_matrix(name, rows, columns)
        cdef Py_ssize_t i
        for i in range(rows if columns else 0):
            memcpy(copy + i * columns, data + i * stride, columns * sizeof(double))
        return 0

    cdef double* new_matrix(self, const char* name, Py_ssize_t rows,
                            Py_ssize_t columns) except NULL:
        """A matrix to be filled by the caller."""
        cdef Part* part = self.add(name)
        part.rows = rows
        part.columns = columns
        part.is_vector = False
        # One byte where there is nothing to copy: NULL would say that this is no array.
        part.data = <double*>malloc(rows * columns * sizeof(double) + 1)
        if part.data == NULL:
            raise MemoryError(f"no memory for a copy of {rows} times {columns} numbers")
        return part.data

    cdef dict as_dict(self):
        """Name of the part -> array or number."""
        cdef dict found = {}
        cdef Part* part
        cdef double[::1] view
        cdef int i
        for i in range(self.n_parts):
            part = self.parts + i
            if part.data != NULL:
                shape = [part.rows] if part.is_vector else [part.rows, part.columns]
                value = np.empty(shape)
                if value.size:
                    view = value.reshape(-1)
                    memcpy(&view[0], part.data, value.nbytes)
            else:
                value = part.integer if part.is_integer else part.real
            found[part.name.decode()] = value
        return found
