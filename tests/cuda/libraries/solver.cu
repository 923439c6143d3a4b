/* cuSOLVER: solutions, factors and eigenvectors, checked by multiplying back, for four types;
 * singular matrices are reported. */
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>
#include <cusolverDn.h>

static int results, bad;
static void check(bool ok, const char *what)
{
	results++;
	if (!ok)
		printf("wrong: %s\n", what), bad++;
}
#define OK(call) check((call) == CUSOLVER_STATUS_SUCCESS, #call)

/* A column-major matrix in the host's memory, copied to the device for the duration of a call. */
template <class T> struct matrix {
	int m, n;
	std::vector<T> e;
	matrix(int m_, int n_) : m(m_), n(n_), e(m_ * n_) {}
	T &at(int i, int j) { return e[j * m + i]; }
	T at(int i, int j) const { return e[j * m + i]; }
};
template <class T> struct device {
	T *p;
	size_t n;
	explicit device(size_t n_) : n(n_) { cudaMalloc(&p, (n ? n : 1) * sizeof(T)); }
	explicit device(const matrix<T> &m) : device(m.e.size()) { cudaMemcpy(p, m.e.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
	~device() { cudaFree(p); }
	void get(matrix<T> &m) { cudaMemcpy(m.e.data(), p, m.e.size() * sizeof(T), cudaMemcpyDeviceToHost); }
	std::vector<T> get()
	{
		std::vector<T> v(n);
		cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
		return v;
	}
};

static float conj_of(float x) { return x; }
static double conj_of(double x) { return x; }
template <class R> static std::complex<R> conj_of(std::complex<R> x) { return std::conj(x); }

template <class T> static matrix<T> adjoint(const matrix<T> &a)
{
	matrix<T> r(a.n, a.m);
	for (int i = 0; i < a.m; i++)
		for (int j = 0; j < a.n; j++)
			r.at(j, i) = conj_of(a.at(i, j));
	return r;
}
template <class T> static matrix<T> operator*(const matrix<T> &a, const matrix<T> &b)
{
	matrix<T> r(a.m, b.n);
	for (int i = 0; i < a.m; i++)
		for (int j = 0; j < b.n; j++)
			for (int k = 0; k < a.n; k++)
				r.at(i, j) += a.at(i, k) * b.at(k, j);
	return r;
}
template <class T> static bool near(const matrix<T> &a, const matrix<T> &b)
{
	const double eps = 1e-4;
	for (size_t i = 0; i < a.e.size(); i++)
		if (!(std::abs(a.e[i] - b.e[i]) < eps))
			return false;
	return a.m == b.m && a.n == b.n;
}
template <class T> static matrix<T> unit(int n)
{
	matrix<T> r(n, n);
	for (int i = 0; i < n; i++)
		r.at(i, i) = 1;
	return r;
}

static unsigned seed = 7;
static double next() { return (double)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5; }
static void draw(float &x) { x = (float)next(); }
static void draw(double &x) { x = next(); }
template <class R> static void draw(std::complex<R> &x) { x = {(R)next(), (R)next()}; }
template <class T> static matrix<T> random(int m, int n)
{
	matrix<T> r(m, n);
	for (T &x : r.e)
		draw(x);
	return r;
}

/* The functions of a type, under common names. */
template <class T> struct solver;
#define SOLVER(type, cu, R, L, form, times, eig, gv) \
template <> struct solver<type> { \
	typedef cu C; \
	typedef R real; \
	static constexpr auto getrf = cusolverDn##L##getrf; \
	static constexpr auto getrs = cusolverDn##L##getrs; \
	static constexpr auto potrf = cusolverDn##L##potrf; \
	static constexpr auto potrs = cusolverDn##L##potrs; \
	static constexpr auto geqrf = cusolverDn##L##geqrf; \
	static constexpr auto orgqr = cusolverDn##form; \
	static constexpr auto ormqr = cusolverDn##times; \
	static constexpr auto eigen_size = cusolverDn##eig##d_bufferSize; \
	static constexpr auto eigen = cusolverDn##eig##d; \
	static constexpr auto some = cusolverDn##eig##dx; \
	static constexpr auto pair_size = cusolverDn##gv##d_bufferSize; \
	static constexpr auto pair = cusolverDn##gv##d; \
	static constexpr auto pair_some = cusolverDn##gv##dx; \
	static constexpr auto batch = cusolverDn##eig##jBatched; \
	static constexpr auto svd_batch = cusolverDn##L##gesvdjBatched; \
	static constexpr auto svd_size = cusolverDn##L##gesvd_bufferSize; \
	static constexpr auto svd = cusolverDn##L##gesvd; \
	static constexpr auto svdj = cusolverDn##L##gesvdj; \
}
SOLVER(float, float, float, S, Sorgqr, Sormqr, Ssyev, Ssygv);
SOLVER(double, double, double, D, Dorgqr, Dormqr, Dsyev, Dsygv);
SOLVER(std::complex<float>, cuComplex, float, C, Cungqr, Cunmqr, Cheev, Chegv);
SOLVER(std::complex<double>, cuDoubleComplex, double, Z, Zungqr, Zunmqr, Zheev, Zhegv);

static int read(device<int> &info) { return info.get()[0]; }

template <class T> static void systems(cusolverDnHandle_t h)
{
	typedef typename solver<T>::C C;
	const int n = 9, q = 3;
	matrix<T> a = random<T>(n, n), b = random<T>(n, q), x(n, q);
	device<T> da(a);
	device<int> pivots(n), info(1);
	OK(solver<T>::getrf(h, n, n, (C *)da.p, n, NULL, pivots.p, info.p));
	check(read(info) == 0, "getrf: info");
	const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_C};
	for (cublasOperation_t op : ops) {
		device<T> db(b);
		OK(solver<T>::getrs(h, op, n, q, (C *)da.p, n, pivots.p, (C *)db.p, n, info.p));
		db.get(x);
		check(near((op == CUBLAS_OP_N ? a : adjoint(a)) * x, b), "getrs");
	}
	matrix<T> positive = a * adjoint(a), zeros = a;
	for (int i = 0; i < n; i++)
		positive.at(i, i) += T(1), zeros.at(i, 4) = 0;
	const cublasFillMode_t modes[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
	for (cublasFillMode_t uplo : modes) {
		device<T> dp(positive), db(b);
		OK(solver<T>::potrf(h, uplo, n, (C *)dp.p, n, NULL, 0, info.p));
		check(read(info) == 0, "potrf: info");
		OK(solver<T>::potrs(h, uplo, n, q, (C *)dp.p, n, (C *)db.p, n, info.p));
		db.get(x);
		check(near(positive * x, b), "potrs");
	}
	device<T> dz(zeros);
	OK(solver<T>::getrf(h, n, n, (C *)dz.p, n, NULL, pivots.p, info.p));
	check(read(info) == 5, "getrf: a zero column");
	positive.at(2, 2) = -1;
	device<T> dn(positive);
	OK(solver<T>::potrf(h, CUBLAS_FILL_MODE_LOWER, n, (C *)dn.p, n, NULL, 0, info.p));
	check(read(info) == 3, "potrf: not positive");
}

template <class T> static void reflections(cusolverDnHandle_t h)
{
	typedef typename solver<T>::C C;
	const int m = 8, n = 5;
	matrix<T> a = random<T>(m, n), f(m, n), r(m, n), q(m, n), back(m, n);
	device<T> da(a), tau(n);
	device<int> info(1);
	OK(solver<T>::geqrf(h, m, n, (C *)da.p, m, (C *)tau.p, NULL, 0, info.p));
	da.get(f);
	for (int j = 0; j < n; j++)
		for (int i = 0; i <= j; i++)
			r.at(i, j) = f.at(i, j);
	device<T> dr(r), dc(a), row(adjoint(a));
	OK(solver<T>::ormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, n, n, (C *)da.p, m, (C *)tau.p, (C *)dr.p, m, NULL, 0, info.p));
	dr.get(back);
	check(near(back, a), "Q R");
	OK(solver<T>::ormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m, n, n, (C *)da.p, m, (C *)tau.p, (C *)dc.p, m, NULL, 0, info.p));
	dc.get(back);
	check(near(back, r), "Q^H A");
	OK(solver<T>::ormqr(h, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, n, m, n, (C *)da.p, m, (C *)tau.p, (C *)row.p, n, NULL, 0, info.p));
	matrix<T> turned(n, m);
	row.get(turned);
	check(near(turned, adjoint(r)), "A^H Q");
	OK(solver<T>::orgqr(h, m, n, n, (C *)da.p, m, (C *)tau.p, NULL, 0, info.p));
	da.get(q);
	check(near(adjoint(q) * q, unit<T>(n)), "Q^H Q");
}

