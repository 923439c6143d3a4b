/* The first version of the interface: no handles, scalars by value, an error to ask for. Where cublas_v2.h is included too, its names
 * win. */
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
#define __HD_BLAS(L, T) \
void cublas##L##copy(int n, const T *x, int incx, T *y, int incy); \
void cublas##L##swap(int n, T *x, int incx, T *y, int incy); \
void cublas##L##scal(int n, T alpha, T *x, int incx); \
void cublas##L##axpy(int n, T alpha, const T *x, int incx, T *y, int incy); \
void cublas##L##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, \
	int incy); \
void cublas##L##gemm(char opa, char opb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, \
	T beta, T *c, int ldc); \
void cublas##L##trsm(char side, char uplo, char op, char diag, int m, int n, T alpha, const T *a, int lda, T *b, \
	int ldb);
__HD_BLAS(S, float)
__HD_BLAS(D, double)
__HD_BLAS(C, cuComplex)
__HD_BLAS(Z, cuDoubleComplex)
#undef __HD_BLAS
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
double cublasDdot(int n, const double *x, int incx, const double *y, int incy);
float cublasSnrm2(int n, const float *x, int incx);
double cublasDnrm2(int n, const double *x, int incx);
float cublasSasum(int n, const float *x, int incx);
double cublasDasum(int n, const double *x, int incx);
int cublasIsamax(int n, const float *x, int incx);
int cublasIdamax(int n, const double *x, int incx);
void cublasSger(int m, int n, float alpha, const float *x, int incx, const float *y, int incy, float *a, int lda);
void cublasDger(int m, int n, double alpha, const double *x, int incx, const double *y, int incy, double *a, int lda);
#endif
#ifdef __cplusplus
}
#endif
#endif
