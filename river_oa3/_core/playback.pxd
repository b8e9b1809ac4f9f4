from .event_buffer cimport EventBuffer
from .guard cimport Guard
from .hardware cimport fetch_ahead
from .model cimport Model

cdef enum:
    # How often a replay looks whether another thread forks.
    EVENTS_PER_PAUSE = 16
    # How many events ahead a row is fetched from memory.
    DISTANCE = 6
    TRUE_POSITIVE = 0
    FALSE_POSITIVE = 1
    TRUE_NEGATIVE = 2
    FALSE_NEGATIVE = 3
    ASKED = 4
    COUNTS = 5

# Why `run` came back.
cdef enum:
    FINISHED = 0
    NEW_FEATURE = 1
    TOO_LARGE = 2

cdef struct SparseRow:
    const double* values
    const int* columns
    Py_ssize_t size
    bint label


cdef class Playback:
    """A stream, a model, and how far the one has come in the other.

    A learner fills in `run`, and what an event with a new feature teaches it.
    """
    cdef Model model
    cdef EventBuffer event
    cdef Guard guard
    # The stream: rows in CSR form, the order in which they come, and the slot of each column.
    cdef const double[::1] data
    cdef const int[::1] indices
    cdef const long long[::1] indptr
    cdef const unsigned char[::1] y
    cdef const Py_ssize_t[::1] order
    cdef list names
    cdef Py_ssize_t[::1] slots
    # The state of the name table in which the slots were looked up.
    cdef Py_ssize_t known_count, known_drops
    cdef bint empty_is_mistake
    cdef Py_ssize_t budget
    cdef const double[::1] uniforms
    # Where it stands.
    cdef Py_ssize_t t, used, next_checkpoint
    cdef long long count[COUNTS]
    # What it writes down.
    cdef const Py_ssize_t[::1] checkpoints
    cdef long long[:, ::1] curve
    cdef unsigned char[::1] asked

    cdef int find(self, Py_ssize_t column) except -1
    cdef int find_all(self) except -1
    cdef int find_row(self, SparseRow row, Py_ssize_t new) except -1
    cdef bint is_found(self) noexcept nogil
    cdef dict as_dict(self, SparseRow row)
    cdef int prepare(self) except -1
    cdef int run(self) noexcept nogil
    cdef int meet_new(self, SparseRow row) except -1

    cdef inline SparseRow row(self, Py_ssize_t t) noexcept nogil:
        cdef SparseRow row
        cdef Py_ssize_t i = self.order[t]
        row.values = &self.data[0] + self.indptr[i]
        row.columns = &self.indices[0] + self.indptr[i]
        row.size = self.indptr[i + 1] - self.indptr[i]
        row.label = self.y[i]
        return row

    cdef inline void begin_event(self) noexcept nogil:
        """Give way to a thread that forks, and ask for what comes next from memory."""
        if self.t % EVENTS_PER_PAUSE == 0:
            self.guard.pause_while_forking()
        if self.t + 2 * DISTANCE < self.order.shape[0]:
            # Rows come in any order: first where one starts, then the row itself.
            fetch_ahead(&self.indptr[self.order[self.t + 2 * DISTANCE]])
            fetch_ahead(&self.y[self.order[self.t + 2 * DISTANCE]])
            fetch(self.row(self.t + DISTANCE))

    cdef inline void load(self, SparseRow row) noexcept nogil:
        self.event.load_row(row.values, row.columns, row.size, &self.slots[0], False)
        self.event.sort_known(self.model.table.count)

    cdef inline bint draw(self, double chance) noexcept nogil:
        """Decide; a uniform is used where the decision is open, and only there."""
        cdef bint ask = chance >= 1.0
        if not ask and chance > 0.0:
            ask = self.uniforms[self.used] <= chance
            self.used += 1
        return ask

    cdef inline void account(self, bint predicted, const SparseRow* row) noexcept nogil:
        if self.empty_is_mistake and row.size == 0:
            predicted = not row.label
        if predicted:
            self.count[TRUE_POSITIVE if row.label else FALSE_POSITIVE] += 1
        else:
            self.count[FALSE_NEGATIVE if row.label else TRUE_NEGATIVE] += 1

    cdef inline void write_down(self, bint asked) noexcept nogil:
        cdef Py_ssize_t k
        self.asked[self.t] = asked
        self.count[ASKED] += asked
        while (
            self.next_checkpoint < self.checkpoints.shape[0]
            and self.checkpoints[self.next_checkpoint] == self.t + 1
        ):
            for k in range(COUNTS):
                self.curve[self.next_checkpoint, k] = self.count[k]
            self.next_checkpoint += 1


cdef inline void fetch(SparseRow row) noexcept nogil:
    """Ask for the start and the end of a row; what lies between follows by itself."""
    fetch_ahead(row.values)
    fetch_ahead(row.columns)
    if row.size > 8:
        fetch_ahead(row.values + row.size - 1)
        fetch_ahead(row.columns + row.size - 1)
