/* Functions of cuBLAS against loops on the host: every operation, strides, leading dimensions, both pointer modes. */
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>
#include <cublas_v2.h>
#include <cuda_fp16.h>

/* The header of cuBLAS defines the types of its parameters. */
static_assert(sizeof(__nv_bfloat16) == 2 && sizeof(__half) == 2, "16-bit types");

static int bad, done;
template <class T> static void expect(const char *what, const std::vector<T> &got, const std::vector<T> &want, double tol)
{
	double worst = 0;
	for (size_t i = 0; i < want.size(); i++)
		worst = fmax(worst, std::abs(got[i] - want[i]) / (1 + std::abs(want[i])));
	done++;
	if (!(worst <= tol) || want.empty()) {
		printf("%s: wrong by %g\n", what, worst);
		bad = 1;
	}
}
static unsigned seed = 1;
static double rnd() { return ((seed = seed * 1664525 + 1013904223) >> 8) / 16777216.0 - 0.5; }
static void fill(std::vector<float> &v) { for (auto &x : v) x = rnd(); }
static void fill(std::vector<double> &v) { for (auto &x : v) x = rnd(); }
template <class R> static void fill(std::vector<std::complex<R>> &v) { for (auto &x : v) x = {(R)rnd(), (R)rnd()}; }
static float conj_(float x) { return x; }
static double conj_(double x) { return x; }
template <class R> static std::complex<R> conj_(std::complex<R> x) { return std::conj(x); }

