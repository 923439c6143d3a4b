/* A part of cuSPARSE: products, triangular systems, incomplete factors, conversions and sorts of
 * sparse matrices. Descriptor types are those of version 12, in which input descriptors are
 * constant. */
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
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct csrsv2Info *csrsv2Info_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct csric02Info *csric02Info_t;

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
	CUSPARSE_SPMV_COO_ALG2 = 4,
	CUSPARSE_SPMV_SELL_ALG1 = 5
} cusparseSpMVAlg_t;
typedef enum {
	CUSPARSE_SPMM_ALG_DEFAULT = 0,
	CUSPARSE_SPMM_COO_ALG1 = 1,
	CUSPARSE_SPMM_COO_ALG2 = 2,
	CUSPARSE_SPMM_COO_ALG3 = 3,
	CUSPARSE_SPMM_CSR_ALG1 = 4,
	CUSPARSE_SPMM_COO_ALG4 = 5,
	CUSPARSE_SPMM_CSR_ALG2 = 6,
	CUSPARSE_SPMM_CSR_ALG3 = 12,
	CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13,
	CUSPARSE_SPMM_BSR_ALG1 = 14
} cusparseSpMMAlg_t;
typedef enum {
	CUSPARSE_FORMAT_CSR = 1,
	CUSPARSE_FORMAT_CSC = 2,
	CUSPARSE_FORMAT_COO = 3,
	CUSPARSE_FORMAT_BLOCKED_ELL = 5,
	CUSPARSE_FORMAT_BSR = 6,
	CUSPARSE_FORMAT_SLICED_ELLPACK = 7
} cusparseFormat_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0, CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1 } cusparseSolvePolicy_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 = 2 } cusparseCsr2CscAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSV_UPDATE_GENERAL = 0, CUSPARSE_SPSV_UPDATE_DIAGONAL = 1 } cusparseSpSVUpdate_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum {
	CUSPARSE_SPGEMM_DEFAULT = 0,
	CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
	CUSPARSE_SPGEMM_CSR_ALG_DETERMINISTIC = 1,
	CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
	CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINISTIC = 2,
	CUSPARSE_SPGEMM_ALG1 = 3,
	CUSPARSE_SPGEMM_ALG2 = 4,
	CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;

/* ---- The handle and descriptors ---- */

const char *cusparseGetErrorName(cusparseStatus_t __s);
const char *cusparseGetErrorString(cusparseStatus_t __s);
cusparseStatus_t cusparseCreate(cusparseHandle_t *__h);
cusparseStatus_t cusparseDestroy(cusparseHandle_t __h);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int *__v);
cusparseStatus_t cusparseGetProperty(libraryPropertyType __what, int *__v);
cusparseStatus_t cusparseSetStream(cusparseHandle_t __h, cudaStream_t __s);
cusparseStatus_t cusparseGetStream(cusparseHandle_t __h, cudaStream_t *__s);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t __h, cusparsePointerMode_t __m);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t __h, cusparsePointerMode_t *__m);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *__d);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t __d);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t __d, cusparseMatrixType_t __t);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t __d, cusparseIndexBase_t __b);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t __d, cusparseFillMode_t __m);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t __d, cusparseDiagType_t __t);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t __d);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t __d);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t __d);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t __d);

/* Two forms of each: the arrays of the second are constant. */
#define __CUSPARSE_CREATE(__name, __made, __arguments) \
	cusparseStatus_t cusparseCreate##__name(cusparse##__made##Descr_t *__m, __arguments(void)); \
	cusparseStatus_t cusparseCreateConst##__name(cusparseConst##__made##Descr_t *__m, __arguments(const void));
#define __CUSPARSE_COMPRESSED(__V) \
	int64_t __rows, int64_t __cols, int64_t __nnz, __V *__offsets, __V *__indices, __V *__values, \
	cusparseIndexType_t __offset_type, cusparseIndexType_t __index_type, cusparseIndexBase_t __base, \
	cudaDataType __type
