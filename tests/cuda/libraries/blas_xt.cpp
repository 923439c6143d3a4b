/* cuBLAS on matrices of the host: products of ordinary memory, transposed and with room between columns, against
 * plain loops. */
#include <cmath>
#include <cstdio>
#include <cublasXt.h>
#include <vector>

static int done, bad;
#define OK(call) IS((call) == CUBLAS_STATUS_SUCCESS, #call)
#define IS(x, what)                                                                                                    \
	do {                                                                                                           \
		if (!(x))                                                                                              \
			printf("%d: %s\n", __LINE__, what), bad = 1;                                                   \
		else                                                                                                   \
			done++;                                                                                        \
	} while (0)

template <class T, class F> static void product(F gemm, cublasXtHandle_t h, bool ta, bool tb)
{
	const size_t m = 21, n = 13, k = 17, lda = (ta ? k : m) + 2, ldb = (tb ? n : k) + 1, ldc = m + 3;
	std::vector<T> a(lda * (ta ? m : k)), b(ldb * (tb ? k : n)), c(ldc * n, 2), want = c;
	T alpha = 1.5, beta = -0.5;
	for (size_t i = 0; i < a.size(); i++)
		a[i] = (T)(i * 7 % 11) - 5;
	for (size_t i = 0; i < b.size(); i++)
		b[i] = (T)(i * 5 % 13) - 6;
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < m; i++) {
			T sum = 0;
			for (size_t l = 0; l < k; l++)
				sum += (ta ? a[i * lda + l] : a[l * lda + i]) * (tb ? b[l * ldb + j] : b[j * ldb + l]);
			want[j * ldc + i] = alpha * sum + beta * want[j * ldc + i];
		}
	OK(gemm(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, a.data(), lda, b.data(),
		ldb, &beta, c.data(), ldc));
	double worst = 0;
	for (size_t i = 0; i < c.size(); i++) /* including the elements between columns */
		worst = fmax(worst, fabs((double)c[i] - (double)want[i]));
	IS(worst < 1e-4, "another product");
}

/* The other functions of level 3: results as from the device's functions, which other tests compare
 * with plain loops. */
typedef cuDoubleComplex Z;
struct three {
	std::vector<Z> a, b, c;
	three() : a(40 * 40), b(40 * 40), c(40 * 40)
	{
		for (int i = 0; i < 1600; i++) {
			a[i] = {(i * 7 % 11 - 5) / 4.0, (i * 5 % 13 - 6) / 4.0};
			b[i] = {(i * 3 % 7 - 3) / 4.0, (i * 9 % 5 - 2) / 4.0};
			c[i] = {(i * 2 % 9 - 4) / 4.0, (i * 4 % 7 - 3) / 4.0};
		}
		for (int i = 0; i < 40; i++)
			a[i * 41] = {4, 1};
	}
};
static Z *there(const std::vector<Z> &v)
{
	Z *p;
	cudaMallocManaged(&p, v.size() * sizeof *p);
	cudaMemcpy(p, v.data(), v.size() * sizeof *p, cudaMemcpyDefault);
	return p;
}
template <class X, class D> static void alike(const char *what, X xt, D device)
{
	three host, start;
	Z *a = there(start.a), *b = there(start.b), *c = there(start.c);
	IS(!xt(host.a.data(), host.b.data(), host.c.data()), what);
	IS(!device(a, b, c) && !cudaDeviceSynchronize(), what);
	bool same = true;
	for (int i = 0; i < 1600; i++)
		same = same && host.b[i].x == b[i].x && host.b[i].y == b[i].y && host.c[i].x == c[i].x && host.c[i].y == c[i].y;
	IS(same, what);
}
#define ALIKE(xt, device, before, after) \
	alike(#xt, [&](Z *a, Z *b, Z *c) { (void)b, (void)c; return xt(h ARGS before after); }, \
	      [&](Z *a, Z *b, Z *c) { (void)b, (void)c; return device(blas ARGS before after); })
