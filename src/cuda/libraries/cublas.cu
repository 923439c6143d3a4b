/*
 * The part of cuBLAS that Heddle has: kernels of our own, written to be read and to be simulated, not to be the
 * fastest. Sums go over blocks in a fixed order, so that results are the same in every run.
 *
 * A scalar is a value where it comes from the host, and an address where the pointer mode says device.
 */
#include <cstdlib>
#include <cstring>
#include <new>
#include "cublas_api.h"
#include "dense.cuh"

struct cublasContext {
	cudaStream_t stream;
	cublasPointerMode_t mode;
	cublasMath_t math;
	void *partial; /* device memory for sums: one value a block, and the result */
};
enum { THREADS = 256, BLOCKS = 64, TILE = 16, PARTIAL_BYTES = (BLOCKS + 1) * 16 };

/* ---- halves ---- */

template <class To, class From> HD To as(From x) { return x; }
template <> __host__ __device__ __forceinline__ float as<float, __half>(__half x) { return __half2float(x); }
template <> __host__ __device__ __forceinline__ __half as<__half, float>(float x) { return __float2half(x); }

template <class T> struct scalar {
	T value;
	const T *at; /* device memory, or null */
	__device__ T get() const { return at ? *at : value; }
};
template <class T> static scalar<T> scalar_of(cublasHandle_t h, const T *p)
{
	scalar<T> s;
	memset(&s, 0, sizeof s);
	if (h->mode == CUBLAS_POINTER_MODE_DEVICE)
		s.at = p;
	else /* the program's own complex type may be aligned as its parts are */
		memcpy((void *)&s.value, (const void *)p, sizeof s.value);
	return s;
}

/* Element i of a vector of n whose increment may be negative: then it is stored backwards. */
HD size_t at(int i, int n, int inc) { return (size_t)(inc >= 0 ? (long long)i * inc : (long long)(i - n + 1) * inc); }

