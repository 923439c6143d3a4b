/*
 * Kernels of cuSOLVER: Cholesky's factors and solutions with them, QR, products with Q and Q itself. A block of
 * FACTOR_THREADS threads factors a matrix; in solutions and products a thread takes a column or row.
 */
#ifndef CUSOLVER_FACTOR_H
#define CUSOLVER_FACTOR_H
#include "dense.cuh"

/* ---- Cholesky ---- */

/* Factors A = L L^H from its lower triangle, or U^H U from its upper one: then L is U^H. */
template <class T> struct hermitian {
	T *a;
	int lda;
	bool upper;
	__device__ T get(int i, int j) const
	{
		return upper ? conjugate(a[(size_t)i * lda + j]) : a[(size_t)j * lda + i];
	}
	__device__ void set(int i, int j, T x) const { a[upper ? (size_t)i * lda + j : (size_t)j * lda + i] = upper ? conjugate(x) : x; }
};

/* info: the first minor, from 1, that is not positive. */
template <class T> static __global__ void solver_cholesky(bool upper, int n, T *a, T *const *list, int lda, int *info)
{
	int z = blockIdx.x;
	hermitian<T> l = {list ? list[z] : a, lda, upper};
	for (int k = 0; k < n; k++) {
		real<T> d = real_part(l.get(k, k));
		if (!(d > 0)) {
			if (!threadIdx.x && info)
				info[z] = k + 1;
			return;
		}
		d = root_of(d);
		__syncthreads();
		if (!threadIdx.x)
			l.set(k, k, of_real<T>(d));
		for (int i = k + 1 + threadIdx.x; i < n; i += FACTOR_THREADS)
			l.set(i, k, times(1 / d, l.get(i, k)));
		__syncthreads();
		for (int j = k + 1; j < n; j++)
			for (int i = j + threadIdx.x; i < n; i += FACTOR_THREADS)
				l.set(i, j, sub(l.get(i, j), mul(l.get(i, k), conjugate(l.get(j, k)))));
		__syncthreads();
	}
	if (!threadIdx.x && info)
		info[z] = 0;
}

template <class T>
static __global__ void solver_cholesky_solve(bool upper, int n, int count, const T *a, T *const *list, int lda, T *b,
					     T *const *list_b, int ldb)
{
	int z = blockIdx.y, q = blockIdx.x * blockDim.x + threadIdx.x;
	if (q >= count)
		return;
	a = list ? list[z] : a;
	T *x = (list_b ? list_b[z] : b) + (size_t)q * ldb, one = of_real<T>(1);
	triangle<T> plain = {a, lda, CUBLAS_OP_N, n, !upper, false, false}, turned = {a, lda, CUBLAS_OP_C, n, upper, false, false};
	(upper ? turned : plain).solve(one, x, 1);
	(upper ? plain : turned).solve(one, x, 1);
}

/* ---- QR: reflections I - tau v v^H, v below the diagonal with a one on it, as LAPACK has them ---- */

template <class T> static __device__ void reflect(const T *v, int from, int m, T tau, T *x, long long stride)
{
	T w = x[from * stride];
	for (int i = from + 1; i < m; i++)
		w = add(w, mul(conjugate(v[i]), x[i * stride]));
	w = mul(tau, w);
	x[from * stride] = sub(x[from * stride], w);
	for (int i = from + 1; i < m; i++)
		x[i * stride] = sub(x[i * stride], mul(v[i], w));
}

/* The reflection that makes column k zero below the diagonal; returns its tau. */
template <class T> static __device__ T reflection(T *v, int k, int m)
{
	real<T> sum = 0;
	for (int i = k + 1 + threadIdx.x; i < m; i += FACTOR_THREADS)
		sum += square(v[i]);
	sum = block_total<FACTOR_THREADS>(sum);
	T head = v[k], tau = of_real<T>(0);
	bool real_head = is_zero(sub(head, of_real<T>(real_part(head))));
	__syncthreads();
	if (sum == 0 && real_head)
		return tau;
	real<T> norm = root_of(square(head) + sum), beta = real_part(head) > 0 ? -norm : norm;
	tau = times(1 / beta, sub(of_real<T>(beta), head));
	T by = sub(head, of_real<T>(beta));
	for (int i = k + 1 + threadIdx.x; i < m; i += FACTOR_THREADS)
		v[i] = quotient(v[i], by);
	if (!threadIdx.x)
		v[k] = of_real<T>(beta);
	return tau;
}

template <class T> static __global__ void solver_qr(int m, int n, T *a, int lda, T *tau, int *info)
{
	for (int k = 0; k < m && k < n; k++) {
		T *v = a + (size_t)k * lda, t = reflection(v, k, m);
		if (!threadIdx.x)
			tau[k] = t;
		__syncthreads();
		for (int j = k + 1 + threadIdx.x; j < n; j += FACTOR_THREADS) /* H^H from the left */
			reflect(v, k, m, conjugate(t), a + (size_t)j * lda, 1);
		__syncthreads();
	}
	if (!threadIdx.x && info)
		*info = 0;
}

/* C = op(Q) C, one column per thread, or C op(Q), one row per thread: that row's conjugate is reflected by op(Q)^H. */
template <class T>
static __global__ void solver_q_times(bool left, bool plain, int m, int n, int k, const T *a, int lda, const T *tau, T *c,
				      int ldc)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x, size = left ? m : n;
	if (q >= (left ? n : m))
		return;
	T *x = c + (left ? (size_t)q * ldc : q);
	long long stride = left ? 1 : ldc;
	for (int i = 0; i < size && !left; i++)
		x[i * stride] = conjugate(x[i * stride]);
	bool forth = left != plain; /* the first reflection first */
	for (int s = 0; s < k; s++) {
		int r = forth ? s : k - 1 - s;
		reflect(a + (size_t)r * lda, r, size, forth ? conjugate(tau[r]) : tau[r], x, stride);
	}
	for (int i = 0; i < size && !left; i++)
		x[i * stride] = conjugate(x[i * stride]);
}

template <class T> static __global__ void solver_q(int m, int n, int k, T *a, int lda, const T *tau, int *info)
{
	for (int j = k; j < n; j++)
		for (int i = threadIdx.x; i < m; i += FACTOR_THREADS)
			a[(size_t)j * lda + i] = of_real<T>(i == j);
	__syncthreads();
	for (int r = k - 1; r >= 0; r--) {
		T *v = a + (size_t)r * lda, t = tau[r];
		for (int j = r + 1 + threadIdx.x; j < n; j += FACTOR_THREADS)
			reflect(v, r, m, t, a + (size_t)j * lda, 1);
		__syncthreads();
		for (int i = threadIdx.x; i < m; i += FACTOR_THREADS)
			v[i] = i < r ? of_real<T>(0) : i == r ? sub(of_real<T>(1), t) : sub(of_real<T>(0), mul(t, v[i]));
		__syncthreads();
	}
	if (!threadIdx.x && info)
		*info = 0;
}
#endif
