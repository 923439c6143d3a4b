/*
 * Kernels of cuSOLVER: eigenvalues of symmetric matrices and singular values by Jacobi's method, a rotation of two
 * columns after the other by a block of FACTOR_THREADS threads, until a sweep over all pairs has nothing to rotate.
 */
#ifndef CUSOLVER_JACOBI_H
#define CUSOLVER_JACOBI_H
#include <cfloat>
#include "dense.cuh"

template <class T> struct rotation {
	real<T> c;
	T s; /* with the phase of what is to become zero */
	/* for [app apq; conj(apq) aqq] */
	__device__ rotation(real<T> app, real<T> aqq, T apq)
	{
		real<T> r = modulus(apq), tau = (aqq - app) / (2 * r);
		real<T> t = (tau >= 0 ? 1 : -1) / (fabs(tau) + root_of(1 + tau * tau));
		c = 1 / root_of(1 + t * t);
		s = times(t * c / r, apq);
	}
	__device__ void columns(T *x, T *y) const
	{
		T p = *x, q = *y;
		*x = sub(times(c, p), mul(conjugate(s), q));
		*y = add(mul(s, p), times(c, q));
	}
	__device__ void rows(T *x, T *y) const
	{
		T p = *x, q = *y;
		*x = sub(times(c, p), mul(s, q));
		*y = add(mul(conjugate(s), p), times(c, q));
	}
};

HD float epsilon_of(float) { return FLT_EPSILON; }
HD double epsilon_of(double) { return DBL_EPSILON; }

/* Rank of value k among n: by value, then by index. */
template <class R> static __device__ int place_of(const R *value, int n, int k, bool falling)
{
	int place = 0;
	for (int i = 0; i < n; i++) {
		bool before = falling ? value[i] > value[k] : value[i] < value[k];
		place += before || (value[i] == value[k] && i < k);
	}
	return place;
}

/* b: a copy of the whole matrix, v: its vectors; both of n columns. */
template <class T>
static __global__ void solver_eigen(bool upper, bool vectors, int n, T *a, int lda, real<T> *w, T *work, double tolerance,
				    int max_sweeps, double *found, int *info)
{
	typedef real<T> R;
	T *b = work, *v = work + (size_t)n * n;
	R sum = 0;
	for (int e = threadIdx.x; e < n * n; e += FACTOR_THREADS) {
		int i = e % n, j = e / n;
		bool stored = upper ? i <= j : i >= j;
		T x = stored ? a[(size_t)j * lda + i] : conjugate(a[(size_t)i * lda + j]);
		b[e] = i == j ? of_real<T>(real_part(x)) : x;
		v[e] = of_real<T>(i == j);
		sum += square(b[e]);
	}
	R norm = root_of(block_total<FACTOR_THREADS>(sum)), least = norm * epsilon_of(R()) / (n ? n : 1);
	if (tolerance > 0 && tolerance * norm / (n ? n : 1) > least)
		least = (R)(tolerance * norm / (n ? n : 1));
	int sweep = 0, rotated = 1;
	for (; rotated && sweep < max_sweeps; sweep++) {
		rotated = 0;
		for (int p = 0; p < n - 1; p++)
			for (int q = p + 1; q < n; q++) {
				T apq = b[(size_t)q * n + p];
				R app = real_part(b[(size_t)p * n + p]), aqq = real_part(b[(size_t)q * n + q]);
				__syncthreads();
				if (!(modulus(apq) > least))
					continue;
				rotation<T> j(app, aqq, apq);
				rotated = 1;
				for (int i = threadIdx.x; i < n; i += FACTOR_THREADS) {
					j.columns(&b[(size_t)p * n + i], &b[(size_t)q * n + i]);
					j.columns(&v[(size_t)p * n + i], &v[(size_t)q * n + i]);
				}
				__syncthreads();
				for (int i = threadIdx.x; i < n; i += FACTOR_THREADS)
					j.rows(&b[(size_t)i * n + p], &b[(size_t)i * n + q]);
				__syncthreads();
				if (!threadIdx.x)
					b[(size_t)q * n + p] = b[(size_t)p * n + q] = of_real<T>(0);
				__syncthreads();
			}
	}
	/* the diagonal goes to the first column of b, for the order */
	for (int k = 0; k < n; k++) {
		T d = b[(size_t)k * n + k];
		__syncthreads();
		if (!threadIdx.x)
			((R *)b)[k] = real_part(d);
		__syncthreads();
	}
	for (int k = 0; k < n; k++) {
		int to = place_of((const R *)b, n, k, false);
		if (!threadIdx.x)
			w[to] = ((const R *)b)[k];
		for (int i = threadIdx.x; i < n && vectors; i += FACTOR_THREADS)
			a[(size_t)to * lda + i] = v[(size_t)k * n + i];
	}
	if (!threadIdx.x) {
		*info = rotated ? n + 1 : 0;
		if (found)
			found[0] = least, found[1] = sweep;
	}
}