static cublasStatus_t launched()
{
	return cudaPeekAtLastError() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
static int grid_for(long long n)
{
	long long blocks = (n + THREADS - 1) / THREADS;
	return (int)(blocks < 1 ? 1 : blocks > 65535 ? 65535 : blocks);
}
#define FOR_EACH(i, n) \
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* ---- vectors ---- */

template <class T> static __global__ void blas_copy(int n, const T *x, int incx, T *y, int incy)
{
	FOR_EACH (i, n)
		y[at(i, n, incy)] = x[at(i, n, incx)];
}
template <class T> static __global__ void blas_swap(int n, T *x, int incx, T *y, int incy)
{
	FOR_EACH (i, n) {
		T t = x[at(i, n, incx)];
		x[at(i, n, incx)] = y[at(i, n, incy)];
		y[at(i, n, incy)] = t;
	}
}
template <class T> static __global__ void blas_scal(int n, scalar<T> alpha, T *x, int incx)
{
	T a = alpha.get();
	FOR_EACH (i, n)
		x[at(i, n, incx)] = mul(a, x[at(i, n, incx)]);
}
template <class T>
static __global__ void blas_axpy(int n, scalar<T> alpha, const T *x, int incx, T *y, int incy)
{
	T a = alpha.get();
	FOR_EACH (i, n)
		y[at(i, n, incy)] = add(mul(a, x[at(i, n, incx)]), y[at(i, n, incy)]);
}

/* ---- sums: a partial one a block, then one block adds those ---- */

struct take_dot {
	template <class T> static __device__ T term(T x, T y) { return mul(x, y); }
};
struct take_dotc {
	template <class T> static __device__ T term(T x, T y) { return mul(conjugate(x), y); }
};
struct take_square {
	template <class T> static __device__ auto term(T x, T) -> decltype(square(x)) { return square(x); }
};
struct take_magnitude {
	template <class T> static __device__ auto term(T x, T) -> decltype(magnitude(x)) { return magnitude(x); }
};
template <class R> static __device__ void block_sum(R mine, R *out, bool root)
{
	R sum = block_total<THREADS>(mine);
	if (!threadIdx.x)
		*out = root ? root_of(sum) : sum;
}
template <class F, class T, class R>
static __global__ void blas_partial(int n, const T *x, int incx, const T *y, int incy, R *out)
{
	R sum;
	memset(&sum, 0, sizeof sum);
	FOR_EACH (i, n)
		sum = add(sum, F::term(x[at(i, n, incx)], y[at(i, n, incy)]));
	block_sum(sum, out + blockIdx.x, false);
}
template <class R> static __global__ void blas_total(int n, const R *partial, R *out, bool root)
{
	R sum;
	memset(&sum, 0, sizeof sum);
	if (threadIdx.x < n)
		sum = partial[threadIdx.x];
	block_sum(sum, out, root);
}

/* A result goes where the pointer mode says. */
template <class R> static cublasStatus_t deliver(cublasHandle_t h, const R *device, R *result)
{
	if (launched())
		return CUBLAS_STATUS_EXECUTION_FAILED;
	if (h->mode == CUBLAS_POINTER_MODE_DEVICE)
		return CUBLAS_STATUS_SUCCESS;
	cudaError_t e = cudaMemcpyAsync(result, device, sizeof *result, cudaMemcpyDeviceToHost, h->stream);
	return e || cudaStreamSynchronize(h->stream) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
template <class F, class T, class R>
static cublasStatus_t sum(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, R *result, bool root)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int blocks = grid_for(n) < BLOCKS ? grid_for(n) : BLOCKS;
	R *partial = (R *)h->partial, *to = h->mode == CUBLAS_POINTER_MODE_DEVICE ? result : partial + BLOCKS;
	blas_partial<F, T, R><<<blocks, THREADS, 0, h->stream>>>(n > 0 ? n : 0, x, incx, y, incy, partial);
	blas_total<R><<<1, THREADS, 0, h->stream>>>(blocks, partial, to, root);
	return deliver(h, to, result);
}

/* The first of the largest (or smallest) magnitudes, counted from 1; 0 for an empty vector. */
template <class T, class R>
static __global__ void blas_extreme(int n, const T *x, int incx, bool largest, int *result)
{
	__shared__ R value[THREADS];
	__shared__ int where[THREADS];
	R best = 0;
	int mine = -1;
	for (int i = threadIdx.x; i < n; i += THREADS) {
		R v = magnitude(x[at(i, n, incx)]);
		if (mine < 0 || (largest ? v > best : v < best))
			best = v, mine = i;
	}
	value[threadIdx.x] = best, where[threadIdx.x] = mine;
	__syncthreads();
	if (threadIdx.x)
		return;
	for (int t = 1; t < THREADS; t++)
		if (where[t] >= 0 && (mine < 0 || (largest ? value[t] > best : value[t] < best) ||
				      (value[t] == best && where[t] < mine)))
			best = value[t], mine = where[t];
	*result = mine + 1;
}
template <class R, class T>
static cublasStatus_t extreme(cublasHandle_t h, int n, const T *x, int incx, bool largest, int *result)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int *to = h->mode == CUBLAS_POINTER_MODE_DEVICE ? result : (int *)h->partial;
	blas_extreme<T, R><<<1, THREADS, 0, h->stream>>>(n, x, incx, largest, to);
	return deliver(h, to, result);
}

/* ---- matrices ---- */

/* As the type of the sum. */
template <class A, class T> HD A element_as(const T *a, int lda, cublasOperation_t op, int i, int j)
{
	A x = as<A, T>(element(a, lda, op, i, j));
	return op == CUBLAS_OP_C ? conjugate(x) : x;
}