#define __CUSPARSE_COO(__V) \
	int64_t __rows, int64_t __cols, int64_t __nnz, __V *__row_indices, __V *__columns, __V *__values, \
	cusparseIndexType_t __index_type, cusparseIndexBase_t __base, cudaDataType __type
#define __CUSPARSE_BSR(__V) \
	int64_t __rows, int64_t __cols, int64_t __blocks, int64_t __high, int64_t __wide, __V *__offsets, \
	__V *__columns, __V *__values, cusparseIndexType_t __offset_type, cusparseIndexType_t __index_type, \
	cusparseIndexBase_t __base, cudaDataType __type, cusparseOrder_t __order
#define __CUSPARSE_BLOCKED(__V) \
	int64_t __rows, int64_t __cols, int64_t __size, int64_t __ell_cols, __V *__columns, __V *__values, \
	cusparseIndexType_t __index_type, cusparseIndexBase_t __base, cudaDataType __type
#define __CUSPARSE_SLICED(__V) \
	int64_t __rows, int64_t __cols, int64_t __nnz, int64_t, int64_t __size, __V *__offsets, \
	__V *__columns, __V *__values, cusparseIndexType_t __offset_type, cusparseIndexType_t __index_type, \
	cusparseIndexBase_t __base, cudaDataType __type
#define __CUSPARSE_SPARSE_VECTOR(__V) \
	int64_t __n, int64_t __nnz, __V *__indices, __V *__values, cusparseIndexType_t __index_type, \
	cusparseIndexBase_t __base, cudaDataType __type
#define __CUSPARSE_DENSE_VECTOR(__V) \
	int64_t __n, __V *__values, cudaDataType __type
#define __CUSPARSE_DENSE_MATRIX(__V) \
	int64_t __rows, int64_t __cols, int64_t __ld, __V *__values, cudaDataType __type, \
	cusparseOrder_t __order
__CUSPARSE_CREATE(Csr, SpMat, __CUSPARSE_COMPRESSED)
__CUSPARSE_CREATE(Csc, SpMat, __CUSPARSE_COMPRESSED)
__CUSPARSE_CREATE(Coo, SpMat, __CUSPARSE_COO)
__CUSPARSE_CREATE(Bsr, SpMat, __CUSPARSE_BSR)
__CUSPARSE_CREATE(BlockedEll, SpMat, __CUSPARSE_BLOCKED)
__CUSPARSE_CREATE(SlicedEll, SpMat, __CUSPARSE_SLICED)
__CUSPARSE_CREATE(SpVec, SpVec, __CUSPARSE_SPARSE_VECTOR)
__CUSPARSE_CREATE(DnVec, DnVec, __CUSPARSE_DENSE_VECTOR)
__CUSPARSE_CREATE(DnMat, DnMat, __CUSPARSE_DENSE_MATRIX)

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t __m);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t __m, int64_t *__rows, int64_t *__cols,
	int64_t *__nnz);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t __m, cusparseFormat_t *__f);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t __m, cusparseIndexBase_t *__b);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t __m, void **__values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t __m, void *__values);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t __m, cusparseSpMatAttribute_t __what,
	void *__data, size_t __bytes);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t __m, cusparseSpMatAttribute_t __what,
	void *__data, size_t __bytes);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t __m, int *__count);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t __m, int __count, int64_t __offsets,
	int64_t __columns_values);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t __m, int __count, int64_t __stride);
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t __m, int __count, int64_t __offsets,
	int64_t __columns, int64_t __values);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t __m, void *__offsets, void *__columns,
	void *__values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t __m, void *__offsets, void *__rows,
	void *__values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t __m, void *__rows, void *__columns,
	void *__values);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t __m, int64_t *__rows, int64_t *__cols, int64_t *__nnz,
	void **__offsets, void **__columns, void **__values, cusparseIndexType_t *__offset_type,
	cusparseIndexType_t *__column_type, cusparseIndexBase_t *__base, cudaDataType *__type);
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t __m, int64_t *__rows, int64_t *__cols, int64_t *__nnz,
	void **__offsets, void **__indices, void **__values, cusparseIndexType_t *__offset_type,
	cusparseIndexType_t *__row_type, cusparseIndexBase_t *__base, cudaDataType *__type);
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t __m, int64_t *__rows, int64_t *__cols, int64_t *__nnz,
	void **__row_indices, void **__columns, void **__values, cusparseIndexType_t *__index_type,
	cusparseIndexBase_t *__base, cudaDataType *__type);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t __v);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t __v, cusparseIndexBase_t *__b);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t __v, void **__values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t __v, void *__values);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t __v);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t __v, int64_t *__n, void **__values,
	cudaDataType *__type);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t __v, void **__values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t __v, void *__values);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t __m);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t __m, int64_t *__rows, int64_t *__cols, int64_t *__ld,
	void **__values, cudaDataType *__type, cusparseOrder_t *__order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t __m, void **__values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t __m, void *__values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t __m, int __count, int64_t __apart);

