/*
 * cuBLAS's handle, its scalars, and kernels for vectors. Sums go over blocks in a fixed order, so that results
 * are the same in every run.
 *
 * A scalar is a value where it comes from the host, and an address where the pointer mode says device.
 */
#ifndef CUBLAS_VECTOR_H
#define CUBLAS_VECTOR_H
#include "dense.cuh"

struct cublasContext {
	cudaStream_t stream;
	cublasPointerMode_t mode;
	cublasMath_t math;
	cublasAtomicsMode_t atomics;
	int sm_target;
	void *partial; /* device memory for sums: one value per block, and the result */
};
enum { THREADS = 256, BLOCKS = 64, TILE = 16, PARTIAL_BYTES = (BLOCKS + 1) * 16 };

/* ---- products of integers ---- */

HD int mul(int a, int b) { return a * b; }
HD int add(int a, int b) { return a + b; }
HD int conjugate(int a) { return a; }
HD bool is_zero(int a) { return a == 0; }

template <class T> static scalar<T> scalar_of(cublasHandle_t h, const T *p)
{
	return scalar_at<T>(h->mode == CUBLAS_POINTER_MODE_DEVICE, p);
}

/* Element i of a vector of n whose increment may be negative: then it is stored backwards. */
HD size_t at(int i, int n, int inc) { return (size_t)(inc >= 0 ? (long long)i * inc : (long long)(i - n + 1) * inc); }

#define NEED(h) \
	if (!(h)) \
		return CUBLAS_STATUS_NOT_INITIALIZED
static cublasStatus_t launched()
{
	return cudaPeekAtLastError() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
static int grid_for(long long n)
{
	long long blocks = (n + THREADS - 1) / THREADS;
	return (int)(blocks < 1 ? 1 : blocks > 65535 ? 65535 : blocks);
}
#define FOR_EACH(i, n) \
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* ---- vectors ---- */

template <class T> static __global__ void blas_copy(int n, const T *x, int incx, T *y, int incy)
{
	FOR_EACH (i, n)
		y[at(i, n, incy)] = x[at(i, n, incx)];
}
template <class T> static __global__ void blas_swap(int n, T *x, int incx, T *y, int incy)
{
	FOR_EACH (i, n) {
		T t = x[at(i, n, incx)];
		x[at(i, n, incx)] = y[at(i, n, incy)];
		y[at(i, n, incy)] = t;
	}
}
template <class T> static __global__ void blas_scal(int n, scalar<T> alpha, T *x, int incx)
{
	T a = alpha.get();
	FOR_EACH (i, n)
		x[at(i, n, incx)] = mul(a, x[at(i, n, incx)]);
}
template <class T>
static __global__ void blas_axpy(int n, scalar<T> alpha, const T *x, int incx, T *y, int incy)
{
	T a = alpha.get();
	FOR_EACH (i, n)
		y[at(i, n, incy)] = add(mul(a, x[at(i, n, incx)]), y[at(i, n, incy)]);
}

/* ---- sums: one partial sum per block, then one block adds those ---- */

struct take_dot {
	template <class T> static __device__ T term(T x, T y) { return mul(x, y); }
};
struct take_dotc {
	template <class T> static __device__ T term(T x, T y) { return mul(conjugate(x), y); }
};
struct take_square {
	template <class T> static __device__ auto term(T x, T) -> decltype(square(x)) { return square(x); }
};
struct take_magnitude {
	template <class T> static __device__ auto term(T x, T) -> decltype(magnitude(x)) { return magnitude(x); }
};
template <class R> static __device__ void block_sum(R mine, R *out, bool root)
{
	R sum = block_total<THREADS>(mine);
	if (!threadIdx.x)
		*out = root ? root_of(sum) : sum;
}
template <class F, class T, class R>
static __global__ void blas_partial(int n, const T *x, int incx, const T *y, int incy, R *out)
{
	R sum;
	memset(&sum, 0, sizeof sum);
	FOR_EACH (i, n)
		sum = add(sum, F::term(x[at(i, n, incx)], y[at(i, n, incy)]));
	block_sum(sum, out + blockIdx.x, false);
}
template <class R> static __global__ void blas_total(int n, const R *partial, R *out, bool root)
{
	R sum;
	memset(&sum, 0, sizeof sum);
	if (threadIdx.x < n)
		sum = partial[threadIdx.x];
	block_sum(sum, out, root);
}

/* Delivers a result to the host or the device, as the pointer mode says. */
template <class R> static cublasStatus_t deliver(cublasHandle_t h, const R *device, R *result)
{
	if (launched())
		return CUBLAS_STATUS_EXECUTION_FAILED;
	if (h->mode == CUBLAS_POINTER_MODE_DEVICE)
		return CUBLAS_STATUS_SUCCESS;
	cudaError_t e = cudaMemcpyAsync(result, device, sizeof *result, cudaMemcpyDeviceToHost, h->stream);
	return e || cudaStreamSynchronize(h->stream) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
template <class F, class T, class R>
static cublasStatus_t sum(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, R *result, bool root)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int blocks = grid_for(n) < BLOCKS ? grid_for(n) : BLOCKS;
	R *partial = (R *)h->partial, *to = h->mode == CUBLAS_POINTER_MODE_DEVICE ? result : partial + BLOCKS;
	blas_partial<F, T, R><<<blocks, THREADS, 0, h->stream>>>(n > 0 ? n : 0, x, incx, y, incy, partial);
	blas_total<R><<<1, THREADS, 0, h->stream>>>(blocks, partial, to, root);
	return deliver(h, to, result);
}

/* The first of the largest (or smallest) magnitudes, counted from 1; 0 for an empty vector. */
template <class T, class R>
static __global__ void blas_extreme(int n, const T *x, int incx, bool largest, int *result)
{
	__shared__ R value[THREADS];
	__shared__ int where[THREADS];
	R best = 0;
	int mine = -1;
	for (int i = threadIdx.x; i < n; i += THREADS) {
		R v = magnitude(x[at(i, n, incx)]);
		if (mine < 0 || (largest ? v > best : v < best))
			best = v, mine = i;
	}
	value[threadIdx.x] = best, where[threadIdx.x] = mine;
	__syncthreads();
	if (threadIdx.x)
		return;
	for (int t = 1; t < THREADS; t++)
		if (where[t] >= 0 && (mine < 0 || (largest ? value[t] > best : value[t] < best) ||
				      (value[t] == best && where[t] < mine)))
			best = value[t], mine = where[t];
	*result = mine + 1;
}
template <class R, class T>
static cublasStatus_t extreme(cublasHandle_t h, int n, const T *x, int incx, bool largest, int *result)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int *to = h->mode == CUBLAS_POINTER_MODE_DEVICE ? result : (int *)h->partial;
	blas_extreme<T, R><<<1, THREADS, 0, h->stream>>>(n, x, incx, largest, to);
	return deliver(h, to, result);
}
#endif
