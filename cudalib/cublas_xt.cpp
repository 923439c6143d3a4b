/* cuBLAS on matrices of the host: they are copied to the device whole, multiplied there, and the result comes back.
 * Matrices that are in the device's memory already serve too. */
#include <climits>
#include <cublasXt.h>
#include <cuda_runtime_api.h>
#include <initializer_list>
#include <utility>
#include <vector>

struct cublasXtContext {
	cublasHandle_t blas;
	int block;
	cublasXtPinnedMemMode_t pinning;
};

namespace
{
/* A matrix in device memory, for the lifetime of this object. */
template <class T> struct there {
	T *at = nullptr;
	size_t ld, rows, columns;
	bool ok;
	there(const T *from, size_t ld, size_t rows, size_t columns)
	    : ld(ld), rows(rows), columns(columns), ok(!cudaMalloc((void **)&at, ld * columns * sizeof(T)) && copied(at, from))
	{
	}
	there(const there &) = delete;
	~there() { cudaFree(at); }
	bool copied(T *to, const T *from) const
	{
		return !rows || !columns || !cudaMemcpy2D(to, ld * sizeof(T), from, ld * sizeof(T), rows * sizeof(T), columns, cudaMemcpyDefault);
	}
	/* The result goes back to the program; what lies between columns is not touched. */
	cublasStatus_t back(cublasStatus_t s, T *to) const { return s ? s : copied(to, at) ? s : CUBLAS_STATUS_EXECUTION_FAILED; }
};

/* True for sizes beyond those of the device's functions, and for leading dimensions below the number of rows. */
cublasStatus_t wrong(cublasXtHandle_t h, std::initializer_list<size_t> sizes, std::initializer_list<std::pair<size_t, size_t>> rows_of)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	for (size_t size : sizes)
		if (size > INT_MAX)
			return CUBLAS_STATUS_INVALID_VALUE;
	for (auto r : rows_of)
		if (r.second > INT_MAX || r.second < r.first || !r.second)
			return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}
#define CHECK(sizes, rows_of) \
	if (cublasStatus_t s = wrong(h, sizes, rows_of)) \
		return s
#define ARE(...) {__VA_ARGS__}
#define THERE(x) \
	if (!x.ok) \
		return CUBLAS_STATUS_ALLOC_FAILED
/* A triangle that is packed, as columns. */
template <class T> struct unpacked {
	std::vector<T> a;
	unpacked(const T *packed, size_t n, bool lower) : a(n * n)
	{
		for (size_t j = 0; j < n; j++)
			for (size_t i = lower ? j : 0; i < (lower ? n : j + 1); i++)
				a[j * n + i] = *packed++;
	}
};
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
cublasStatus_t cublasXtGetNumBoards(int count, int *devices, int *boards)
{
	if (count < 1 || !devices || !boards)
		return CUBLAS_STATUS_INVALID_VALUE;
	*boards = count;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t h, cublasXtBlasOp_t, cublasXtOpType_t, void *)
{
	return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t h, cublasXtBlasOp_t, cublasXtOpType_t, float ratio)
{
	return !h ? CUBLAS_STATUS_NOT_INITIALIZED : ratio < 0 || ratio > 1 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

#define PLAIN op == CUBLAS_OP_N
#define SIZE (side == CUBLAS_SIDE_LEFT ? m : n)
#define INT(x) ((int)(x))
#define UPDATES(L, T, A1, B1, rk, rk_call, r2k, r2k_call, rkx) \
	cublasStatus_t cublasXt##L##rk(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, size_t n, size_t k, const A1 *alpha, \
				       const T *a, size_t lda, const B1 *beta, T *c, size_t ldc) \
	{ \
		CHECK(ARE(n, k), ARE({PLAIN ? n : k, lda}, {n, ldc})); \
		there<T> da(a, lda, PLAIN ? n : k, PLAIN ? k : n), dc(c, ldc, n, n); \
		THERE(da); \
		THERE(dc); \
		return dc.back(cublas##L##rk_call(h->blas, uplo, op, INT(n), INT(k), alpha, da.at, INT(lda), beta, dc.at, INT(ldc)), c); \
	} \
	UPDATE_BY_TWO(L, T, B1, r2k, r2k_call) \
	UPDATE_BY_TWO(L, T, B1, rkx, rkx)
#define UPDATE_BY_TWO(L, T, B1, name, call) \
	cublasStatus_t cublasXt##L##name(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, size_t n, size_t k, \
					 const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, const B1 *beta, T *c, size_t ldc) \
	{ \
		CHECK(ARE(n, k), ARE({PLAIN ? n : k, lda}, {PLAIN ? n : k, ldb}, {n, ldc})); \
		there<T> da(a, lda, PLAIN ? n : k, PLAIN ? k : n), db(b, ldb, PLAIN ? n : k, PLAIN ? k : n), dc(c, ldc, n, n); \
		THERE(da); \
		THERE(db); \
		THERE(dc); \
		return dc.back(cublas##L##call(h->blas, uplo, op, INT(n), INT(k), alpha, da.at, INT(lda), db.at, INT(ldb), beta, dc.at, \
					       INT(ldc)), c); \
	}
