/* Dense systems and eigenvalues: the part of cuSOLVER that Heddle has. The kernels behind it are Heddle's own
 * (cudalib/cusolver.cu), compiled and simulated as any kernel. Work space of `lwork` elements is on the device. */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_
#include <stdint.h>
#include "cuComplex.h"
#include "cublas_api.h"
#include "cuda_runtime.h"
#include "cusolver_common.h"

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1 } cusolverDnFunction_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverGetVersion(int *version);
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
					 cusolverAlgMode_t algo);

#define __HD_SOLVER(L, T)                                                                          \
	cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *a, \
							 int lda, int *lwork);                     \
	cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda,   \
					      T *work, int *pivots, int *info);                    \
	cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n,   \
					      int nrhs, const T *a, int lda, const int *pivots,    \
					      T *b, int ldb, int *info);                           \
	cusolverStatus_t cusolverDn##L##potrf_bufferSize(                                          \
		cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda, int *lwork);    \
	cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,  \
					      T *a, int lda, T *work, int lwork, int *info);       \
	cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n,  \
					      int nrhs, const T *a, int lda, T *b, int ldb,        \
					      int *info);                                          \
	cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo,  \
						     int n, T *a[], int lda, int *info,            \
						     int count);                                   \
	cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t uplo,  \
						     int n, int nrhs, T *a[], int lda, T *b[],     \
						     int ldb, int *info, int count);               \
	cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *a, \
							 int lda, int *lwork);                     \
	cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda,   \
					      T *tau, T *work, int lwork, int *info);
__HD_SOLVER(S, float)
__HD_SOLVER(D, double)
__HD_SOLVER(C, cuComplex)
__HD_SOLVER(Z, cuDoubleComplex)
#undef __HD_SOLVER

/* Q of geqrf, or its product with a matrix; for complex types the names differ. */
#define __HD_SOLVER(form, times, T)                                                                \
	cusolverStatus_t cusolverDn##form##_bufferSize(cusolverDnHandle_t h, int m, int n, int k,  \
						       const T *a, int lda, const T *tau,          \
						       int *lwork);                                \
	cusolverStatus_t cusolverDn##form(cusolverDnHandle_t h, int m, int n, int k, T *a,         \
					  int lda, const T *tau, T *work, int lwork, int *info);   \
	cusolverStatus_t cusolverDn##times##_bufferSize(                                           \
		cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n,   \
		int k, const T *a, int lda, const T *tau, const T *c, int ldc, int *lwork);        \
	cusolverStatus_t cusolverDn##times(cusolverDnHandle_t h, cublasSideMode_t side,            \
					   cublasOperation_t op, int m, int n, int k, const T *a,  \
					   int lda, const T *tau, T *c, int ldc, T *work,          \
					   int lwork, int *info);
__HD_SOLVER(Sorgqr, Sormqr, float)
__HD_SOLVER(Dorgqr, Dormqr, double)
__HD_SOLVER(Cungqr, Cunmqr, cuComplex)
__HD_SOLVER(Zungqr, Zunmqr, cuDoubleComplex)
#undef __HD_SOLVER

/* Eigenvalues of symmetric matrices, in rising order, and singular values, in falling order; by Jacobi's method in
 * every function. gesvd needs m >= n, and `rwork` may be null. */
#define __HD_SOLVER(L, eig, T, R)                                                                  \
	cusolverStatus_t cusolverDn##eig##d_bufferSize(                                            \
		cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n,         \
		const T *a, int lda, const R *w, int *lwork);                                      \
	cusolverStatus_t cusolverDn##eig##d(cusolverDnHandle_t h, cusolverEigMode_t job,           \
					    cublasFillMode_t uplo, int n, T *a, int lda, R *w,     \
					    T *work, int lwork, int *info);                        \
	cusolverStatus_t cusolverDn##eig##j_bufferSize(                                            \
		cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n,         \
		const T *a, int lda, const R *w, int *lwork, syevjInfo_t params);                  \
	cusolverStatus_t cusolverDn##eig##j(cusolverDnHandle_t h, cusolverEigMode_t job,           \
					    cublasFillMode_t uplo, int n, T *a, int lda, R *w,     \
					    T *work, int lwork, int *info, syevjInfo_t params);    \
	cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n,       \
							 int *lwork);                              \
	cusolverStatus_t cusolverDn##L##gesvd(cusolverDnHandle_t h, signed char jobu,              \
					      signed char jobvt, int m, int n, T *a, int lda,      \
					      R *s, T *u, int ldu, T *vt, int ldvt, T *work,       \
					      int lwork, R *rwork, int *info);                     \
	cusolverStatus_t cusolverDn##L##gesvdj_bufferSize(                                         \
		cusolverDnHandle_t h, cusolverEigMode_t job, int econ, int m, int n, const T *a,   \
		int lda, const R *s, const T *u, int ldu, const T *v, int ldv, int *lwork,         \
		gesvdjInfo_t params);                                                              \
	cusolverStatus_t cusolverDn##L##gesvdj(cusolverDnHandle_t h, cusolverEigMode_t job,        \
					       int econ, int m, int n, T *a, int lda, R *s, T *u,  \
					       int ldu, T *v, int ldv, T *work, int lwork,         \
					       int *info, gesvdjInfo_t params);
