/* The light interface of cuBLAS: handles and types. Its matrix products are not provided. */
#ifndef CUBLASLT_H_
#define CUBLASLT_H_
#include "cublas_api.h"

typedef struct cublasContext *cublasLtHandle_t; /* a handle of cuBLAS is one of these too */
typedef struct cublasLtMatmulDescOpaque *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque *cublasLtMatmulPreference_t;
typedef struct cublasLtMatrixTransformDescOpaque *cublasLtMatrixTransformDesc_t;

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *__h) { return cublasCreate_v2(__h); }
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t __h) { return cublasDestroy_v2(__h); }
static inline size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
static inline size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }
#endif
