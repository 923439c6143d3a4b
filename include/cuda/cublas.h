/* The legacy interface: no handles, scalars by value, errors by cublasGetError(). If cublas_v2.h is
 * included too, its names take precedence. */
#ifndef CUBLAS_H_
#define CUBLAS_H_
#include "cublas_api.h"
#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasInit(void);
cublasStatus_t cublasShutdown(void);
cublasStatus_t cublasGetError(void);
cublasStatus_t cublasAlloc(int n, int size, void **p);
cublasStatus_t cublasFree(void *p);
cublasStatus_t cublasSetKernelStream(cudaStream_t stream);
#ifndef CUBLAS_V2_H_
cublasStatus_t cublasGetVersion(int *version);
#include "heddle/cublas_old.def"
#define __HD_BLAS(L, name, params, args) void cublas##L##name params;
#define __HD_BLAS_RESULT(type, name, params, args) type cublas##name params;
__HD_OLD_FUNCTIONS(__HD_BLAS)
__HD_OLD_RESULTS(__HD_BLAS_RESULT)
#undef __HD_BLAS
#undef __HD_BLAS_RESULT
#endif
#ifdef __cplusplus
}
#endif
#endif
