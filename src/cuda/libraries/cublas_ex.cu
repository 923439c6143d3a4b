/*
 * The functions of cuBLAS that take types by number (GemmEx, DotEx and their like), and products of halves, which are
 * one of them.
 */
#include "cublas_matrix.cuh"

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
extern "C" {
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
	EX(CUDA_R_16BF, CUDA_R_16BF, __nv_bfloat16, __nv_bfloat16, float);
	EX(CUDA_R_16BF, CUDA_R_32F, __nv_bfloat16, float, float);
	EX(CUDA_R_8I, CUDA_R_32I, signed char, int, int);
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
#define DOT_EX(name, C, Z) \
cublasStatus_t name(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, void *r, \
		    cudaDataType tr, cudaDataType by) \
{ \
	if (ty != tx || tr != tx || by != tx) \
		return CUBLAS_STATUS_NOT_SUPPORTED; \
	BY_TYPE(tx, cublasSdot_v2 ARGS, cublasDdot_v2 ARGS, C ARGS, Z ARGS) \
}
#define ARGS (h, n, (const T *)x, incx, (const T *)y, incy, (T *)r)
DOT_EX(cublasDotEx, cublasCdotu_v2, cublasZdotu_v2)
DOT_EX(cublasDotcEx, cublasCdotc_v2, cublasZdotc_v2)
#undef ARGS
/* The norm of complex numbers and the cosine of their rotation are real. */
static bool real_of(cudaDataType t, cudaDataType r)
{
	return r == (t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t);
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, void *r, cudaDataType tr, cudaDataType by)
{
	if (!real_of(tx, tr) || !real_of(tx, by))
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define ARGS (h, n, (const T *)x, incx, (real<T> *)r)
	BY_TYPE(tx, cublasSnrm2_v2 ARGS, cublasDnrm2_v2 ARGS, cublasScnrm2_v2 ARGS, cublasDznrm2_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y, cudaDataType ty, int incy, const void *c,
			   const void *s, cudaDataType ts, cudaDataType by)
{
	if (ty != tx || by != tx || (ts != tx && !real_of(tx, ts)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
#define ARGS(S) (h, n, (T *)x, incx, (T *)y, incy, (const real<T> *)c, (const S *)s)
	if (ts != tx)
		BY_TYPE(tx, CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED, cublasCsrot_v2 ARGS(float), cublasZdrot_v2 ARGS(double))
	BY_TYPE(tx, cublasSrot_v2 ARGS(T), cublasDrot_v2 ARGS(T), cublasCrot_v2 ARGS(T), cublasZrot_v2 ARGS(T))
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