template <class T> static void values(cusolverDnHandle_t h)
{
	typedef typename solver<T>::C C;
	typedef typename solver<T>::real R;
	const int n = 7;
	matrix<T> a = random<T>(n, n), v(n, n), w(n, n);
	a = a * adjoint(a);
	a.at(0, 0) -= T(3); /* and one that is negative */
	device<T> da(a);
	device<R> dw(n);
	device<int> info(1);
	int lwork = 0;
	OK(solver<T>::eigen_size(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, (C *)da.p, n, dw.p, &lwork));
	device<T> work(lwork);
	OK(solver<T>::eigen(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, (C *)da.p, n, dw.p, (C *)work.p, lwork, info.p));
	check(read(info) == 0, "eigenvalues: info");
	da.get(v);
	std::vector<R> found = dw.get();
	for (int i = 0; i < n; i++) {
		w.at(i, i) = found[i];
		check(!i || found[i - 1] <= found[i], "order of eigenvalues");
	}
	check(near(a * v, v * w) && near(adjoint(v) * v, unit<T>(n)), "A V = V W");
}

/* A Hermitian matrix that is indefinite, and one that is positive definite. */
template <class T> static matrix<T> hermitian(int n, double shift)
{
	matrix<T> a = random<T>(n, n), h = a * adjoint(a);
	for (int i = 0; i < n; i++)
		h.at(i, i) += T((typename solver<T>::real)shift);
	return h;
}
template <class T> static matrix<T> part(const matrix<T> &a, int from, int to)
{
	matrix<T> r(a.m, to - from);
	for (size_t i = 0; i < r.e.size(); i++)
		r.e[i] = a.e[(size_t)from * a.m + i];
	return r;
}