/* Columns from `from` on become orthonormal to those before, made from the unit vectors. */
template <class T> static __device__ void complete(T *u, int ldu, int rows, int from, int to)
{
	int unit = 0;
	for (int k = from; k < to; k++) {
		T *x = u + (size_t)k * ldu;
		for (real<T> norm = 0; !(norm > real<T>(0.5) / rows) && unit < rows + to; unit++) {
			for (int i = threadIdx.x; i < rows; i += FACTOR_THREADS)
				x[i] = of_real<T>(i == unit % rows);
			__syncthreads();
			for (int j = 0; j < 2 * k; j++) { /* twice, for the rounding of the first time */
				const T *y = u + (size_t)(j % k) * ldu;
				T dot = of_real<T>(0);
				for (int i = threadIdx.x; i < rows; i += FACTOR_THREADS)
					dot = add(dot, mul(conjugate(y[i]), x[i]));
				dot = block_total<FACTOR_THREADS>(dot);
				for (int i = threadIdx.x; i < rows; i += FACTOR_THREADS)
					x[i] = sub(x[i], mul(dot, y[i]));
			}
			real<T> sum = 0;
			for (int i = threadIdx.x; i < rows; i += FACTOR_THREADS)
				sum += square(x[i]);
			norm = block_total<FACTOR_THREADS>(sum);
			for (int i = threadIdx.x; i < rows && norm > 0; i += FACTOR_THREADS)
				x[i] = times(1 / root_of(norm), x[i]);
		}
		__syncthreads();
	}
}

struct svd_shape {
	int rows, cols; /* size of B, which is A, or A^H if A has more columns than rows: rows >= cols */
	bool turned;
	int left, right; /* number of wanted singular vectors of B on each side */
};

/* B V = U S by rotations of B's columns. */
template <class T>
static __global__ void solver_singular(svd_shape p, const T *a, int lda, real<T> *s, T *u, int ldu, T *v, int ldv,
				       bool v_adjoint, T *work, double tolerance, int max_sweeps, double *found, int *info)
{
	typedef real<T> R;
	const int m = p.rows, n = p.cols;
	T *b = work, *turn = work + (size_t)m * n, *sorted = turn + (size_t)n * n;
	R *norms = (R *)(sorted + (size_t)m * m);
	for (int e = threadIdx.x; e < m * n; e += FACTOR_THREADS) {
		int i = e % m, j = e / m;
		b[e] = p.turned ? conjugate(a[(size_t)i * lda + j]) : a[(size_t)j * lda + i];
	}
	for (int e = threadIdx.x; e < n * n; e += FACTOR_THREADS)
		turn[e] = of_real<T>(e % n == e / n);
	__syncthreads();
	R least = tolerance > epsilon_of(R()) ? (R)tolerance : epsilon_of(R());
	int sweep = 0, rotated = 1;
	for (; rotated && sweep < max_sweeps; sweep++) {
		rotated = 0;
		for (int x = 0; x < n - 1; x++)
			for (int y = x + 1; y < n; y++) {
				T *bx = b + (size_t)x * m, *by = b + (size_t)y * m, dot = of_real<T>(0);
				R xx = 0, yy = 0;
				for (int i = threadIdx.x; i < m; i += FACTOR_THREADS) {
					xx += square(bx[i]);
					yy += square(by[i]);
					dot = add(dot, mul(conjugate(bx[i]), by[i]));
				}
				xx = block_total<FACTOR_THREADS>(xx);
				yy = block_total<FACTOR_THREADS>(yy);
				dot = block_total<FACTOR_THREADS>(dot);
				if (!(modulus(dot) > least * root_of(xx) * root_of(yy)))
					continue;
				rotation<T> j(xx, yy, dot);
				rotated = 1;
				for (int i = threadIdx.x; i < m; i += FACTOR_THREADS)
					j.columns(&bx[i], &by[i]);
				for (int i = threadIdx.x; i < n; i += FACTOR_THREADS)
					j.columns(&turn[(size_t)x * n + i], &turn[(size_t)y * n + i]);
				__syncthreads();
			}
	}
	R largest = 0;
	for (int k = 0; k < n; k++) {
		R sum = 0;
		for (int i = threadIdx.x; i < m; i += FACTOR_THREADS)
			sum += square(b[(size_t)k * m + i]);
		sum = root_of(block_total<FACTOR_THREADS>(sum));
		largest = sum > largest ? sum : largest;
		if (!threadIdx.x)
			norms[k] = sum;
	}
	__syncthreads();
	int rank = 0;
	for (int k = 0; k < n; k++) {
		int to = place_of(norms, n, k, true);
		R norm = norms[k];
		bool some = norm > largest * epsilon_of(R()) * m;
		rank += some;
		if (!threadIdx.x)
			s[to] = norm;
		for (int i = threadIdx.x; i < m && some; i += FACTOR_THREADS)
			sorted[(size_t)to * m + i] = times(1 / norm, b[(size_t)k * m + i]);
		T *right = p.turned ? u : v;
		for (int i = threadIdx.x; i < n && to < p.right; i += FACTOR_THREADS) {
			T e = turn[(size_t)k * n + i];
			if (p.turned)
				right[(size_t)to * ldu + i] = e;
			else
				right[v_adjoint ? (size_t)i * ldv + to : (size_t)to * ldv + i] = v_adjoint ? conjugate(e) : e;
		}
	}
	__syncthreads();
	if (p.left)
		complete(sorted, m, m, rank, p.left);
	for (int e = threadIdx.x; e < m * p.left; e += FACTOR_THREADS) {
		int i = e % m, j = e / m;
		if (!p.turned)
			u[(size_t)j * ldu + i] = sorted[e];
		else
			v[v_adjoint ? (size_t)i * ldv + j : (size_t)j * ldv + i] = v_adjoint ? conjugate(sorted[e]) : sorted[e];
	}
	if (!threadIdx.x) {
		*info = rotated ? n + 1 : 0;
		if (found)
			found[0] = least, found[1] = sweep;
	}
}
#endif
