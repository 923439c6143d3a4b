/*
 * The products of cuBLAS that take types by number (GemmEx and its like), and products of halves, which are one of them.
 */
#include "cublas_matrix.cuh"
#include "fails.h"

static cublasStatus_t refuse(const char *what)
{
	library_fails("cuBLAS: %s of these types is not supported", what);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* Products of halves: sums in float; alpha and beta are halves too. */
static cublasStatus_t half_gemm(cublasHandle_t h, gemm_args<__half, __half, float, __half> g, const __half *alpha,
				const __half *beta, int count)
{
	NEED(h);
	g.alpha = scalar_of(h, alpha);
	g.beta = scalar_of(h, beta);
	return gemm<__half, __half, float, __half>(h, g, count);
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
		return refuse("a product");
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
	EX(CUDA_R_8I, CUDA_R_32F, signed char, float, float);
#undef EX
	return refuse("a product");
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

/* Functions whose names contain the computing type. */
#define GEMM_EX(name, T) \
cublasStatus_t name(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k, const T *alpha, const void *a, \
	cudaDataType ta, int lda, const void *b, cudaDataType tb, int ldb, const T *beta, void *c, cudaDataType tc, int ldc) \
{ \
	return gemm_ex(h, {opa, opb, m, n, k, lda, ldb, ldc, a, b, c}, {ta, tb, tc, CUBLAS_COMPUTE_32F}, alpha, beta, 1); \
}
GEMM_EX(cublasSgemmEx, float)
GEMM_EX(cublasCgemmEx, cuComplex)
GEMM_EX(cublasCgemm3mEx, cuComplex)
#define RANK_K_EX(name, call, A) \
cublasStatus_t name(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const A *alpha, const void *a, \
	cudaDataType ta, int lda, const A *beta, void *c, cudaDataType tc, int ldc) \
{ \
	if (ta != CUDA_C_32F || tc != CUDA_C_32F) \
		return refuse("an update"); \
	return call(h, uplo, op, n, k, alpha, (const cuComplex *)a, lda, beta, (cuComplex *)c, ldc); \
}
RANK_K_EX(cublasCsyrkEx, cublasCsyrk_v2, cuComplex)
RANK_K_EX(cublasCsyrk3mEx, cublasCsyrk_v2, cuComplex)
RANK_K_EX(cublasCherkEx, cublasCherk_v2, float)
RANK_K_EX(cublasCherk3mEx, cublasCherk_v2, float)

cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t h, const cublasOperation_t opa[], const cublasOperation_t opb[], const int m[],
	const int n[], const int k[], const void *alpha, const void *const a[], cudaDataType ta, const int lda[], const void *const b[],
	cudaDataType tb, const int ldb[], const void *beta, void *const c[], cudaDataType tc, const int ldc[], int groups,
	const int size[], cublasComputeType_t compute)
{
	bool halves = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
	size_t step = halves ? sizeof(__half) : ta == CUDA_R_64F ? sizeof(double) : sizeof(float);
	NEED(h);
	if (groups < 0 || h->mode == CUBLAS_POINTER_MODE_DEVICE)
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int g = 0; g < groups; a += size[g], b += size[g], c += size[g], g++) {
		cublasStatus_t s = gemm_ex(h, {opa[g], opb[g], m[g], n[g], k[g], lda[g], ldb[g], ldc[g], NULL, NULL, NULL, 0, 0, 0, a, b, c},
					   {ta, tb, tc, compute}, (const char *)alpha + g * step, (const char *)beta + g * step, size[g]);
		if (s)
			return s;
	}
	return CUBLAS_STATUS_SUCCESS;
}
} /* extern "C" */
