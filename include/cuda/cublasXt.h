/* cuBLAS on matrices of the host, on one GPU: gemm of the four types. The size of tiles is kept and has no effect. */
#ifndef CUBLAS_XT_H_
#define CUBLAS_XT_H_
#include "cublas_v2.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t *h);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t h);
cublasStatus_t cublasXtMaxBoards(int *boards);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t h, int count, int *devices);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t h, int dim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t h, int *dim);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t *mode);
#define __HD_BLAS_XT(L, T) \
cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t h, cublasOperation_t opa, cublasOperation_t opb, size_t m, size_t n, \
	size_t k, const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc);
__HD_BLAS_XT(S, float)
__HD_BLAS_XT(D, double)
__HD_BLAS_XT(C, cuComplex)
__HD_BLAS_XT(Z, cuDoubleComplex)
#undef __HD_BLAS_XT
#ifdef __cplusplus
}
#endif
#endif
