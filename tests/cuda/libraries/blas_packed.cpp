/* Packed and band matrices, updates by vectors and matrices, rotations, systems and least squares
 * in batches, against plain loops: both triangles, all transpositions, negative increments, NaN in
 * elements that must not be read. */
#include "blas_check.h"

static const int n = 18;

/* The triangle of a whole matrix, column after column. */
static matrix pack(const matrix &a, int ld, bool lower)
{
	matrix p;
	for (int j = 0; j < n; j++)
		for (int i = lower ? j : 0; i <= (lower ? n - 1 : j); i++)
			p.push_back(a[j * ld + i]);
	return p;
}
/* Columns of a band matrix: elements outside the band are NaN in storage and 0 in the matrix. */
static matrix banded(const matrix &a, int rows, int cols, int kl, int ku, matrix *whole)
{
	matrix b((kl + ku + 2) * cols, NAN);
	whole->assign(rows * cols, 0);
	for (int j = 0; j < cols; j++)
		for (int i = 0; i < rows; i++)
			if (i - j <= kl && j - i <= ku)
				b[j * (kl + ku + 2) + ku + i - j] = (*whole)[j * rows + i] = a[j * rows + i];
	return b;
}
static matrix times(const matrix &a, int rows, int cols, int o, const matrix &x, int step)
{
	matrix y(o ? cols : rows);
	for (int i = 0; i < (o ? cols : rows); i++)
		for (int q = 0; q < (o ? rows : cols); q++)
			y[i] += op(a, rows, o, i, q) * x[q * step];
	return y;
}
/* alpha s + beta y with a negative increment for y. */
static matrix backwards(const matrix &s, matrix y)
{
	for (size_t i = 0; i < s.size(); i++)
		y[s.size() - 1 - i] = alpha * s[i] + beta * y[s.size() - 1 - i];
	return y;
}
static matrix symmetric_of(const matrix &a, bool lower, bool hermitian)
{
	matrix w = a;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			if (lower ? i < j : i > j)
				w[j * n + i] = hermitian ? std::conj(a[i * n + j]) : a[i * n + j];
			else if (i == j && hermitian)
				w[j * n + i] = a[j * n + i].real();
	return w;
}
static void vectors(bool lower, int o, bool unit)
{
	matrix whole, a = stored(n, n, lower, unit ? UNIT : TRIANGULAR, &whole), x = filled(2 * n, 2), y = filled(n, 5);
	cublasDiagType_t diag = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
	cublasOperation_t by = (cublasOperation_t)o;
	for (int i = 0; i < n; i++) /* systems need a diagonal that is not small */
		a[i * n + i] = unit ? Z(NAN) : Z(9, i), whole[i * n + i] = unit ? Z(1) : Z(9, i);
	cuDoubleComplex *p = device(pack(a, n, lower)), *to = device(x);
	matrix product = x, s = times(whole, n, n, o, x, 2);
	for (int i = 0; i < n; i++)
		product[2 * i] = s[i];
	compare("tpmv", cublasZtpmv(h, FILL(lower), by, diag, n, p, to, 2), to, product);
	compare("tpsv", cublasZtpsv(h, FILL(lower), by, diag, n, p, to, 2), to, x);
	/* a band of the triangle */
	matrix part, full = whole;
	const int k = 3;
	matrix b = banded(full, n, n, lower ? k : 0, lower ? 0 : k, &part);
	s = times(part, n, n, o, x, 2);
	for (int i = 0; i < n; i++)
		product[2 * i] = s[i];
	if (unit)
		for (int i = 0; i < n; i++)
			b[i * (k + 2) + (lower ? 0 : k)] = NAN;
	p = device(b), to = device(x);
	compare("tbmv", cublasZtbmv(h, FILL(lower), by, diag, n, k, p, k + 2, to, 2), to, product);
	compare("tbsv", cublasZtbsv(h, FILL(lower), by, diag, n, k, p, k + 2, to, 2), to, x);
	/* a general band, wider than high */
	const int m = 11, kl = 2, ku = 4;
	b = banded(filled(m * n, 7), m, n, kl, ku, &part);
	matrix into = filled(o ? n : m, 5);
	to = device(into);
	compare("gbmv", cublasZgbmv(h, by, m, n, kl, ku, P(alpha), device(b), kl + ku + 2, device(x), 2, P(beta), to, -1), to,
		backwards(times(part, m, n, o, x, 2), into));
	/* Hermitian, packed and of a band */
	a = filled(n * n, 3);
	to = device(y);
	compare("hpmv", cublasZhpmv(h, FILL(lower), n, P(alpha), device(pack(a, n, lower)), device(x), 2, P(beta), to, -1), to,
		backwards(times(symmetric_of(a, lower, true), n, n, 0, x, 2), y));
	b = banded(a, n, n, lower ? k : 0, lower ? 0 : k, &part);
	to = device(y);
	compare("hbmv", cublasZhbmv(h, FILL(lower), n, k, P(alpha), device(b), k + 2, device(x), 2, P(beta), to, -1), to,
		backwards(times(symmetric_of(part, lower, true), n, n, 0, x, 2), y));
	/* from packed to full storage and back */
	matrix holes = stored(n, n, lower, TRIANGULAR, &whole);
	to = device(matrix(n * n, NAN));
	compare("tpttr", cublasZtpttr(h, FILL(lower), n, device(pack(holes, n, lower)), to, n), to, holes);
	cuDoubleComplex *again = device(matrix(n * (n + 1) / 2));
	compare("trttp", cublasZtrttp(h, FILL(lower), n, to, n, again), again, pack(holes, n, lower));
}
/* C + alpha x y' (+ alpha' y x') in the triangle; a Hermitian matrix keeps a real diagonal. */
static matrix update(matrix c, bool lower, bool hermitian, bool two, Z by, const matrix &x, const matrix &y, int k, Z keep)
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			if (lower ? i < j : i > j)
				continue;
			Z s = keep * c[j * n + i];
			for (int q = 0; q < k; q++) {
				Z u = y[q * n + j], v = x[q * n + j];
				s += by * x[q * n + i] * (hermitian ? std::conj(u) : u);
				if (two)
					s += (hermitian ? std::conj(by) : by) * y[q * n + i] * (hermitian ? std::conj(v) : v);
			}
			c[j * n + i] = hermitian && i == j ? Z(s.real()) : s;
		}
	return c;
}
static void updates(bool lower, bool hermitian, bool turned)
{
	matrix c = filled(n * n, 1), x = filled(n, 4), y = filled(n, 9);
	if (hermitian)
		for (int i = 0; i < n; i++)
			c[i * n + i] = c[i * n + i].real();
	cublasFillMode_t fill = FILL(lower);
	double ra = 0.75, rb = -2;
	cuDoubleComplex *dx = device(x), *dy = device(y), *to = device(c);
	matrix one = update(c, lower, hermitian, false, hermitian ? Z(ra) : alpha, x, x, 1, 1);
	matrix both = update(c, lower, hermitian, true, alpha, x, y, 1, 1);
	compare("syr", hermitian ? cublasZher(h, fill, n, &ra, dx, 1, to, n) : cublasZsyr(h, fill, n, P(alpha), dx, 1, to, n), to, one);
	to = device(c);
	compare("syr2", (hermitian ? cublasZher2 : cublasZsyr2)(h, fill, n, P(alpha), dx, 1, dy, 1, to, n), to, both);
	if (hermitian) {
		to = device(pack(c, n, lower));
		compare("hpr", cublasZhpr(h, fill, n, &ra, dx, 1, to), to, pack(one, n, lower));
		to = device(pack(c, n, lower));
		compare("hpr2", cublasZhpr2(h, fill, n, P(alpha), dx, 1, dy, 1, to), to, pack(both, n, lower));
	}
	/* an update of rank 3; if `turned`, A and B have 3 rows */
	const int k = 3, ld = turned ? k : n;
	matrix a = filled(n * k, 2), b = filled(n * k, 6), u = a, v = b;
	for (int i = 0; i < n && turned; i++)
		for (int q = 0; q < k; q++) {
			u[q * n + i] = hermitian ? std::conj(a[i * k + q]) : a[i * k + q];
			v[q * n + i] = hermitian ? std::conj(b[i * k + q]) : b[i * k + q];
		}
	cublasOperation_t by = !turned ? CUBLAS_OP_N : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
	cuDoubleComplex *da = device(a), *db = device(b);
	to = device(c);
	compare("syr2k", hermitian ? cublasZher2k(h, fill, by, n, k, P(alpha), da, ld, db, ld, &rb, to, n) :
		cublasZsyr2k(h, fill, by, n, k, P(alpha), da, ld, db, ld, P(beta), to, n), to,
		update(c, lower, hermitian, true, alpha, u, v, k, hermitian ? Z(rb) : beta));
	to = device(c);
	compare("syrkx", hermitian ? cublasZherkx(h, fill, by, n, k, P(alpha), da, ld, db, ld, &rb, to, n) :
		cublasZsyrkx(h, fill, by, n, k, P(alpha), da, ld, db, ld, P(beta), to, n), to,
		update(c, lower, hermitian, false, alpha, u, v, k, hermitian ? Z(rb) : beta));
	/* the whole of a matrix */
	matrix whole = c;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			whole[j * n + i] += alpha * x[i] * (hermitian ? std::conj(y[j]) : y[j]);
	to = device(c);
	compare("ger", (hermitian ? cublasZgerc : cublasZgeru)(h, n, n, P(alpha), dx, 1, dy, 1, to, n), to, whole);
}
static void systems(bool lower, bool left)
{
	matrix whole, a = stored(n, n, lower, TRIANGULAR, &whole), b = filled(n * 4, 5);
	for (int i = 0; i < n; i++)
		a[i * n + i] = 7;
	const int rows = left ? n : 4, cols = left ? 4 : n;
	cuDoubleComplex **lists, *one = device(b), *two = device(b), *alone = device(b);
	cudaMallocManaged(&lists, 4 * sizeof *lists);
	lists[0] = lists[1] = device(a), lists[2] = one, lists[3] = two;
	cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
	cublasZtrsm(h, side, FILL(lower), CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, rows, cols, P(alpha), lists[0], n, alone, rows);
	int status = cublasZtrsmBatched(h, side, FILL(lower), CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, rows, cols, P(alpha), lists, n, lists + 2, rows, 2);
	cudaDeviceSynchronize();
	matrix want((Z *)alone, (Z *)alone + 4 * n);
	compare("trsmBatched", status, one, want);
	compare("trsmBatched", status, two, want);
}
static void near_to(const char *what, double got, double want)
{
	results++;
	if (!(fabs(got - want) < 1e-12)) {
		printf("%s: %g instead of %g\n", what, got, want);
		bad++;
	}
}
/* Least squares: the residual is orthogonal to every column of A, and zero if A x = b has a
 * solution. */