__HD_SOLVER(S, Ssyev, float, float)
__HD_SOLVER(D, Dsyev, double, double)
__HD_SOLVER(C, Cheev, cuComplex, float)
__HD_SOLVER(Z, Zheev, cuDoubleComplex, double)
#undef __HD_SOLVER

/* Eigenvalues of two matrices, A x = w B x, A B x = w x or B A x = w x; B is replaced by its
 * Cholesky factor. `dx`: some of the eigenvalues, stored first; their number is written to host
 * memory, so the call waits. The matrices of a batch are stored one after the other. */
#define __HD_SOLVER(L, ev, gv, T, R)                                                               \
	cusolverStatus_t cusolverDn##gv##d_bufferSize(                                             \
		cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job,               \
		cublasFillMode_t uplo, int n, const T *a, int lda, const T *b, int ldb,            \
		const R *w, int *lwork);                                                           \
	cusolverStatus_t cusolverDn##gv##d(cusolverDnHandle_t h, cusolverEigType_t kind,           \
					   cusolverEigMode_t job, cublasFillMode_t uplo, int n,    \
					   T *a, int lda, T *b, int ldb, R *w, T *work, int lwork, \
					   int *info);                                             \
	cusolverStatus_t cusolverDn##gv##j_bufferSize(                                             \
		cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job,               \
		cublasFillMode_t uplo, int n, const T *a, int lda, const T *b, int ldb,            \
		const R *w, int *lwork, syevjInfo_t params);                                       \
	cusolverStatus_t cusolverDn##gv##j(cusolverDnHandle_t h, cusolverEigType_t kind,           \
					   cusolverEigMode_t job, cublasFillMode_t uplo, int n,    \
					   T *a, int lda, T *b, int ldb, R *w, T *work, int lwork, \
					   int *info, syevjInfo_t params);                         \
	cusolverStatus_t cusolverDn##gv##dx_bufferSize(                                            \
		cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t job,               \
		cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T *a, int lda,       \
		const T *b, int ldb, R vl, R vu, int il, int iu, int *count, const R *w,           \
		int *lwork);                                                                       \
	cusolverStatus_t cusolverDn##gv##dx(cusolverDnHandle_t h, cusolverEigType_t kind,          \
					    cusolverEigMode_t job, cusolverEigRange_t range,       \
					    cublasFillMode_t uplo, int n, T *a, int lda, T *b,     \
					    int ldb, R vl, R vu, int il, int iu, int *count, R *w, \
					    T *work, int lwork, int *info);                        \
	cusolverStatus_t cusolverDn##ev##dx_bufferSize(                                            \
		cusolverDnHandle_t h, cusolverEigMode_t job, cusolverEigRange_t range,             \
		cublasFillMode_t uplo, int n, const T *a, int lda, R vl, R vu, int il, int iu,     \
		int *count, const R *w, int *lwork);                                               \
	cusolverStatus_t cusolverDn##ev##dx(cusolverDnHandle_t h, cusolverEigMode_t job,           \
					    cusolverEigRange_t range, cublasFillMode_t uplo,       \
					    int n, T *a, int lda, R vl, R vu, int il, int iu,      \
					    int *count, R *w, T *work, int lwork, int *info);      \
	cusolverStatus_t cusolverDn##ev##jBatched_bufferSize(                                      \
		cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n,         \
		const T *a, int lda, const R *w, int *lwork, syevjInfo_t params, int count);       \
	cusolverStatus_t cusolverDn##ev##jBatched(                                                 \
		cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a,   \
		int lda, R *w, T *work, int lwork, int *info, syevjInfo_t params, int count);      \
	cusolverStatus_t cusolverDn##L##gesvdjBatched_bufferSize(                                  \
		cusolverDnHandle_t h, cusolverEigMode_t job, int m, int n, const T *a, int lda,    \
		const R *s, const T *u, int ldu, const T *v, int ldv, int *lwork,                  \
		gesvdjInfo_t params, int count);                                                   \
	cusolverStatus_t cusolverDn##L##gesvdjBatched(cusolverDnHandle_t h, cusolverEigMode_t job, \
						      int m, int n, T *a, int lda, R *s, T *u,     \
						      int ldu, T *v, int ldv, T *work, int lwork,  \
						      int *info, gesvdjInfo_t params, int count);