/* A row of op(A) a thread. */
template <class T>
static __global__ void blas_gemv(cublasOperation_t op, int rows, int cols, scalar<T> alpha, const T *a, int lda,
				 const T *x, int incx, scalar<T> beta, T *y, int incy)
{
	T al = alpha.get(), be = beta.get();
	FOR_EACH (i, rows) {
		T s;
		memset(&s, 0, sizeof s);
		for (int j = 0; j < cols; j++)
			s = add(s, mul(element_as<T>(a, lda, op, i, j), x[at(j, cols, incx)]));
		T *to = &y[at(i, rows, incy)];
		*to = is_zero(be) ? mul(al, s) : add(mul(al, s), mul(be, *to));
	}
}
template <class T>
static __global__ void blas_ger(int m, int n, scalar<T> alpha, const T *x, int incx, const T *y, int incy, T *a, int lda)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i < m && j < n)
		a[(size_t)j * lda + i] =
			add(a[(size_t)j * lda + i], mul(alpha.get(), mul(x[at(i, m, incx)], y[at(j, n, incy)])));
}

/* C = alpha op(A) op(B) + beta C, a tile of TILE x TILE a block; z counts the matrices of a batch. In and Out are the
 * types in memory, A the one of the sum. */
template <class In, class Out, class A> struct gemm_args {
	cublasOperation_t opa, opb;
	int m, n, k, lda, ldb, ldc;
	scalar<A> alpha, beta;
	const In *a, *b;
	Out *c;
	long long stride_a, stride_b, stride_c;
	const In *const *list_a, *const *list_b; /* of a batch by pointers */
	Out *const *list_c;
};
template <class In, class Out, class A> static __global__ void blas_gemm(gemm_args<In, Out, A> g)
{
	__shared__ A as_[TILE][TILE + 1], bs[TILE][TILE + 1];
	int z = blockIdx.z, tx = threadIdx.x, ty = threadIdx.y;
	const In *a = g.list_a ? g.list_a[z] : g.a + z * g.stride_a, *b = g.list_b ? g.list_b[z] : g.b + z * g.stride_b;
	Out *c = g.list_c ? g.list_c[z] : g.c + z * g.stride_c;
	int i = blockIdx.x * TILE + tx, j = blockIdx.y * TILE + ty;
	A s, zero;
	memset(&s, 0, sizeof s);
	memset(&zero, 0, sizeof zero);
	for (int k0 = 0; k0 < g.k; k0 += TILE) {
		as_[ty][tx] = i < g.m && k0 + ty < g.k ? element_as<A>(a, g.lda, g.opa, i, k0 + ty) : zero;
		bs[ty][tx] = j < g.n && k0 + tx < g.k ? element_as<A>(b, g.ldb, g.opb, k0 + tx, j) : zero;
		__syncthreads();
		for (int q = 0; q < TILE; q++)
			s = add(s, mul(as_[q][tx], bs[ty][q]));
		__syncthreads();
	}
	if (i >= g.m || j >= g.n)
		return;
	Out *to = &c[(size_t)j * g.ldc + i];
	A al = g.alpha.get(), be = g.beta.get(), r = mul(al, s);
	*to = as<Out, A>(is_zero(be) ? r : add(r, mul(be, as<A, Out>(*to))));
}
template <class In, class Out, class A>
static cublasStatus_t gemm(cublasHandle_t h, const gemm_args<In, Out, A> &g, int count)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int rows_a = g.opa == CUBLAS_OP_N ? g.m : g.k, rows_b = g.opb == CUBLAS_OP_N ? g.k : g.n;
	if (g.m < 0 || g.n < 0 || g.k < 0 || count < 0 || g.lda < (rows_a > 1 ? rows_a : 1) ||
	    g.ldb < (rows_b > 1 ? rows_b : 1) || g.ldc < (g.m > 1 ? g.m : 1))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!g.m || !g.n || !count)
		return CUBLAS_STATUS_SUCCESS;
	dim3 grid((g.m + TILE - 1) / TILE, (g.n + TILE - 1) / TILE, count), block(TILE, TILE);
	blas_gemm<In, Out, A><<<grid, block, 0, h->stream>>>(g);
	return launched();
}

