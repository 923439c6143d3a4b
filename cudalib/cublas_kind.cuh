/*
 * Products with partly stored matrices: symmetric, Hermitian, triangular and band matrices, as columns, packed
 * triangles or bands. C = alpha X Y + beta C, where X and Y say by their kind and storage what their elements are; and
 * updates of a triangle, C = alpha X Y' + alpha' Y X' + beta C. An element of C a thread.
 */
#ifndef CUBLAS_KIND_H
#define CUBLAS_KIND_H
#include "cublas_matrix.cuh"

/* The place of element (r, c): r * row + c * col; in a packed triangle of n columns; or in a band of which each column
 * has the elements from `over` above the diagonal to `under` below it. */
struct storage {
	enum form { FULL, PACKED, BAND } form;
	long long row, col;
	int n, under, over;
	bool lower; /* PACKED: the lower triangle is stored */

	__host__ __device__ bool has(int r, int c) const { return form != BAND || (r - c <= under && c - r <= over); }
	__host__ __device__ long long place(int r, int c) const
	{
		if (form == FULL)
			return r * row + c * col;
		if (form == BAND)
			return over + r - c + c * col;
		return lower ? r + c * (2LL * n - c - 1) / 2 : r + c * (c + 1LL) / 2;
	}
};
static storage by_columns(long long ld) { return {storage::FULL, 1, ld, 0, 0, 0, false}; }
static storage as_vector(long long inc) { return {storage::FULL, inc, 0, 0, 0, 0, false}; }
static storage packed(int n, bool lower) { return {storage::PACKED, 0, 0, n, 0, 0, lower}; }
static storage band(int under, int over, int ld) { return {storage::BAND, 0, ld, 0, under, over, false}; }
static storage half_band(int k, bool lower, int ld) { return band(lower ? k : 0, lower ? 0 : k, ld); }

enum operand_kind { PLAIN, SYMMETRIC, HERMITIAN, TRIANGULAR };
template <class T> struct operand {
	const T *a;
	storage in;
	operand_kind kind;
	cublasOperation_t op;
	bool lower, unit;

	__device__ T element(int r, int c) const { return in.has(r, c) ? a[in.place(r, c)] : of_real<T>(0); }
	__device__ T at(int i, int j) const
	{
		if (kind == SYMMETRIC || kind == HERMITIAN) {
			bool stored = lower ? i >= j : i <= j;
			T x = stored ? element(i, j) : element(j, i);
			return kind == SYMMETRIC ? x : i == j ? of_real<T>(real_part(x)) : stored ? x : conjugate(x);
		}
		int r = op == CUBLAS_OP_N ? i : j, c = op == CUBLAS_OP_N ? j : i;
		if (kind == TRIANGULAR && r == c && unit)
			return of_real<T>(1);
		if (kind == TRIANGULAR && (lower ? c > r : c < r))
			return of_real<T>(0);
		T x = element(r, c);
		return op == CUBLAS_OP_C ? conjugate(x) : x;
	}
};
static bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }
template <class T> static operand<T> plain(const T *a, storage in, cublasOperation_t op = CUBLAS_OP_N)
{
	return {a, in, PLAIN, op, false, false};
}
template <class T> static operand<T> half_stored(const T *a, storage in, operand_kind kind, cublasFillMode_t uplo)
{
	return {a, in, kind, CUBLAS_OP_N, is_lower(uplo), false};
}
template <class T>
static operand<T> triangular(const T *a, storage in, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag)
{
	return {a, in, TRIANGULAR, op, is_lower(uplo), diag == CUBLAS_DIAG_UNIT};
}
/* A vector that is stored backwards begins at its end. */
template <class T> static T *begin_of(T *x, int n, int inc) { return inc < 0 ? x - (long long)(n - 1) * inc : x; }
template <class T> static scalar<T> constant(real<T> r)
{
	scalar<T> s;
	memset(&s, 0, sizeof s);
	s.value = of_real<T>(r);
	return s;
}
static dim3 tiles(int m, int n) { return dim3((m + TILE - 1) / TILE, (n + TILE - 1) / TILE); }

