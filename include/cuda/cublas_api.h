/* Linear algebra: the part of cuBLAS that Heddle has, as functions of version 2. The kernels behind
 * them are Heddle's own (cudalib/cublas.cu), compiled and simulated as any kernel. Matrices are
 * column-major. */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_
#include <stdint.h>
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 11
#define CUBLAS_VER_PATCH 3
#define CUBLAS_VERSION   111103
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1,
	CUBLAS_OP_C = 2,
	CUBLAS_OP_HERMITAN = 2,
	CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum {
	CUBLAS_FILL_MODE_LOWER = 0,
	CUBLAS_FILL_MODE_UPPER = 1,
	CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
	CUBLAS_DEFAULT_MATH = 0,
	CUBLAS_TENSOR_OP_MATH = 1,
	CUBLAS_PEDANTIC_MATH = 2,
	CUBLAS_TF32_TENSOR_OP_MATH = 3,
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
	CUBLAS_COMPUTE_16F = 64,
	CUBLAS_COMPUTE_16F_PEDANTIC = 65,
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_64F_PEDANTIC = 71,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32I_PEDANTIC = 73,
	CUBLAS_COMPUTE_32F_FAST_16F = 74,
	CUBLAS_COMPUTE_32F_FAST_16BF = 75,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
/* Algorithms by number, 0 to 23 and 100 to 115: all select one implementation. */
typedef enum {
	CUBLAS_GEMM_DFALT = -1,
	CUBLAS_GEMM_DEFAULT = -1,
	CUBLAS_GEMM_ALGO0 = 0,
	CUBLAS_GEMM_ALGO1 = 1,
	CUBLAS_GEMM_ALGO2 = 2,
	CUBLAS_GEMM_ALGO3 = 3,
	CUBLAS_GEMM_ALGO4 = 4,
	CUBLAS_GEMM_ALGO5 = 5,
	CUBLAS_GEMM_ALGO6 = 6,
	CUBLAS_GEMM_ALGO7 = 7,
	CUBLAS_GEMM_ALGO8 = 8,
	CUBLAS_GEMM_ALGO9 = 9,
	CUBLAS_GEMM_ALGO10 = 10,
	CUBLAS_GEMM_ALGO11 = 11,
	CUBLAS_GEMM_ALGO12 = 12,
	CUBLAS_GEMM_ALGO13 = 13,
	CUBLAS_GEMM_ALGO14 = 14,
	CUBLAS_GEMM_ALGO15 = 15,
	CUBLAS_GEMM_ALGO16 = 16,
	CUBLAS_GEMM_ALGO17 = 17,
	CUBLAS_GEMM_ALGO18 = 18,
	CUBLAS_GEMM_ALGO19 = 19,
	CUBLAS_GEMM_ALGO20 = 20,
	CUBLAS_GEMM_ALGO21 = 21,
	CUBLAS_GEMM_ALGO22 = 22,
	CUBLAS_GEMM_ALGO23 = 23,
	CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
	CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
	CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
	CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
	CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
	CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
	CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
	CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
	CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
	CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
	CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
	CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
	CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
	CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
	CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
	CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
	CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
	CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *count);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
typedef void (*cublasLogCallback)(const char *message);
cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback);
void cublasXerbla(const char *name, int info);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *space, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

/* Between host and device: n elements, or rows x columns, of `size` bytes. */
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int size, const void *a, int lda, void *b,
			       int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int size, const void *a, int lda, void *b,
			       int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy,
				    cudaStream_t s);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy,
				    cudaStream_t s);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *b,
				    int ldb, cudaStream_t s);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int size, const void *a, int lda, void *b,
				    int ldb, cudaStream_t s);

