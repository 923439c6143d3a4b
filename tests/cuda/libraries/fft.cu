/* Transforms of cuFFT against sums in double on the host: sizes with small and large prime factors,
 * all types, one to three dimensions, batches, strides, in place, forward and inverse. */
#include <cstdio>
#include <cmath>
#include <complex>
#include <vector>
#include <cufftXt.h>

typedef std::complex<double> cd;
static int bad, done;
static unsigned seed = 7;
static double rnd() { return ((seed = seed * 1664525 + 1013904223) >> 8) / 16777216.0 - 0.5; }
static void expect(const char *what, int size, double worst, double tol)
{
	done++;
	if (!(worst <= tol)) {
		printf("%s, %d: wrong by %g\n", what, size, worst);
		bad = 1;
	}
}
#define OK(call) \
	do { \
		cufftResult r_ = call; \
		if (r_) { \
			printf("%s: %d\n", #call, r_); \
			bad = 1; \
		} \
	} while (0)

/* The transform of n0 x n1 x n2 numbers, dimension by dimension. */
static std::vector<cd> dft(std::vector<cd> x, int n0, int n1, int n2, int sign)
{
	int n[3] = {n0, n1, n2}, step[3] = {n1 * n2, n2, 1};
	for (int d = 0; d < 3; d++) {
		std::vector<cd> y(x.size());
		for (int i = 0; i < (int)x.size(); i++) {
			int k = i / step[d] % n[d], base = i - k * step[d];
			for (int j = 0; j < n[d]; j++)
				y[i] += x[base + j * step[d]] * std::polar(1.0, sign * 2 * M_PI * ((long long)j * k % n[d]) / n[d]);
		}
		x = y;
	}
	return x;
}
template <class T> static T *managed(size_t n)
{
	T *p;
	cudaMallocManaged(&p, n * sizeof(T));
	return p;
}

template <class R, class C> struct api;
template <> struct api<float, cufftComplex> {
	enum { c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R };
	static cufftResult both(cufftHandle p, cufftComplex *i, cufftComplex *o, int s) { return cufftExecC2C(p, i, o, s); }
	static cufftResult fwd(cufftHandle p, float *i, cufftComplex *o) { return cufftExecR2C(p, i, o); }
	static cufftResult inv(cufftHandle p, cufftComplex *i, float *o) { return cufftExecC2R(p, i, o); }
};
template <> struct api<double, cufftDoubleComplex> {
	enum { c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D };
	static cufftResult both(cufftHandle p, cufftDoubleComplex *i, cufftDoubleComplex *o, int s)
	{
		return cufftExecZ2Z(p, i, o, s);
	}
	static cufftResult fwd(cufftHandle p, double *i, cufftDoubleComplex *o) { return cufftExecD2Z(p, i, o); }
	static cufftResult inv(cufftHandle p, cufftDoubleComplex *i, double *o) { return cufftExecZ2D(p, i, o); }
};

static cufftResult plan(cufftHandle *p, const int *n, cufftType t, int batch)
{
	return n[0] > 1	  ? cufftPlan3d(p, n[0], n[1], n[2], t)
	       : n[1] > 1 ? cufftPlan2d(p, n[1], n[2], t)
			  : cufftPlan1d(p, n[2], t, batch);
}

template <class R, class C> static void shape(int n0, int n1, int n2, int batch, double tol)
{
	typedef api<R, C> A;
	int n[3] = {n0, n1, n2}, size = n0 * n1 * n2, half = n2 / 2 + 1, halves = n0 * n1 * half;
	C *in = managed<C>(size * batch), *out = managed<C>(size * batch);
	R *real = managed<R>(size * batch + 2 * halves * batch);
	cufftHandle p;
	double scale = sqrt((double)size), worst = 0;
	/* complex, both directions, the inverse in place */
	OK(plan(&p, n, (cufftType)A::c2c, batch));
	std::vector<std::vector<cd>> x(batch);
	for (int b = 0; b < batch; b++)
		for (int i = 0; i < size; i++) {
			x[b].push_back({rnd(), rnd()});
			in[b * size + i] = {(R)x[b][i].real(), (R)x[b][i].imag()};
		}
	OK(A::both(p, in, out, CUFFT_FORWARD));
	cudaDeviceSynchronize();
	for (int b = 0; b < batch; b++) {
		auto want = dft(x[b], n0, n1, n2, -1);
		for (int i = 0; i < size; i++)
			worst = fmax(worst, std::abs(cd(out[b * size + i].x, out[b * size + i].y) - want[i]) / scale);
	}
	expect("forward", size, worst, tol);
	OK(A::both(p, out, out, CUFFT_INVERSE));
	cudaDeviceSynchronize();
	worst = 0;
	for (int b = 0; b < batch; b++)
		for (int i = 0; i < size; i++)
			worst = fmax(worst, std::abs(cd(out[b * size + i].x, out[b * size + i].y) / (double)size - x[b][i]));
	expect("back, in place", size, worst, tol);
	OK(cufftDestroy(p));
	/* real to complex and back */
	OK(plan(&p, n, (cufftType)A::r2c, batch));
	for (int b = 0; b < batch; b++)
		for (int i = 0; i < size; i++)
			x[b][i] = real[b * size + i] = (R)rnd();
	OK(A::fwd(p, real, out));
	cudaDeviceSynchronize();
	worst = 0;
	for (int b = 0; b < batch; b++) {
		auto want = dft(x[b], n0, n1, n2, -1);
		for (int i = 0; i < halves; i++) {
			C got = out[b * halves + i];
			worst = fmax(worst, std::abs(cd(got.x, got.y) - want[i / half * n2 + i % half]) / scale);
		}
	}
	expect("real", size, worst, tol);
	OK(cufftDestroy(p));
	OK(plan(&p, n, (cufftType)A::c2r, batch));
	OK(A::inv(p, out, real));
	cudaDeviceSynchronize();
	worst = 0;
	for (int b = 0; b < batch; b++)
		for (int i = 0; i < size; i++)
			worst = fmax(worst, fabs(real[b * size + i] / size - x[b][i].real()));
	expect("real, back", size, worst, tol);
	OK(cufftDestroy(p));
	/* real to complex in place: rows are padded */
	OK(plan(&p, n, (cufftType)A::r2c, batch));
	for (int b = 0; b < batch; b++)
		for (int i = 0; i < size; i++)
			real[b * 2 * halves + i / n2 * 2 * half + i % n2] = x[b][i].real();
	OK(A::fwd(p, real, (C *)real));
	cudaDeviceSynchronize();
	worst = 0;
	for (int b = 0; b < batch; b++) {
		auto want = dft(x[b], n0, n1, n2, -1);
		for (int i = 0; i < halves; i++) {
			C got = ((C *)real)[b * halves + i];
			worst = fmax(worst, std::abs(cd(got.x, got.y) - want[i / half * n2 + i % half]) / scale);
		}
	}
	expect("real, in place", size, worst, tol);
	OK(cufftDestroy(p));
	cudaFree(in), cudaFree(out), cudaFree(real);
}

/* Every third element of columns of 16, of a wider array. */
static void strided()
{
	enum { N = 16, STRIDE = 3, DIST = 60, BATCH = 4 };
	cufftComplex *in = managed<cufftComplex>(DIST * BATCH), *out = managed<cufftComplex>(N * BATCH);
	for (int i = 0; i < DIST * BATCH; i++)
		in[i] = {(float)rnd(), (float)rnd()};
	int n = N, embed = 20, packed = N;
	cufftHandle p;
	OK(cufftPlanMany(&p, 1, &n, &embed, STRIDE, DIST, &packed, BATCH, 1, CUFFT_C2C, BATCH));
	OK(cufftExecC2C(p, in, out, CUFFT_FORWARD));
	cudaDeviceSynchronize();
	double worst = 0;
	for (int b = 0; b < BATCH; b++) {
		std::vector<cd> x;
		for (int i = 0; i < N; i++)
			x.push_back({in[b * DIST + i * STRIDE].x, in[b * DIST + i * STRIDE].y});
		auto want = dft(x, 1, 1, N, -1);
		for (int i = 0; i < N; i++)
			worst = fmax(worst, std::abs(cd(out[i * BATCH + b].x, out[i * BATCH + b].y) - want[i]));
	}
	expect("strides", N, worst, 1e-5);
	OK(cufftDestroy(p));
	if (cufftExecC2C(p, in, out, CUFFT_FORWARD) != CUFFT_INVALID_PLAN)
		puts("a plan that is gone is taken"), bad = 1;
}

/* The extended interface gives the results of the plain one for each type. */
static void extended()
{
	enum { N = 24, BATCH = 2 };
	long long n = N;
	cufftComplex *c = managed<cufftComplex>(N * BATCH), *out = managed<cufftComplex>(N * BATCH),
		     *want = managed<cufftComplex>(N * BATCH);
	for (int i = 0; i < N * BATCH; i++)
		c[i] = {(float)rnd(), (float)rnd()};
	static const struct {
		cudaDataType in, out;
		cufftType type;
	} kinds[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C}, {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}};
	for (const auto &k : kinds) {
		cufftHandle p, plain;
		size_t work;
		OK(cufftCreate(&p));
		OK(cufftXtMakePlanMany(p, 1, &n, NULL, 1, N, k.in, NULL, 1, N, k.out, BATCH, &work, CUDA_C_32F));
		OK(cufftPlan1d(&plain, N, k.type, BATCH));
		cudaMemset(out, 0, N * BATCH * sizeof *out);
		cudaMemset(want, 0, N * BATCH * sizeof *want);
		OK(cufftXtExec(p, c, out, CUFFT_FORWARD));
		if (k.type == CUFFT_C2C)
			OK(cufftExecC2C(plain, c, want, CUFFT_FORWARD));
		else if (k.type == CUFFT_R2C)
			OK(cufftExecR2C(plain, (cufftReal *)c, want));
		else
			OK(cufftExecC2R(plain, c, (cufftReal *)want));
		cudaDeviceSynchronize();
		double worst = 0;
		for (int i = 0; i < N * BATCH; i++)
			worst = fmax(worst, hypot(out[i].x - want[i].x, out[i].y - want[i].y));
		expect("extended", (int)k.type, worst, 0);
		OK(cufftDestroy(p));
		OK(cufftDestroy(plain));
	}
	cufftHandle p;
	long long huge = 1ll << 40;
	size_t work;
	OK(cufftCreate(&p));
	if (cufftXtMakePlanMany(p, 1, &n, NULL, 1, N, CUDA_C_16F, NULL, 1, N, CUDA_C_16F, 1, &work, CUDA_C_16F) != CUFFT_INVALID_TYPE ||
	    cufftMakePlanMany64(p, 1, &huge, NULL, 1, N, NULL, 1, N, CUFFT_C2C, 1, &work) != CUFFT_INVALID_SIZE)
		puts("halves or huge sizes are taken"), bad = 1;
	OK(cufftDestroy(p));
}