template <class T>
static __global__ void blas_geam(cublasOperation_t opa, cublasOperation_t opb, int m, int n, scalar<T> alpha, const T *a,
				 int lda, scalar<T> beta, const T *b, int ldb, T *c, int ldc)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i >= m || j >= n)
		return;
	T al = alpha.get(), be = beta.get(), r, zero;
	memset(&zero, 0, sizeof zero);
	r = is_zero(al) ? zero : mul(al, element_as<T>(a, lda, opa, i, j));
	c[(size_t)j * ldc + i] = is_zero(be) ? r : add(r, mul(be, element_as<T>(b, ldb, opb, i, j)));
}

template <class T>
static __global__ void blas_dgmm(bool left, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i < m && j < n)
		c[(size_t)j * ldc + i] = mul(a[(size_t)j * lda + i], x[left ? at(i, m, incx) : at(j, n, incx)]);
}

/* For an inverse: C begins as the unit matrix. info: the first zero on the diagonal of A's factor U, from 1. */
template <class T>
static __global__ void blas_unit(int n, const T *const *a, int lda, T *const *c, int ldc, int *info)
{
	int z = blockIdx.x;
	for (int e = threadIdx.x; e < n * n; e += THREADS)
		c[z][(size_t)(e / n) * ldc + e % n] = of_real<T>(e / n == e % n);
	if (threadIdx.x)
		return;
	info[z] = 0;
	for (int i = n; i--;)
		if (is_zero(a[z][(size_t)i * lda + i]))
			info[z] = i + 1;
}

/* op(A) x = alpha b, a right-hand side a thread: a column of B (stride 1 in it), or for X op(A) = alpha B a row, for
 * which the system is transposed. */
template <class T>
static __global__ void blas_trsm(bool lower, cublasOperation_t op, bool turned, bool unit, int size, int count,
				 scalar<T> alpha, const T *a, int lda, T *b, int stride, int apart)
{
	triangle<T> t = {a, lda, op, size, lower, turned, unit};
	T al = alpha.get();
	FOR_EACH (q, count)
		t.solve(al, b + (size_t)q * apart, stride);
}
template <class T>
static cublasStatus_t trsm(cublasHandle_t h, bool left, cublasFillMode_t uplo, cublasOperation_t op,
			   cublasDiagType_t diag, int m, int n, scalar<T> alpha, const T *a, int lda, T *b, int ldb)
{
	bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); /* of op(A) */
	int size = left ? m : n, count = left ? n : m;
	if (!left)
		lower = !lower;
	if (m <= 0 || n <= 0)
		return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
	blas_trsm<T><<<grid_for(count), THREADS, 0, h->stream>>>(lower, op, !left, diag == CUBLAS_DIAG_UNIT, size, count,
								alpha, a, lda, b, left ? 1 : ldb, left ? ldb : 1);
	return launched();
}

/* ---- the interface ---- */

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
CONTROL(cublasSetAtomicsMode, cublasAtomicsMode_t m, (void)m) /* none are used */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *, size_t)
{
	return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

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

/* Vectors as matrices of one row of `size` bytes a line. */
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

#define NEED(h) \
	if (!(h)) \
		return CUBLAS_STATUS_NOT_INITIALIZED
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
	return trsm<T>(h, side == CUBLAS_SIDE_LEFT, uplo, op, diag, m, n, scalar_of(h, alpha), a, lda, b, ldb); \
} \
cublasStatus_t cublas##L##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx) \
{ \
	NEED(h); \
	if (incx <= 0) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	scalar<T> one; \
	memset(&one, 0, sizeof one); \
	one.value = of_real<T>(1); \
	/* a row of the system X op(A)^T has its elements incx apart */ \
	bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); \
	blas_trsm<T><<<1, THREADS, 0, h->stream>>>(lower, op, false, diag == CUBLAS_DIAG_UNIT, n, 1, one, a, lda, x, \
						   incx, 0); \
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
#define GER(name, T) \
	cublasStatus_t name(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, \
			    T *a, int lda) \
	{ \
		NEED(h); \
		if (m <= 0 || n <= 0) \
			return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS; \
		dim3 grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE); \
		blas_ger<T><<<grid, block, 0, h->stream>>>(m, n, scalar_of(h, alpha), x, incx, y, incy, a, lda); \
		return launched(); \
	}