/* Functions of each type L: S float, D double, C and Z complex. R is the real type of L. */
#define __HD_BLAS(L, T, R)                                                                         \
	cublasStatus_t cublas##L##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y,     \
					  int incy);                                               \
	cublasStatus_t cublas##L##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y,           \
					  int incy);                                               \
	cublasStatus_t cublas##L##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x,           \
					  int incx);                                               \
	cublasStatus_t cublas##L##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x,     \
					  int incx, T *y, int incy);                               \
	cublasStatus_t cublasI##L##max_(cublasHandle_t h, int n, const T *x, int incx,             \
					int *result);                                              \
	cublasStatus_t cublas##L##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,    \
					  const T *alpha, const T *a, int lda, const T *x,         \
					  int incx, const T *beta, T *y, int incy);                \
	cublasStatus_t cublas##L##gemm_v2(cublasHandle_t h, cublasOperation_t opa,                 \
					  cublasOperation_t opb, int m, int n, int k,              \
					  const T *alpha, const T *a, int lda, const T *b,         \
					  int ldb, const T *beta, T *c, int ldc);                  \
	cublasStatus_t cublas##L##gemmBatched(                                                     \
		cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,      \
		int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb,   \
		const T *beta, T *const c[], int ldc, int count);                                  \
	cublasStatus_t cublas##L##gemmStridedBatched(                                              \
		cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n,      \
		int k, const T *alpha, const T *a, int lda, long long int stride_a, const T *b,    \
		int ldb, long long int stride_b, const T *beta, T *c, int ldc,                     \
		long long int stride_c, int count);                                                \
	cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t opa,                    \
				       cublasOperation_t opb, int m, int n, const T *alpha,        \
				       const T *a, int lda, const T *beta, const T *b, int ldb,    \
				       T *c, int ldc);                                             \
	cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n,      \
				       const T *a, int lda, const T *x, int incx, T *c, int ldc);  \
	cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda,     \
					       int *pivots, int *info, int count);                 \
	cublasStatus_t cublas##L##getrsBatched(                                                    \
		cublasHandle_t h, cublasOperation_t op, int n, int nrhs, const T *const a[],       \
		int lda, const int *pivots, T *const b[], int ldb, int *info, int count);          \
	cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, const T *const a[],        \
					       int lda, const int *pivots, T *const c[], int ldc,  \
					       int *info, int count);                              \
	cublasStatus_t cublas##L##trsm_v2(cublasHandle_t h, cublasSideMode_t side,                 \
					  cublasFillMode_t uplo, cublasOperation_t op,             \
					  cublasDiagType_t diag, int m, int n, const T *alpha,     \
					  const T *a, int lda, T *b, int ldb);                     \
	cublasStatus_t cublas##L##symm_v2(cublasHandle_t h, cublasSideMode_t side,                 \
					  cublasFillMode_t uplo, int m, int n, const T *alpha,     \
					  const T *a, int lda, const T *b, int ldb, const T *beta, \
					  T *c, int ldc);                                          \
	cublasStatus_t cublas##L##symv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,          \
					  const T *alpha, const T *a, int lda, const T *x,         \
					  int incx, const T *beta, T *y, int incy);                \
	cublasStatus_t cublas##L##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo,                 \
					  cublasOperation_t op, int n, int k, const T *alpha,      \
					  const T *a, int lda, const T *beta, T *c, int ldc);      \
	cublasStatus_t cublas##L##trmm_v2(                                                         \
		cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                    \
		cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha,         \
		const T *a, int lda, const T *b, int ldb, T *c, int ldc);                          \
	cublasStatus_t cublas##L##trmv_v2(cublasHandle_t h, cublasFillMode_t uplo,                 \
					  cublasOperation_t op, cublasDiagType_t diag, int n,      \
					  const T *a, int lda, T *x, int incx);                    \
	cublasStatus_t cublas##L##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo,                 \
					  cublasOperation_t op, cublasDiagType_t diag, int n,      \
					  const T *a, int lda, T *x, int incx);
/* Triangles packed column after column, bands of k or kl and ku diagonals, updates by one and two vectors or matrices. */
#define __HD_BLAS_TRIANGLE(L, T, name)                                                             \
	cublasStatus_t cublas##L##tp##name##_v2(cublasHandle_t h, cublasFillMode_t uplo,           \
						cublasOperation_t op, cublasDiagType_t diag,       \
						int n, const T *a, T *x, int incx);                \
	cublasStatus_t cublas##L##tb##name##_v2(                                                   \
		cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,                     \
		cublasDiagType_t diag, int n, int k, const T *a, int lda, T *x, int incx);
