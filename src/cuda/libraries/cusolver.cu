/*
 * The part of cuSOLVER that Heddle has: factors of dense matrices (LU, Cholesky, QR), solutions with them, eigenvalues
 * of symmetric matrices and singular values. A block works at a matrix; of solutions, a thread at a right-hand side.
 * Eigenvalues and singular values are found by Jacobi's method, a rotation of two columns after the other, until a
 * sweep over all pairs has nothing to rotate.
 */
#include <cfloat>
#include <new>
#include "cusolverDn.h"
#include "dense.cuh"

struct cusolverDnContext {
	cudaStream_t stream;
};
struct cusolverDnParams {
	cusolverAlgMode_t algo;
};
struct jacobi_info {
	double tolerance;
	int max_sweeps;
	double *found; /* device memory: the residual and the number of sweeps of the last call */
};
struct syevjInfo : jacobi_info {};
struct gesvdjInfo : jacobi_info {};
enum { THREADS = FACTOR_THREADS, SWEEPS = 100, FOUND = 2 };

/* ---- Cholesky ---- */

/* A = L L^H of a lower triangle, or U^H U of an upper one: then L is U^H. */
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
		for (int i = k + 1 + threadIdx.x; i < n; i += THREADS)
			l.set(i, k, times(1 / d, l.get(i, k)));
		__syncthreads();
		for (int j = k + 1; j < n; j++)
			for (int i = j + threadIdx.x; i < n; i += THREADS)
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
	for (int i = k + 1 + threadIdx.x; i < m; i += THREADS)
		sum += square(v[i]);
	sum = block_total<THREADS>(sum);
	T head = v[k], tau = of_real<T>(0);
	bool real_head = is_zero(sub(head, of_real<T>(real_part(head))));
	__syncthreads();
	if (sum == 0 && real_head)
		return tau;
	real<T> norm = root_of(square(head) + sum), beta = real_part(head) > 0 ? -norm : norm;
	tau = times(1 / beta, sub(of_real<T>(beta), head));
	T by = sub(head, of_real<T>(beta));
	for (int i = k + 1 + threadIdx.x; i < m; i += THREADS)
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
		for (int j = k + 1 + threadIdx.x; j < n; j += THREADS) /* H^H from the left */
			reflect(v, k, m, conjugate(t), a + (size_t)j * lda, 1);
		__syncthreads();
	}
	if (!threadIdx.x && info)
		*info = 0;
}

/* C = op(Q) C, a column a thread, or C op(Q), a row a thread: that row's conjugate is reflected by op(Q)^H. */
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
		for (int i = threadIdx.x; i < m; i += THREADS)
			a[(size_t)j * lda + i] = of_real<T>(i == j);
	__syncthreads();
	for (int r = k - 1; r >= 0; r--) {
		T *v = a + (size_t)r * lda, t = tau[r];
		for (int j = r + 1 + threadIdx.x; j < n; j += THREADS)
			reflect(v, r, m, t, a + (size_t)j * lda, 1);
		__syncthreads();
		for (int i = threadIdx.x; i < m; i += THREADS)
			v[i] = i < r ? of_real<T>(0) : i == r ? sub(of_real<T>(1), t) : sub(of_real<T>(0), mul(t, v[i]));
		__syncthreads();
	}
	if (!threadIdx.x && info)
		*info = 0;
}

/* ---- Jacobi's rotations ---- */

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

/* The place of value k among n: by value, of equal ones by number. */
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
	for (int e = threadIdx.x; e < n * n; e += THREADS) {
		int i = e % n, j = e / n;
		bool stored = upper ? i <= j : i >= j;
		T x = stored ? a[(size_t)j * lda + i] : conjugate(a[(size_t)i * lda + j]);
		b[e] = i == j ? of_real<T>(real_part(x)) : x;
		v[e] = of_real<T>(i == j);
		sum += square(b[e]);
	}
	R norm = root_of(block_total<THREADS>(sum)), least = norm * epsilon_of(R()) / (n ? n : 1);
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
				for (int i = threadIdx.x; i < n; i += THREADS) {
					j.columns(&b[(size_t)p * n + i], &b[(size_t)q * n + i]);
					j.columns(&v[(size_t)p * n + i], &v[(size_t)q * n + i]);
				}
				__syncthreads();
				for (int i = threadIdx.x; i < n; i += THREADS)
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
		for (int i = threadIdx.x; i < n && vectors; i += THREADS)
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
			for (int i = threadIdx.x; i < rows; i += THREADS)
				x[i] = of_real<T>(i == unit % rows);
			__syncthreads();
			for (int j = 0; j < 2 * k; j++) { /* twice, for the rounding of the first time */
				const T *y = u + (size_t)(j % k) * ldu;
				T dot = of_real<T>(0);
				for (int i = threadIdx.x; i < rows; i += THREADS)
					dot = add(dot, mul(conjugate(y[i]), x[i]));
				dot = block_total<THREADS>(dot);
				for (int i = threadIdx.x; i < rows; i += THREADS)
					x[i] = sub(x[i], mul(dot, y[i]));
			}
			real<T> sum = 0;
			for (int i = threadIdx.x; i < rows; i += THREADS)
				sum += square(x[i]);
			norm = block_total<THREADS>(sum);
			for (int i = threadIdx.x; i < rows && norm > 0; i += THREADS)
				x[i] = times(1 / root_of(norm), x[i]);
		}
		__syncthreads();
	}
}

