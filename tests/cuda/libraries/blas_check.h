/* Helpers of cuBLAS's tests with complex matrices: partly stored matrices, and comparisons. */
#ifndef BLAS_CHECK_H
#define BLAS_CHECK_H
#include <complex>
#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vector>

typedef std::complex<double> Z;
typedef std::vector<Z> matrix; /* by columns */
static int results, bad;
static cublasHandle_t h;

static cuDoubleComplex *device(const matrix &m)
{
	cuDoubleComplex *p;
	cudaMallocManaged(&p, m.size() * sizeof *p);
	cudaMemcpy(p, m.data(), m.size() * sizeof *p, cudaMemcpyHostToDevice);
	return p;
}
static matrix filled(int n, int from)
{
	matrix m(n);
	for (int i = 0; i < n; i++)
		m[i] = Z(((i + from) * 7 % 11 - 5) / 4.0, ((i + from) * 5 % 13 - 6) / 4.0);
	return m;
}
static void compare(const char *what, int status, const cuDoubleComplex *got, const matrix &want)
{
	cudaDeviceSynchronize();
	results++;
	for (size_t i = 0; i < want.size(); i++)
		if (status || !(std::abs(Z(got[i].x, got[i].y) - want[i]) < 1e-9 || (std::isnan(want[i].real()) && std::isnan(got[i].x)))) {
			printf("%s: status %d, element %zu is (%g, %g) instead of (%g, %g)\n", what, status, i, got[i].x, got[i].y,
			       want[i].real(), want[i].imag());
			bad++;
			return;
		}
}
/* An n x n matrix, once as stored (one triangle, NaN in the other) and once complete. */
enum { SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT };
static matrix stored(int n, int ld, bool lower, int kind, matrix *whole)
{
	matrix a = filled(ld * n, 3);
	whole->assign(n * n, 0);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			Z x = a[j * ld + i];
			if (kind == HERMITIAN && i == j)
				x = x.real();
			if (lower ? i < j : i > j) {
				a[j * ld + i] = NAN;
				continue;
			}
			if (kind == UNIT && i == j)
				a[j * ld + i] = NAN, x = 1;
			(*whole)[j * n + i] = x;
			if (kind <= HERMITIAN)
				(*whole)[i * n + j] = i == j ? x : kind == HERMITIAN ? std::conj(x) : x;
		}
	return a;
}
static Z op(const matrix &a, int ld, int o, int i, int j) { return o == 0 ? a[j * ld + i] : o == 1 ? a[i * ld + j] : std::conj(a[i * ld + j]); }
static const Z alpha(1.5, -0.5), beta(-0.25, 2), zero(0);
#define P(z) ((const cuDoubleComplex *)&(z))
#define FILL(lower) ((lower) ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER)
#endif
