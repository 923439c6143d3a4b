/* cuBLAS level 3 on matrices in host memory, with one GPU. The tile size is stored and has no
 * effect; no routine of the host's is called. */
#ifndef CUBLAS_XT_H_
#define CUBLAS_XT_H_
#include "cublas_v2.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;
typedef enum { CUBLASXT_FLOAT = 0, CUBLASXT_DOUBLE = 1, CUBLASXT_COMPLEX = 2, CUBLASXT_DOUBLECOMPLEX = 3 } cublasXtOpType_t;
typedef enum {
	CUBLASXT_GEMM = 0, CUBLASXT_SYRK = 1, CUBLASXT_HERK = 2, CUBLASXT_SYMM = 3, CUBLASXT_HEMM = 4, CUBLASXT_TRSM = 5, CUBLASXT_SYR2K = 6,
	CUBLASXT_HER2K = 7, CUBLASXT_SPMM = 8, CUBLASXT_SYRKX = 9, CUBLASXT_HERKX = 10, CUBLASXT_TRMM = 11, CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t *h);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t h);
cublasStatus_t cublasXtMaxBoards(int *boards);
cublasStatus_t cublasXtGetNumBoards(int count, int *devices, int *boards);
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t h, cublasXtBlasOp_t op, cublasXtOpType_t type, void *routine);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t h, cublasXtBlasOp_t op, cublasXtOpType_t type, float ratio);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t h, int count, int *devices);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t h, int dim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t h, int *dim);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t h, cublasXtPinnedMemMode_t *mode);
/* Functions of each type; R: the real type of a complex one. */
#define __HD_BLAS_XT_UPDATES(L, T, A, B, rk, r2k, rkx) \
cublasStatus_t cublasXt##L##rk(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, size_t n, size_t k, const A *alpha, \
	const T *a, size_t lda, const B *beta, T *c, size_t ldc); \
cublasStatus_t cublasXt##L##r2k(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, size_t n, size_t k, const T *alpha, \
	const T *a, size_t lda, const T *b, size_t ldb, const B *beta, T *c, size_t ldc); \
cublasStatus_t cublasXt##L##rkx(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, size_t n, size_t k, const T *alpha, \
	const T *a, size_t lda, const T *b, size_t ldb, const B *beta, T *c, size_t ldc);
#define __HD_BLAS_XT_MM(L, T, mm) \
cublasStatus_t cublasXt##L##mm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, \
	const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc);
#define __HD_BLAS_XT(L, T) \
cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t h, cublasOperation_t opa, cublasOperation_t opb, size_t m, size_t n, \
	size_t k, const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc); \
__HD_BLAS_XT_UPDATES(L, T, T, T, syrk, syr2k, syrkx) \
__HD_BLAS_XT_MM(L, T, symm) \
cublasStatus_t cublasXt##L##spmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, \
	const T *packed, const T *b, size_t ldb, const T *beta, T *c, size_t ldc); \
cublasStatus_t cublasXt##L##trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *a, size_t lda, T *b, size_t ldb); \
cublasStatus_t cublasXt##L##trmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, \
	cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *a, size_t lda, const T *b, size_t ldb, T *c, size_t ldc);
#define __HD_BLAS_XT_HERMITIAN(L, T, R) \
__HD_BLAS_XT_UPDATES(L, T, R, R, herk, her2k, herkx) \
__HD_BLAS_XT_MM(L, T, hemm)
__HD_BLAS_XT(S, float)
__HD_BLAS_XT(D, double)
__HD_BLAS_XT(C, cuComplex)
__HD_BLAS_XT(Z, cuDoubleComplex)
__HD_BLAS_XT_HERMITIAN(C, cuComplex, float)
__HD_BLAS_XT_HERMITIAN(Z, cuDoubleComplex, double)
#undef __HD_BLAS_XT
#undef __HD_BLAS_XT_MM
#undef __HD_BLAS_XT_UPDATES
#undef __HD_BLAS_XT_HERMITIAN
#ifdef __cplusplus
}
#endif
#endif
