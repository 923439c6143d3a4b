/*
 * The part of cuBLAS that Heddle has: kernels of our own, written to be read and to be simulated, not to be the
 * fastest. Here are the calls of the four types; the kernels are in the headers.
 */
#include <cstdio>
#include <new>
#include "cublas_matrix.cuh"

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	cublasHandle_t h = new (std::nothrow) cublasContext();
	if (!handle || !h || cudaMalloc(&h->partial, PARTIAL_BYTES)) {
		delete h;
		return handle ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_INVALID_VALUE;
	}
	*handle = h;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	cudaFree(h->partial);
	delete h;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version)
{
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}
#define CONTROL(name, param, action) \
	cublasStatus_t name(cublasHandle_t h, param) \
	{ \
		if (!h) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		action; \
		return CUBLAS_STATUS_SUCCESS; \
	}
CONTROL(cublasSetStream_v2, cudaStream_t s, h->stream = s)
CONTROL(cublasGetStream_v2, cudaStream_t *s, *s = h->stream)
CONTROL(cublasSetPointerMode_v2, cublasPointerMode_t m, h->mode = m)
CONTROL(cublasGetPointerMode_v2, cublasPointerMode_t *m, *m = h->mode)
CONTROL(cublasSetMathMode, cublasMath_t m, h->math = m)
CONTROL(cublasGetMathMode, cublasMath_t *m, *m = h->math)
CONTROL(cublasSetAtomicsMode, cublasAtomicsMode_t m, h->atomics = m) /* none are used */
CONTROL(cublasGetAtomicsMode, cublasAtomicsMode_t *m, *m = h->atomics)
CONTROL(cublasSetSmCountTarget, int n, h->sm_target = n) /* no choice depends on it */
CONTROL(cublasGetSmCountTarget, int *n, *n = h->sm_target)
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *, size_t)
{
	return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
		return CUBLAS_STATUS_INVALID_VALUE;
	*value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
	return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }
/* Nothing is logged; the callback is kept for cublasGetLoggerCallback(). */
static cublasLogCallback logger;
cublasStatus_t cublasLoggerConfigure(int, int, int, const char *) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback to)
{
	logger = to;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *to)
{
	*to = logger;
	return CUBLAS_STATUS_SUCCESS;
}
void cublasXerbla(const char *name, int info) { fprintf(stderr, "On entry to %s parameter number %d had an illegal value\n", name, info); }

const char *cublasGetStatusName(cublasStatus_t s)
{
	switch (s) {
	case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
	case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
	case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
	case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
	case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
	case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
	case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
	default: return "CUBLAS_STATUS_INTERNAL_ERROR";
	}
}
const char *cublasGetStatusString(cublasStatus_t s) { return cublasGetStatusName(s); }

/* Copies vectors as matrices whose rows have one element of `size` bytes. */
static cublasStatus_t copy2d(int lines, size_t width, const void *from, size_t pitch, void *to, size_t to_pitch,
			     cudaStream_t s, bool wait)
{
	if (lines <= 0 || !width)
		return CUBLAS_STATUS_SUCCESS;
	cudaError_t e = cudaMemcpy2DAsync(to, to_pitch, from, pitch, width, lines, cudaMemcpyDefault, s);
	if (!e && wait)
		e = cudaStreamSynchronize(s);
	return e ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}
#define VECTOR(name) \
	cublasStatus_t name##Async(int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t s) \
	{ \
		return copy2d(n, size, x, (size_t)incx * size, y, (size_t)incy * size, s, false); \
	} \
	cublasStatus_t name(int n, int size, const void *x, int incx, void *y, int incy) \
	{ \
		return copy2d(n, size, x, (size_t)incx * size, y, (size_t)incy * size, 0, true); \
	}
#define MATRIX(name) \
	cublasStatus_t name##Async(int m, int n, int size, const void *a, int lda, void *b, int ldb, cudaStream_t s) \
	{ \
		return copy2d(n, (size_t)m * size, a, (size_t)lda * size, b, (size_t)ldb * size, s, false); \
	} \
	cublasStatus_t name(int m, int n, int size, const void *a, int lda, void *b, int ldb) \
	{ \
		return copy2d(n, (size_t)m * size, a, (size_t)lda * size, b, (size_t)ldb * size, 0, true); \
	}
VECTOR(cublasSetVector)
VECTOR(cublasGetVector)
MATRIX(cublasSetMatrix)
MATRIX(cublasGetMatrix)