struct svd_shape {
	int rows, cols; /* of B, which is A or, where A is wider than high, A^H: rows >= cols */
	bool turned;
	int left, right; /* how many vectors of B are wanted on each side */
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
	for (int e = threadIdx.x; e < m * n; e += THREADS) {
		int i = e % m, j = e / m;
		b[e] = p.turned ? conjugate(a[(size_t)i * lda + j]) : a[(size_t)j * lda + i];
	}
	for (int e = threadIdx.x; e < n * n; e += THREADS)
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
				for (int i = threadIdx.x; i < m; i += THREADS) {
					xx += square(bx[i]);
					yy += square(by[i]);
					dot = add(dot, mul(conjugate(bx[i]), by[i]));
				}
				xx = block_total<THREADS>(xx);
				yy = block_total<THREADS>(yy);
				dot = block_total<THREADS>(dot);
				if (!(modulus(dot) > least * root_of(xx) * root_of(yy)))
					continue;
				rotation<T> j(xx, yy, dot);
				rotated = 1;
				for (int i = threadIdx.x; i < m; i += THREADS)
					j.columns(&bx[i], &by[i]);
				for (int i = threadIdx.x; i < n; i += THREADS)
					j.columns(&turn[(size_t)x * n + i], &turn[(size_t)y * n + i]);
				__syncthreads();
			}
	}
	R largest = 0;
	for (int k = 0; k < n; k++) {
		R sum = 0;
		for (int i = threadIdx.x; i < m; i += THREADS)
			sum += square(b[(size_t)k * m + i]);
		sum = root_of(block_total<THREADS>(sum));
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
		for (int i = threadIdx.x; i < m && some; i += THREADS)
			sorted[(size_t)to * m + i] = times(1 / norm, b[(size_t)k * m + i]);
		T *right = p.turned ? u : v;
		for (int i = threadIdx.x; i < n && to < p.right; i += THREADS) {
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
	for (int e = threadIdx.x; e < m * p.left; e += THREADS) {
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

/* ---- calls ---- */

static cusolverStatus_t launched()
{
	return cudaPeekAtLastError() ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}
static int grid_for(long long n) { return (int)((n + THREADS - 1) / THREADS); }

template <class T> static cusolverStatus_t buffer(cusolverDnHandle_t h, long long elements, T *lwork)
{
	if (!h || !lwork)
		return h ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_NOT_INITIALIZED;
	*lwork = (T)(elements > 1 ? elements : 1);
	return CUSOLVER_STATUS_SUCCESS;
}
static cusolverStatus_t shape(cusolverDnHandle_t h, long long m, long long n, long long lda, const void *a)
{
	if (!h)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	return m < 0 || n < 0 || m > INT32_MAX || n > INT32_MAX || lda < (m > 1 ? m : 1) || (!a && m && n) ?
		CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}
#define CHECK_SHAPE(m, n, lda, a) \
	if (cusolverStatus_t bad = shape(h, m, n, lda, a)) \
		return bad

template <class T, class I>
static cusolverStatus_t lu(cusolverDnHandle_t h, long long m, long long n, T *a, long long lda, I *pivots, int *info)
{
	CHECK_SHAPE(m, n, lda, a);
	dense_lu<T, I><<<1, THREADS, 0, h->stream>>>((int)m, (int)n, a, NULL, (int)lda, pivots, info);
	return launched();
}
static void clear(cusolverDnHandle_t h, int *info)
{
	if (info)
		cudaMemsetAsync(info, 0, sizeof *info, h->stream);
}
template <class T, class I>
static cusolverStatus_t lu_solve(cusolverDnHandle_t h, cublasOperation_t op, long long n, long long nrhs, const T *a,
				 long long lda, const I *pivots, T *b, long long ldb, int *info)
{
	CHECK_SHAPE(n, n, lda, a);
	CHECK_SHAPE(n, nrhs, ldb, b);
	clear(h, info);
	if (nrhs)
		dense_lu_solve<T, I><<<grid_for(nrhs), THREADS, 0, h->stream>>>(op, (int)n, (int)nrhs, a, NULL, (int)lda,
									       pivots, b, NULL, (int)ldb);
	return launched();
}
template <class T>
static cusolverStatus_t cholesky(cusolverDnHandle_t h, cublasFillMode_t uplo, long long n, T *a, T *const *list,
				 long long lda, int *info, int count)
{
	CHECK_SHAPE(n, n, lda, list ? (const void *)list : a);
	if (count)
		solver_cholesky<T><<<count, THREADS, 0, h->stream>>>(uplo == CUBLAS_FILL_MODE_UPPER, (int)n, a, list,
								     (int)lda, info);
	return launched();
}
template <class T>
static cusolverStatus_t cholesky_solve(cusolverDnHandle_t h, cublasFillMode_t uplo, long long n, long long nrhs,
				       const T *a, T *const *list, long long lda, T *b, T *const *list_b, long long ldb,
				       int *info, int count)
{
	CHECK_SHAPE(n, n, lda, list ? (const void *)list : a);
	CHECK_SHAPE(n, nrhs, ldb, list_b ? (const void *)list_b : b);
	clear(h, info);
	if (nrhs && count)
		solver_cholesky_solve<T><<<dim3(grid_for(nrhs), count), THREADS, 0, h->stream>>>(
			uplo == CUBLAS_FILL_MODE_UPPER, (int)n, (int)nrhs, a, list, (int)lda, b, list_b, (int)ldb);
	return launched();
}
template <class T>
static cusolverStatus_t qr(cusolverDnHandle_t h, long long m, long long n, T *a, long long lda, T *tau, int *info)
{
	CHECK_SHAPE(m, n, lda, a);
	solver_qr<T><<<1, THREADS, 0, h->stream>>>((int)m, (int)n, a, (int)lda, tau, info);
	return launched();
}
template <class T>
static cusolverStatus_t q_times(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,
				const T *a, int lda, const T *tau, T *c, int ldc, int *info)
{
	bool left = side == CUBLAS_SIDE_LEFT;
	CHECK_SHAPE(left ? m : n, k, lda, a);
	CHECK_SHAPE(m, n, ldc, c);
	if (k > (left ? m : n) || k < 0 || (sizeof(T) != sizeof(real<T>) && op == CUBLAS_OP_T))
		return CUSOLVER_STATUS_INVALID_VALUE;
	clear(h, info);
	if (m && n)
		solver_q_times<T><<<grid_for(left ? n : m), THREADS, 0, h->stream>>>(left, op == CUBLAS_OP_N, m, n, k, a,
										    lda, tau, c, ldc);
	return launched();
}
template <class T>
static cusolverStatus_t q_form(cusolverDnHandle_t h, int m, int n, int k, T *a, int lda, const T *tau, int *info)
{
	CHECK_SHAPE(m, n, lda, a);
	if (n > m || k > n || k < 0)
		return CUSOLVER_STATUS_INVALID_VALUE;
	solver_q<T><<<1, THREADS, 0, h->stream>>>(m, n, k, a, lda, tau, info);
	return launched();
}
template <class T>
static cusolverStatus_t eigen(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, long long n, T *a,
			      long long lda, real<T> *w, T *work, int *info, const jacobi_info *params = NULL)
{
	CHECK_SHAPE(n, n, lda, a);
	solver_eigen<T><<<1, THREADS, 0, h->stream>>>(uplo == CUBLAS_FILL_MODE_UPPER, job == CUSOLVER_EIG_MODE_VECTOR,
		(int)n, a, (int)lda, w, work, params ? params->tolerance : 0, params ? params->max_sweeps : SWEEPS,
		params ? params->found : NULL, info);
	return launched();
}

/* Elements of work space for singular values. */
static long long svd_work(long long m, long long n)
{
	long long rows = m > n ? m : n, cols = m > n ? n : m;
	return rows * cols + cols * cols + rows * rows + cols;
}
/* left and right: how many vectors of A are wanted; adjoint: V^H is. */
template <class T>
static cusolverStatus_t svd(cusolverDnHandle_t h, int m, int n, int left, int right, const T *a, int lda, real<T> *s, T *u,
			    int ldu, T *v, int ldv, bool adjoint, T *work, int *info, const jacobi_info *params = NULL)
{
	CHECK_SHAPE(m, n, lda, a);
	svd_shape p = m >= n ? svd_shape{m, n, false, left, right} : svd_shape{n, m, true, right, left};
	solver_singular<T><<<1, THREADS, 0, h->stream>>>(p, a, lda, s, u, ldu, v, ldv, adjoint, work,
		params ? params->tolerance : 0, params ? params->max_sweeps : SWEEPS, params ? params->found : NULL, info);
	return launched();
}
template <class T>
static cusolverStatus_t gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, const T *a, int lda,
			      real<T> *s, T *u, int ldu, T *vt, int ldvt, T *work, int *info)
{
	if (m < n || jobu == 'O' || jobvt == 'O')
		return CUSOLVER_STATUS_INVALID_VALUE;
	return svd(h, m, n, jobu == 'A' ? m : jobu == 'S' ? n : 0, jobvt == 'A' || jobvt == 'S' ? n : 0, a, lda, s, u, ldu,
		   vt, ldvt, true, work, info);
}
template <class T>
static cusolverStatus_t gesvdj(cusolverDnHandle_t h, cusolverEigMode_t job, int econ, int m, int n, const T *a, int lda,
			       real<T> *s, T *u, int ldu, T *v, int ldv, T *work, int *info, gesvdjInfo_t params)
{
	int few = m < n ? m : n;
	bool vectors = job == CUSOLVER_EIG_MODE_VECTOR;
	return svd(h, m, n, !vectors ? 0 : econ ? few : m, !vectors ? 0 : econ ? few : n, a, lda, s, u, ldu, v, ldv, false,
		   work, info, params);
}

template <class P> static cusolverStatus_t make_info(P *info)
{
	*info = new (std::nothrow) typename std::remove_pointer<P>::type();
	if (!*info || cudaMalloc(&(*info)->found, FOUND * sizeof(double)) || cudaMemset((*info)->found, 0, FOUND * sizeof(double)))
		return CUSOLVER_STATUS_ALLOC_FAILED;
	(*info)->max_sweeps = SWEEPS;
	return CUSOLVER_STATUS_SUCCESS;
}
template <class P> static cusolverStatus_t free_info(P info)
{
	if (info)
		cudaFree(info->found);
	delete info;
	return CUSOLVER_STATUS_SUCCESS;
}
static cusolverStatus_t read_info(cusolverDnHandle_t h, const jacobi_info *info, int which, double *value)
{
	if (!h || !info)
		return CUSOLVER_STATUS_INVALID_VALUE;
	cudaError_t e = cudaMemcpyAsync(value, info->found + which, sizeof *value, cudaMemcpyDeviceToHost, h->stream);
	return e || cudaStreamSynchronize(h->stream) ? CUSOLVER_STATUS_EXECUTION_FAILED : CUSOLVER_STATUS_SUCCESS;
}

extern "C" {
cusolverStatus_t cusolverGetVersion(int *version)
{
	*version = CUSOLVER_VERSION;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *h)
{
	if (!h)
		return CUSOLVER_STATUS_INVALID_VALUE;
	*h = new (std::nothrow) cusolverDnContext();
	return *h ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h)
{
	delete h;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, cudaStream_t s)
{
	if (!h)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	h->stream = s;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t h, cudaStream_t *s)
{
	if (!h)
		return CUSOLVER_STATUS_NOT_INITIALIZED;
	*s = h->stream;
	return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *p)
{
	*p = new (std::nothrow) cusolverDnParams();
	return *p ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t p)
{
	delete p;
	return CUSOLVER_STATUS_SUCCESS;
}
/* There is one way to each result. */
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t p, cusolverDnFunction_t, cusolverAlgMode_t algo)
{
	if (!p)
		return CUSOLVER_STATUS_INVALID_VALUE;
	p->algo = algo;
	return CUSOLVER_STATUS_SUCCESS;
}

#define TYPE(L, T, R, form, times, eig) \
cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int, int, T *, int, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *, int *pivots, int *info) \
{ \
	return lu(h, m, n, a, lda, pivots, info); \
} \
cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int nrhs, const T *a, int lda, \
	const int *pivots, T *b, int ldb, int *info) \
{ \
	return lu_solve(h, op, n, nrhs, a, lda, pivots, b, ldb, info); \
} \
cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t, int, T *, int, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda, T *, int, int *info) \
{ \
	return cholesky<T>(h, uplo, n, a, NULL, lda, info, 1); \
} \
cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, const T *a, int lda, \
	T *b, int ldb, int *info) \
{ \
	return cholesky_solve<T>(h, uplo, n, nrhs, a, NULL, lda, b, NULL, ldb, info, 1); \
} \
cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a[], int lda, \
	int *info, int count) \
{ \
	return cholesky<T>(h, uplo, n, NULL, a, lda, info, count); \
} \
cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, T *a[], \
	int lda, T *b[], int ldb, int *info, int count) \
{ \
	return cholesky_solve<T>(h, uplo, n, nrhs, NULL, a, lda, NULL, b, ldb, info, count); \
} \
cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int, int, T *, int, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *tau, T *, int, int *info) \
{ \
	return qr(h, m, n, a, lda, tau, info); \
} \
cusolverStatus_t cusolverDn##form##_bufferSize(cusolverDnHandle_t h, int, int, int, const T *, int, const T *, int *lwork) { return buffer(h, 1, lwork); } \
cusolverStatus_t cusolverDn##form(cusolverDnHandle_t h, int m, int n, int k, T *a, int lda, const T *tau, T *, int, int *info) \
{ \
	return q_form(h, m, n, k, a, lda, tau, info); \
} \
cusolverStatus_t cusolverDn##times##_bufferSize(cusolverDnHandle_t h, cublasSideMode_t, cublasOperation_t, int, int, int, \
	const T *, int, const T *, const T *, int, int *lwork) \
{ \
	return buffer(h, 1, lwork); \
} \
cusolverStatus_t cusolverDn##times(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, \
	const T *a, int lda, const T *tau, T *c, int ldc, T *, int, int *info) \
{ \
	return q_times(h, side, op, m, n, k, a, lda, tau, c, ldc, info); \
} \
cusolverStatus_t cusolverDn##eig##d_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n, const T *, \
	int, const R *, int *lwork) \
{ \
	return buffer(h, 2LL * n * n, lwork); \
} \
cusolverStatus_t cusolverDn##eig##d(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a, \
	int lda, R *w, T *work, int, int *info) \
{ \
	return eigen(h, job, uplo, n, a, lda, w, work, info); \
} \
cusolverStatus_t cusolverDn##eig##j_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n, const T *, \
	int, const R *, int *lwork, syevjInfo_t) \
{ \
	return buffer(h, 2LL * n * n, lwork); \
} \
cusolverStatus_t cusolverDn##eig##j(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, T *a, \
	int lda, R *w, T *work, int, int *info, syevjInfo_t params) \
{ \
	return eigen(h, job, uplo, n, a, lda, w, work, info, params); \
} \
cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n, int *lwork) { return buffer(h, svd_work(m, n), lwork); } \
cusolverStatus_t cusolverDn##L##gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, T *a, \
	int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work, int, R *, int *info) \
{ \
	return gesvd(h, jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, info); \
} \
cusolverStatus_t cusolverDn##L##gesvdj_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n, const T *, \
	int, const R *, const T *, int, const T *, int, int *lwork, gesvdjInfo_t) \
{ \
	return buffer(h, svd_work(m, n), lwork); \
} \
cusolverStatus_t cusolverDn##L##gesvdj(cusolverDnHandle_t h, cusolverEigMode_t job, int econ, int m, int n, T *a, \
	int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int, int *info, gesvdjInfo_t params) \
{ \
	return gesvdj(h, job, econ, m, n, a, lda, s, u, ldu, v, ldv, work, info, params); \
}
TYPE(S, float, float, Sorgqr, Sormqr, Ssyev)
TYPE(D, double, double, Dorgqr, Dormqr, Dsyev)
TYPE(C, cuComplex, float, Cungqr, Cunmqr, Cheev)
TYPE(Z, cuDoubleComplex, double, Zungqr, Zunmqr, Zheev)