#define ARGS(...) , __VA_ARGS__
static void level3(cublasXtHandle_t h)
{
	cublasHandle_t blas;
	cublasCreate(&blas);
	Z al = {1.5, -0.5}, be = {-0.25, 2};
	double ra = 0.75, rb = -2;
	for (int way = 0; way < 8; way++) {
		cublasFillMode_t uplo = way & 1 ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
		cublasSideMode_t side = way & 2 ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
		cublasOperation_t op = way & 4 ? CUBLAS_OP_N : CUBLAS_OP_T, oph = way & 4 ? CUBLAS_OP_N : CUBLAS_OP_C;
		cublasDiagType_t diag = way & 4 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
		ALIKE(cublasXtZsyrk, cublasZsyrk, (uplo, op, 20, 30, &al, a, 35, &be, c, 33), );
		ALIKE(cublasXtZsyr2k, cublasZsyr2k, (uplo, op, 20, 30, &al, a, 35, b, 36, &be, c, 33), );
		ALIKE(cublasXtZsyrkx, cublasZsyrkx, (uplo, op, 20, 30, &al, a, 35, b, 36, &be, c, 33), );
		ALIKE(cublasXtZherk, cublasZherk, (uplo, oph, 20, 30, &ra, a, 35, &rb, c, 33), );
		ALIKE(cublasXtZher2k, cublasZher2k, (uplo, oph, 20, 30, &al, a, 35, b, 36, &rb, c, 33), );
		ALIKE(cublasXtZherkx, cublasZherkx, (uplo, oph, 20, 30, &al, a, 35, b, 36, &rb, c, 33), );
		ALIKE(cublasXtZsymm, cublasZsymm, (side, uplo, 20, 30, &al, a, 35, b, 36, &be, c, 33), );
		ALIKE(cublasXtZhemm, cublasZhemm, (side, uplo, 20, 30, &al, a, 35, b, 36, &be, c, 33), );
		ALIKE(cublasXtZtrsm, cublasZtrsm, (side, uplo, op, diag, 8, 9, &al, a, 35, b, 36), );
		ALIKE(cublasXtZtrmm, cublasZtrmm, (side, uplo, op, diag, 20, 30, &al, a, 35, b, 36, c, 33), );
		/* a packed triangle is that of the matrix given to symm */
		int n = way & 2 ? 20 : 30;
		std::vector<Z> packed;
		three m;
		for (int j = 0; j < n; j++)
			for (int i = way & 1 ? j : 0; i < (way & 1 ? n : j + 1); i++)
				packed.push_back(m.a[j * 35 + i]);
		alike("cublasXtZspmm", [&](Z *, Z *b, Z *c) { return cublasXtZspmm(h, side, uplo, 20, 30, &al, packed.data(), b, 36, &be, c, 33); },
		      [&](Z *a, Z *b, Z *c) { return cublasZsymm(blas, side, uplo, 20, 30, &al, a, 35, b, 36, &be, c, 33); });
	}
	three m;
	IS(cublasXtZsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 20, 30, &al, m.a.data(), 19, m.b.data(), 36, &be, m.c.data(), 33) ==
	   CUBLAS_STATUS_INVALID_VALUE, "no room for rows");
	cublasDestroy(blas);
}

int main()
{
	cublasXtHandle_t h;
	int device = 0, far = 99, dim = 0;
	OK(cublasXtCreate(&h));
	OK(cublasXtDeviceSelect(h, 1, &device));
	IS(cublasXtDeviceSelect(h, 1, &far) == CUBLAS_STATUS_INVALID_VALUE, "a GPU that is not there");
	OK(cublasXtSetBlockDim(h, 64));
	OK(cublasXtGetBlockDim(h, &dim));
	IS(dim == 64, "the size of tiles");
	for (int t = 0; t < 4; t++) {
		product<float>(cublasXtSgemm, h, t & 1, t & 2);
		product<double>(cublasXtDgemm, h, t & 1, t & 2);
	}
	level3(h);
	float one = 1;
	IS(cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1ul << 40, 1, 1, &one, &one, 1, &one, 1, &one, &one, 1) ==
		   CUBLAS_STATUS_INVALID_VALUE,
	   "a huge size");
	OK(cublasXtDestroy(h));
	printf("%d results\n", done);
	return bad;
}