#define TYPE(L, T) \
cublasStatus_t cublas##L##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy) \
{ \
	NEED(h); \
	blas_copy<T><<<grid_for(n), THREADS, 0, h->stream>>>(n, x, incx, y, incy); \
	return launched(); \
} \
cublasStatus_t cublas##L##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) \
{ \
	NEED(h); \
	blas_swap<T><<<grid_for(n), THREADS, 0, h->stream>>>(n, x, incx, y, incy); \
	return launched(); \
} \
cublasStatus_t cublas##L##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx) \
{ \
	NEED(h); \
	blas_scal<T><<<grid_for(n), THREADS, 0, h->stream>>>(n, scalar_of(h, alpha), x, incx); \
	return launched(); \
} \
cublasStatus_t cublas##L##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy) \
{ \
	NEED(h); \
	blas_axpy<T><<<grid_for(n), THREADS, 0, h->stream>>>(n, scalar_of(h, alpha), x, incx, y, incy); \
	return launched(); \
} \
cublasStatus_t cublas##L##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha, const T *a, \
	int lda, const T *x, int incx, const T *beta, T *y, int incy) \
{ \
	NEED(h); \
	if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !incx || !incy) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	int rows = op == CUBLAS_OP_N ? m : n, cols = op == CUBLAS_OP_N ? n : m; \
	blas_gemv<T><<<grid_for(rows), THREADS, 0, h->stream>>>(op, rows, cols, scalar_of(h, alpha), a, lda, x, incx, \
								scalar_of(h, beta), y, incy); \
	return launched(); \
} \
cublasStatus_t cublas##L##gemm_v2(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, \
	int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) \
{ \
	NEED(h); \
	return gemm<T, T, T>(h, {opa, opb, m, n, k, lda, ldb, ldc, scalar_of(h, alpha), scalar_of(h, beta), a, b, c}, 1); \
} \
cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, \
	int n, int k, const T *alpha, const T *a, int lda, long long int sa, const T *b, int ldb, long long int sb, \
	const T *beta, T *c, int ldc, long long int sc, int count) \
{ \
	NEED(h); \
	return gemm<T, T, T>(h, {opa, opb, m, n, k, lda, ldb, ldc, scalar_of(h, alpha), scalar_of(h, beta), a, b, c, sa, \
				 sb, sc}, count); \
} \
cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, \
	int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], \
	int ldc, int count) \
{ \
	NEED(h); \
	return gemm<T, T, T>(h, {opa, opb, m, n, k, lda, ldb, ldc, scalar_of(h, alpha), scalar_of(h, beta), NULL, NULL, \
				 NULL, 0, 0, 0, a, b, c}, count); \
} \
cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, \
	const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) \
{ \
	NEED(h); \
	if (m <= 0 || n <= 0) \
		return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS; \
	dim3 grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE); \
	blas_geam<T><<<grid, block, 0, h->stream>>>(opa, opb, m, n, scalar_of(h, alpha), a, lda, scalar_of(h, beta), b, \
						   ldb, c, ldc); \
	return launched(); \
} \
cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T *a, int lda, const T *x, \
	int incx, T *c, int ldc) \
{ \
	NEED(h); \
	if (m <= 0 || n <= 0) \
		return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS; \
	dim3 grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE); \
	blas_dgmm<T><<<grid, block, 0, h->stream>>>(side == CUBLAS_SIDE_LEFT, m, n, a, lda, x, incx, c, ldc); \
	return launched(); \
} \
cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info, int count) \
{ \
	NEED(h); \
	if (n < 0 || count < 0 || lda < (n > 1 ? n : 1)) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	if (n && count) \
		dense_lu<T, int><<<count, FACTOR_THREADS, 0, h->stream>>>(n, n, NULL, a, lda, pivots, info); \
	return launched(); \
} \
cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int nrhs, const T *const a[], \
	int lda, const int *pivots, T *const b[], int ldb, int *info, int count) \
{ \
	NEED(h); \
	bool wrong = n < 0 || nrhs < 0 || count < 0 || lda < (n > 1 ? n : 1) || ldb < (n > 1 ? n : 1); \
	*info = wrong ? -1 : 0; \
	if (wrong) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	if (n && nrhs && count) \
		dense_lu_solve<T, int><<<dim3(grid_for(nrhs), count), THREADS, 0, h->stream>>>(op, n, nrhs, NULL, a, lda, \
											     pivots, NULL, b, ldb); \
	return launched(); \
} \
cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots, \
	T *const c[], int ldc, int *info, int count) \
{ \
	int wrong; \
	NEED(h); \
	if (n > 0 && count > 0) \
		blas_unit<T><<<count, THREADS, 0, h->stream>>>(n, a, lda, c, ldc, info); \
	return cublas##L##getrsBatched(h, CUBLAS_OP_N, n, n, a, lda, pivots, c, ldc, &wrong, count); \
} \
cublasStatus_t cublas##L##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, \
	cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb) \
{ \
	NEED(h); \
	return trsm<T>(h, side == CUBLAS_SIDE_LEFT, uplo, op, diag, m, n, scalar_of(h, alpha), a, NULL, lda, b, NULL, ldb, 1); \
} \
cublasStatus_t cublas##L##trsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, int m, int n, const T *alpha, const T *const a[], int lda, T *const b[], int ldb, int count) \
{ \
	NEED(h); \
	return trsm<T>(h, side == CUBLAS_SIDE_LEFT, uplo, op, diag, m, n, scalar_of(h, alpha), NULL, a, lda, NULL, b, ldb, count); \
} \
cublasStatus_t cublas##L##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx) \
{ \
	NEED(h); \
	if (!incx || n < 0 || lda < (n > 1 ? n : 1)) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	x += incx < 0 ? (long long)(1 - n) * incx : 0; /* stored backwards: it begins at its end */ \
	scalar<T> one; \
	memset(&one, 0, sizeof one); \
	one.value = of_real<T>(1); \
	/* a row of the system X op(A)^T has its elements incx apart */ \
	bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); \
	blas_trsm<T><<<1, THREADS, 0, h->stream>>>(lower, op, false, diag == CUBLAS_DIAG_UNIT, n, 1, one, a, NULL, lda, \
						   x, NULL, incx, 0); \
	return launched(); \
}
TYPE(S, float)
TYPE(D, double)
TYPE(C, cuComplex)
TYPE(Z, cuDoubleComplex)