template <class T>
static __global__ void blas_by_kind(int m, int n, int k, operand<T> x, operand<T> y, scalar<T> alpha, scalar<T> beta, T *c, storage in)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i >= m || j >= n)
		return;
	T al = alpha.get(), be = beta.get(), s = of_real<T>(0), *to = c + in.place(i, j);
	for (int q = 0; q < k; q++)
		s = add(s, mul(x.at(i, q), y.at(q, j)));
	*to = is_zero(be) ? mul(al, s) : add(mul(al, s), mul(be, *to));
}
template <class T>
static cublasStatus_t by_kind(cublasHandle_t h, int m, int n, int k, operand<T> x, operand<T> y, scalar<T> alpha, scalar<T> beta, T *c,
			      storage in)
{
	if (m < 0 || n < 0 || k < 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (m && n)
		blas_by_kind<T><<<tiles(m, n), dim3(TILE, TILE), 0, h->stream>>>(m, n, k, x, y, alpha, beta, c, in);
	return launched();
}
/* y = alpha X x + beta y: X has m rows and n columns. */
template <class T>
static cublasStatus_t by_vector(cublasHandle_t h, int m, int n, operand<T> a, const T *alpha, const T *x, int incx, const T *beta, T *y,
				int incy)
{
	if (!incx || !incy)
		return CUBLAS_STATUS_INVALID_VALUE;
	return by_kind(h, m, 1, n, a, plain<T>(begin_of(x, n, incx), as_vector(incx)), scalar_of(h, alpha), scalar_of(h, beta),
		       begin_of(y, m, incy), as_vector(incy));
}

/* The result may take B's place: then B is copied first. */
template <class T>
static cublasStatus_t trmm(cublasHandle_t h, bool left, operand<T> t, int m, int n, scalar<T> alpha, const T *b, storage from, T *c,
			   storage to)
{
	if (m <= 0 || n <= 0)
		return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
	T *copy = NULL;
	operand<T> p = plain(b, from);
	if (b == c) {
		if (cudaMalloc(&copy, (size_t)m * n * sizeof(T)))
			return CUBLAS_STATUS_ALLOC_FAILED;
		for (int j = 0; j < n; j++)
			blas_copy<T><<<grid_for(m), THREADS, 0, h->stream>>>(m, b + j * from.col, (int)from.row, copy + (size_t)j * m, 1);
		p = plain<T>(copy, by_columns(m));
	}
	cublasStatus_t s = by_kind(h, m, n, left ? m : n, left ? t : p, left ? p : t, alpha, constant<T>(0), c, to);
	if (copy) {
		cudaStreamSynchronize(h->stream);
		cudaFree(copy);
	}
	return s;
}

/* x = T x. */
template <class T> static cublasStatus_t trmv(cublasHandle_t h, operand<T> t, int n, T *x, int incx)
{
	NEED(h);
	if (!incx)
		return CUBLAS_STATUS_INVALID_VALUE;
	x = begin_of(x, n, incx);
	return trmm<T>(h, true, t, n, 1, constant<T>(1), x, as_vector(incx), x, as_vector(incx));
}

/* A factor that is complex, or real in functions that take a real one. */
template <class T> struct factor {
	scalar<T> whole;
	scalar<real<T>> part;
	bool is_real;
	__device__ T get() const { return is_real ? of_real<T>(part.get()) : whole.get(); }
};
template <class T> static factor<T> of(scalar<T> s) { return {s, {}, false}; }
template <class T> static factor<T> of_part(scalar<real<T>> s) { return {{}, s, true}; }

/* An update of a triangle. Rows of X and Y are multiplied with each other: (i, j) is the sum of X(i, q) Y(j, q), of which the second
 * is conjugated in a Hermitian one. two: the same with X and Y exchanged and alpha conjugated is added. */
template <class T> struct update {
	int n, k;
	operand<T> x, y;
	bool two, hermitian, lower;
	factor<T> alpha, beta;
	T *c;
	storage in;

	__device__ T product(const operand<T> &u, const operand<T> &v, int i, int j) const
	{
		T s = of_real<T>(0);
		for (int q = 0; q < k; q++)
			s = add(s, mul(u.at(i, q), hermitian ? conjugate(v.at(j, q)) : v.at(j, q)));
		return s;
	}
};
template <class T> static __global__ void blas_update(update<T> u)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i >= u.n || j >= u.n || (u.lower ? i < j : i > j))
		return;
	T al = u.alpha.get(), be = u.beta.get(), *to = u.c + u.in.place(i, j);
	T s = mul(al, u.product(u.x, u.y, i, j));
	if (u.two)
		s = add(s, mul(u.hermitian ? conjugate(al) : al, u.product(u.y, u.x, i, j)));
	if (!is_zero(be))
		s = add(s, mul(be, *to));
	*to = u.hermitian && i == j ? of_real<T>(real_part(s)) : s;
}
template <class T> static cublasStatus_t updated(cublasHandle_t h, const update<T> &u)
{
	if (u.n < 0 || u.k < 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (u.n)
		blas_update<T><<<tiles(u.n, u.n), dim3(TILE, TILE), 0, h->stream>>>(u);
	return launched();
}
#endif