/* ---- Products, and operations on sparse vectors ---- */

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType,
	cusparseSpMVAlg_t, size_t *__n);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType,
	cusparseSpMVAlg_t, void *);
cusparseStatus_t cusparseSpMV(cusparseHandle_t __h, cusparseOperation_t __op, const void *__alpha,
	cusparseConstSpMatDescr_t __a, cusparseConstDnVecDescr_t __x, const void *__beta, cusparseDnVecDescr_t __y,
	cudaDataType __type, cusparseSpMVAlg_t, void *);
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
	const void *, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseDnMatDescr_t,
	cudaDataType, cusparseSpMMAlg_t, size_t *__n);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
	const void *, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseDnMatDescr_t,
	cudaDataType, cusparseSpMMAlg_t, void *);
cusparseStatus_t cusparseSpMM(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t __opb,
	const void *__alpha, cusparseConstSpMatDescr_t __a, cusparseConstDnMatDescr_t __b, const void *__beta,
	cusparseDnMatDescr_t __c, cudaDataType __type, cusparseSpMMAlg_t, void *);
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
	const void *, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseSpMatDescr_t,
	cudaDataType, cusparseSDDMMAlg_t, size_t *__n);
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
	const void *, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseSpMatDescr_t,
	cudaDataType, cusparseSDDMMAlg_t, void *);
cusparseStatus_t cusparseSDDMM(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t __opb,
	const void *__alpha, cusparseConstDnMatDescr_t __ma, cusparseConstDnMatDescr_t __mb, const void *__beta,
	cusparseSpMatDescr_t __c, cudaDataType __type, cusparseSDDMMAlg_t, void *);
cusparseStatus_t cusparseGather(cusparseHandle_t __h, cusparseConstDnVecDescr_t __y, cusparseSpVecDescr_t __x);
cusparseStatus_t cusparseScatter(cusparseHandle_t __h, cusparseConstSpVecDescr_t __x,
	cusparseDnVecDescr_t __y);
cusparseStatus_t cusparseAxpby(cusparseHandle_t __h, const void *__alpha, cusparseConstSpVecDescr_t __x,
	const void *__beta, cusparseDnVecDescr_t __y);
cusparseStatus_t cusparseRot(cusparseHandle_t __h, const void *__c, const void *__s, cusparseSpVecDescr_t __x,
	cusparseDnVecDescr_t __y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseConstSpVecDescr_t,
	cusparseConstDnVecDescr_t, const void *, cudaDataType, size_t *__n);
cusparseStatus_t cusparseSpVV(cusparseHandle_t __h, cusparseOperation_t __op, cusparseConstSpVecDescr_t __x,
	cusparseConstDnVecDescr_t __y, void *__result, cudaDataType __type, void *);

