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
	for (size_t i = 0; i < c.size(); i++) /* also what lies between columns */
		worst = fmax(worst, fabs((double)c[i] - (double)want[i]));
	IS(worst < 1e-4, "another product");
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
	float one = 1;
	IS(cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1ul << 40, 1, 1, &one, &one, 1, &one, 1, &one, &one, 1) ==
		   CUBLAS_STATUS_INVALID_VALUE,
	   "a huge size");
	OK(cublasXtDestroy(h));
	printf("%d results\n", done);
	return bad;
}
