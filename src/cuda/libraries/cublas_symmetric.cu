/*
 * The functions of cuBLAS with symmetric, Hermitian and triangular matrices: symm, hemm, syrk, herk, trmm, symv, hemv, trmv. All are
 * C = alpha X Y + beta C, where X or Y says by its kind which elements are stored, and C may be a triangle; an element of
 * C a thread.
 */
#include "cublas_matrix.cuh"

enum operand_kind { PLAIN, SYMMETRIC, HERMITIAN, TRIANGULAR };
template <class T> struct operand {
	const T *a;
	long long row, col; /* steps between its elements */
	operand_kind kind;
	cublasOperation_t op;
	bool lower, unit;

	__device__ T at(int i, int j) const
	{
		if (kind == SYMMETRIC || kind == HERMITIAN) {
			bool stored = lower ? i >= j : i <= j;
			T x = stored ? a[i * row + j * col] : a[j * row + i * col];
			return kind == SYMMETRIC ? x : i == j ? of_real<T>(real_part(x)) : stored ? x : conjugate(x);
		}
		int r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
		if (kind == TRIANGULAR && r == c && unit)
			return of_real<T>(1);
		if (kind == TRIANGULAR && (lower ? c > r : c < r))
			return of_real<T>(0);
		T x = a[r * row + c * col];
		return op == CUBLAS_OP_C ? conjugate(x) : x;
	}
};
enum part { WHOLE, LOWER, UPPER };
/* Two factors of the whole: complex, or real where the function has them so. */
template <class T> struct factors {
	scalar<T> alpha, beta;
	scalar<real<T>> real_alpha, real_beta;
	bool reals;
};

template <class T>
static __global__ void blas_by_kind(int m, int n, int k, operand<T> x, operand<T> y, factors<T> f, T *c, long long row, long long col,
				    part which)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i >= m || j >= n || (which == LOWER && i < j) || (which == UPPER && i > j))
		return;
	T al = f.reals ? of_real<T>(f.real_alpha.get()) : f.alpha.get(), be = f.reals ? of_real<T>(f.real_beta.get()) : f.beta.get();
	T s = of_real<T>(0), *to = c + i * row + j * col;
	for (int q = 0; q < k; q++)
		s = add(s, mul(x.at(i, q), y.at(q, j)));
	s = is_zero(be) ? mul(al, s) : add(mul(al, s), mul(be, *to));
	*to = f.reals && i == j ? of_real<T>(real_part(s)) : s;
}
template <class T>
static cublasStatus_t by_kind(cublasHandle_t h, int m, int n, int k, operand<T> x, operand<T> y, const factors<T> &f, T *c,
			      long long row, long long col, part which = WHOLE)
{
	if (m < 0 || n < 0 || k < 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (m && n)
		blas_by_kind<T><<<dim3((m + TILE - 1) / TILE, (n + TILE - 1) / TILE), dim3(TILE, TILE), 0, h->stream>>>(m, n, k, x, y, f,
														      c, row, col, which);
	return launched();
}
template <class T> static factors<T> both(cublasHandle_t h, const T *alpha, const T *beta)
{
	factors<T> f = {};
	f.alpha = scalar_of(h, alpha);
	if (beta)
		f.beta = scalar_of(h, beta);
	return f;
}
template <class T> static operand<T> plain(const T *a, long long lda, cublasOperation_t op) { return {a, 1, lda, PLAIN, op, false, false}; }
static bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }
/* A vector as a column; one stored backwards begins at its end. */
template <class T> static T *begin_of(T *x, int n, int inc) { return inc < 0 ? x - (long long)(n - 1) * inc : x; }