/* ---- Sorts and conversions ---- */

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, const void *, const int *,
	const int *, void *, int *, int *, cudaDataType, cusparseAction_t, cusparseIndexBase_t, cusparseCsr2CscAlg_t,
	size_t *__n);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t __h, int __m, int __n, int __nnz, const void *__values,
	const int *__offsets, const int *__columns, void *__csc_values, int *__csc_offsets, int *__rows,
	cudaDataType __type, cusparseAction_t __action, cusparseIndexBase_t __base, cusparseCsr2CscAlg_t, void *);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t __h, const int *__rows, int __nnz, int __m, int *__offsets,
	cusparseIndexBase_t __base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t __h, const int *__offsets, int, int __m, int *__rows,
	cusparseIndexBase_t __base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t __h, int __n, int *__p);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t __h, int __m, int __n, int __nnz, int *__rows,
	int *__columns, int *__p, void *);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t __h, int __m, int __n, int __nnz, int *__rows,
	int *__columns, int *__p, void *);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t __h, int __m, int __n, int __nnz,
	const cusparseMatDescr_t __d, const int *__offsets, int *__columns, int *__p, void *);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t __h, int __m, int __n, int __nnz,
	const cusparseMatDescr_t __d, const int *__offsets, int *__rows, int *__p, void *__buffer);
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t,
	cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t, size_t *__n);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t __h, cusparseConstSpMatDescr_t __a,
	cusparseDnMatDescr_t __d, cusparseSparseToDenseAlg_t, void *);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t,
	cusparseSpMatDescr_t __a, cusparseDenseToSparseAlg_t, size_t *__n);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t __h, cusparseConstDnMatDescr_t __d,
	cusparseSpMatDescr_t __a, cusparseDenseToSparseAlg_t, void *__buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t __h, cusparseConstDnMatDescr_t __d,
	cusparseSpMatDescr_t __a, cusparseDenseToSparseAlg_t, void *__buffer);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t __h, int __m, int __n, int __nnz,
	const int *__first, const int *__second, size_t *__bytes);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t __h, int __m, int __n, int __nnz,
	const int *__first, const int *__second, size_t *__bytes);
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t __h, int __m, int __n, int __nnz,
	const int *__first, const int *__second, size_t *__bytes);

/* ---- Triangular systems, incomplete factors ---- */

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *__d);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t __d);
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
	cusparseSpSVDescr_t, size_t *__n);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t __h, cusparseOperation_t __op, const void *,
	cusparseConstSpMatDescr_t __a, cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType,
	cusparseSpSVAlg_t, cusparseSpSVDescr_t __d, void *);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t __h, cusparseOperation_t __op, const void *__alpha,
	cusparseConstSpMatDescr_t __a, cusparseConstDnVecDescr_t __x, cusparseDnVecDescr_t __y, cudaDataType __type,
	cusparseSpSVAlg_t, cusparseSpSVDescr_t __d);
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t __h, cusparseSpSVDescr_t __d, void *,
	cusparseSpSVUpdate_t);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *__d);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t __d);
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
	const void *, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t, cudaDataType,
	cusparseSpSMAlg_t, cusparseSpSMDescr_t, size_t *__n);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t,
	const void *, cusparseConstSpMatDescr_t __a, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t, cudaDataType,
	cusparseSpSMAlg_t, cusparseSpSMDescr_t __d, void *);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t __opb,
	const void *__alpha, cusparseConstSpMatDescr_t __a, cusparseConstDnMatDescr_t __b, cusparseDnMatDescr_t __c,
	cudaDataType __type, cusparseSpSMAlg_t, cusparseSpSMDescr_t __d);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t __h, csrilu02Info_t __info, int *__p);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t __h, csric02Info_t __info, int *__p);
cusparseStatus_t cusparseCreateCsrsv2Info(csrsv2Info_t *__info);
cusparseStatus_t cusparseDestroyCsrsv2Info(csrsv2Info_t __info);
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *__info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t __info);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *__info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t __info);

