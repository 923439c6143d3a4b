/* Batched cuBLAS functions with vectors, inverses and groups, and functions that take data types as
 * enum values, compared with plain loops. */
#include <complex>
#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <vector>

static int results, bad;
static cublasHandle_t h;
static void is(bool right, const char *what, int line)
{
	results++;
	if (!right)
		printf("line %d: %s\n", line, what), bad = 1;
}
#define IS(x, what) is(x, what, __LINE__)

typedef std::complex<double> Z;
template <class T> struct host { static T make(Z z) { return (T)z.real(); } static Z value(T t) { return Z((double)t); } };
template <> struct host<__half> { static __half make(Z z) { return __float2half((float)z.real()); } static Z value(__half t) { return Z(__half2float(t)); } };
template <> struct host<__nv_bfloat16> {
	static __nv_bfloat16 make(Z z) { return __float2bfloat16((float)z.real()); }
	static Z value(__nv_bfloat16 t) { return Z(__bfloat162float(t)); }
};
template <> struct host<cuComplex> { static cuComplex make(Z z) { return {(float)z.real(), (float)z.imag()}; } static Z value(cuComplex t) { return Z(t.x, t.y); } };
template <> struct host<cuDoubleComplex> { static cuDoubleComplex make(Z z) { return {z.real(), z.imag()}; } static Z value(cuDoubleComplex t) { return Z(t.x, t.y); } };

/* Small multiples of a quarter, exact in every type. */
static Z number(int i) { return Z((i * 7 % 11 - 5) / 4.0, (i * 5 % 13 - 6) / 4.0); }
template <class T> static T *memory(size_t n, int from)
{
	T *p;
	cudaMallocManaged(&p, n * sizeof *p);
	for (size_t i = 0; i < n; i++)
		p[i] = host<T>::make(number((int)i + from));
	return p;
}
template <class T> static std::vector<Z> values(const T *p, size_t n)
{
	std::vector<Z> v(n);
	for (size_t i = 0; i < n; i++)
		v[i] = host<T>::value(p[i]);
	return v;
}
template <class T> static bool same(const T *p, const std::vector<Z> &want, double most)
{
	cudaDeviceSynchronize();
	for (size_t i = 0; i < want.size(); i++)
		if (!(std::abs(host<T>::value(p[i]) - want[i]) <= most * (1 + std::abs(want[i])))) {
			printf("element %zu is %g instead of %g\n", i, host<T>::value(p[i]).real(), want[i].real());
			return false;
		}
	return true;
}
template <class T> static T **list(T *first, size_t apart, int count)
{
	T **p;
	cudaMallocManaged(&p, count * sizeof *p);
	for (int i = 0; i < count; i++)
		p[i] = first + i * apart;
	return p;
}

