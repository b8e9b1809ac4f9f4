ctypedef void (*Dgemm)(
    char* transa, char* transb, int* m, int* n, int* k, double* alpha, double* a, int* lda,
    double* b, int* ldb, double* beta, double* c, int* ldc
) noexcept nogil
ctypedef void (*Dgemv)(
    char* trans, int* m, int* n, double* alpha, double* a, int* lda, double* x, int* incx,
    double* beta, double* y, int* incy
) noexcept nogil
ctypedef void (*Dsyrk)(
    char* uplo, char* trans, int* n, int* k, double* alpha, double* a, int* lda, double* beta,
    double* c, int* ldc
) noexcept nogil

cdef Dgemm dgemm
cdef Dgemv dgemv
cdef Dsyrk dsyrk

cdef void one_thread() noexcept nogil
cdef void threads_as_before() noexcept nogil
