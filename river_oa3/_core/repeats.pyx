"""Rows in which a column is there more than once."""

import numpy as np


def first_repeats(const int[::1] indices, const long long[::1] indptr, Py_ssize_t n_columns):
    """Where a row has a column for the second time, for each row that does; in one pass."""
    cdef long long[::1] last = np.full(n_columns, -1, dtype=np.int64)
    cdef Py_ssize_t row, k
    found = []
    for row in range(indptr.shape[0] - 1):
        for k in range(indptr[row], indptr[row + 1]):
            if last[indices[k]] == row:
                found.append(k)
                break
            last[indices[k]] = row
    return found