/* Memory by descriptors; the only GPU has all of it. */
template <class C, cufftType TYPE>
static void descriptors(cufftResult exec(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *, int))
{
	enum { NX = 8, NY = 12, N = NX * NY };
	int gpu = 0, two[] = {0, 1};
	size_t work;
	cufftHandle p;
	cudaLibXtDesc *a, *b;
	C host[N], back[N];
	for (int i = 0; i < N; i++)
		host[i] = {(decltype(host[0].x))rnd(), (decltype(host[0].x))rnd()};
	OK(cufftCreate(&p));
	OK(cufftXtSetGPUs(p, 1, &gpu));
	if (cufftXtMalloc(p, &a, CUFFT_XT_FORMAT_INPLACE) != CUFFT_INVALID_PLAN)
		puts("memory for a plan that is not made"), bad = 1;
	if (cufftXtSetGPUs(p, 2, two) != CUFFT_INVALID_DEVICE || cufftXtSetGPUs(-1, 1, &gpu) != CUFFT_INVALID_PLAN)
		puts("another GPU is taken"), bad = 1;
	OK(cufftMakePlan2d(p, NX, NY, TYPE, &work));
	OK(cufftXtMalloc(p, &a, CUFFT_XT_FORMAT_INPLACE));
	OK(cufftXtMalloc(p, &b, CUFFT_XT_FORMAT_INPLACE));
	if (a->descriptor->nGPUs != 1 || a->descriptor->GPUs[0] || a->descriptor->size[0] != sizeof host)
		puts("not a descriptor of the whole"), bad = 1;
	OK(cufftXtMemcpy(p, a, host, CUFFT_COPY_HOST_TO_DEVICE));
	OK(cufftXtMemcpy(p, b, a, CUFFT_COPY_DEVICE_TO_DEVICE));
	OK(exec(p, b, b, CUFFT_FORWARD));
	OK(cufftXtExecDescriptor(p, b, b, CUFFT_INVERSE));
	OK(cufftXtMemcpy(p, back, b, CUFFT_COPY_DEVICE_TO_HOST));
	double worst = 0, sum = 0;
	for (int i = 0; i < N; i++) {
		worst = fmax(worst, hypot(back[i].x / N - host[i].x, back[i].y / N - host[i].y));
		sum += host[i].x;
	}
	expect("there and back", (int)TYPE, worst, sizeof(C) == 8 ? 2e-6 : 1e-14);
	OK(exec(p, a, b, CUFFT_FORWARD));
	OK(cufftXtMemcpy(p, back, b, CUFFT_COPY_DEVICE_TO_HOST));
	expect("the sum", (int)TYPE, fabs(back[0].x - sum), sizeof(C) == 8 ? 2e-5 : 1e-13);
	OK(cufftXtFree(a));
	OK(cufftXtFree(b));
	OK(cufftDestroy(p));
}

