"""Memory for tables that are read at random: on large pages where the system has them.

With a million features nearly every look at a table misses the processor's list of pages, and that
costs as much as the memory itself.
"""

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #ifdef __linux__
    #include <sys/mman.h>
    #endif

    /* A larger block with the first `used` bytes of the old one, which is freed; or NULL, and the
       old one stays. What lies beyond `used` is not cleared. */
    static void* grow_table(void* old, size_t used, size_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        const size_t page = (size_t)2 << 20;
        if (size >= 2 * page) {
            void* larger = NULL;
            if (posix_memalign(&larger, page, size)) return NULL;
            madvise(larger, size, MADV_HUGEPAGE);
            if (used) memcpy(larger, old, used);
            free(old);
            return larger;
        }
    #endif
        return realloc(old, size);
    }
    """
    void* grow_table(void* old, size_t used, size_t size) noexcept nogil