GER(cublasSger_v2, float)
GER(cublasDger_v2, double)

/* Of halves: sums in float, alpha and beta are halves too. */
static cublasStatus_t half_gemm(cublasHandle_t h, gemm_args<__half, __half, float> g, const __half *alpha,
				const __half *beta, int count)
{
	NEED(h);
	if (h->mode == CUBLAS_POINTER_MODE_DEVICE)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	g.alpha = {__half2float(*alpha), NULL};
	g.beta = {__half2float(*beta), NULL};
	return gemm<__half, __half, float>(h, g, count);
}
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
			   const __half *alpha, const __half *a, int lda, const __half *b, int ldb, const __half *beta,
			   __half *c, int ldc)
{
	return half_gemm(h, {opa, opb, m, n, k, lda, ldb, ldc, {}, {}, a, b, c}, alpha, beta, 1);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,
					 int k, const __half *alpha, const __half *a, int lda, long long int sa,
					 const __half *b, int ldb, long long int sb, const __half *beta, __half *c,
					 int ldc, long long int sc, int count)
{
	return half_gemm(h, {opa, opb, m, n, k, lda, ldb, ldc, {}, {}, a, b, c, sa, sb, sc}, alpha, beta, count);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
				  const __half *alpha, const __half *const a[], int lda, const __half *const b[],
				  int ldb, const __half *beta, __half *const c[], int ldc, int count)
{
	return half_gemm(h, {opa, opb, m, n, k, lda, ldb, ldc, {}, {}, NULL, NULL, NULL, 0, 0, 0, a, b, c}, alpha, beta,
			 count);
}

} /* extern "C" */