__HD_SOLVER(S, Ssyev, Ssygv, float, float)
__HD_SOLVER(D, Dsyev, Dsygv, double, double)
__HD_SOLVER(C, Cheev, Chegv, cuComplex, float)
__HD_SOLVER(Z, Zheev, Zhegv, cuDoubleComplex, double)
#undef __HD_SOLVER

#define __HD_SOLVER(Kind, kind)                                                                    \
	cusolverStatus_t cusolverDnCreate##Kind##Info(kind##Info_t *info);                         \
	cusolverStatus_t cusolverDnDestroy##Kind##Info(kind##Info_t info);                         \
	cusolverStatus_t cusolverDnX##kind##SetTolerance(kind##Info_t info, double tolerance);     \
	cusolverStatus_t cusolverDnX##kind##SetMaxSweeps(kind##Info_t info, int sweeps);           \
	cusolverStatus_t cusolverDnX##kind##SetSortEig(kind##Info_t info, int sort);               \
	cusolverStatus_t cusolverDnX##kind##GetResidual(cusolverDnHandle_t h, kind##Info_t info,   \
							double *residual);                         \
	cusolverStatus_t cusolverDnX##kind##GetSweeps(cusolverDnHandle_t h, kind##Info_t info,     \
						      int *sweeps);
__HD_SOLVER(Syevj, syevj)
__HD_SOLVER(Gesvdj, gesvdj)
#undef __HD_SOLVER

/* Types passed as enumerations: all operands have one type. Work space is in bytes; none is needed
 * on the host. */
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
					     int64_t m, int64_t n, cudaDataType ta, const void *a,
					     int64_t lda, cudaDataType compute, size_t *on_device,
					     size_t *on_host);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t params, int64_t m,
				  int64_t n, cudaDataType ta, void *a, int64_t lda, int64_t *pivots,
				  cudaDataType compute, void *device, size_t on_device, void *host,
				  size_t on_host, int *info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t params,
				  cublasOperation_t op, int64_t n, int64_t nrhs, cudaDataType ta,
				  const void *a, int64_t lda, const int64_t *pivots,
				  cudaDataType tb, void *b, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
					     cublasFillMode_t uplo, int64_t n, cudaDataType ta,
					     const void *a, int64_t lda, cudaDataType compute,
					     size_t *on_device, size_t *on_host);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t params,
				  cublasFillMode_t uplo, int64_t n, cudaDataType ta, void *a,
				  int64_t lda, cudaDataType compute, void *device, size_t on_device,
				  void *host, size_t on_host, int *info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t params,
				  cublasFillMode_t uplo, int64_t n, int64_t nrhs, cudaDataType ta,
				  const void *a, int64_t lda, cudaDataType tb, void *b, int64_t ldb,
				  int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
					     int64_t m, int64_t n, cudaDataType ta, const void *a,
					     int64_t lda, cudaDataType tt, const void *tau,
					     cudaDataType compute, size_t *on_device,
					     size_t *on_host);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t params, int64_t m,
				  int64_t n, cudaDataType ta, void *a, int64_t lda, cudaDataType tt,
				  void *tau, cudaDataType compute, void *device, size_t on_device,
				  void *host, size_t on_host, int *info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
					     cusolverEigMode_t job, cublasFillMode_t uplo,
					     int64_t n, cudaDataType ta, const void *a, int64_t lda,
					     cudaDataType tw, const void *w, cudaDataType compute,
					     size_t *on_device, size_t *on_host);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t params,
				  cusolverEigMode_t job, cublasFillMode_t uplo, int64_t n,
				  cudaDataType ta, void *a, int64_t lda, cudaDataType tw, void *w,
				  cudaDataType compute, void *device, size_t on_device, void *host,
				  size_t on_host, int *info);
cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
					      cusolverEigMode_t job, cusolverEigRange_t range,
					      cublasFillMode_t uplo, int64_t n, cudaDataType ta,
					      const void *a, int64_t lda, void *vl, void *vu,
					      int64_t il, int64_t iu, int64_t *count,
					      cudaDataType tw, const void *w, cudaDataType compute,
					      size_t *on_device, size_t *on_host);
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t h, cusolverDnParams_t params,
				   cusolverEigMode_t job, cusolverEigRange_t range,
				   cublasFillMode_t uplo, int64_t n, cudaDataType ta, void *a,
				   int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
				   int64_t *count, cudaDataType tw, void *w, cudaDataType compute,
				   void *device, size_t on_device, void *host, size_t on_host,
				   int *info);
#ifdef __cplusplus
}
#endif
#endif