#define __HD_BLAS_HALF(L, T, pmv, bmv)                                                             \
	cublasStatus_t cublas##L##pmv##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,         \
					   const T *alpha, const T *a, const T *x, int incx,       \
					   const T *beta, T *y, int incy);                         \
	cublasStatus_t cublas##L##bmv##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, int k,  \
					   const T *alpha, const T *a, int lda, const T *x,        \
					   int incx, const T *beta, T *y, int incy);
#define __HD_BLAS_VECTORS(L, T, A, r, r2)                                                          \
	cublasStatus_t cublas##L##r##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,           \
					 const A *alpha, const T *x, int incx, T *a, int lda);     \
	cublasStatus_t cublas##L##r2##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,          \
					  const T *alpha, const T *x, int incx, const T *y,        \
					  int incy, T *a, int lda);
#define __HD_BLAS_PACKED(L, T, A, pr, pr2)                                                         \
	cublasStatus_t cublas##L##pr##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,          \
					  const A *alpha, const T *x, int incx, T *a);             \
	cublasStatus_t cublas##L##pr2##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,         \
					   const T *alpha, const T *x, int incx, const T *y,       \
					   int incy, T *a);
#define __HD_BLAS_UPDATE(L, T, B, r2k, rkx)                                                        \
	cublasStatus_t cublas##L##r2k##_v2(cublasHandle_t h, cublasFillMode_t uplo,                \
					   cublasOperation_t op, int n, int k, const T *alpha,     \
					   const T *a, int lda, const T *b, int ldb,               \
					   const B *beta, T *c, int ldc);                          \
	cublasStatus_t cublas##L##rkx(cublasHandle_t h, cublasFillMode_t uplo,                     \
				      cublasOperation_t op, int n, int k, const T *alpha,          \
				      const T *a, int lda, const T *b, int ldb, const B *beta,     \
				      T *c, int ldc);
#define __HD_BLAS_MORE(L, T, R)                                                                    \
	__HD_BLAS_TRIANGLE(L, T, mv)                                                               \
	__HD_BLAS_TRIANGLE(L, T, sv)                                                               \
	__HD_BLAS_VECTORS(L, T, T, syr, syr2)                                                      \
	__HD_BLAS_UPDATE(L, T, T, syr2k, syrkx)                                                    \
	cublasStatus_t cublas##L##gbmv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,    \
					  int kl, int ku, const T *alpha, const T *a, int lda,     \
					  const T *x, int incx, const T *beta, T *y, int incy);    \
	cublasStatus_t cublas##L##trsmBatched(                                                     \
		cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                    \
		cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha,         \
		const T *const a[], int lda, T *const b[], int ldb, int count);                    \
	cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t h, int m, int n, T *const a[],       \
					       int lda, T *const tau[], int *info, int count);     \
	cublasStatus_t cublas##L##gelsBatched(                                                     \
		cublasHandle_t h, cublasOperation_t op, int m, int n, int nrhs, T *const a[],      \
		int lda, T *const c[], int ldc, int *info, int *each, int count);                  \
	cublasStatus_t cublas##L##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n,            \
					const T *p, T *a, int lda);                                \
	cublasStatus_t cublas##L##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n,            \
					const T *a, int lda, T *p);                                \
	cublasStatus_t cublas##L##rot_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy,  \
					 const R *c, const T *s);                                  \
	cublasStatus_t cublas##L##rotg_v2(cublasHandle_t h, T *a, T *b, R *c, T *s);
#define __HD_BLAS_REAL(L, T)                                                                       \
	__HD_BLAS_HALF(L, T, spmv, sbmv)                                                           \
	__HD_BLAS_PACKED(L, T, T, spr, spr2)                                                       \
	cublasStatus_t cublas##L##ger_v2(cublasHandle_t h, int m, int n, const T *alpha,           \
					 const T *x, int incx, const T *y, int incy, T *a,         \
					 int lda);                                                 \
	cublasStatus_t cublas##L##rotm_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, \
					  const T *param);                                         \
	cublasStatus_t cublas##L##rotmg_v2(cublasHandle_t h, T *d1, T *d2, T *x1, const T *y1,     \
					   T *param);
