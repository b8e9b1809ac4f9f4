"""What the processor and the system can do for tables that are read at random.

With a million features nearly every look at a table misses the cache, and the processor's list of
pages too, which costs as much again: so tables are put on large pages where the system has them.
"""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #ifdef _MSC_VER
    #include <intrin.h>
    static int lowest_bit(unsigned long long word) {
        unsigned long index;
        _BitScanForward64(&index, word);
        return (int)index;
    }
    static inline uint64_t fold_multiply(uint64_t a, uint64_t b) {
        uint64_t high, low = _umul128(a, b, &high);
        return high ^ low;
    }
    #define fetch_ahead(address) ((void)(address))
    #else
    #define lowest_bit(word) __builtin_ctzll(word)
    #define fetch_ahead(address) __builtin_prefetch(address)
    static inline uint64_t fold_multiply(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)(product >> 64) ^ (uint64_t)product;
    }
    #endif
    """
    int lowest_bit(uint64_t word) noexcept nogil
    # The upper and the lower half of the product, the one on top of the other.
    uint64_t fold_multiply(uint64_t a, uint64_t b) noexcept nogil
    void fetch_ahead(const void* address) noexcept nogil

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #ifdef __linux__
    #include <sys/mman.h>
    #endif

    /* A larger block with the first `used` bytes of the old one, which is freed; or NULL, and the
       old one stays. What lies beyond `used` is not cleared. */
    static inline void* grow_table(void* old, size_t used, size_t size) {
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
