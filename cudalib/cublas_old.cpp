/* The first version of cuBLAS's interface, on one handle of the second's. */
#include <cstddef>
#include "cublas.h"

static cublasHandle_t handle;
static cublasStatus_t error;

static cublasHandle_t open_handle()
{
	if (!handle)
		error = cublasCreate_v2(&handle);
	return handle;
}
static void note(cublasStatus_t s)
{
	if (s)
		error = s;
}
static cublasOperation_t operation(char c)
{
	return c == 'n' || c == 'N' ? CUBLAS_OP_N : c == 'c' || c == 'C' ? CUBLAS_OP_C : CUBLAS_OP_T;
}
static cublasSideMode_t side_of(char c) { return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT; }
static cublasFillMode_t fill(char c) { return c == 'l' || c == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; }
static cublasDiagType_t diagonal(char c) { return c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT; }

extern "C" {
cublasStatus_t cublasInit(void) { return open_handle() ? CUBLAS_STATUS_SUCCESS : error; }
cublasStatus_t cublasShutdown(void)
{
	cublasStatus_t s = handle ? cublasDestroy_v2(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
	handle = NULL;
	return s;
}
cublasStatus_t cublasGetError(void)
{
	cublasStatus_t s = error;
	error = CUBLAS_STATUS_SUCCESS;
	return s;
}
cublasStatus_t cublasAlloc(int n, int size, void **p)
{
	return cudaMalloc(p, (size_t)n * (size_t)size) ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasFree(void *p) { return cudaFree(p) ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetKernelStream(cudaStream_t s) { return cublasSetStream_v2(open_handle(), s); }

cublasStatus_t cublasGetVersion(int *version) { return cublasGetVersion_v2(open_handle(), version); }

#define WITH_HANDLE(...) (open_handle(), __VA_ARGS__)
#define OLD(L, name, params, args) \
	void cublas##L##name params { note(cublas##L##name##_v2 WITH_HANDLE args); }
#define RESULT(type, name, params, args) \
	type cublas##name params \
	{ \
		type r = {}; \
		note(cublas##name##_v2 WITH_HANDLE args); \
		return r; \
	}
__HD_OLD_FUNCTIONS(OLD)
__HD_OLD_RESULTS(RESULT)
} /* extern "C" */