template <class T> struct device { /* a vector's copy */
	T *p;
	size_t n;
	device(const std::vector<T> &v) : n(v.size())
	{
		cudaMalloc(&p, n * sizeof(T));
		cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
	}
	~device() { cudaFree(p); }
	std::vector<T> get()
	{
		std::vector<T> v(n);
		cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
		return v;
	}
};
#define OK(call) \
	do { \
		cublasStatus_t s_ = call; \
		if (s_) { \
			printf("%s: %s\n", #call, cublasGetStatusName(s_)); \
			bad = 1; \
		} \
	} while (0)

/* T: the host's type, D: cuBLAS's. */
template <class T, class D, class Gemm, class Gemv, class Axpy, class Trsm>
static void matrices(cublasHandle_t h, const char *name, double tol, Gemm gemm, Gemv gemv, Axpy axpy, Trsm trsm)
{
	const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
	int m = 19, n = 35, k = 23, lda = 40, ldb = 37, ldc = 21;
	T alpha = T(1.5), beta = T(-0.5);
	for (auto opa : ops)
		for (auto opb : ops) {
			std::vector<T> a(lda * 40), b(ldb * 40), c(ldc * n);
			fill(a), fill(b), fill(c);
			auto want = c;
			auto el = [](const std::vector<T> &x, int ld, cublasOperation_t op, int i, int j) {
				T v = op == CUBLAS_OP_N ? x[j * ld + i] : x[i * ld + j];
				return op == CUBLAS_OP_C ? conj_(v) : v;
			};
			for (int j = 0; j < n; j++)
				for (int i = 0; i < m; i++) {
					T s = 0;
					for (int q = 0; q < k; q++)
						s += el(a, lda, opa, i, q) * el(b, ldb, opb, q, j);
					want[j * ldc + i] = alpha * s + beta * c[j * ldc + i];
				}
			device<T> da(a), db(b), dc(c);
			OK(gemm(h, opa, opb, m, n, k, (D *)&alpha, (D *)da.p, lda, (D *)db.p, ldb, (D *)&beta, (D *)dc.p, ldc));
			expect(name, dc.get(), want, tol);
		}
	for (auto op : ops) {
		std::vector<T> a(lda * n), x(3 * 40), y(2 * 40);
		fill(a), fill(x), fill(y);
		auto want = y;
		int rows = op == CUBLAS_OP_N ? m : n, cols = op == CUBLAS_OP_N ? n : m;
		for (int i = 0; i < rows; i++) {
			T s = 0;
			for (int j = 0; j < cols; j++) {
				T v = op == CUBLAS_OP_N ? a[j * lda + i] : a[i * lda + j];
				s += (op == CUBLAS_OP_C ? conj_(v) : v) * x[3 * j];
			}
			want[2 * i] = alpha * s + beta * y[2 * i];
		}
		device<T> da(a), dx(x), dy(y);
		OK(gemv(h, op, m, n, (D *)&alpha, (D *)da.p, lda, (D *)dx.p, 3, (D *)&beta, (D *)dy.p, 2));
		expect(name, dy.get(), want, tol);
	}
	{
		std::vector<T> x(300), y(600);
		fill(x), fill(y);
		auto want = y;
		for (int i = 0; i < 300; i++)
			want[2 * i] += alpha * x[299 - i];
		device<T> dx(x), dy(y), da(std::vector<T>(1, alpha));
		cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
		OK(axpy(h, 300, (D *)da.p, (D *)dx.p, -1, (D *)dy.p, 2));
		cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
		expect(name, dy.get(), want, tol);
	}
	/* op(A) X = alpha B and X op(A) = alpha B: multiplied back */
	for (int left = 0; left < 2; left++)
		for (int lower = 0; lower < 2; lower++)
			for (auto op : ops) {
				int size = left ? m : n;
				std::vector<T> a(40 * 40), b(ldc * n);
				fill(a), fill(b);
				for (int i = 0; i < 40; i++)
					for (int j = 0; j < 40; j++)
						a[j * 40 + i] = i == j		      ? T(3) + a[j * 40 + i]
								: (i > j) == (lower != 0) ? a[j * 40 + i]
											  : T(0);
				device<T> da(a), db(b);
				OK(trsm(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
					lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, op, CUBLAS_DIAG_NON_UNIT, m, n,
					(D *)&alpha, (D *)da.p, 40, (D *)db.p, ldc));
				auto x = db.get(), back = b;
				auto el = [&](int i, int j) {
					T v = op == CUBLAS_OP_N ? a[j * 40 + i] : a[i * 40 + j];
					return op == CUBLAS_OP_C ? conj_(v) : v;
				};
				for (int j = 0; j < n; j++)
					for (int i = 0; i < m; i++) {
						T s = 0;
						for (int q = 0; q < size; q++)
							s += left ? el(i, q) * x[j * ldc + q] : x[q * ldc + i] * el(q, j);
						back[j * ldc + i] = s / alpha;
					}
				expect("trsm", back, b, 20 * tol);
			}
}

template <class T> static void sums(cublasHandle_t h, double tol);
template <> void sums<float>(cublasHandle_t h, double tol)
{
	std::vector<float> x(20000), y(20000);
	fill(x), fill(y);
	x[777] = -4, x[778] = 4;
	double dot = 0, nrm = 0, asum = 0;
	for (int i = 0; i < 20000; i++)
		dot += (double)x[i] * y[i], nrm += (double)x[i] * x[i], asum += fabs(x[i]);
	device<float> dx(x), dy(y), dr(std::vector<float>(1));
	float r[3];
	int where, least;
	OK(cublasSdot(h, 20000, dx.p, 1, dy.p, 1, &r[0]));
	OK(cublasSnrm2(h, 20000, dx.p, 1, &r[1]));
	OK(cublasSasum(h, 20000, dx.p, 1, &r[2]));
	expect("sums", std::vector<float>(r, r + 3), {(float)dot, (float)sqrt(nrm), (float)asum}, tol);
	OK(cublasIsamax(h, 20000, dx.p, 1, &where));
	OK(cublasIsamin(h, 3, dx.p + 776, 1, &least));
	expect("amax, amin", std::vector<float>{(float)where, (float)least}, {778, 1}, 0);
	cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
	OK(cublasSnrm2(h, 20000, dx.p, 1, dr.p));
	cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
	expect("nrm2, result on the device", dr.get(), {(float)sqrt(nrm)}, tol);
	std::vector<std::complex<float>> c(500), d(500);
	fill(c), fill(d);
	std::complex<float> sum = 0, got;
	for (int i = 0; i < 500; i++)
		sum += std::conj(c[i]) * d[i];
	device<std::complex<float>> dc(c), dd(d);
	OK(cublasCdotc(h, 500, (cuComplex *)dc.p, 1, (cuComplex *)dd.p, 1, (cuComplex *)&got));
	expect("dotc", std::vector<std::complex<float>>{got}, {sum}, tol);
}

/* Two linear systems, the second of which needs a row exchange; its inverse; a singular matrix. */
static void systems(cublasHandle_t h)
{
	device<double> a({2, 1, 1, 3, 0, 2, 4, 1, 1, 2, 2, 4}), b({3, 4, 8, 9}), inverse(std::vector<double>(12, 9));
	device<double *> la({a.p, a.p + 4, a.p + 8}), lb({b.p, b.p + 2}), lc({inverse.p, inverse.p + 4, inverse.p + 8});
	device<int> pivots(std::vector<int>(6, 0)), info(std::vector<int>(3, 9));
	int wrong = 9;
	OK(cublasDgetrfBatched(h, 2, la.p, 2, pivots.p, info.p, 3));
	expect("pivots", pivots.get(), {1, 2, 2, 2, 2, 2}, 0);
	expect("getrf: info", info.get(), {0, 0, 2}, 0);
	OK(cublasDgetrsBatched(h, CUBLAS_OP_N, 2, 1, (const double *const *)la.p, 2, pivots.p, lb.p, 2, &wrong, 2));
	expect("getrs", b.get(), {1, 1, 3.5, 2}, 1e-12);
	OK(cublasDgetriBatched(h, 2, (const double *const *)la.p, 2, pivots.p, lc.p, 2, info.p, 3));
	std::vector<double> c = inverse.get();
	c.resize(8);
	expect("getri", c, {0.6, -0.2, -0.2, 0.4, -0.125, 0.25, 0.5, 0}, 1e-12);
	expect("getri: info", info.get(), {0, 0, 2}, 0);
	device<double> m({1, 2, 3, 4, 5, 6}), x({10, 100, 1000}), r(std::vector<double>(6));
	OK(cublasDdgmm(h, CUBLAS_SIDE_RIGHT, 2, 3, m.p, 2, x.p, 1, r.p, 2));
	expect("dgmm", r.get(), {10, 20, 300, 400, 5000, 6000}, 0);
	OK(cublasDdgmm(h, CUBLAS_SIDE_LEFT, 2, 3, m.p, 2, x.p, 2, r.p, 2));
	expect("dgmm, from the left", r.get(), {10, 2000, 30, 4000, 50, 6000}, 0);
}

/* Batches of halves and functions that take data types as enum values; 2 x 2 matrices with exact
 * products, doubled. */
static std::vector<float> read_halves(device<__half> &d)
{
	std::vector<float> v;
	for (__half x : d.get())
		v.push_back(__half2float(x));
	return v;
}
static void by_number(cublasHandle_t h)
{
	std::vector<__half> a, b, nothing(8, __float2half(99));
	for (int i = 0; i < 8; i++)
		a.push_back(__float2half(i + 1)), b.push_back(__float2half(i - 3));
	std::vector<float> want(8);
	for (int z = 0; z < 2; z++)
		for (int e = 0; e < 4; e++)
			for (int q = 0; q < 2; q++)
				want[z * 4 + e] += 2.0f * (z * 4 + q * 2 + e % 2 + 1) * (z * 4 + e / 2 * 2 + q - 3);
	device<__half> da(a), db(b), strided(nothing), listed(nothing), typed(nothing);
	device<float> wide(std::vector<float>(8, 99));
	device<const __half *> la({da.p, da.p + 4}), lb({db.p, db.p + 4});
	device<__half *> lc({listed.p, listed.p + 4});
	device<float *> lw({wide.p, wide.p + 4});
	__half two = __float2half(2), none = __float2half(0);
	float two_f = 2, none_f = 0;
	const cublasOperation_t N = CUBLAS_OP_N;
	OK(cublasHgemmStridedBatched(h, N, N, 2, 2, 2, &two, da.p, 2, 4, db.p, 2, 4, &none, strided.p, 2, 4, 2));
	OK(cublasHgemmBatched(h, N, N, 2, 2, 2, &two, la.p, 2, lb.p, 2, &none, lc.p, 2, 2));
	OK(cublasGemmEx(h, N, N, 2, 2, 2, &two, da.p, CUDA_R_16F, 2, db.p, CUDA_R_16F, 2, &none, typed.p, CUDA_R_16F, 2,
			CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT));
	OK(cublasGemmBatchedEx(h, N, N, 2, 2, 2, &two_f, (const void *const *)la.p, CUDA_R_16F, 2, (const void *const *)lb.p,
			       CUDA_R_16F, 2, &none_f, (void *const *)lw.p, CUDA_R_32F, 2, 2, CUBLAS_COMPUTE_32F,
			       CUBLAS_GEMM_DEFAULT));
	expect("halves, strided", read_halves(strided), want, 0);
	expect("halves, listed", read_halves(listed), want, 0);
	expect("halves, listed, to float", wide.get(), want, 0);
	expect("halves by number", read_halves(typed), {want[0], want[1], want[2], want[3], 99, 99, 99, 99}, 0);

	device<double> x({1, 2, 3}), y({4, 5, 6});
	double half = 0.5, sum = 0;
	OK(cublasScalEx(h, 3, &half, CUDA_R_64F, x.p, CUDA_R_64F, 1, CUDA_R_64F));
	OK(cublasAxpyEx(h, 3, &half, CUDA_R_64F, x.p, CUDA_R_64F, 1, y.p, CUDA_R_64F, 1, CUDA_R_64F));
	OK(cublasDotEx(h, 3, x.p, CUDA_R_64F, 1, y.p, CUDA_R_64F, 1, &sum, CUDA_R_64F, CUDA_R_64F));
	expect("vectors by number", std::vector<double>{sum}, {0.5 * 4.25 + 5.5 + 1.5 * 6.75}, 0);
	if (cublasDotEx(h, 3, x.p, CUDA_R_64F, 1, y.p, CUDA_R_32F, 1, &sum, CUDA_R_64F, CUDA_R_64F) !=
	    CUBLAS_STATUS_NOT_SUPPORTED)
		puts("vectors of two types are taken"), bad = 1;
}

int main()
{
	cublasHandle_t h;
	OK(cublasCreate(&h));
	matrices<float, float>(h, "float", 1e-5, cublasSgemm, cublasSgemv, cublasSaxpy, cublasStrsm);
	matrices<double, double>(h, "double", 1e-13, cublasDgemm, cublasDgemv, cublasDaxpy, cublasDtrsm);
	matrices<std::complex<float>, cuComplex>(h, "complex", 1e-5, cublasCgemm, cublasCgemv, cublasCaxpy, cublasCtrsm);
	matrices<std::complex<double>, cuDoubleComplex>(h, "double complex", 1e-13, cublasZgemm, cublasZgemv, cublasZaxpy,
							cublasZtrsm);
	sums<float>(h, 1e-5);
	/* a batch by strides, and halves with a float sum */
	std::vector<float> a(3 * 64), b(3 * 64), want(3 * 64);
	fill(a), fill(b);
	for (int z = 0; z < 3; z++)
		for (int j = 0; j < 8; j++)
			for (int i = 0; i < 8; i++)
				for (int q = 0; q < 8; q++)
					want[z * 64 + j * 8 + i] += a[z * 64 + q * 8 + i] * b[z * 64 + j * 8 + q];
	const std::vector<float> filler(3 * 64, 99);
	device<float> da(a), db(b), dc(filler), first(filler), typed(filler);
	float one = 1, zero = 0;
	OK(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, da.p, 8, 64, db.p, 8, 64, &zero, dc.p, 8, 64,
				     3));
	expect("strided batch", dc.get(), want, 1e-5);
	OK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, da.p, CUDA_R_32F, 8, db.p, CUDA_R_32F, 8, &zero, first.p,
			CUDA_R_32F, 8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	std::vector<float> one_of_three(filler);
	std::copy(want.begin(), want.begin() + 64, one_of_three.begin());
	expect("GemmEx", first.get(), one_of_three, 1e-5);
	OK(cublasGemmStridedBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, da.p, CUDA_R_32F, 8, 64, db.p, CUDA_R_32F, 8,
				      64, &zero, typed.p, CUDA_R_32F, 8, 64, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	expect("GemmStridedBatchedEx", typed.get(), want, 1e-5);
	device<float> older(filler);
	OK(cublasGemmStridedBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, da.p, CUDA_R_32F, 8, 64, db.p, CUDA_R_32F, 8,
				      64, &zero, older.p, CUDA_R_32F, 8, 64, 3, CUDA_R_32F, CUBLAS_GEMM_DFALT_TENSOR_OP));
	expect("GemmStridedBatchedEx of CUDA 10", older.get(), want, 1e-5);
	systems(h);
	by_number(h);
	if (cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, da.p, 4, db.p, 8, &zero, dc.p, 8) !=
	    CUBLAS_STATUS_INVALID_VALUE)
		puts("a leading dimension that is too small is taken"), bad = 1;
	OK(cublasDestroy(h));
	printf("%d results\n", done);
	return bad || cudaGetLastError();
}