/* Real to complex and back by descriptors, in place with padding and out of place, two batches. */
template <class R, class C>
static void real_descriptors(cufftResult forth(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *),
			     cufftResult back(cufftHandle, cudaLibXtDesc *, cudaLibXtDesc *))
{
	enum { NX = 6, NY = 10, HALF = NY / 2 + 1, PADDED = 2 * HALF, BATCH = 2 };
	const bool twice = sizeof(R) == 8;
	cudaDataType real = twice ? CUDA_R_64F : CUDA_R_32F, complex = twice ? CUDA_C_64F : CUDA_C_32F;
	long long n[] = {NX, NY};
	size_t work, many;
	cufftHandle there, here;
	cudaLibXtDesc *place, *in, *out;
	std::vector<R> host(BATCH * NX * PADDED), dense(BATCH * NX * NY), result(host.size()), plain(dense.size());
	std::vector<C> spectrum(BATCH * NX * HALF), other(spectrum.size());
	for (int i = 0; i < BATCH * NX; i++)
		for (int j = 0; j < NY; j++)
			host[i * PADDED + j] = dense[i * NY + j] = (R)rnd();
	OK(cufftCreate(&there));
	OK(cufftCreate(&here));
	OK(cufftXtGetSizeMany(there, 2, n, NULL, 1, 0, real, NULL, 1, 0, complex, BATCH, &many, complex));
	OK(cufftXtMakePlanMany(there, 2, n, NULL, 1, 0, real, NULL, 1, 0, complex, BATCH, &work, complex));
	OK(cufftXtMakePlanMany(here, 2, n, NULL, 1, 0, complex, NULL, 1, 0, real, BATCH, &work, complex));
	if (many != work)
		puts("two sizes of one work space"), bad = 1;
	OK(cufftXtMalloc(there, &place, CUFFT_XT_FORMAT_INPLACE));
	OK(cufftXtMalloc(there, &in, CUFFT_XT_FORMAT_INPUT));
	OK(cufftXtMalloc(there, &out, CUFFT_XT_FORMAT_OUTPUT));
	if (place->descriptor->size[0] != host.size() * sizeof(R) || in->descriptor->size[0] != dense.size() * sizeof(R) ||
	    out->descriptor->size[0] != spectrum.size() * sizeof(C))
		puts("descriptors of another size"), bad = 1;
	OK(cufftXtMemcpy(there, place, host.data(), CUFFT_COPY_HOST_TO_DEVICE));
	OK(cufftXtMemcpy(there, in, dense.data(), CUFFT_COPY_HOST_TO_DEVICE));
	OK(forth(there, in, out));
	OK(cufftXtMemcpy(there, spectrum.data(), out, CUFFT_COPY_DEVICE_TO_HOST));
	OK(cufftXtExecDescriptor(there, place, place, CUFFT_FORWARD));
	OK(cufftXtMemcpy(there, other.data(), place, CUFFT_COPY_DEVICE_TO_HOST));
	double worst = 0;
	for (int z = 0; z < BATCH; z++) {
		std::vector<cd> x(dense.begin() + z * NX * NY, dense.begin() + (z + 1) * NX * NY), y = dft(x, 1, NX, NY, -1);
		for (int i = 0; i < NX; i++)
			for (int j = 0; j < HALF; j++) {
				C a = spectrum[(z * NX + i) * HALF + j], b = other[(z * NX + i) * HALF + j];
				cd right = y[i * NY + j];
				worst = fmax(worst, abs(cd(a.x, a.y) - right) + abs(cd(b.x, b.y) - right));
			}
	}
	expect("real numbers by descriptors", NX * NY, worst, twice ? 1e-13 : 2e-5);
	OK(back(here, place, place));
	OK(cufftXtMemcpy(here, result.data(), place, CUFFT_COPY_DEVICE_TO_HOST));
	OK(cufftXtExecDescriptor(here, out, in, CUFFT_INVERSE));
	OK(cufftXtMemcpy(here, plain.data(), in, CUFFT_COPY_DEVICE_TO_HOST));
	worst = 0;
	for (int i = 0; i < BATCH * NX; i++)
		for (int j = 0; j < NY; j++)
			worst = fmax(worst, fabs(result[i * PADDED + j] / (NX * NY) - host[i * PADDED + j]) +
						    fabs(plain[i * NY + j] / (NX * NY) - dense[i * NY + j]));
	expect("and back", NX * NY, worst, twice ? 1e-14 : 2e-6);
	cudaLibXtDesc *descs[] = {place, in, out};
	for (cudaLibXtDesc *d : descs)
		OK(cufftXtFree(d));
	OK(cufftDestroy(there));
	OK(cufftDestroy(here));
}