/* Types by number: the arguments without their types, which the table below gives them. */
struct untyped_gemm {
	cublasOperation_t opa, opb;
	int m, n, k, lda, ldb, ldc;
	const void *a, *b;
	void *c;
	long long stride_a, stride_b, stride_c;
	const void *const *list_a, *const *list_b;
	void *const *list_c;
};
struct gemm_types {
	cudaDataType a, b, c;
	cublasComputeType_t compute;
};
template <class In, class Out, class A>
static cublasStatus_t typed_gemm(cublasHandle_t h, const untyped_gemm &g, const void *alpha,
				 const void *beta, int count)
{
	return gemm<In, Out, A>(h, {g.opa, g.opb, g.m, g.n, g.k, g.lda, g.ldb, g.ldc, scalar_of(h, (const A *)alpha),
				    scalar_of(h, (const A *)beta), (const In *)g.a, (const In *)g.b, (Out *)g.c,
				    g.stride_a, g.stride_b, g.stride_c, (const In *const *)g.list_a,
				    (const In *const *)g.list_b, (Out *const *)g.list_c}, count);
}
static cublasStatus_t gemm_ex(cublasHandle_t h, const untyped_gemm &g, const gemm_types &t,
			      const void *alpha, const void *beta, int count)
{
	NEED(h);
	bool halves = t.compute == CUBLAS_COMPUTE_16F || t.compute == CUBLAS_COMPUTE_16F_PEDANTIC;
	if (t.a != t.b || (halves && (t.a != CUDA_R_16F || t.c != CUDA_R_16F)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (halves)
		return half_gemm(h, {g.opa, g.opb, g.m, g.n, g.k, g.lda, g.ldb, g.ldc, {}, {}, (const __half *)g.a,
				     (const __half *)g.b, (__half *)g.c, g.stride_a, g.stride_b, g.stride_c,
				     (const __half *const *)g.list_a, (const __half *const *)g.list_b,
				     (__half *const *)g.list_c}, (const __half *)alpha, (const __half *)beta, count);
#define EX(code_in, code_out, In, Out, A) \
	if (t.a == code_in && t.c == code_out) \
		return typed_gemm<In, Out, A>(h, g, alpha, beta, count)
	EX(CUDA_R_32F, CUDA_R_32F, float, float, float);
	EX(CUDA_R_64F, CUDA_R_64F, double, double, double);
	EX(CUDA_C_32F, CUDA_C_32F, cuComplex, cuComplex, cuComplex);
	EX(CUDA_C_64F, CUDA_C_64F, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex);
	EX(CUDA_R_16F, CUDA_R_16F, __half, __half, float);
	EX(CUDA_R_16F, CUDA_R_32F, __half, float, float);
#undef EX
	return CUBLAS_STATUS_NOT_SUPPORTED;
}
extern "C" {
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
			    const void *alpha, const void *a, cudaDataType ta, int lda, const void *b, cudaDataType tb,
			    int ldb, const void *beta, void *c, cudaDataType tc, int ldc, cublasComputeType_t compute,
			    cublasGemmAlgo_t)
{
	return gemm_ex(h, {opa, opb, m, n, k, lda, ldb, ldc, a, b, c}, {ta, tb, tc, compute}, alpha, beta, 1);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,
					  int k, const void *alpha, const void *a, cudaDataType ta, int lda,
					  long long int sa, const void *b, cudaDataType tb, int ldb, long long int sb,
					  const void *beta, void *c, cudaDataType tc, int ldc, long long int sc,
					  int count, cublasComputeType_t compute, cublasGemmAlgo_t)
{
	return gemm_ex(h, {opa, opb, m, n, k, lda, ldb, ldc, a, b, c, sa, sb, sc}, {ta, tb, tc, compute}, alpha,
		       beta, count);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
				   const void *alpha, const void *const a[], cudaDataType ta, int lda,
				   const void *const b[], cudaDataType tb, int ldb, const void *beta, void *const c[],
				   cudaDataType tc, int ldc, int count, cublasComputeType_t compute, cublasGemmAlgo_t)
{
	return gemm_ex(h, {opa, opb, m, n, k, lda, ldb, ldc, NULL, NULL, NULL, 0, 0, 0, a, b, c},
		       {ta, tb, tc, compute}, alpha, beta, count);
}

/* Vectors by number: those of one type throughout, whose function is called. */
#define BY_TYPE(type, S, D, C, Z) \
	switch (type) { \
	case CUDA_R_32F: { typedef float T; return S; } \
	case CUDA_R_64F: { typedef double T; return D; } \
	case CUDA_C_32F: { typedef cuComplex T; return C; } \
	case CUDA_C_64F: { typedef cuDoubleComplex T; return Z; } \
	default: return CUBLAS_STATUS_NOT_SUPPORTED; \
	}
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, const void *y,
			   cudaDataType ty, int incy, void *r, cudaDataType tr, cudaDataType by)
{
	if (ty != tx || tr != tx || by != tx)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define ARGS (h, n, (const T *)x, incx, (const T *)y, incy, (T *)r)
	BY_TYPE(tx, cublasSdot_v2 ARGS, cublasDdot_v2 ARGS, cublasCdotu_v2 ARGS, cublasZdotu_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ta, const void *x, cudaDataType tx,
			    int incx, void *y, cudaDataType ty, int incy, cudaDataType by)
{
	if (ta != tx || ty != tx || by != tx)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define ARGS (h, n, (const T *)alpha, (const T *)x, incx, (T *)y, incy)
	BY_TYPE(tx, cublasSaxpy_v2 ARGS, cublasDaxpy_v2 ARGS, cublasCaxpy_v2 ARGS, cublasZaxpy_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ta, void *x, cudaDataType tx,
			    int incx, cudaDataType by)
{
	if (ta != tx || by != tx)
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define ARGS (h, n, (const T *)alpha, (T *)x, incx)
	BY_TYPE(tx, cublasSscal_v2 ARGS, cublasDscal_v2 ARGS, cublasCscal_v2 ARGS, cublasZscal_v2 ARGS)
#undef ARGS
}
} /* extern "C" */