/* Generalised eigenproblems of three kinds and both triangles; in the last, B is not positive
 * definite. */
template <class T> static void pairs(cusolverDnHandle_t h)
{
	typedef typename solver<T>::C C;
	typedef typename solver<T>::real R;
	const int n = 6;
	matrix<T> a = hermitian<T>(n, -1), b = hermitian<T>(n, 1), v(n, n);
	device<R> dw(n);
	device<int> info(1);
	int lwork = 0, count = 0;
	OK(solver<T>::pair_size(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, NULL, n, NULL, n, dw.p, &lwork));
	device<T> work(lwork);
	const cusolverEigType_t kinds[] = {CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3};
	const cublasFillMode_t modes[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
	for (cusolverEigType_t kind : kinds)
		for (cublasFillMode_t uplo : modes) {
			matrix<T> w(n, n);
			device<T> da(a), db(b);
			OK(solver<T>::pair(h, kind, CUSOLVER_EIG_MODE_VECTOR, uplo, n, (C *)da.p, n, (C *)db.p, n, dw.p, (C *)work.p, lwork, info.p));
			check(read(info) == 0, "pairs: info");
			da.get(v);
			std::vector<R> found = dw.get();
			for (int i = 0; i < n; i++)
				w.at(i, i) = found[i];
			check(near(kind == CUSOLVER_EIG_TYPE_1 ? a * v : kind == CUSOLVER_EIG_TYPE_2 ? a * (b * v) : b * (a * v),
				   kind == CUSOLVER_EIG_TYPE_1 ? b * v * w : v * w), "A and B");
		}
	device<T> da(a), db(b), same(a);
	OK(solver<T>::pair(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, (C *)da.p, n, (C *)db.p, n, dw.p, (C *)work.p, lwork, info.p));
	std::vector<R> all = dw.get();
	device<T> dc(a), dd(b);
	OK(solver<T>::pair_some(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, (C *)dc.p, n,
				(C *)dd.p, n, 0, 0, 2, 4, &count, dw.p, (C *)work.p, lwork, info.p));
	check(count == 3 && std::abs(dw.get()[0] - all[1]) < 1e-4 && std::abs(dw.get()[2] - all[3]) < 1e-4, "some of a pair");
	b.at(3, 3) = -1;
	device<T> dn(b);
	OK(solver<T>::pair(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, (C *)same.p, n, (C *)dn.p, n, dw.p, (C *)work.p, lwork, info.p));
	same.get(v);
	check(read(info) == n + 4 && near(v, a), "B is not positive: A stays");
	check(solver<T>::pair(h, (cusolverEigType_t)4, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, (C *)same.p, n, (C *)dn.p, n, dw.p,
			      (C *)work.p, lwork, info.p) == CUSOLVER_STATUS_INVALID_VALUE, "no such kind");
}

/* Some values, by number and by limits; batches of matrices. */
template <class T> static void several(cusolverDnHandle_t h)
{
	typedef typename solver<T>::C C;
	typedef typename solver<T>::real R;
	const int n = 6, q = 3;
	matrix<T> a = hermitian<T>(n, -1), b = hermitian<T>(n, 0), v(n, n), both(n, 2 * n);
	device<R> dw(2 * n);
	device<int> info(2);
	int lwork = 0, count = 0;
	OK(solver<T>::svd_size(h, n, n, &lwork));
	device<T> work(lwork), da(a);
	OK(solver<T>::eigen(h, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, (C *)da.p, n, dw.p, (C *)work.p, lwork, info.p));
	std::vector<R> all = dw.get();
	for (int limits = 0; limits < 2; limits++) {
		device<T> dc(a);
		matrix<T> w(q, q);
		OK(solver<T>::some(h, CUSOLVER_EIG_MODE_VECTOR, limits ? CUSOLVER_EIG_RANGE_V : CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_UPPER, n, (C *)dc.p, n,
				   (all[1] + all[2]) / 2, (all[4] + all[5]) / 2, 3, 5, &count, dw.p, (C *)work.p, lwork, info.p));
		dc.get(v);
		std::vector<R> found = dw.get();
		for (int i = 0; i < q; i++)
			w.at(i, i) = found[i];
		check(count == q && std::abs(found[0] - all[2]) < 1e-4 && near(a * part(v, 0, q), part(v, 0, q) * w), "some values");
	}
	check(solver<T>::some(h, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_UPPER, n, (C *)da.p, n, 0, 0, 0, 9, &count, dw.p,
			      (C *)work.p, lwork, info.p) == CUSOLVER_STATUS_INVALID_VALUE, "values that are not there");
	for (int i = 0; i < n * n; i++)
		both.e[i] = a.e[i], both.e[n * n + i] = b.e[i];
	device<T> db(both), ds(both), du(2 * n * n), dv(2 * n * n);
	OK(solver<T>::batch(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, (C *)db.p, n, dw.p, (C *)work.p, lwork, info.p, NULL, 2));
	db.get(both);
	std::vector<R> found = dw.get();
	matrix<T> second = part(both, n, 2 * n), w(n, n), s(n, n), pu(n, 2 * n), pv(n, 2 * n);
	for (int i = 0; i < n; i++)
		w.at(i, i) = found[n + i];
	check(std::abs(found[0] - all[0]) < 1e-4 && near(b * second, second * w), "the second of a batch");
	OK(solver<T>::svd_batch(h, CUSOLVER_EIG_MODE_VECTOR, n, n, (C *)ds.p, n, dw.p, (C *)du.p, n, (C *)dv.p, n, (C *)work.p, lwork, info.p, NULL, 2));
	du.get(pu);
	dv.get(pv);
	found = dw.get();
	for (int i = 0; i < n; i++)
		s.at(i, i) = found[n + i];
	check(near(part(pu, n, 2 * n) * s * adjoint(part(pv, n, 2 * n)), b), "singular values of a batch");
}

/* m x n of rank n - 1, vectors of all dimensions; gesvdj also of matrices that are wider than high. */
template <class T> static void singular(cusolverDnHandle_t h, int m, int n, bool by_j)
{
	typedef typename solver<T>::C C;
	typedef typename solver<T>::real R;
	matrix<T> a = random<T>(m, n), u(m, m), s(m, n), v(n, n);
	for (int i = 0; i < m && m >= n; i++)
		a.at(i, n - 1) = a.at(i, 0) + a.at(i, 0);
	device<T> da(a), du(m * m), dv(n * n);
	int few = m < n ? m : n, lwork = 0;
	device<R> ds(few);
	device<int> info(1);
	OK(solver<T>::svd_size(h, m, n, &lwork));
	device<T> work(lwork);
	if (by_j)
		OK(solver<T>::svdj(h, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, (C *)da.p, m, ds.p, (C *)du.p, m, (C *)dv.p, n, (C *)work.p,
				   lwork, info.p, NULL));
	else
		OK(solver<T>::svd(h, 'A', 'A', m, n, (C *)da.p, m, ds.p, (C *)du.p, m, (C *)dv.p, n, (C *)work.p, lwork, NULL, info.p));
	check(read(info) == 0, "singular values: info");
	du.get(u);
	dv.get(v);
	std::vector<R> found = ds.get();
	for (int i = 0; i < few; i++) {
		s.at(i, i) = found[i];
		check(!i || found[i - 1] >= found[i], "order of singular values");
	}
	check(near(u * s * (by_j ? adjoint(v) : v), a), "U S V");
	check(near(adjoint(u) * u, unit<T>(m)) && near(adjoint(v) * v, unit<T>(n)), "U and V are unitary");
}

template <class T> static void type(cusolverDnHandle_t h)
{
	systems<T>(h);
	reflections<T>(h);
	values<T>(h);
	pairs<T>(h);
	several<T>(h);
	singular<T>(h, 7, 4, false);
	singular<T>(h, 6, 6, true);
	singular<T>(h, 3, 6, true);
}

/* Functions that take data types as enum values, and the check of shapes. */
static void by_number(cusolverDnHandle_t h)
{
	matrix<double> a = random<double>(4, 4), b = random<double>(4, 1), x(4, 1);
	device<double> da(a), db(b);
	device<int64_t> pivots(4);
	device<int> info(1);
	size_t on_device, on_host;
	OK(cusolverDnXgetrf_bufferSize(h, NULL, 4, 4, CUDA_R_64F, da.p, 4, CUDA_R_64F, &on_device, &on_host));
	OK(cusolverDnXgetrf(h, NULL, 4, 4, CUDA_R_64F, da.p, 4, pivots.p, CUDA_R_64F, NULL, 0, NULL, 0, info.p));
	OK(cusolverDnXgetrs(h, NULL, CUBLAS_OP_N, 4, 1, CUDA_R_64F, da.p, 4, pivots.p, CUDA_R_64F, db.p, 4, info.p));
	db.get(x);
	check(near(a * x, b), "types by number");
	matrix<double> s = hermitian<double>(4, -1), v(4, 4);
	device<double> ds(s), dw(4);
	double low = -1e3, high = 1e3;
	int64_t count = 0;
	OK(cusolverDnXsyevdx_bufferSize(h, NULL, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_V, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, ds.p, 4, &low,
					&high, 0, 0, &count, CUDA_R_64F, dw.p, CUDA_R_64F, &on_device, &on_host));
	device<char> work(on_device);
	OK(cusolverDnXsyevdx(h, NULL, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_V, CUBLAS_FILL_MODE_LOWER, 4, CUDA_R_64F, ds.p, 4, &low, &high, 0, 0,
			     &count, CUDA_R_64F, dw.p, CUDA_R_64F, work.p, on_device, NULL, 0, info.p));
	ds.get(v);
	matrix<double> w(4, 4);
	for (int i = 0; i < 4; i++)
		w.at(i, i) = dw.get()[i];
	check(count == 4 && near(s * v, v * w), "some values by number");
	check(cusolverDnXgetrf(h, NULL, 4, 4, CUDA_R_16F, da.p, 4, pivots.p, CUDA_R_16F, NULL, 0, NULL, 0, info.p) ==
		      CUSOLVER_STATUS_NOT_SUPPORTED, "a type without a kernel");
	check(cusolverDnDgetrf(h, 4, 4, da.p, 3, NULL, NULL, info.p) == CUSOLVER_STATUS_INVALID_VALUE, "lda");
}

int main()
{
	cusolverDnHandle_t h;
	OK(cusolverDnCreate(&h));
	type<float>(h);
	type<std::complex<double>>(h);
	systems<double>(h);
	systems<std::complex<float>>(h);
	by_number(h);
	OK(cusolverDnDestroy(h));
	printf("%d results\n", results);
	return bad != 0;
}