#define HALF_STORED(L, T, mm, call) \
	cublasStatus_t cublasXt##L##mm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, \
				       const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc) \
	{ \
		CHECK(ARE(m, n), ARE({SIZE, lda}, {m, ldb}, {m, ldc})); \
		there<T> da(a, lda, SIZE, SIZE), db(b, ldb, m, n), dc(c, ldc, m, n); \
		THERE(da); \
		THERE(db); \
		THERE(dc); \
		return dc.back(cublas##L##call(h->blas, side, uplo, INT(m), INT(n), alpha, da.at, INT(lda), db.at, INT(ldb), beta, dc.at, \
					       INT(ldc)), c); \
	}
#define TYPE(L, T) \
	cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t h, cublasOperation_t opa, cublasOperation_t opb, size_t m, size_t n, size_t k, \
					 const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc) \
	{ \
		bool na = opa == CUBLAS_OP_N, nb = opb == CUBLAS_OP_N; \
		CHECK(ARE(m, n, k), ARE({na ? m : k, lda}, {nb ? k : n, ldb}, {m, ldc})); \
		if (!m || !n) \
			return CUBLAS_STATUS_SUCCESS; \
		if (!alpha || !beta || !c || (k && (!a || !b))) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		there<T> da(a, lda, na ? m : k, na ? k : m), db(b, ldb, nb ? k : n, nb ? n : k), dc(c, ldc, m, n); \
		THERE(da); \
		THERE(db); \
		THERE(dc); \
		return dc.back(cublas##L##gemm_v2(h->blas, opa, opb, INT(m), INT(n), INT(k), alpha, da.at, INT(lda), db.at, INT(ldb), beta, \
						  dc.at, INT(ldc)), c); \
	} \
	UPDATES(L, T, T, T, syrk, syrk_v2, syr2k, syr2k_v2, syrkx) \
	HALF_STORED(L, T, symm, symm_v2) \
	cublasStatus_t cublasXt##L##spmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, \
					 const T *alpha, const T *packed, const T *b, size_t ldb, const T *beta, T *c, size_t ldc) \
	{ \
		CHECK(ARE(m, n), ARE({m, ldb}, {m, ldc})); \
		if (!m || !n) \
			return CUBLAS_STATUS_SUCCESS; \
		unpacked<T> whole(packed, SIZE, uplo == CUBLAS_FILL_MODE_LOWER); \
		return cublasXt##L##symm(h, side, uplo, m, n, alpha, whole.a.data(), SIZE, b, ldb, beta, c, ldc); \
	} \
	cublasStatus_t cublasXt##L##trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
					 cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *a, size_t lda, T *b, size_t ldb) \
	{ \
		CHECK(ARE(m, n), ARE({SIZE, lda}, {m, ldb})); \
		there<T> da(a, lda, SIZE, SIZE), db(b, ldb, m, n); \
		THERE(da); \
		THERE(db); \
		return db.back(cublas##L##trsm_v2(h->blas, side, uplo, op, diag, INT(m), INT(n), alpha, da.at, INT(lda), db.at, INT(ldb)), b); \
	} \
	cublasStatus_t cublasXt##L##trmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
					 cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *a, size_t lda, const T *b, \
					 size_t ldb, T *c, size_t ldc) \
	{ \
		CHECK(ARE(m, n), ARE({SIZE, lda}, {m, ldb}, {m, ldc})); \
		there<T> da(a, lda, SIZE, SIZE), db(b, ldb, m, n), dc(c, ldc, m, n); \
		THERE(da); \
		THERE(db); \
		THERE(dc); \
		return dc.back(cublas##L##trmm_v2(h->blas, side, uplo, op, diag, INT(m), INT(n), alpha, da.at, INT(lda), db.at, INT(ldb), \
						  dc.at, INT(ldc)), c); \
	}
#define HERMITIAN_TYPE(L, T, R) \
	UPDATES(L, T, R, R, herk, herk_v2, her2k, her2k_v2, herkx) \
	HALF_STORED(L, T, hemm, hemm_v2)
TYPE(S, float)
TYPE(D, double)
TYPE(C, cuComplex)
TYPE(Z, cuDoubleComplex)
HERMITIAN_TYPE(C, cuComplex, float)
HERMITIAN_TYPE(Z, cuDoubleComplex, double)
} /* extern "C" */
