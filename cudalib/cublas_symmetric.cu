/*
 * The functions of cuBLAS with symmetric, Hermitian and triangular matrices that are stored by columns: symm, hemm, symv, hemv, trmm,
 * trmv, and the updates syrk, herk, syr2k, her2k, syrkx, herkx.
 */
#include "cublas_kind.cuh"

template <class T>
static cublasStatus_t symm(cublasHandle_t h, operand_kind kind, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
			   const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)
{
	NEED(h);
	bool left = side == CUBLAS_SIDE_LEFT;
	operand<T> s = half_stored(a, by_columns(lda), kind, uplo), p = plain(b, by_columns(ldb));
	return by_kind(h, m, n, left ? m : n, left ? s : p, left ? p : s, scalar_of(h, alpha), scalar_of(h, beta), c, by_columns(ldc));
}
/* Updates C by A and B of n rows and k columns, or by their transposes. */
template <class T>
static cublasStatus_t rank_k(cublasHandle_t h, bool hermitian, bool two, cublasFillMode_t uplo, cublasOperation_t op, int n, int k,
			     factor<T> alpha, const T *a, int lda, const T *b, int ldb, factor<T> beta, T *c, int ldc)
{
	op = op == CUBLAS_OP_N ? op : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
	return updated<T>(h, {n, k, plain(a, by_columns(lda), op), plain(b, by_columns(ldb), op), two, hermitian, is_lower(uplo), alpha,
			      beta, c, by_columns(ldc)});
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
	return by_vector(h, n, n, half_stored(a, by_columns(lda), kind, uplo), alpha, x, incx, beta, y, incy); \
}
/* Updates of rank k, of A alone, of A and B, of A by B; the factors are complex or real. */
#define UPDATES(L, T, hermitian, rk, r2k, rkx, A1, alpha1, B, beta1) \
cublasStatus_t cublas##L##rk##_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const A1 *alpha, \
	const T *a, int lda, const B *beta, T *c, int ldc) \
{ \
	NEED(h); \
	return rank_k<T>(h, hermitian, false, uplo, op, n, k, alpha1, a, lda, a, lda, beta1, c, ldc); \
} \
cublasStatus_t cublas##L##r2k##_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const T *alpha, \
	const T *a, int lda, const T *b, int ldb, const B *beta, T *c, int ldc) \
{ \
	NEED(h); \
	return rank_k<T>(h, hermitian, true, uplo, op, n, k, of(scalar_of(h, alpha)), a, lda, b, ldb, beta1, c, ldc); \
} \
cublasStatus_t cublas##L##rkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const T *alpha, \
	const T *a, int lda, const T *b, int ldb, const B *beta, T *c, int ldc) \
{ \
	NEED(h); \
	return rank_k<T>(h, hermitian, false, uplo, op, n, k, of(scalar_of(h, alpha)), a, lda, b, ldb, beta1, c, ldc); \
}
#define TYPE(L, T) \
SYMMETRIC_OF(L, T, sy, SYMMETRIC) \
UPDATES(L, T, false, syrk, syr2k, syrkx, T, of(scalar_of(h, alpha)), T, of(scalar_of(h, beta))) \
cublasStatus_t cublas##L##trmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc) \
{ \
	NEED(h); \
	return trmm<T>(h, side == CUBLAS_SIDE_LEFT, triangular(a, by_columns(lda), uplo, op, diag), m, n, scalar_of(h, alpha), b, \
		       by_columns(ldb), c, by_columns(ldc)); \
} \
cublasStatus_t cublas##L##trmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n, \
	const T *a, int lda, T *x, int incx) \
{ \
	return trmv<T>(h, triangular(a, by_columns(lda), uplo, op, diag), n, x, incx); \
}
TYPE(S, float)
TYPE(D, double)
TYPE(C, cuComplex)
TYPE(Z, cuDoubleComplex)
#define HERMITIAN_TYPE(L, T, R) \
SYMMETRIC_OF(L, T, he, HERMITIAN) \
UPDATES(L, T, true, herk, her2k, herkx, R, of_part<T>(scalar_of(h, alpha)), R, of_part<T>(scalar_of(h, beta)))
HERMITIAN_TYPE(C, cuComplex, float)
HERMITIAN_TYPE(Z, cuDoubleComplex, double)
} /* extern "C" */
