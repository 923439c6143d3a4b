/* symm, hemm, syrk, herk, trmm, symv, hemv, trmv against plain loops: odd shapes, both triangles,
 * all transpositions, NaN in elements that must not be read. */
#include "blas_check.h"

static void products(bool left, bool lower, int kind, bool clear)
{
	const int m = 19, n = 5, size = left ? m : n, lda = size + 2, ldb = m + 1, ldc = m + 3;
	matrix whole, a = stored(size, lda, lower, kind, &whole), b = filled(ldb * n, 1), c = clear ? matrix(ldc * n, NAN) : filled(ldc * n, 8), want = c;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			Z s = 0;
			for (int q = 0; q < size; q++)
				s += left ? whole[q * size + i] * b[j * ldb + q] : b[q * ldb + i] * whole[j * size + q];
			want[j * ldc + i] = alpha * s + (clear ? zero : beta * c[j * ldc + i]);
		}
	cuDoubleComplex *to = device(c);
	auto call = kind == HERMITIAN ? cublasZhemm : cublasZsymm;
	compare("symm", call(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, FILL(lower), m, n, P(alpha), device(a), lda, device(b), ldb,
		clear ? P(zero) : P(beta), to, ldc), to, want);
	/* a vector, stored backwards */
	matrix sq = stored(m, m, lower, kind, &whole), x = filled(2 * m, 2), y = filled(m, 5), sum(m);
	for (int i = 0; i < m; i++) {
		sum[m - 1 - i] = beta * y[m - 1 - i];
		for (int q = 0; q < m; q++)
			sum[m - 1 - i] += alpha * whole[q * m + i] * x[2 * q];
	}
	to = device(y);
	auto mv = kind == HERMITIAN ? cublasZhemv : cublasZsymv;
	compare("symv", mv(h, FILL(lower), m, P(alpha), device(sq), m, device(x), 2, P(beta), to, -1), to, sum);
}
static void squares(int o, bool lower, bool hermitian)
{
	const int n = 18, k = 3, lda = (o ? k : n) + 1, ldc = n + 1;
	matrix a = filled(lda * (o ? n : k), 4), c = filled(ldc * n, 6), want = c;
	double ra = 0.75, rb = -2;
	int by = hermitian ? 2 : 1;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			if (lower ? i < j : i > j)
				continue;
			Z s = 0;
			for (int q = 0; q < k; q++) {
				Z x = o ? a[i * lda + q] : a[q * lda + i], y = o ? a[j * lda + q] : a[q * lda + j];
				s += (o && hermitian ? std::conj(x) : x) * (!o && hermitian ? std::conj(y) : y);
			}
			s = hermitian ? ra * s + rb * c[j * ldc + i] : alpha * s + beta * c[j * ldc + i];
			want[j * ldc + i] = hermitian && i == j ? Z(s.real()) : s;
		}
	cuDoubleComplex *to = device(c);
	cublasOperation_t op = o ? (cublasOperation_t)by : CUBLAS_OP_N;
	int status = hermitian ? cublasZherk(h, FILL(lower), op, n, k, &ra, device(a), lda, &rb, to, ldc) :
		cublasZsyrk(h, FILL(lower), op, n, k, P(alpha), device(a), lda, P(beta), to, ldc);
	compare("syrk", status, to, want);
}
static void triangles(bool left, bool lower, int o, bool unit, bool inplace)
{
	const int m = 7, n = 18, size = left ? m : n, lda = size + 1, ld = m + 2;
	matrix whole, a = stored(size, lda, lower, unit ? UNIT : TRIANGULAR, &whole), b = filled(ld * n, 9), want = b;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			Z s = 0;
			for (int q = 0; q < size; q++)
				s += left ? op(whole, size, o, i, q) * b[j * ld + q] : b[q * ld + i] * op(whole, size, o, q, j);
			want[j * ld + i] = alpha * s;
		}
	cuDoubleComplex *from = device(b), *to = inplace ? from : device(b);
	cublasDiagType_t diag = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
	compare("trmm", cublasZtrmm(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, FILL(lower), (cublasOperation_t)o, diag, m, n, P(alpha),
		device(a), lda, from, ld, to, ld), to, want);
	matrix x = filled(3 * size, 1), product = x;
	for (int i = 0; i < size; i++) {
		product[3 * i] = 0;
		for (int q = 0; q < size; q++)
			product[3 * i] += op(whole, size, o, i, q) * x[3 * q];
	}
	to = device(x);
	compare("trmv", cublasZtrmv(h, FILL(lower), (cublasOperation_t)o, diag, size, device(a), lda, to, 3), to, product);
}
int main()
{
	cublasCreate(&h);
	for (int k = 0; k < 8; k++) {
		products(k & 1, k & 2, k & 4 ? HERMITIAN : SYMMETRIC, k % 3 == 0);
		squares(k & 1, k & 2, k & 4);
		for (int o = 0; o < 3; o++)
			triangles(k & 1, k & 2, o, k & 4, (k + o) % 2);
	}
	/* empty matrices, and real types */
	float one = 1, a[] = {3}, *d;
	cudaMallocManaged(&d, 4);
	*d = 2;
	results += 2;
	bad += cublasSsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 0, 4, &one, d, 1, d, 1, &one, d, 1) != 0;
	bad += cublasSsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, 1, 1, &one, d, 1, a, d, 1) != 0;
	cudaDeviceSynchronize();
	bad += *d != 10;
	cublasDestroy(h);
	printf("%d results\n", results - bad);
	return bad != 0;
}