#define INFO(Kind, kind) \
cusolverStatus_t cusolverDnCreate##Kind##Info(kind##Info_t *info) { return make_info(info); } \
cusolverStatus_t cusolverDnDestroy##Kind##Info(kind##Info_t info) { return free_info(info); } \
cusolverStatus_t cusolverDnX##kind##SetTolerance(kind##Info_t info, double tolerance) \
{ \
	info->tolerance = tolerance; \
	return CUSOLVER_STATUS_SUCCESS; \
} \
cusolverStatus_t cusolverDnX##kind##SetMaxSweeps(kind##Info_t info, int sweeps) \
{ \
	info->max_sweeps = sweeps; \
	return CUSOLVER_STATUS_SUCCESS; \
} \
cusolverStatus_t cusolverDnX##kind##SetSortEig(kind##Info_t, int) { return CUSOLVER_STATUS_SUCCESS; } /* they are in order */ \
cusolverStatus_t cusolverDnX##kind##GetResidual(cusolverDnHandle_t h, kind##Info_t info, double *r) { return read_info(h, info, 0, r); } \
cusolverStatus_t cusolverDnX##kind##GetSweeps(cusolverDnHandle_t h, kind##Info_t info, int *sweeps) \
{ \
	double n = 0; \
	cusolverStatus_t s = read_info(h, info, 1, &n); \
	*sweeps = (int)n; \
	return s; \
}
INFO(Syevj, syevj)
INFO(Gesvdj, gesvdj)