/* ---- Sparse results ---- */

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *__p);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t __p);
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, const void *, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	const void *, cusparseSpMatDescr_t __c, cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t __p,
	size_t *__bytes, void *__buffer);
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t __p, int64_t *__n);
cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, const void *, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	const void *, cusparseSpMatDescr_t __c, cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t __p, float,
	size_t *__bytes, void *, size_t *__more);
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, const void *, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	const void *, cusparseSpMatDescr_t __c, cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t __p,
	size_t *__bytes, void *__buffer);
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, const void *__alpha, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	const void *__beta, cusparseSpMatDescr_t __c, cudaDataType __type, cusparseSpGEMMAlg_t,
	cusparseSpGEMMDescr_t __p);
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	cusparseSpMatDescr_t __c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t __p, size_t *__bytes, void *__buffer);
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	cusparseSpMatDescr_t __c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t __p, size_t *__bytes2, void *__buffer2,
	size_t *__bytes3, void *, size_t *__bytes4, void *);
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	cusparseSpMatDescr_t __c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t __p, size_t *__bytes, void *__buffer);
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t __h, cusparseOperation_t __opa,
	cusparseOperation_t __opb, const void *__alpha, cusparseConstSpMatDescr_t __a, cusparseConstSpMatDescr_t __b,
	const void *__beta, cusparseSpMatDescr_t __c, cudaDataType __type, cusparseSpGEMMAlg_t,
	cusparseSpGEMMDescr_t __p);
cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t __h, int __m, int __n, const cusparseMatDescr_t __da,
	int __nnza, const int *__ra, const int *__ca, const cusparseMatDescr_t __db, int __nnzb, const int *__rb,
	const int *__cb, const cusparseMatDescr_t __dc, int *__rc, int *__nnz, void *);

/* ---- The old interface, of four types ---- */

#define __CUSPARSE_TYPE(__L, __T) \
cusparseStatus_t cusparse##__L##csrmv(cusparseHandle_t __h, cusparseOperation_t __op, int __m, int __n, \
	int __nnz, const __T *__alpha, const cusparseMatDescr_t __d, const __T *__values, const int *__offsets, \
	const int *__columns, const __T *__x, const __T *__beta, __T *__y); \
cusparseStatus_t cusparse##__L##csrmm(cusparseHandle_t __h, cusparseOperation_t __op, int __m, int __n, int __k, \
	int __nnz, const __T *__alpha, const cusparseMatDescr_t __d, const __T *__values, const int *__offsets, \
	const int *__columns, const __T *__b, int __ldb, const __T *__beta, __T *__c, int __ldc); \
cusparseStatus_t cusparse##__L##csrmm2(cusparseHandle_t __h, cusparseOperation_t __opa, cusparseOperation_t __opb, \
	int __m, int __n, int __k, int __nnz, const __T *__alpha, const cusparseMatDescr_t __d, const __T *__values, \
	const int *__offsets, const int *__columns, const __T *__b, int __ldb, const __T *__beta, __T *__c, int __ldc); \
cusparseStatus_t cusparse##__L##nnz(cusparseHandle_t __h, cusparseDirection_t __direction, int __m, \
	int __n, const cusparseMatDescr_t, const __T *__a, int __lda, int *__counts, int *__total); \
cusparseStatus_t cusparse##__L##dense2csr(cusparseHandle_t __h, int __m, int __n, const cusparseMatDescr_t __d, \
	const __T *__a, int __lda, const int *__counts, __T *__values, int *__offsets, int *__columns); \
cusparseStatus_t cusparse##__L##dense2csc(cusparseHandle_t __h, int __m, int __n, const cusparseMatDescr_t __d, \
	const __T *__a, int __lda, const int *__counts, __T *__values, int *__rows, int *__offsets); \
cusparseStatus_t cusparse##__L##csr2dense(cusparseHandle_t __h, int __m, int __n, const cusparseMatDescr_t __d, \
	const __T *__values, const int *__offsets, const int *__columns, __T *__a, int __lda); \