#define __HD_BLAS_COMPLEX(L, T, R)                                                                 \
	__HD_BLAS_HALF(L, T, hpmv, hbmv)                                                           \
	__HD_BLAS_VECTORS(L, T, R, her, her2)                                                      \
	__HD_BLAS_PACKED(L, T, R, hpr, hpr2)                                                       \
	__HD_BLAS_UPDATE(L, T, R, her2k, herkx)                                                    \
	cublasStatus_t cublas##L##geru_v2(cublasHandle_t h, int m, int n, const T *alpha,          \
					  const T *x, int incx, const T *y, int incy, T *a,        \
					  int lda);                                                \
	cublasStatus_t cublas##L##gerc_v2(cublasHandle_t h, int m, int n, const T *alpha,          \
					  const T *x, int incx, const T *y, int incy, T *a,        \
					  int lda);                                                \
	cublasStatus_t cublas##L##gemm3m(cublasHandle_t h, cublasOperation_t opa,                  \
					 cublasOperation_t opb, int m, int n, int k,               \
					 const T *alpha, const T *a, int lda, const T *b, int ldb, \
					 const T *beta, T *c, int ldc);
__HD_BLAS_MORE(S, float, float)
__HD_BLAS_MORE(D, double, double)
__HD_BLAS_MORE(C, cuComplex, float)
__HD_BLAS_MORE(Z, cuDoubleComplex, double)
__HD_BLAS_REAL(S, float)
__HD_BLAS_REAL(D, double)
__HD_BLAS_COMPLEX(C, cuComplex, float)
__HD_BLAS_COMPLEX(Z, cuDoubleComplex, double)
#undef __HD_BLAS_TRIANGLE
#undef __HD_BLAS_HALF
#undef __HD_BLAS_VECTORS
#undef __HD_BLAS_PACKED
#undef __HD_BLAS_UPDATE
#undef __HD_BLAS_MORE
#undef __HD_BLAS_REAL
#undef __HD_BLAS_COMPLEX
cublasStatus_t cublasCsrot_v2(cublasHandle_t h, int n, cuComplex *x, int incx, cuComplex *y,
			      int incy, const float *c, const float *s);
cublasStatus_t cublasZdrot_v2(cublasHandle_t h, int n, cuDoubleComplex *x, int incx,
			      cuDoubleComplex *y, int incy, const double *c, const double *s);
cublasStatus_t cublasCsscal_v2(cublasHandle_t h, int n, const float *alpha, cuComplex *x, int incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t h, int n, const double *alpha, cuDoubleComplex *x,
			       int incx);
cublasStatus_t cublasIcamin_v2(cublasHandle_t h, int n, const cuComplex *x, int incx, int *result);
cublasStatus_t cublasIzamin_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
			       int *result);
#define cublasISmax_ cublasIsamax_v2
#define cublasIDmax_ cublasIdamax_v2
#define cublasICmax_ cublasIcamax_v2
#define cublasIZmax_ cublasIzamax_v2
__HD_BLAS(S, float, float)
__HD_BLAS(D, double, double)
__HD_BLAS(C, cuComplex, float)
__HD_BLAS(Z, cuDoubleComplex, double)
#undef __HD_BLAS
#define __HD_HERMITIAN(L, T, R)                                                                    \
	cublasStatus_t cublas##L##hemm_v2(cublasHandle_t h, cublasSideMode_t side,                 \
					  cublasFillMode_t uplo, int m, int n, const T *alpha,     \
					  const T *a, int lda, const T *b, int ldb, const T *beta, \
					  T *c, int ldc);                                          \
	cublasStatus_t cublas##L##hemv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,          \
					  const T *alpha, const T *a, int lda, const T *x,         \
					  int incx, const T *beta, T *y, int incy);                \
	cublasStatus_t cublas##L##herk_v2(cublasHandle_t h, cublasFillMode_t uplo,                 \
					  cublasOperation_t op, int n, int k, const R *alpha,      \
					  const T *a, int lda, const R *beta, T *c, int ldc);
__HD_HERMITIAN(C, cuComplex, float)
__HD_HERMITIAN(Z, cuDoubleComplex, double)
#undef __HD_HERMITIAN

cublasStatus_t cublasIsamin_v2(cublasHandle_t h, int n, const float *x, int incx, int *result);
cublasStatus_t cublasIdamin_v2(cublasHandle_t h, int n, const double *x, int incx, int *result);
cublasStatus_t cublasSdot_v2(cublasHandle_t h, int n, const float *x, int incx, const float *y,
			     int incy, float *r);