static void least_squares(int m)
{
	const int cols = 5, nrhs = 2;
	matrix a = filled(m * cols, 2), b = filled(m * nrhs, 7);
	for (int i = 0; i < cols; i++)
		a[i * m + i] += 4;
	cuDoubleComplex **lists, *x = device(b);
	cudaMallocManaged(&lists, 4 * sizeof *lists);
	lists[0] = device(a), lists[1] = device(matrix(m * cols)), lists[2] = x, lists[3] = device(b);
	int *each, info = 9;
	cudaMallocManaged(&each, 2 * sizeof *each);
	int status = cublasZgelsBatched(h, CUBLAS_OP_N, m, cols, nrhs, lists, m, lists + 2, m, &info, each, 2);
	cudaDeviceSynchronize();
	near_to("gels", status || info || each[0], 0), near_to("gels of zeros", each[1], 1);
	for (int q = 0; q < nrhs; q++)
		for (int j = 0; j < cols; j++) {
			Z s = 0;
			for (int i = 0; i < m; i++) {
				Z left = b[q * m + i];
				for (int k = 0; k < cols; k++)
					left -= a[k * m + i] * Z(x[q * m + k].x, x[q * m + k].y);
				s += std::conj(a[j * m + i]) * left;
			}
			near_to("gels", std::abs(s) < 1e-9 ? 0 : std::abs(s), 0);
		}
	/* R of the factorisation of A: R^H R equals A^H A */
	lists[0] = device(a), lists[1] = device(matrix(cols));
	status = cublasZgeqrfBatched(h, m, cols, lists, m, lists + 1, &info, 1);
	cudaDeviceSynchronize();
	for (int i = 0; i < cols; i++)
		for (int j = 0; j < cols; j++) {
			Z s = 0;
			for (int k = 0; k < m; k++)
				s += std::conj(a[i * m + k]) * a[j * m + k];
			for (int k = 0; k <= i && k <= j; k++) {
				cuDoubleComplex u = lists[0][i * m + k], v = lists[0][j * m + k];
				s -= std::conj(Z(u.x, u.y)) * Z(v.x, v.y);
			}
			near_to("geqrf", status || std::abs(s) > 1e-9, 0);
		}
}
static void rotations(bool on_device)
{
	cublasSetPointerMode(h, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
	double *p;
	cudaMallocManaged(&p, 16 * sizeof *p);
	/* a, b, c, s: the rotation takes the original (a, b) to (a, 0) */
	p[0] = 3, p[1] = -4;
	bad += cublasDrotg(h, p, p + 1, p + 2, p + 3) != 0;
	cudaDeviceSynchronize();
	near_to("rotg r", p[0], -5), near_to("rotg c", p[2], -0.6), near_to("rotg s", p[3], 0.8), near_to("rotg z", p[1], -1 / 0.6);
	/* complex: c a + s b is the new a, and -conj(s) a + c b is zero */
	Z a(1, 2), b(-2, 0.5);
	cuDoubleComplex *q = device({a, b, 0, 0});
	bad += cublasZrotg(h, q, q + 1, (double *)(q + 2), q + 3) != 0;
	cudaDeviceSynchronize();
	double c = q[2].x;
	Z s(q[3].x, q[3].y), r = c * a + s * b, none = -std::conj(s) * a + c * b;
	near_to("zrotg", std::abs(none), 0), near_to("zrotg", q[0].x, r.real()), near_to("zrotg", q[0].y, r.imag());
	matrix x = filled(n, 1), y = filled(n, 3), wx = x, wy = y;
	for (int i = 0; i < n; i++)
		wx[i] = c * x[i] + s * y[i], wy[i] = c * y[i] - std::conj(s) * x[i];
	cuDoubleComplex *dx = device(x), *dy = device(y);
	int status = cublasZrot(h, n, dx, 1, dy, 1, (double *)(q + 2), q + 3);
	compare("rot x", status, dx, wx), compare("rot y", status, dy, wy);
	/* modified: H applied to (x1, y1) is (new x1, 0) in scaled numbers */
	static const double given[][4] = {{2, 3, 4, 1}, {2, 3, 1, 4}, {1e-9, 2, 3, 1e-3}, {-1, 2, 3, 4}, {2, 3, 4, 0}, {1e9, 1e-9, 1, 2}};
	for (auto &g : given) {
		memcpy(p, g, sizeof g);
		p[9] = 77;
		bad += cublasDrotmg(h, p, p + 1, p + 2, p + 3, p + 4) != 0;
		double *u = p + 10, *v = p + 11;
		cudaDeviceSynchronize();
		*u = g[2], *v = g[3];
		bad += cublasDrotm(h, 1, u, 1, v, 1, p + 4) != 0;
		cudaDeviceSynchronize();
		near_to("rotmg x", p[4] == -2 ? 0 : *u - p[2], 0), near_to("rotmg y", *v, 0), near_to("rotmg end", p[9], 77);
		if (g[0] > 0) /* the weighted length stays */
			near_to("rotmg length", (p[0] * *u * *u) / (g[0] * g[2] * g[2] + g[1] * g[3] * g[3]), 1);
	}
	p[0] = 3;
	wx = x;
	for (auto &e : wx)
		e *= 3;
	dx = device(x);
	compare("zdscal", cublasZdscal(h, n, p, dx, 1), dx, wx);
	int *at = (int *)p;
	bad += cublasIzamin(h, n, dx, 1, at) != 0;
	cudaDeviceSynchronize();
	double least = INFINITY;
	int where = 0;
	for (int i = 0; i < n; i++)
		if (fabs(x[i].real()) + fabs(x[i].imag()) < least)
			least = fabs(x[i].real()) + fabs(x[i].imag()), where = i + 1;
	near_to("izamin", *at, where);
}
int main()
{
	cublasCreate(&h);
	for (int k = 0; k < 8; k++) {
		if (k < 6)
			vectors(k & 1, k / 2, (k + 1) % 3 == 0);
		updates(k & 1, k & 2, k & 4);
	}
	for (int k = 0; k < 4; k++)
		systems(k & 1, k & 2);
	least_squares(5);
	least_squares(9);
	rotations(false);
	rotations(true);
	cublasDestroy(h);
	printf("%d results\n", results - bad);
	return bad != 0;
}