template <class T>
static cublasStatus_t symm(cublasHandle_t h, operand_kind kind, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
			   const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)
{
	NEED(h);
	bool left = side == CUBLAS_SIDE_LEFT;
	operand<T> s = {a, 1, lda, kind, CUBLAS_OP_N, is_lower(uplo), false}, p = plain(b, ldb, CUBLAS_OP_N);
	return by_kind(h, m, n, left ? m : n, left ? s : p, left ? p : s, both(h, alpha, beta), c, 1, ldc);
}
/* A op(A)' where ' is the transposition `by`. */
template <class T>
static cublasStatus_t rank_k(cublasHandle_t h, cublasOperation_t by, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,
			     const factors<T> &f, const T *a, int lda, T *c, int ldc)
{
	bool straight = op == CUBLAS_OP_N;
	return by_kind(h, n, n, k, plain(a, lda, straight ? CUBLAS_OP_N : by), plain(a, lda, straight ? by : CUBLAS_OP_N), f, c, 1, ldc,
		       is_lower(uplo) ? LOWER : UPPER);
}
/* The result may take B's place: then B is copied first. */
template <class T>
static cublasStatus_t trmm(cublasHandle_t h, bool left, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int m,
			   int n, const factors<T> &f, const T *a, int lda, const T *b, long long row, long long col, T *c,
			   long long to_row, long long to_col)
{
	if (m <= 0 || n <= 0)
		return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
	T *copy = NULL;
	operand<T> t = {a, 1, lda, TRIANGULAR, op, is_lower(uplo), diag == CUBLAS_DIAG_UNIT}, p = {b, row, col, PLAIN, CUBLAS_OP_N, false, false};
	if (b == c) {
		if (cudaMalloc(&copy, (size_t)m * n * sizeof(T)))
			return CUBLAS_STATUS_ALLOC_FAILED;
		for (int j = 0; j < n; j++)
			blas_copy<T><<<grid_for(m), THREADS, 0, h->stream>>>(m, b + j * col, (int)row, copy + (size_t)j * m, 1);
		p = plain<T>(copy, m, CUBLAS_OP_N);
	}
	cublasStatus_t s = by_kind(h, m, n, left ? m : n, left ? t : p, left ? p : t, f, c, to_row, to_col);
	if (copy) {
		cudaStreamSynchronize(h->stream);
		cudaFree(copy);
	}
	return s;
}
template <class T> static factors<T> just_one()
{
	factors<T> f = {};
	f.alpha.value = of_real<T>(1);
	return f;
}
template <class T> static factors<T> two_reals(cublasHandle_t h, const real<T> *alpha, const real<T> *beta)
{
	factors<T> f = {};
	f.reals = true;
	f.real_alpha = scalar_of(h, alpha);
	f.real_beta = scalar_of(h, beta);
	return f;
}

extern "C" {
#define SYMMETRIC_OF(L, T, name, kind) \
cublasStatus_t cublas##L##name##mm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, \
	const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) \
{ \
	return symm(h, kind, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc); \
} \
cublasStatus_t cublas##L##name##mv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, \
	const T *x, int incx, const T *beta, T *y, int incy) \
{ \
	NEED(h); \
	if (!incx || !incy) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	operand<T> s = {a, 1, lda, kind, CUBLAS_OP_N, is_lower(uplo), false}; \
	operand<T> v = {begin_of(x, n, incx), incx, 0, PLAIN, CUBLAS_OP_N, false, false}; \
	return by_kind(h, n, 1, n, s, v, both(h, alpha, beta), begin_of(y, n, incy), incy, 0); \
}
#define TYPE(L, T) \
SYMMETRIC_OF(L, T, sy, SYMMETRIC) \
cublasStatus_t cublas##L##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const T *alpha, \
	const T *a, int lda, const T *beta, T *c, int ldc) \
{ \
	NEED(h); \
	return rank_k(h, CUBLAS_OP_T, uplo, op, n, k, both(h, alpha, beta), a, lda, c, ldc); \
} \
cublasStatus_t cublas##L##trmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc) \
{ \
	NEED(h); \
	return trmm<T>(h, side == CUBLAS_SIDE_LEFT, uplo, op, diag, m, n, both<T>(h, alpha, NULL), a, lda, b, 1, ldb, c, 1, ldc); \
} \
cublasStatus_t cublas##L##trmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n, \
	const T *a, int lda, T *x, int incx) \
{ \
	NEED(h); \
	if (incx <= 0) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	return trmm<T>(h, true, uplo, op, diag, n, 1, just_one<T>(), a, lda, x, incx, 0, x, incx, 0); \
}
TYPE(S, float)
TYPE(D, double)
TYPE(C, cuComplex)
TYPE(Z, cuDoubleComplex)
#define HERMITIAN_TYPE(L, T, R) \
SYMMETRIC_OF(L, T, he, HERMITIAN) \
cublasStatus_t cublas##L##herk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const R *alpha, \
	const T *a, int lda, const R *beta, T *c, int ldc) \
{ \
	NEED(h); \
	return rank_k(h, CUBLAS_OP_C, uplo, op, n, k, two_reals<T>(h, alpha, beta), a, lda, c, ldc); \
}
HERMITIAN_TYPE(C, cuComplex, float)
HERMITIAN_TYPE(Z, cuDoubleComplex, double)
} /* extern "C" */