template <class In, class Out, class A, class B, class S> static void vectors(B batched, S strided, double most)
{
	const int m = 21, n = 13, lda = m + 2, count = 3;
	for (int o = 0; o < 3; o++)
		for (int back = 0; back < 2; back++) {
			int rows = o ? n : m, cols = o ? m : n, incx = back ? -2 : 1, incy = back ? 1 : -3;
			size_t sa = (size_t)lda * n, sx = 2 * cols, sy = 3 * rows;
			In *a = memory<In>(sa * count, 1), *x = memory<In>(sx * count, 2);
			Out *y = memory<Out>(sy * count, 3), *y2 = memory<Out>(sy * count, 3);
			A alpha = host<A>::make(Z(1.5, -0.5)), beta = host<A>::make(Z(-0.25, 2));
			std::vector<Z> va = values(a, sa * count), vx = values(x, sx * count), want = values(y, sy * count);
			for (int z = 0; z < count; z++)
				for (int i = 0; i < rows; i++) {
					Z s = 0;
					for (int j = 0; j < cols; j++) {
						Z e = va[z * sa + (o ? (size_t)i * lda + j : (size_t)j * lda + i)];
						s += (o == 2 ? std::conj(e) : e) * vx[z * sx + (back ? (cols - 1 - j) * 2 : j)];
					}
					Z &to = want[z * sy + (back ? i : (rows - 1 - i) * 3)];
					to = host<A>::value(alpha) * s + host<A>::value(beta) * to;
				}
			IS(!strided(h, (cublasOperation_t)o, m, n, &alpha, a, lda, (long long)sa, x, incx, (long long)sx, &beta, y, incy, (long long)sy, count) &&
			   same(y, want, most), "gemvStridedBatched");
			IS(!batched(h, (cublasOperation_t)o, m, n, &alpha, list(a, sa, count), lda, list(x, sx, count), incx, &beta, list(y2, sy, count), incy, count) &&
			   same(y2, want, most), "gemvBatched");
		}
}
template <class T, class F> static void inverses(F matinv, double most)
{
	int *info;
	cudaMallocManaged(&info, 4 * sizeof *info);
	for (int n : {1, 2, 7, 16, 31, 32}) {
		const int lda = n + 1, ldc = n + 2, count = 4;
		T *a = memory<T>((size_t)lda * n * count, 1), *c = memory<T>((size_t)ldc * n * count, 0);
		for (int z = 0; z < count; z++)
			for (int i = 0; i < n; i++) /* large elements off the diagonal: rows must be exchanged */
				a[(size_t)z * lda * n + i * lda + (i + 1) % n] = host<T>::make(Z(9 + i % 3, 1));
		for (int i = 0; i < n; i++)
			a[(size_t)2 * lda * n + i * lda + n - 1] = host<T>::make(0); /* the third
				 * matrix is singular */
		std::vector<Z> va = values(a, (size_t)lda * n * count);
		IS(!matinv(h, n, list(a, (size_t)lda * n, count), lda, list(c, (size_t)ldc * n, count), ldc, info, count), "matinvBatched");
		cudaDeviceSynchronize();
		for (int z = 0; z < count; z++) {
			bool unit = true;
			for (int i = 0; i < n; i++)
				for (int j = 0; j < n; j++) {
					Z s = 0;
					for (int k = 0; k < n; k++)
						s += va[(size_t)z * lda * n + k * lda + i] * host<T>::value(c[(size_t)z * ldc * n + j * ldc + k]);
					unit = unit && std::abs(s - Z(i == j)) < most;
				}
			IS(z == 2 ? info[z] > 0 : !info[z] && unit, "an inverse");
		}
		IS(same(a, va, 0), "the matrices stay");
	}
	T *none = memory<T>(1, 0);
	IS(matinv(h, 33, list(none, 0, 1), 33, list(none, 0, 1), 33, info, 1) == CUBLAS_STATUS_INVALID_VALUE, "33 rows");
}
/* Numbers of 16 bits, computed as floats. */
template <class E> static void shorts(cudaDataType t, double most)
{
	const int n = 3000;
	cudaDataType f = CUDA_R_32F;
	for (int device = 0; device < 2; device++) {
		cublasSetPointerMode(h, device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
		E *x = memory<E>(2 * n, 1), *y = memory<E>(n, 4), *r = memory<E>(1, 0), *cs = memory<E>(2, 0);
		float *alpha = memory<float>(1, 0);
		int *place;
		cudaMallocManaged(&place, sizeof *place);
		*alpha = 0.5f, cs[0] = host<E>::make(0.75), cs[1] = host<E>::make(0.5);
		std::vector<Z> vx = values(x, 2 * n), vy = values(y, n), want = vy;
		double dot = 0, norm = 0, sum = 0;
		int large = 0, small = 0;
		for (int i = 0; i < n; i++) {
			double u = vx[2 * i].real(), v = vy[n - 1 - i].real();
			dot += u * v, norm += u * u, sum += fabs(u);
			large = fabs(u) > fabs(vx[2 * large].real()) ? i : large;
			small = fabs(u) < fabs(vx[2 * small].real()) ? i : small;
			want[n - 1 - i] = 0.5 * u + v;
		}
		IS(!cublasDotEx(h, n, x, t, 2, y, t, -1, r, t, f) && same(r, {Z(dot)}, most), "DotEx");
		IS(!cublasDotcEx(h, n, x, t, 2, y, t, -1, r, t, f) && same(r, {Z(dot)}, most), "DotcEx");
		IS(!cublasNrm2Ex(h, n, x, t, 2, r, t, f) && same(r, {Z(sqrt(norm))}, most), "Nrm2Ex");
		IS(!cublasAsumEx(h, n, x, t, 2, r, t, f) && same(r, {Z(sum)}, most), "AsumEx");
		IS(!cublasIamaxEx(h, n, x, t, 2, place) && !cudaDeviceSynchronize() && *place == large + 1, "IamaxEx");
		IS(!cublasIaminEx(h, n, x, t, 2, place) && !cudaDeviceSynchronize() && *place == small + 1, "IaminEx");
		IS(!cublasAxpyEx(h, n, alpha, f, x, t, 2, y, t, -1, f) && same(y, want, most), "AxpyEx");
		for (Z &z : want)
			z *= 0.5;
		IS(!cublasScalEx(h, n, alpha, f, y, t, 1, f) && same(y, want, most), "ScalEx");
		std::vector<Z> turned = vx, now = values(y, n);
		for (int i = 0; i < n; i++) {
			Z u = vx[2 * i], v = now[i];
			turned[2 * i] = 0.75 * u + 0.5 * v, now[i] = 0.75 * v - 0.5 * u;
		}
		IS(!cublasRotEx(h, n, x, t, 2, y, t, 1, &cs[0], &cs[1], t, f) && same(x, turned, most) && same(y, now, most), "RotEx");
		now = values(y, n), turned = values(x, n);
		IS(!cublasSwapEx(h, n, x, t, 1, y, t, 1) && same(x, now, 0) && same(y, turned, 0), "SwapEx");
		IS(!cublasCopyEx(h, n, x, t, 1, y, t, 1) && same(y, now, 0), "CopyEx");
	}
	cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
}
template <class In, class Out> static void product(cudaDataType in, cudaDataType out, double most)
{
	const int m = 19, n = 17, k = 33;
	In *a = memory<In>(m * k, 1), *b = memory<In>(k * n, 2);
	Out *c = memory<Out>(m * n, 3);
	float alpha = 0.5f, beta = -2;
	std::vector<Z> va = values(a, m * k), vb = values(b, k * n), want = values(c, m * n);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			Z s = 0;
			for (int q = 0; q < k; q++)
				s += va[q * m + i].real() * vb[j * k + q].real();
			want[j * m + i] = 0.5 * s - 2. * want[j * m + i].real();
		}
	IS(!cublasSgemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a, in, m, b, in, k, &beta, c, out, m) && same(c, want, most), "SgemmEx");
}
static void others()
{
	/* halves with alpha and beta on the device */
	const int m = 20, n = 9, k = 40;
	__half *a = memory<__half>(m * k, 1), *b = memory<__half>(k * n, 2), *c = memory<__half>(m * n, 3), *ab = memory<__half>(2, 0);
	ab[0] = __float2half(0.5f), ab[1] = __float2half(2);
	std::vector<Z> va = values(a, m * k), vb = values(b, k * n), want = values(c, m * n);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			Z s = 0;
			for (int q = 0; q < k; q++)
				s += va[q * m + i] * vb[j * k + q];
			want[j * m + i] = 0.5 * s + 2. * want[j * m + i];
		}
	cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
	IS(!cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &ab[0], a, m, b, k, &ab[1], c, m) && same(c, want, 2e-3), "Hgemm by pointers");
	cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);

	/* two groups: one product of 5 x 4 by 3, two of 2 x 6 by 7 */
	int ms[] = {5, 2}, ns[] = {4, 6}, ks[] = {3, 7}, size[] = {1, 2};
	cublasOperation_t op[] = {CUBLAS_OP_N, CUBLAS_OP_N};
	double alphas[] = {1, 0.5}, betas[] = {0, 2}, *da = memory<double>(200, 1), *db = memory<double>(200, 2), *dc = memory<double>(200, 3);
	std::vector<Z> ga = values(da, 200), gb = values(db, 200), gc = values(dc, 200);
	for (int z = 0; z < 3; z++) {
		int g = z > 0;
		for (int i = 0; i < ms[g]; i++)
			for (int j = 0; j < ns[g]; j++) {
				Z s = 0;
				for (int q = 0; q < ks[g]; q++)
					s += ga[z * 60 + q * ms[g] + i] * gb[z * 60 + j * ks[g] + q];
				gc[z * 60 + j * ms[g] + i] = alphas[g] * s + betas[g] * gc[z * 60 + j * ms[g] + i];
			}
	}
	IS(!cublasDgemmGroupedBatched(h, op, op, ms, ns, ks, alphas, list(da, 60, 3), ms, list(db, 60, 3), ks, betas, list(dc, 60, 3), ms, 2, size) &&
	   same(dc, gc, 1e-12), "gemmGroupedBatched");
	double *de = memory<double>(200, 3);
	IS(!cublasGemmGroupedBatchedEx(h, op, op, ms, ns, ks, alphas, (const void *const *)list(da, 60, 3), CUDA_R_64F, ms,
	   (const void *const *)list(db, 60, 3), CUDA_R_64F, ks, betas, (void *const *)list(de, 60, 3), CUDA_R_64F, ms, 2, size, CUBLAS_COMPUTE_64F) &&
	   same(de, gc, 1e-12), "GemmGroupedBatchedEx");

	/* a triangular system whose vector has a negative increment */
	double *t = memory<double>(25, 1), *x = memory<double>(10, 2);
	for (int i = 0; i < 5; i++)
		t[6 * i] = 4;
	std::vector<Z> was = values(x, 10), product = was;
	IS(!cublasDtrsv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 5, t, 5, x, -2) && !cudaDeviceSynchronize(), "trsv");
	for (int i = 0; i < 5; i++) {
		Z s = 0;
		for (int j = 0; j <= i; j++)
			s += t[5 * j + i] * x[2 * (4 - j)];
		product[2 * (4 - i)] = s;
	}
	for (int i = 0; i < 5; i++)
		IS(std::abs(product[2 * i] - was[2 * i]) < 1e-12, "trsv backwards");

	cuComplex *ca = memory<cuComplex>(30, 1), *cc = memory<cuComplex>(36, 2), *cd = memory<cuComplex>(36, 2);
	float one = 1, two = 2;
	cublasCherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 6, 5, &two, ca, 6, &one, cc, 6);
	cudaDeviceSynchronize();
	IS(!cublasCherkEx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 6, 5, &two, ca, CUDA_C_32F, 6, &one, cd, CUDA_C_32F, 6) && same(cd, values(cc, 36), 0), "CherkEx");
	double ra = 3, rb = 4, rc, rs;
	IS(!cublasRotgEx(h, &ra, &rb, CUDA_R_64F, &rc, &rs, CUDA_R_64F, CUDA_R_64F) && fabs(ra - 5) < 1e-12 && fabs(rc - 0.6) < 1e-12, "RotgEx");
	int value = -1, target = -1;
	IS(!cublasGetProperty(MAJOR_VERSION, &value) && value == CUBLAS_VER_MAJOR, "GetProperty");
	cublasSetSmCountTarget(h, 7);
	IS(!cublasGetSmCountTarget(h, &target) && target == 7, "SmCountTarget");
	IS(cublasAxpyEx(h, 1, &one, CUDA_R_32F, a, CUDA_R_16F, 1, dc, CUDA_R_64F, 1, CUDA_R_32F) == CUBLAS_STATUS_NOT_SUPPORTED, "types that do not go together");
}
int main()
{
	cublasCreate(&h);
	vectors<float, float, float>(cublasSgemvBatched, cublasSgemvStridedBatched, 1e-5);
	vectors<double, double, double>(cublasDgemvBatched, cublasDgemvStridedBatched, 1e-12);
	vectors<cuComplex, cuComplex, cuComplex>(cublasCgemvBatched, cublasCgemvStridedBatched, 1e-5);
	vectors<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(cublasZgemvBatched, cublasZgemvStridedBatched, 1e-12);
	vectors<__half, __half, float>(cublasHSHgemvBatched, cublasHSHgemvStridedBatched, 1e-3);
	vectors<__half, float, float>(cublasHSSgemvBatched, cublasHSSgemvStridedBatched, 1e-5);
	vectors<__nv_bfloat16, __nv_bfloat16, float>(cublasTSTgemvBatched, cublasTSTgemvStridedBatched, 8e-3);
	vectors<__nv_bfloat16, float, float>(cublasTSSgemvBatched, cublasTSSgemvStridedBatched, 1e-5);
	inverses<float>(cublasSmatinvBatched, 1e-3);
	inverses<double>(cublasDmatinvBatched, 1e-10);
	inverses<cuComplex>(cublasCmatinvBatched, 1e-3);
	inverses<cuDoubleComplex>(cublasZmatinvBatched, 1e-10);
	shorts<__half>(CUDA_R_16F, 2e-3);
	shorts<__nv_bfloat16>(CUDA_R_16BF, 1e-2);
	product<__half, __half>(CUDA_R_16F, CUDA_R_16F, 2e-3);
	product<__half, float>(CUDA_R_16F, CUDA_R_32F, 1e-5);
	product<__nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_32F, 1e-5);
	product<signed char, float>(CUDA_R_8I, CUDA_R_32F, 1e-5);
	product<float, float>(CUDA_R_32F, CUDA_R_32F, 1e-5);
	others();
	printf("%d results\n", results);
	return bad;
}