cusparseStatus_t cusparse##__L##csc2dense(cusparseHandle_t __h, int __m, int __n, const cusparseMatDescr_t __d, \
	const __T *__values, const int *__rows, const int *__offsets, __T *__a, int __lda); \
cusparseStatus_t cusparse##__L##csrilu02_bufferSize(cusparseHandle_t, int, int, const cusparseMatDescr_t, \
	__T *, const int *, const int *, csrilu02Info_t, int *__n); \
cusparseStatus_t cusparse##__L##csric02_bufferSize(cusparseHandle_t, int, int, const cusparseMatDescr_t, \
	__T *, const int *, const int *, csric02Info_t, int *__n); \
cusparseStatus_t cusparse##__L##csrilu02_analysis(cusparseHandle_t __h, int __m, int __nnz, \
	const cusparseMatDescr_t __d, const __T *__values, const int *__offsets, const int *__columns, \
	csrilu02Info_t __info, cusparseSolvePolicy_t, void *); \
cusparseStatus_t cusparse##__L##csric02_analysis(cusparseHandle_t __h, int __m, int __nnz, \
	const cusparseMatDescr_t __d, const __T *__values, const int *__offsets, const int *__columns, \
	csric02Info_t __info, cusparseSolvePolicy_t, void *); \
cusparseStatus_t cusparse##__L##csrilu02(cusparseHandle_t __h, int, int, const cusparseMatDescr_t, \
	__T *__values, const int *, const int *, csrilu02Info_t __info, cusparseSolvePolicy_t, void *); \
cusparseStatus_t cusparse##__L##csric02(cusparseHandle_t __h, int, int, const cusparseMatDescr_t, \
	__T *__values, const int *, const int *, csric02Info_t __info, cusparseSolvePolicy_t, void *); \
cusparseStatus_t cusparse##__L##csrsv2_bufferSize(cusparseHandle_t, cusparseOperation_t, int, int, \
	const cusparseMatDescr_t, __T *, const int *, const int *, csrsv2Info_t, int *__n); \
cusparseStatus_t cusparse##__L##csrsv2_analysis(cusparseHandle_t __h, cusparseOperation_t __op, int __m, \
	int __nnz, const cusparseMatDescr_t __d, const __T *__values, const int *__offsets, const int *__columns, \
	csrsv2Info_t __info, cusparseSolvePolicy_t, void *); \
cusparseStatus_t cusparse##__L##csrsv2_solve(cusparseHandle_t __h, cusparseOperation_t __op, int __m, int, \
	const __T *__alpha, const cusparseMatDescr_t __d, const __T *__values, const int *, const int *, \
	csrsv2Info_t __info, const __T *__f, __T *__x, cusparseSolvePolicy_t, void *); \
cusparseStatus_t cusparse##__L##csrgeam2_bufferSizeExt(cusparseHandle_t, int, int, const __T *, \
	const cusparseMatDescr_t, int, const __T *, const int *, const int *, const __T *, const cusparseMatDescr_t, \
	int, const __T *, const int *, const int *, const cusparseMatDescr_t, const __T *, const int *, const int *, \
	size_t *__bytes); \
cusparseStatus_t cusparse##__L##csrgeam2(cusparseHandle_t __h, int __m, int __n, const __T *__alpha, \
	const cusparseMatDescr_t __da, int __nnza, const __T *__va, const int *__ra, const int *__ca, \
	const __T *__beta, const cusparseMatDescr_t __db, int __nnzb, const __T *__vb, const int *__rb, \
	const int *__cb, const cusparseMatDescr_t __dc, __T *__vc, int *__rc, int *__cc, void *);
__CUSPARSE_TYPE(S, float)
__CUSPARSE_TYPE(D, double)
__CUSPARSE_TYPE(C, cuComplex)
__CUSPARSE_TYPE(Z, cuDoubleComplex)
#undef __CUSPARSE_TYPE
#undef __CUSPARSE_CREATE

#if defined(__cplusplus)
}
#endif

#endif