cublasStatus_t cublasDdot_v2(cublasHandle_t h, int n, const double *x, int incx, const double *y,
			     int incy, double *r);
cublasStatus_t cublasCdotu_v2(cublasHandle_t h, int n, const cuComplex *x, int incx,
			      const cuComplex *y, int incy, cuComplex *r);
cublasStatus_t cublasCdotc_v2(cublasHandle_t h, int n, const cuComplex *x, int incx,
			      const cuComplex *y, int incy, cuComplex *r);
cublasStatus_t cublasZdotu_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
			      const cuDoubleComplex *y, int incy, cuDoubleComplex *r);
cublasStatus_t cublasZdotc_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
			      const cuDoubleComplex *y, int incy, cuDoubleComplex *r);
cublasStatus_t cublasSnrm2_v2(cublasHandle_t h, int n, const float *x, int incx, float *r);
cublasStatus_t cublasDnrm2_v2(cublasHandle_t h, int n, const double *x, int incx, double *r);
cublasStatus_t cublasScnrm2_v2(cublasHandle_t h, int n, const cuComplex *x, int incx, float *r);
cublasStatus_t cublasDznrm2_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
			       double *r);
cublasStatus_t cublasSasum_v2(cublasHandle_t h, int n, const float *x, int incx, float *r);
cublasStatus_t cublasDasum_v2(cublasHandle_t h, int n, const double *x, int incx, double *r);
cublasStatus_t cublasScasum_v2(cublasHandle_t h, int n, const cuComplex *x, int incx, float *r);
cublasStatus_t cublasDzasum_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
			       double *r);
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
			   int n, int k, const __half *alpha, const __half *a, int lda,
			   const __half *b, int ldb, const __half *beta, __half *c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
					 cublasOperation_t opb, int m, int n, int k,
					 const __half *alpha, const __half *a, int lda,
					 long long int sa, const __half *b, int ldb,
					 long long int sb, const __half *beta, __half *c, int ldc,
					 long long int sc, int count);
cublasStatus_t cublasHgemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
				  int m, int n, int k, const __half *alpha, const __half *const a[],
				  int lda, const __half *const b[], int ldb, const __half *beta,
				  __half *const c[], int ldc, int count);
/* A and B of one type, C of that type or (of halves) float; alpha, beta and the sum in the computing type. */
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
			    int n, int k, const void *alpha, const void *a, cudaDataType ta,
			    int lda, const void *b, cudaDataType tb, int ldb, const void *beta,
			    void *c, cudaDataType tc, int ldc, cublasComputeType_t compute,
			    cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t opa,
					  cublasOperation_t opb, int m, int n, int k,
					  const void *alpha, const void *a, cudaDataType ta,
					  int lda, long long int sa, const void *b, cudaDataType tb,
					  int ldb, long long int sb, const void *beta, void *c,
					  cudaDataType tc, int ldc, long long int sc, int count,
					  cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
				   int m, int n, int k, const void *alpha, const void *const a[],
				   cudaDataType ta, int lda, const void *const b[], cudaDataType tb,
				   int ldb, const void *beta, void *const c[], cudaDataType tc,
				   int ldc, int count, cublasComputeType_t compute,
				   cublasGemmAlgo_t algo);
/* Functions whose names contain the type of alpha, beta and the sum. */
#define __HD_BLAS_EX(name, T)                                                                      \
	cublasStatus_t name(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, \
			    int n, int k, const T *alpha, const void *a, cudaDataType ta, int lda, \
			    const void *b, cudaDataType tb, int ldb, const T *beta, void *c,       \
			    cudaDataType tc, int ldc);
__HD_BLAS_EX(cublasSgemmEx, float)
__HD_BLAS_EX(cublasCgemmEx, cuComplex)
__HD_BLAS_EX(cublasCgemm3mEx, cuComplex)
#undef __HD_BLAS_EX
#define __HD_BLAS_EX(name, A)                                                                      \
	cublasStatus_t name(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,  \
			    int k, const A *alpha, const void *a, cudaDataType ta, int lda,        \
			    const A *beta, void *c, cudaDataType tc, int ldc);
