/*
 * The functions of cuBLAS with packed and band matrices (spmv, hpmv, sbmv, hbmv, gbmv, tpmv, tbmv, tpsv, tbsv), the updates of a matrix by
 * vectors (syr, her, syr2, her2 and their packed forms, geru, gerc), and what packs a triangle and unpacks it.
 */
#include "cublas_kind.cuh"

/* T x = b in b's place, by one thread: row after row from the end at which T has one element. */
template <class T> static __global__ void blas_solve(operand<T> t, int n, T *x, int inc)
{
	bool down = t.lower == (t.op == CUBLAS_OP_N);
	for (int step = 0; step < n; step++) {
		int i = down ? step : n - 1 - step;
		T s = x[(long long)i * inc];
		for (int d = 0; d < step; d++) {
			int j = down ? d : n - 1 - d;
			s = sub(s, mul(t.at(i, j), x[(long long)j * inc]));
		}
		x[(long long)i * inc] = t.unit ? s : quotient(s, t.at(i, i));
	}
}
template <class T> static cublasStatus_t solve(cublasHandle_t h, operand<T> t, int n, T *x, int incx)
{
	NEED(h);
	if (n < 0 || !incx)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n)
		blas_solve<T><<<1, 1, 0, h->stream>>>(t, n, begin_of(x, n, incx), incx);
	return launched();
}

/* C += alpha x y' or, of two, alpha x y' + alpha' y x'. */
template <class T>
static cublasStatus_t rank_one(cublasHandle_t h, bool hermitian, bool two, cublasFillMode_t uplo, int n, factor<T> alpha, const T *x,
			       int incx, const T *y, int incy, T *c, storage in)
{
	if (!incx || !incy)
		return CUBLAS_STATUS_INVALID_VALUE;
	return updated<T>(h, {n, 1, plain<T>(begin_of(x, n, incx), as_vector(incx)), plain<T>(begin_of(y, n, incy), as_vector(incy)), two,
			      hermitian, is_lower(uplo), alpha, of(constant<T>(1)), c, in});
}

/* Copies a triangle from one storage to another. */
template <class T> static __global__ void blas_repack(int n, bool lower, const T *a, storage from, T *b, storage to)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i < n && j < n && (lower ? i >= j : i <= j))
		b[to.place(i, j)] = a[from.place(i, j)];
}
template <class T>
static cublasStatus_t repack(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *a, storage from, T *b, storage to)
{
	NEED(h);
	if (n < 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n)
		blas_repack<T><<<tiles(n, n), dim3(TILE, TILE), 0, h->stream>>>(n, is_lower(uplo), a, from, b, to);
	return launched();
}

extern "C" {
/* The storage of `a` in functions named pm (packed) and bm (band). */
#define IN_PACKED packed(n, is_lower(uplo))
#define IN_BAND half_band(k, is_lower(uplo), lda)

#define HALF_STORED(L, T, pmv, bmv, kind) \
cublasStatus_t cublas##L##pmv##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, const T *x, int incx, \
	const T *beta, T *y, int incy) \
{ \
	NEED(h); \
	return by_vector(h, n, n, half_stored(a, IN_PACKED, kind, uplo), alpha, x, incx, beta, y, incy); \
} \
cublasStatus_t cublas##L##bmv##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *a, int lda, \
	const T *x, int incx, const T *beta, T *y, int incy) \
{ \
	NEED(h); \
	if (k < 0 || lda <= k) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	return by_vector(h, n, n, half_stored(a, IN_BAND, kind, uplo), alpha, x, incx, beta, y, incy); \
}
#define TRIANGLES(L, T, name, call) \
cublasStatus_t cublas##L##tp##name##_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n, \
	const T *a, T *x, int incx) \
{ \
	return call<T>(h, triangular(a, IN_PACKED, uplo, op, diag), n, x, incx); \
} \
cublasStatus_t cublas##L##tb##name##_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n, \
	int k, const T *a, int lda, T *x, int incx) \
{ \
	if (k < 0 || lda <= k) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	return call<T>(h, triangular(a, IN_BAND, uplo, op, diag), n, x, incx); \
}
#define BY_VECTORS(L, T, hermitian, r, r2, A1, alpha1) \
cublasStatus_t cublas##L##r##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const A1 *alpha, const T *x, int incx, T *a, int lda) \
{ \
	NEED(h); \
	return rank_one<T>(h, hermitian, false, uplo, n, alpha1, x, incx, x, incx, a, by_columns(lda)); \
} \
cublasStatus_t cublas##L##r2##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, \
	int incy, T *a, int lda) \
{ \
	NEED(h); \
	return rank_one<T>(h, hermitian, true, uplo, n, of(scalar_of(h, alpha)), x, incx, y, incy, a, by_columns(lda)); \
}
#define PACKED_BY_VECTORS(L, T, hermitian, pr, pr2, A1, alpha1) \
cublasStatus_t cublas##L##pr##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const A1 *alpha, const T *x, int incx, T *a) \
{ \
	NEED(h); \
	return rank_one<T>(h, hermitian, false, uplo, n, alpha1, x, incx, x, incx, a, IN_PACKED); \
} \
cublasStatus_t cublas##L##pr2##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, \
	int incy, T *a) \
{ \
	NEED(h); \
	return rank_one<T>(h, hermitian, true, uplo, n, of(scalar_of(h, alpha)), x, incx, y, incy, a, IN_PACKED); \
}
#define EVERY(L, T) \
TRIANGLES(L, T, mv, trmv) \
TRIANGLES(L, T, sv, solve) \
BY_VECTORS(L, T, false, syr, syr2, T, of(scalar_of(h, alpha))) \
cublasStatus_t cublas##L##gbmv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, int kl, int ku, const T *alpha, const T *a, \
	int lda, const T *x, int incx, const T *beta, T *y, int incy) \
{ \
	NEED(h); \
	if (kl < 0 || ku < 0 || lda <= kl + ku) \
		return CUBLAS_STATUS_INVALID_VALUE; \
	bool straight = op == CUBLAS_OP_N; \
	return by_vector(h, straight ? m : n, straight ? n : m, plain(a, band(kl, ku, lda), op), alpha, x, incx, beta, y, incy); \
} \
cublasStatus_t cublas##L##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *p, T *a, int lda) \
{ \
	return repack(h, uplo, n, p, IN_PACKED, a, by_columns(lda)); \
} \
cublasStatus_t cublas##L##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *a, int lda, T *p) \
{ \
	return repack(h, uplo, n, a, by_columns(lda), p, IN_PACKED); \
}
#define REAL_TYPE(L, T) \
HALF_STORED(L, T, spmv, sbmv, SYMMETRIC) \
PACKED_BY_VECTORS(L, T, false, spr, spr2, T, of(scalar_of(h, alpha)))
#define COMPLEX_TYPE(L, T, R) \
HALF_STORED(L, T, hpmv, hbmv, HERMITIAN) \
BY_VECTORS(L, T, true, her, her2, R, of_part<T>(scalar_of(h, alpha))) \
PACKED_BY_VECTORS(L, T, true, hpr, hpr2, R, of_part<T>(scalar_of(h, alpha)))
EVERY(S, float)
EVERY(D, double)
EVERY(C, cuComplex)
EVERY(Z, cuDoubleComplex)
REAL_TYPE(S, float)
REAL_TYPE(D, double)
COMPLEX_TYPE(C, cuComplex, float)
COMPLEX_TYPE(Z, cuDoubleComplex, double)
} /* extern "C" */
