/* cuBLAS on matrices of the host: they are copied to the device whole, multiplied there, and the result comes back.
 * Matrices that are in the device's memory already serve too. */
#include <climits>
#include <cublasXt.h>
#include <cuda_runtime_api.h>
#include <initializer_list>

struct cublasXtContext {
	cublasHandle_t blas;
	int block;
	cublasXtPinnedMemMode_t pinning;
};

namespace
{
/* A matrix of `columns` columns in memory of the device for as long as this exists. */
template <class T> struct there {
	T *at = nullptr;
	bool ok;
	there(const T *from, size_t ld, size_t columns)
	    : ok(!cudaMalloc((void **)&at, ld * columns * sizeof *at) &&
		 !cudaMemcpy(at, from, ld * columns * sizeof *at, cudaMemcpyDefault))
	{
	}
	there(const there &) = delete;
	~there() { cudaFree(at); }
};

template <class T, class F>
cublasStatus_t multiply(F gemm, cublasXtHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
			size_t m, size_t n, size_t k, const T *alpha, const T *a, size_t lda,
			const T *b, size_t ldb, const T *beta, T *c, size_t ldc)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	for (size_t size : {m, n, k, lda, ldb, ldc})
		if (size > INT_MAX)
			return CUBLAS_STATUS_INVALID_VALUE;
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	if (!alpha || !beta || !c || (k && (!a || !b)))
		return CUBLAS_STATUS_INVALID_VALUE;
	there<T> da(a, lda, opa == CUBLAS_OP_N ? k : m), db(b, ldb, opb == CUBLAS_OP_N ? n : k),
		dc(c, ldc, n);
	if (!da.ok || !db.ok || !dc.ok)
		return CUBLAS_STATUS_ALLOC_FAILED;
	cublasStatus_t s = gemm(h->blas, opa, opb, (int)m, (int)n, (int)k, alpha, da.at, (int)lda,
				db.at, (int)ldb, beta, dc.at, (int)ldc);
	if (!s && cudaMemcpy(c, dc.at, ldc * n * sizeof *c, cudaMemcpyDefault))
		s = CUBLAS_STATUS_EXECUTION_FAILED;
	return s;
}
} // namespace

extern "C" {
cublasStatus_t cublasXtCreate(cublasXtHandle_t *h)
{
	if (!h)
		return CUBLAS_STATUS_INVALID_VALUE;
	*h = new cublasXtContext{nullptr, 2048, CUBLASXT_PINNING_DISABLED};
	cublasStatus_t s = cublasCreate(&(*h)->blas);
	if (s) {
		delete *h;
		*h = nullptr;
	}
	return s;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t h)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	cublasStatus_t s = cublasDestroy(h->blas);
	delete h;
	return s;
}
cublasStatus_t cublasXtMaxBoards(int *boards)
{
	return boards && !cudaGetDeviceCount(boards) ? CUBLAS_STATUS_SUCCESS
						     : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t h, int count, int *devices)
{
	int there = 0;
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	cudaGetDeviceCount(&there);
	if (count < 1 || count > there || !devices)
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int i = 0; i < count; i++)
		if (devices[i] < 0 || devices[i] >= there)
			return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t h, int dim)
{
	if (!h || dim < 1)
		return h ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
	h->block = dim;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t h, int *dim)
{
	if (!h || !dim)
		return h ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
	*dim = h->block;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t mode)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	h->pinning = mode;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t *mode)
{
	if (!h || !mode)
		return h ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
	*mode = h->pinning;
	return CUBLAS_STATUS_SUCCESS;
}
#define GEMM(L, T)                                                                                 \
	cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t h, cublasOperation_t opa,                \
					 cublasOperation_t opb, size_t m, size_t n, size_t k,      \
					 const T *alpha, const T *a, size_t lda, const T *b,       \
					 size_t ldb, const T *beta, T *c, size_t ldc)              \
	{                                                                                          \
		return multiply(cublas##L##gemm_v2, h, opa, opb, m, n, k, alpha, a, lda, b, ldb,   \
				beta, c, ldc);                                                     \
	}
GEMM(S, float)
GEMM(D, double)
GEMM(C, cuComplex)
GEMM(Z, cuDoubleComplex)
} /* extern "C" */