/* Interleaved batches: the memory of a descriptor ends with the last batch. Work sizes are known
 * before plans are made. */
static void sizes_before()
{
	int n = 16, three[] = {4, 6, 8}, value = -1;
	size_t a, b, c, work;
	cufftHandle p;
	cudaLibXtDesc *d;
	OK(cufftCreate(&p));
	OK(cufftGetSizeMany(p, 1, &n, &n, 3, 1, &n, 3, 1, CUFFT_Z2Z, 3, &a));
	OK(cufftEstimateMany(1, &n, &n, 3, 1, &n, 3, 1, CUFFT_Z2Z, 3, &b));
	OK(cufftGetSize1d(p, n, CUFFT_Z2Z, 3, &c));
	OK(cufftMakePlanMany(p, 1, &n, &n, 3, 1, &n, 3, 1, CUFFT_Z2Z, 3, &work));
	OK(cufftXtMalloc(p, &d, CUFFT_XT_FORMAT_INPLACE));
	if (a != work || b != work || c != work || d->descriptor->size[0] != 3 * 16 * sizeof(cufftDoubleComplex))
		puts("sizes of interleaved batches"), bad = 1;
	OK(cufftGetSize3d(p, 4, 6, 8, CUFFT_C2R, &a));
	OK(cufftGetSizeMany(p, 3, three, NULL, 1, 0, NULL, 1, 0, CUFFT_C2R, 1, &b));
	OK(cufftMakePlan3d(p, 4, 6, 8, CUFFT_C2R, &work));
	OK(cufftGetSize2d(p, 24, 8, CUFFT_R2C, &c));
	if (a != work || b != work || c != work || cufftGetSize1d(-1, n, CUFFT_C2C, 1, &a) != CUFFT_INVALID_PLAN ||
	    cufftEstimate1d(0, CUFFT_C2C, 1, &a) != CUFFT_INVALID_SIZE)
		puts("sizes before a plan is made"), bad = 1;
	OK(cufftGetProperty(MAJOR_VERSION, &value));
	if (value != CUFFT_VER_MAJOR)
		puts("another version"), bad = 1;
	OK(cufftXtFree(d));
	OK(cufftDestroy(p));
}

