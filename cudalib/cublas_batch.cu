/*
 * Batches of cuBLAS other than gemm's: products of matrices with vectors, inverses of small matrices, and groups of products
 * of which each has its own sizes.
 */
#include "cublas_matrix.cuh"

/* y = alpha op(A) x + beta y: one row of op(A) per thread, one matrix per y of the grid. */
template <class In, class Out, class A> struct gemv_args {
	cublasOperation_t op;
	int m, n, lda, incx, incy;
	scalar<A> alpha, beta;
	const In *a, *x;
	Out *y;
	long long stride_a, stride_x, stride_y;
	const In *const *list_a, *const *list_x; /* matrices and vectors of a batch given by pointers */
	Out *const *list_y;
};
template <class In, class Out, class A> static __global__ void blas_gemv_batch(gemv_args<In, Out, A> g)
{
	int z = blockIdx.y;
	const In *a = g.list_a ? g.list_a[z] : g.a + z * g.stride_a, *x = g.list_x ? g.list_x[z] : g.x + z * g.stride_x;
	Out *y = g.list_y ? g.list_y[z] : g.y + z * g.stride_y;
	int rows = g.op == CUBLAS_OP_N ? g.m : g.n, cols = g.op == CUBLAS_OP_N ? g.n : g.m;
	A al = g.alpha.get(), be = g.beta.get();
	FOR_EACH (i, rows) {
		A s;
		memset(&s, 0, sizeof s);
		for (int j = 0; j < cols; j++)
			s = add(s, mul(element_as<A>(a, g.lda, g.op, i, j), as<A, In>(x[at(j, cols, g.incx)])));
		Out *to = &y[at(i, rows, g.incy)];
		*to = as<Out, A>(is_zero(be) ? mul(al, s) : add(mul(al, s), mul(be, as<A, Out>(*to))));
	}
}
template <class In, class Out, class A>
static cublasStatus_t gemv(cublasHandle_t h, const gemv_args<In, Out, A> &g, int count)
{
	if (g.m < 0 || g.n < 0 || count < 0 || g.lda < (g.m > 1 ? g.m : 1) || !g.incx || !g.incy)
		return CUBLAS_STATUS_INVALID_VALUE;
	int rows = g.op == CUBLAS_OP_N ? g.m : g.n;
	if (rows && count)
		blas_gemv_batch<In, Out, A><<<dim3(grid_for(rows), count), THREADS, 0, h->stream>>>(g);
	return launched();
}

/* Inverts one matrix per block by Gauss-Jordan elimination with row exchanges: [A | 1] becomes [1 | C] in shared memory.
 * info: the column, from 1, that has no pivot; there is no inverse then. */
enum { INVERSE_MOST = 32 };
template <class T>
static __global__ void blas_inverse(int n, const T *const *a, int lda, T *const *c, int ldc, int *info)
{
	__shared__ T s[2 * INVERSE_MOST][INVERSE_MOST];
	int z = blockIdx.x, t = threadIdx.x; /* one column per thread */
	for (int i = 0; i < n; i++)
		s[t][i] = t < n ? a[z][(size_t)t * lda + i] : of_real<T>(t - n == i);
	__syncthreads();
	for (int k = 0; k < n; k++) {
		int p = k;
		for (int i = k + 1; i < n; i++)
			p = magnitude(s[k][i]) > magnitude(s[k][p]) ? i : p;
		T by = s[k][p];
		if (is_zero(by)) {
			if (!t)
				info[z] = k + 1;
			return;
		}
		T top = quotient(s[t][p], by);
		__syncthreads();
		s[t][p] = s[t][k];
		/* column k is changed last: the others read it */
		for (int last = 0; last < 2; last++) {
			__syncthreads();
			if ((t == k) != last)
				continue;
			for (int i = 0; i < n; i++)
				s[t][i] = i == k ? top : sub(s[t][i], mul(last ? s[t][i] : s[k][i], top));
		}
		__syncthreads();
	}
	for (int i = 0; i < n && t >= n; i++)
		c[z][(size_t)(t - n) * ldc + i] = s[t][i];
	if (!t)
		info[z] = 0;
}

