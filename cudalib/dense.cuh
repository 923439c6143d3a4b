/*
 * Shared by the libraries of dense linear algebra: arithmetic of their four types, sums over a block, triangular systems,
 * the factors L and U of a matrix. Matrices are stored by columns.
 */
#ifndef DENSE_H
#define DENSE_H
#include <cstring>
#include "cublas_api.h"
#include "cuda_bf16.h"

/* ---- arithmetic of the four types ---- */

#define HD static __host__ __device__ __forceinline__
HD float mul(float a, float b) { return a * b; }
HD double mul(double a, double b) { return a * b; }
HD cuComplex mul(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
HD cuDoubleComplex mul(cuDoubleComplex a, cuDoubleComplex b) { return cuCmul(a, b); }
HD float add(float a, float b) { return a + b; }
HD double add(double a, double b) { return a + b; }
HD cuComplex add(cuComplex a, cuComplex b) { return cuCaddf(a, b); }
HD cuDoubleComplex add(cuDoubleComplex a, cuDoubleComplex b) { return cuCadd(a, b); }
HD float sub(float a, float b) { return a - b; }
HD double sub(double a, double b) { return a - b; }
HD cuComplex sub(cuComplex a, cuComplex b) { return cuCsubf(a, b); }
HD cuDoubleComplex sub(cuDoubleComplex a, cuDoubleComplex b) { return cuCsub(a, b); }
HD float quotient(float a, float b) { return a / b; }
HD double quotient(double a, double b) { return a / b; }
HD cuComplex quotient(cuComplex a, cuComplex b) { return cuCdivf(a, b); }
HD cuDoubleComplex quotient(cuDoubleComplex a, cuDoubleComplex b) { return cuCdiv(a, b); }
HD float conjugate(float a) { return a; }
HD double conjugate(double a) { return a; }
HD cuComplex conjugate(cuComplex a) { return cuConjf(a); }
HD cuDoubleComplex conjugate(cuDoubleComplex a) { return cuConj(a); }
HD float magnitude(float a) { return fabsf(a); } /* as BLAS has it: |re| + |im| */
HD double magnitude(double a) { return fabs(a); }
HD float magnitude(cuComplex a) { return fabsf(a.x) + fabsf(a.y); }
HD double magnitude(cuDoubleComplex a) { return fabs(a.x) + fabs(a.y); }
HD float square(float a) { return a * a; }
HD double square(double a) { return a * a; }
HD float square(cuComplex a) { return a.x * a.x + a.y * a.y; }
HD double square(cuDoubleComplex a) { return a.x * a.x + a.y * a.y; }
HD bool is_zero(float a) { return a == 0; }
HD bool is_zero(double a) { return a == 0; }
HD bool is_zero(cuComplex a) { return a.x == 0 && a.y == 0; }
HD bool is_zero(cuDoubleComplex a) { return a.x == 0 && a.y == 0; }
HD float root_of(float a) { return sqrtf(a); }
HD double root_of(double a) { return sqrt(a); }
HD cuComplex root_of(cuComplex a) { return a; } /* norms are real */
HD cuDoubleComplex root_of(cuDoubleComplex a) { return a; }

/* The real type under T, a real number as a T, and a T times one. */
template <class T> using real = decltype(square(T()));
template <class T> HD T of_real(real<T> r)
{
	T t;
	memset(&t, 0, sizeof t);
	*(real<T> *)&t = r;
	return t;
}
HD float real_part(float a) { return a; }
HD double real_part(double a) { return a; }
HD float real_part(cuComplex a) { return a.x; }
HD double real_part(cuDoubleComplex a) { return a.x; }
template <class T> HD T times(real<T> r, T x) { return mul(of_real<T>(r), x); }
template <class T> HD real<T> modulus(T x) { return root_of(square(x)); }

/* ---- further types of products ---- */

template <class To, class From> HD To as(From x) { return x; }
template <> __host__ __device__ __forceinline__ float as<float, __half>(__half x) { return __half2float(x); }
template <> __host__ __device__ __forceinline__ __half as<__half, float>(float x) { return __float2half(x); }
template <> __host__ __device__ __forceinline__ float as<float, __nv_bfloat16>(__nv_bfloat16 x) { return __bfloat162float(x); }
template <> __host__ __device__ __forceinline__ __nv_bfloat16 as<__nv_bfloat16, float>(float x) { return __float2bfloat16(x); }

HD float magnitude(__half x) { return fabsf(__half2float(x)); }
HD float magnitude(__nv_bfloat16 x) { return fabsf(__bfloat162float(x)); }

/* A number of the host, or its address on the device. */
template <class T> struct scalar {
	T value;
	const T *at; /* device memory, or null */
	__device__ T get() const { return at ? *at : value; }
};
template <class T> static scalar<T> scalar_at(bool device, const void *p)
{
	scalar<T> s;
	memset(&s, 0, sizeof s);
	if (device)
		s.at = (const T *)p;
	else /* the program's own complex type may be aligned as its parts are */
		memcpy((void *)&s.value, p, sizeof s.value);
	return s;
}

/* The sum of a value of each of the block's N threads, for all of them, in a fixed order. */
template <int N, class R> static __device__ R block_total(R mine)
{
	__shared__ R s[N];
	__syncthreads(); /* the last sum has been read */
	s[threadIdx.x] = mine;
	__syncthreads();
	for (int d = N / 2; d; d /= 2) {
		if (threadIdx.x < d)
			s[threadIdx.x] = add(s[threadIdx.x], s[threadIdx.x + d]);
		__syncthreads();
	}
	return s[0];
}

/* Element (i, j) of op(A). */
template <class T> HD T element(const T *a, int lda, cublasOperation_t op, int i, int j)
{
	return a[op == CUBLAS_OP_N ? (size_t)j * lda + i : (size_t)i * lda + j];
}

/* A triangular op(A), of which `lower` says where its elements are; turned: the system is that of its transpose. */
template <class T> struct triangle {
	const T *a;
	int lda;
	cublasOperation_t op;
	int size;
	bool lower, turned, unit;

	__device__ T at(int i, int j) const
	{
		T x = turned ? element(a, lda, op, j, i) : element(a, lda, op, i, j);
		return op == CUBLAS_OP_C ? conjugate(x) : x;
	}
	/* x becomes the solution for alpha x. */
	__device__ void solve(T alpha, T *x, long long stride) const
	{
		for (int step = 0; step < size; step++) {
			int i = lower ? step : size - 1 - step;
			T s = mul(alpha, x[i * stride]);
			for (int d = 0; d < step; d++) {
				int j = lower ? d : size - 1 - d;
				s = sub(s, mul(at(i, j), x[j * stride]));
			}
			x[i * stride] = unit ? s : quotient(s, at(i, i));
		}
	}
};

enum { FACTOR_THREADS = 128 };

/* The row, k or later, with the largest element of column k. */
template <class T> static __device__ int pivot_row(const T *column, int k, int m)
{
	__shared__ real<T> best[FACTOR_THREADS];
	__shared__ int where[FACTOR_THREADS];
	real<T> most = -1;
	int mine = k;
	for (int i = k + threadIdx.x; i < m; i += FACTOR_THREADS)
		if (magnitude(column[i]) > most)
			most = magnitude(column[i]), mine = i;
	__syncthreads();
	best[threadIdx.x] = most, where[threadIdx.x] = mine;
	__syncthreads();
	for (int t = 0; t < FACTOR_THREADS; t++)
		if (best[t] > most || (best[t] == most && where[t] < mine))
			most = best[t], mine = where[t];
	return mine;
}

template <class T> static __device__ void swap_rows(T *a, int lda, int n, int i, int k)
{
	for (int j = threadIdx.x; j < n && i != k; j += FACTOR_THREADS) {
		T t = a[(size_t)j * lda + i];
		a[(size_t)j * lda + i] = a[(size_t)j * lda + k];
		a[(size_t)j * lda + k] = t;
	}
}

/* P A = L U in A's place, one matrix per block: `a`, or those of the list. Without pivots there are no exchanges. info: the
 * first column, from 1, whose pivot is zero. */
template <class T, class I>
static __global__ void dense_lu(int m, int n, T *a, T *const *list, int lda, I *pivots, int *info)
{
	int z = blockIdx.x, zero = 0, steps = m < n ? m : n;
	a = list ? list[z] : a;
	for (int k = 0; k < steps; k++) {
		T *column = a + (size_t)k * lda;
		int p = pivots ? pivot_row(column, k, m) : k;
		if (pivots && !threadIdx.x)
			pivots[(size_t)z * steps + k] = p + 1;
		swap_rows(a, lda, n, p, k);
		__syncthreads();
		if (is_zero(column[k])) {
			zero = zero ? zero : k + 1;
			continue;
		}
		T by = column[k];
		for (int i = k + 1 + threadIdx.x; i < m; i += FACTOR_THREADS)
			column[i] = quotient(column[i], by);
		__syncthreads();
		int rows = m - k - 1, all = rows * (n - k - 1);
		for (int e = threadIdx.x; e < all; e += FACTOR_THREADS) {
			int i = k + 1 + e % rows, j = k + 1 + e / rows;
			T *to = &a[(size_t)j * lda + i];
			*to = sub(*to, mul(column[i], a[(size_t)j * lda + k]));
		}
		__syncthreads();
	}
	if (!threadIdx.x && info)
		info[z] = zero;
}

/* Solves op(A) x = b with the factors of A: one right-hand side per thread, one matrix per y of the grid. */
template <class T, class I>
static __global__ void dense_lu_solve(cublasOperation_t op, int n, int count, const T *a, const T *const *list, int lda,
				      const I *pivots, T *b, T *const *list_b, int ldb)
{
	int z = blockIdx.y, q = blockIdx.x * blockDim.x + threadIdx.x;
	if (q >= count)
		return;
	bool plain = op == CUBLAS_OP_N;
	a = list ? list[z] : a;
	T *x = (list_b ? list_b[z] : b) + (size_t)q * ldb, one = of_real<T>(1);
	for (int k = 0; k < n && pivots && plain; k++) {
		int p = (int)pivots[(size_t)z * n + k] - 1;
		T t = x[k];
		x[k] = x[p], x[p] = t;
	}
	triangle<T> lower = {a, lda, op, n, plain, false, true}, upper = {a, lda, op, n, !plain, false, false};
	(plain ? lower : upper).solve(one, x, 1);
	(plain ? upper : lower).solve(one, x, 1);
	for (int k = n; k-- && pivots && !plain;) {
		int p = (int)pivots[(size_t)z * n + k] - 1;
		T t = x[k];
		x[k] = x[p], x[p] = t;
	}
}
#endif