/* The mean error of a long transform is about that of its input: twiddle factors are as exact as a
 * float can be. */
static void accuracy()
{
	const int n = 1000;
	cufftComplex *a = managed<cufftComplex>(n);
	std::vector<cd> x(n);
	for (int i = 0; i < n; i++) {
		a[i] = {(float)rnd(), (float)rnd()};
		x[i] = {a[i].x, a[i].y};
	}
	cufftHandle p;
	OK(cufftPlan1d(&p, n, CUFFT_C2C, 1));
	OK(cufftExecC2C(p, a, a, CUFFT_FORWARD));
	cudaDeviceSynchronize();
	std::vector<cd> y = dft(x, 1, 1, n, -1);
	double wrong = 0, all = 0;
	for (int i = 0; i < n; i++) {
		wrong += norm(cd(a[i].x, a[i].y) - y[i]);
		all += norm(y[i]);
	}
	expect("the mean error", n, sqrt(wrong / all), 1.8e-7);
	OK(cufftDestroy(p));
	cudaFree(a);
}

int main()
{
	static const int sizes[] = {1, 2, 3, 4, 8, 12, 16, 35, 49, 60, 64, 77, 97, 128};
	for (int n : sizes)
		shape<float, cufftComplex>(1, 1, n, 3, 2e-6);
	shape<double, cufftDoubleComplex>(1, 1, 120, 2, 1e-14);
	shape<float, cufftComplex>(1, 16, 12, 1, 2e-6);
	shape<double, cufftDoubleComplex>(1, 9, 15, 1, 1e-14);
	shape<float, cufftComplex>(4, 6, 10, 1, 2e-6);
	strided();
	extended();
	descriptors<cufftComplex, CUFFT_C2C>(cufftXtExecDescriptorC2C);
	descriptors<cufftDoubleComplex, CUFFT_Z2Z>(cufftXtExecDescriptorZ2Z);
	real_descriptors<float, cufftComplex>(cufftXtExecDescriptorR2C, cufftXtExecDescriptorC2R);
	real_descriptors<double, cufftDoubleComplex>(cufftXtExecDescriptorD2Z, cufftXtExecDescriptorZ2D);
	sizes_before();
	accuracy();
	printf("%d results\n", done);
	return bad || cudaGetLastError();
}