__HD_BLAS_EX(cublasCsyrkEx, cuComplex)
__HD_BLAS_EX(cublasCsyrk3mEx, cuComplex)
__HD_BLAS_EX(cublasCherkEx, float)
__HD_BLAS_EX(cublasCherk3mEx, float)
#undef __HD_BLAS_EX
cublasStatus_t cublasCgemm3mBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
				    int m, int n, int k, const cuComplex *alpha,
				    const cuComplex *const a[], int lda, const cuComplex *const b[],
				    int ldb, const cuComplex *beta, cuComplex *const c[], int ldc,
				    int count);
cublasStatus_t cublasCgemm3mStridedBatched(cublasHandle_t h, cublasOperation_t opa,
					   cublasOperation_t opb, int m, int n, int k,
					   const cuComplex *alpha, const cuComplex *a, int lda,
					   long long int sa, const cuComplex *b, int ldb,
					   long long int sb, const cuComplex *beta, cuComplex *c,
					   int ldc, long long int sc, int count);
/* Batches of matrix-vector products, and of inverses of at most 32 rows. */
#define __HD_BLAS_GEMV(name, In, Out, A)                                                           \
	cublasStatus_t name##Batched(cublasHandle_t h, cublasOperation_t op, int m, int n,         \
				     const A *alpha, const In *const a[], int lda,                 \
				     const In *const x[], int incx, const A *beta, Out *const y[], \
				     int incy, int count);                                         \
	cublasStatus_t name##StridedBatched(                                                       \
		cublasHandle_t h, cublasOperation_t op, int m, int n, const A *alpha, const In *a, \
		int lda, long long int sa, const In *x, int incx, long long int sx, const A *beta, \
		Out *y, int incy, long long int sy, int count);
#define __HD_BLAS_BATCH(L, T)                                                                      \
	__HD_BLAS_GEMV(cublas##L##gemv, T, T, T)                                                   \
	cublasStatus_t cublas##L##matinvBatched(cublasHandle_t h, int n, const T *const a[],       \
						int lda, T *const c[], int ldc, int *info,         \
						int count);
__HD_BLAS_BATCH(S, float)
__HD_BLAS_BATCH(D, double)
__HD_BLAS_BATCH(C, cuComplex)
__HD_BLAS_BATCH(Z, cuDoubleComplex)
__HD_BLAS_GEMV(cublasHSHgemv, __half, __half, float)
__HD_BLAS_GEMV(cublasHSSgemv, __half, float, float)
#ifdef __cplusplus /* C has no such type */
__HD_BLAS_GEMV(cublasTSTgemv, __nv_bfloat16, __nv_bfloat16, float)
__HD_BLAS_GEMV(cublasTSSgemv, __nv_bfloat16, float, float)
#endif
#undef __HD_BLAS_GEMV
#undef __HD_BLAS_BATCH
/* Groups of products, each group with its own sizes; alpha and beta are in host memory. */
#define __HD_BLAS_GROUPED(L, T)                                                                    \
	cublasStatus_t cublas##L##gemmGroupedBatched(                                              \
		cublasHandle_t h, const cublasOperation_t opa[], const cublasOperation_t opb[],    \
		const int m[], const int n[], const int k[], const T alpha[], const T *const a[],  \
		const int lda[], const T *const b[], const int ldb[], const T beta[],              \
		T *const c[], const int ldc[], int groups, const int size[]);
__HD_BLAS_GROUPED(S, float)
__HD_BLAS_GROUPED(D, double)
#undef __HD_BLAS_GROUPED
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t h, const cublasOperation_t opa[],
					  const cublasOperation_t opb[], const int m[],
					  const int n[], const int k[], const void *alpha,
					  const void *const a[], cudaDataType ta, const int lda[],
					  const void *const b[], cudaDataType tb, const int ldb[],
					  const void *beta, void *const c[], cudaDataType tc,
					  const int ldc[], int groups, const int size[],
					  cublasComputeType_t compute);
/* All types equal: float or double, real or complex; or numbers of 16 bits, computed as floats. */
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			   const void *y, cudaDataType ty, int incy, void *r, cudaDataType tr,
			   cudaDataType by);
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ta,
			    const void *x, cudaDataType tx, int incx, void *y, cudaDataType ty,
			    int incy, cudaDataType by);
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			    void *r, cudaDataType tr, cudaDataType by);
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y,
			   cudaDataType ty, int incy, const void *c, const void *s, cudaDataType ts,
			   cudaDataType by);
cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			    const void *y, cudaDataType ty, int incy, void *r, cudaDataType tr,
			    cudaDataType by);
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ta, void *x,
			    cudaDataType tx, int incx, cudaDataType by);
cublasStatus_t cublasAsumEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			    void *r, cudaDataType tr, cudaDataType by);
cublasStatus_t cublasIamaxEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			     int *r);
cublasStatus_t cublasIaminEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			     int *r);
cublasStatus_t cublasCopyEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx,
			    void *y, cudaDataType ty, int incy);
cublasStatus_t cublasSwapEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y,
			    cudaDataType ty, int incy);
cublasStatus_t cublasRotgEx(cublasHandle_t h, void *a, void *b, cudaDataType t, void *c, void *s,
			    cudaDataType ts, cudaDataType by);
cublasStatus_t cublasRotmEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y,
			    cudaDataType ty, int incy, const void *param, cudaDataType tp,
			    cudaDataType by);
cublasStatus_t cublasRotmgEx(cublasHandle_t h, void *d1, cudaDataType t1, void *d2, cudaDataType t2,
			     void *x1, cudaDataType tx, const void *y1, cudaDataType ty,
			     void *param, cudaDataType tp, cudaDataType by);

#ifdef __cplusplus
}

/* The compute type in the form of CUDA 10, which is a data type. */
static inline cublasComputeType_t __hd_cublas_compute(cudaDataType __t)
{
	switch (__t) {
	case CUDA_R_16F: return CUBLAS_COMPUTE_16F;
	case CUDA_R_32I: return CUBLAS_COMPUTE_32I;
	case CUDA_R_64F:
	case CUDA_C_64F: return CUBLAS_COMPUTE_64F;
	default: return CUBLAS_COMPUTE_32F;
	}
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t __h, cublasOperation_t __opa,
					  cublasOperation_t __opb, int __m, int __n, int __k,
					  const void *__alpha, const void *__a, cudaDataType __ta,
					  int __lda, const void *__b, cudaDataType __tb, int __ldb,
					  const void *__beta, void *__c, cudaDataType __tc,
					  int __ldc, cudaDataType __by, cublasGemmAlgo_t __algo)
{
	return cublasGemmEx(__h, __opa, __opb, __m, __n, __k, __alpha, __a, __ta, __lda, __b, __tb,
			    __ldb, __beta, __c, __tc, __ldc, __hd_cublas_compute(__by), __algo);
}
static inline cublasStatus_t
cublasGemmStridedBatchedEx(cublasHandle_t __h, cublasOperation_t __opa, cublasOperation_t __opb,
			   int __m, int __n, int __k, const void *__alpha, const void *__a,
			   cudaDataType __ta, int __lda, long long int __sa, const void *__b,
			   cudaDataType __tb, int __ldb, long long int __sb, const void *__beta,
			   void *__c, cudaDataType __tc, int __ldc, long long int __sc, int __count,
			   cudaDataType __by, cublasGemmAlgo_t __algo)
{
	return cublasGemmStridedBatchedEx(__h, __opa, __opb, __m, __n, __k, __alpha, __a, __ta,
					  __lda, __sa, __b, __tb, __ldb, __sb, __beta, __c, __tc,
					  __ldc, __sc, __count, __hd_cublas_compute(__by), __algo);
}
static inline cublasStatus_t
cublasGemmBatchedEx(cublasHandle_t __h, cublasOperation_t __opa, cublasOperation_t __opb, int __m,
		    int __n, int __k, const void *__alpha, const void *const __a[],
		    cudaDataType __ta, int __lda, const void *const __b[], cudaDataType __tb,
		    int __ldb, const void *__beta, void *const __c[], cudaDataType __tc, int __ldc,
		    int __count, cudaDataType __by, cublasGemmAlgo_t __algo)
{
	return cublasGemmBatchedEx(__h, __opa, __opb, __m, __n, __k, __alpha, __a, __ta, __lda, __b,
				   __tb, __ldb, __beta, __c, __tc, __ldc, __count,
				   __hd_cublas_compute(__by), __algo);
}
#endif
#endif