#define EXTREME(name, T, R, largest) \
	cublasStatus_t name(cublasHandle_t h, int n, const T *x, int incx, int *r) \
	{ \
		return extreme<R>(h, n, x, incx, largest, r); \
	}
EXTREME(cublasIsamax_v2, float, float, true)
EXTREME(cublasIdamax_v2, double, double, true)
EXTREME(cublasIcamax_v2, cuComplex, float, true)
EXTREME(cublasIzamax_v2, cuDoubleComplex, double, true)
EXTREME(cublasIsamin_v2, float, float, false)
EXTREME(cublasIdamin_v2, double, double, false)
EXTREME(cublasIcamin_v2, cuComplex, float, false)
EXTREME(cublasIzamin_v2, cuDoubleComplex, double, false)
#define DOT(name, T, F) \
	cublasStatus_t name(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *r) \
	{ \
		return sum<F>(h, n, x, incx, y, incy, r, false); \
	}
DOT(cublasSdot_v2, float, take_dot)
DOT(cublasDdot_v2, double, take_dot)
DOT(cublasCdotu_v2, cuComplex, take_dot)
DOT(cublasCdotc_v2, cuComplex, take_dotc)
DOT(cublasZdotu_v2, cuDoubleComplex, take_dot)
DOT(cublasZdotc_v2, cuDoubleComplex, take_dotc)
#define NORM(name, T, R, F, root) \
	cublasStatus_t name(cublasHandle_t h, int n, const T *x, int incx, R *r) \
	{ \
		return sum<F>(h, n, x, incx, x, incx, r, root); \
	}
NORM(cublasSnrm2_v2, float, float, take_square, true)
NORM(cublasDnrm2_v2, double, double, take_square, true)
NORM(cublasScnrm2_v2, cuComplex, float, take_square, true)
NORM(cublasDznrm2_v2, cuDoubleComplex, double, take_square, true)
NORM(cublasSasum_v2, float, float, take_magnitude, false)
NORM(cublasDasum_v2, double, double, take_magnitude, false)
NORM(cublasScasum_v2, cuComplex, float, take_magnitude, false)
NORM(cublasDzasum_v2, cuDoubleComplex, double, take_magnitude, false)
#define GER(name, T, conjugated) \
	cublasStatus_t name(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, \
			    T *a, int lda) \
	{ \
		NEED(h); \
		if (m <= 0 || n <= 0) \
			return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS; \
		dim3 grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE); \
		blas_ger<T><<<grid, block, 0, h->stream>>>(m, n, conjugated, scalar_of(h, alpha), x, incx, y, incy, a, lda); \
		return launched(); \
	}
GER(cublasSger_v2, float, false)
GER(cublasDger_v2, double, false)
GER(cublasCgeru_v2, cuComplex, false)
GER(cublasCgerc_v2, cuComplex, true)
GER(cublasZgeru_v2, cuDoubleComplex, false)
GER(cublasZgerc_v2, cuDoubleComplex, true)
/* The complex product with three real ones is the same product. */
#define GEMM3M(name, call, T) \
	cublasStatus_t name(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha, const T *a, \
			    int lda, const T *b, int ldb, const T *beta, T *c, int ldc) \
	{ \
		return call(h, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
	}
GEMM3M(cublasCgemm3m, cublasCgemm_v2, cuComplex)
GEMM3M(cublasZgemm3m, cublasZgemm_v2, cuDoubleComplex)
cublasStatus_t cublasCgemm3mBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const cuComplex *alpha,
	const cuComplex *const a[], int lda, const cuComplex *const b[], int ldb, const cuComplex *beta, cuComplex *const c[], int ldc, int count)
{
	return cublasCgemmBatched(h, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);
}
cublasStatus_t cublasCgemm3mStridedBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
	const cuComplex *alpha, const cuComplex *a, int lda, long long int sa, const cuComplex *b, int ldb, long long int sb,
	const cuComplex *beta, cuComplex *c, int ldc, long long int sc, int count)
{
	return cublasCgemmStridedBatched(h, opa, opb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc, count);
}

} /* extern "C" */