/* Groups: the lists of pointers are on the device, one after the other. */
template <class T, class F>
static cublasStatus_t grouped(cublasHandle_t h, F call, const cublasOperation_t *opa, const cublasOperation_t *opb, const int *m, const int *n,
			      const int *k, const T *alpha, const T *const *a, const int *lda, const T *const *b, const int *ldb,
			      const T *beta, T *const *c, const int *ldc, int groups, const int *size)
{
	NEED(h);
	if (groups < 0 || h->mode == CUBLAS_POINTER_MODE_DEVICE)
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int g = 0; g < groups; a += size[g], b += size[g], c += size[g], g++) {
		cublasStatus_t s = call(h, opa[g], opb[g], m[g], n[g], k[g], &alpha[g], a, lda[g], b, ldb[g], &beta[g], c, ldc[g], size[g]);
		if (s)
			return s;
	}
	return CUBLAS_STATUS_SUCCESS;
}

extern "C" {
#define GEMV(name, In, Out, A) \
cublasStatus_t name##Batched(cublasHandle_t h, cublasOperation_t op, int m, int n, const A *alpha, const In *const a[], int lda, \
	const In *const x[], int incx, const A *beta, Out *const y[], int incy, int count) \
{ \
	NEED(h); \
	return gemv<In, Out, A>(h, {op, m, n, lda, incx, incy, scalar_of(h, alpha), scalar_of(h, beta), NULL, NULL, NULL, 0, 0, 0, a, x, \
				    y}, count); \
} \
cublasStatus_t name##StridedBatched(cublasHandle_t h, cublasOperation_t op, int m, int n, const A *alpha, const In *a, int lda, \
	long long int sa, const In *x, int incx, long long int sx, const A *beta, Out *y, int incy, long long int sy, int count) \
{ \
	NEED(h); \
	return gemv<In, Out, A>(h, {op, m, n, lda, incx, incy, scalar_of(h, alpha), scalar_of(h, beta), a, x, y, sa, sx, sy}, count); \
}
GEMV(cublasHSHgemv, __half, __half, float)
GEMV(cublasHSSgemv, __half, float, float)
GEMV(cublasTSTgemv, __nv_bfloat16, __nv_bfloat16, float)
GEMV(cublasTSSgemv, __nv_bfloat16, float, float)
#define TYPE(L, T) \
GEMV(cublas##L##gemv, T, T, T) \
cublasStatus_t cublas##L##matinvBatched(cublasHandle_t h, int n, const T *const a[], int lda, T *const c[], int ldc, int *info, int count) \
{ \
	NEED(h); \
	if (n < 0 || n > INVERSE_MOST || count < 0 || lda < (n > 1 ? n : 1) || ldc < (n > 1 ? n : 1)) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	if (n && count) \
		blas_inverse<T><<<count, 2 * n, 0, h->stream>>>(n, a, lda, c, ldc, info); \
	return launched(); \
}
TYPE(S, float)
TYPE(D, double)
TYPE(C, cuComplex)
TYPE(Z, cuDoubleComplex)
#define GROUPED(L, T) \
cublasStatus_t cublas##L##gemmGroupedBatched(cublasHandle_t h, const cublasOperation_t opa[], const cublasOperation_t opb[], \
	const int m[], const int n[], const int k[], const T alpha[], const T *const a[], const int lda[], const T *const b[], \
	const int ldb[], const T beta[], T *const c[], const int ldc[], int groups, const int size[]) \
{ \
	return grouped(h, cublas##L##gemmBatched, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, size); \
}
GROUPED(S, float)
GROUPED(D, double)
} /* extern "C" */
