/* cuSPARSE, a part: products of a sparse matrix (CSR, COO) of float or double with a vector or dense matrix. */
#ifndef CUSPARSE_H_
#define CUSPARSE_H_

#include <stddef.h>
#include <stdint.h>
#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"

#define CUSPARSEAPI
#define CUSPARSE_VER_MAJOR 11
#define CUSPARSE_VER_MINOR 7
#define CUSPARSE_VER_PATCH 5
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;

typedef enum {
	CUSPARSE_STATUS_SUCCESS = 0,
	CUSPARSE_STATUS_NOT_INITIALIZED = 1,
	CUSPARSE_STATUS_ALLOC_FAILED = 2,
	CUSPARSE_STATUS_INVALID_VALUE = 3,
	CUSPARSE_STATUS_ARCH_MISMATCH = 4,
	CUSPARSE_STATUS_MAPPING_ERROR = 5,
	CUSPARSE_STATUS_EXECUTION_FAILED = 6,
	CUSPARSE_STATUS_INTERNAL_ERROR = 7,
	CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
	CUSPARSE_STATUS_ZERO_PIVOT = 9,
	CUSPARSE_STATUS_NOT_SUPPORTED = 10,
	CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum {
	CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
	CUSPARSE_OPERATION_TRANSPOSE = 1,
	CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum {
	CUSPARSE_MATRIX_TYPE_GENERAL = 0,
	CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
	CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
	CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
	CUSPARSE_MV_ALG_DEFAULT = 0,
	CUSPARSE_SPMV_ALG_DEFAULT = 0,
	CUSPARSE_SPMV_COO_ALG1 = 1,
	CUSPARSE_SPMV_CSR_ALG1 = 2,
	CUSPARSE_CSRMV_ALG1 = 2,
	CUSPARSE_SPMV_CSR_ALG2 = 3,
	CUSPARSE_CSRMV_ALG2 = 3,
	CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
	CUSPARSE_SPMM_ALG_DEFAULT = 0,
	CUSPARSE_SPMM_COO_ALG1 = 1,
	CUSPARSE_SPMM_CSR_ALG1 = 4,
	CUSPARSE_SPMM_CSR_ALG2 = 6,
	CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;

const char *cusparseGetErrorName(cusparseStatus_t __status);
const char *cusparseGetErrorString(cusparseStatus_t __status);
cusparseStatus_t cusparseCreate(cusparseHandle_t *__h);
cusparseStatus_t cusparseDestroy(cusparseHandle_t __h);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t __h, int *__version);
cusparseStatus_t cusparseSetStream(cusparseHandle_t __h, cudaStream_t __s);
cusparseStatus_t cusparseGetStream(cusparseHandle_t __h, cudaStream_t *__s);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t __h, cusparsePointerMode_t __mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t __h, cusparsePointerMode_t *__mode);

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *__d);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t __d);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t __d, cusparseMatrixType_t __type);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t __d, cusparseIndexBase_t __base);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t __d, cusparseFillMode_t __mode);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t __d, cusparseDiagType_t __type);

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *__m, int64_t __rows, int64_t __cols, int64_t __nnz,
	void *__offsets, void *__columns, void *__values, cusparseIndexType_t __offset_type,
	cusparseIndexType_t __column_type, cusparseIndexBase_t __base, cudaDataType __type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *__m, int64_t __rows, int64_t __cols, int64_t __nnz,
	void *__row_indices, void *__columns, void *__values, cusparseIndexType_t __index_type,
	cusparseIndexBase_t __base, cudaDataType __type);
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t __m);
cusparseStatus_t cusparseSpMatGetSize(cusparseSpMatDescr_t __m, int64_t *__rows, int64_t *__cols, int64_t *__nnz);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t __m, void *__offsets, void *__columns, void *__values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *__v, int64_t __n, void *__values, cudaDataType __type);
cusparseStatus_t cusparseDestroyDnVec(cusparseDnVecDescr_t __v);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t __v, void *__values);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *__m, int64_t __rows, int64_t __cols, int64_t __ld,
	void *__values, cudaDataType __type, cusparseOrder_t __order);
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t __m);

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t __h, cusparseOperation_t __op, const void *__alpha,
	cusparseSpMatDescr_t __a, cusparseDnVecDescr_t __x, const void *__beta, cusparseDnVecDescr_t __y,
	cudaDataType __type, cusparseSpMVAlg_t __alg, size_t *__size);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t __h, cusparseOperation_t __op, const void *__alpha,
	cusparseSpMatDescr_t __a, cusparseDnVecDescr_t __x, const void *__beta, cusparseDnVecDescr_t __y,
	cudaDataType __type, cusparseSpMVAlg_t __alg, void *__buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t __h, cusparseOperation_t __op, const void *__alpha,
	cusparseSpMatDescr_t __a, cusparseDnVecDescr_t __x, const void *__beta, cusparseDnVecDescr_t __y,
	cudaDataType __type, cusparseSpMVAlg_t __alg, void *__buffer);
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t __opb,
	const void *__alpha, cusparseSpMatDescr_t __a, cusparseDnMatDescr_t __b, const void *__beta,
	cusparseDnMatDescr_t __c, cudaDataType __type, cusparseSpMMAlg_t __alg, size_t *__size);
cusparseStatus_t cusparseSpMM(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t __opb,
	const void *__alpha, cusparseSpMatDescr_t __a, cusparseDnMatDescr_t __b, const void *__beta,
	cusparseDnMatDescr_t __c, cudaDataType __type, cusparseSpMMAlg_t __alg, void *__buffer);
cusparseStatus_t cusparseScsrmv(cusparseHandle_t __h, cusparseOperation_t __op, int __m, int __n, int __nnz,
	const float *__alpha, const cusparseMatDescr_t __d, const float *__values, const int *__offsets,
	const int *__columns, const float *__x, const float *__beta, float *__y);
cusparseStatus_t cusparseDcsrmv(cusparseHandle_t __h, cusparseOperation_t __op, int __m, int __n, int __nnz,
	const double *__alpha, const cusparseMatDescr_t __d, const double *__values, const int *__offsets,
	const int *__columns, const double *__x, const double *__beta, double *__y);

#if defined(__cplusplus)
}
#endif

#endif