/* Types by number. */
#define BY_TYPE(type, call) \
	switch (type) { \
	case CUDA_R_32F: { typedef float T; return call; } \
	case CUDA_R_64F: { typedef double T; return call; } \
	case CUDA_C_32F: { typedef cuComplex T; return call; } \
	case CUDA_C_64F: { typedef cuDoubleComplex T; return call; } \
	default: return CUSOLVER_STATUS_NOT_SUPPORTED; \
	}
static cusolverStatus_t bytes(cusolverDnHandle_t h, long long elements, cudaDataType type, size_t *device, size_t *host)
{
	*host = 0;
	BY_TYPE(type, buffer(h, elements * (long long)sizeof(T), device))
}
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t, int64_t, cudaDataType ta,
	const void *, int64_t, cudaDataType, size_t *device, size_t *host)
{
	return bytes(h, 1, ta, device, host);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType ta, void *a,
	int64_t lda, int64_t *pivots, cudaDataType, void *, size_t, void *, size_t, int *info)
{
	BY_TYPE(ta, lu(h, m, n, (T *)a, lda, pivots, info))
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op, int64_t n, int64_t nrhs,
	cudaDataType ta, const void *a, int64_t lda, const int64_t *pivots, cudaDataType tb, void *b, int64_t ldb, int *info)
{
	if (ta != tb)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	BY_TYPE(ta, lu_solve(h, op, n, nrhs, (const T *)a, lda, pivots, (T *)b, ldb, info))
}
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t, int64_t,
	cudaDataType ta, const void *, int64_t, cudaDataType, size_t *device, size_t *host)
{
	return bytes(h, 1, ta, device, host);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
	cudaDataType ta, void *a, int64_t lda, cudaDataType, void *, size_t, void *, size_t, int *info)
{
	BY_TYPE(ta, cholesky<T>(h, uplo, n, (T *)a, NULL, lda, info, 1))
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
	cudaDataType ta, const void *a, int64_t lda, cudaDataType tb, void *b, int64_t ldb, int *info)
{
	if (ta != tb)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	BY_TYPE(ta, cholesky_solve<T>(h, uplo, n, nrhs, (const T *)a, NULL, lda, (T *)b, NULL, ldb, info, 1))
}
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t, int64_t, cudaDataType ta,
	const void *, int64_t, cudaDataType, const void *, cudaDataType, size_t *device, size_t *host)
{
	return bytes(h, 1, ta, device, host);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType ta, void *a,
	int64_t lda, cudaDataType tt, void *tau, cudaDataType, void *, size_t, void *, size_t, int *info)
{
	if (ta != tt)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	BY_TYPE(ta, qr(h, m, n, (T *)a, lda, (T *)tau, info))
}
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t,
	int64_t n, cudaDataType ta, const void *, int64_t, cudaDataType, const void *, cudaDataType, size_t *device,
	size_t *host)
{
	return bytes(h, 2 * n * n, ta, device, host);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t job, cublasFillMode_t uplo,
	int64_t n, cudaDataType ta, void *a, int64_t lda, cudaDataType, void *w, cudaDataType, void *device, size_t, void *,
	size_t, int *info)
{
	BY_TYPE(ta, eigen(h, job, uplo, n, (T *)a, lda, (real<T> *)w, (T *)device, info))
}
} /* extern "C" */
