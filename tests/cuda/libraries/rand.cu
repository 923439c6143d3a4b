/* cuRAND from the host: order of the numbers, calls in parts, offsets, all generators, device and
 * host memory, moments. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>

static int results, bad;
static void check(bool ok, const char *what)
{
	results++;
	if (!ok)
		printf("wrong: %s\n", what), bad++;
}

enum { N = 10000, STREAMS = 4096 };

struct device {
	void *p;
	explicit device(size_t n) { cudaMalloc(&p, n); }
	~device() { cudaFree(p); }
};

static curandGenerator_t make(curandRngType_t type, bool host = false)
{
	curandGenerator_t g = NULL;
	check(!(host ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type)), "create");
	check(!curandSetPseudoRandomGeneratorSeed(g, 1234ULL), "seed");
	return g;
}

/* Number n of the sequence by the device functions. */
template <class S> static unsigned expected(unsigned long long n)
{
	S s;
	curand_init(1234ULL, n % STREAMS, n / STREAMS, &s);
	return curand(&s);
}

template <class S> static void order(curandRngType_t type)
{
	curandGenerator_t g = make(type);
	device d(N * sizeof(unsigned));
	std::vector<unsigned> whole(N), parts(N);
	check(!curandGenerate(g, (unsigned *)d.p, N), "generate");
	cudaMemcpy(whole.data(), d.p, N * 4, cudaMemcpyDeviceToHost);
	const int places[] = {0, 1, 4095, 4096, 8192, 9999};
	for (int n : places)
		check(whole[n] == expected<S>(n), "order");
	curandSetPseudoRandomGeneratorSeed(g, 1234ULL);
	check(!curandGenerate(g, (unsigned *)d.p, 5000), "first part");
	check(!curandGenerate(g, (unsigned *)d.p + 5000, N - 5000), "second part");
	cudaMemcpy(parts.data(), d.p, N * 4, cudaMemcpyDeviceToHost);
	check(parts == whole, "parts");
	check(!curandSetGeneratorOffset(g, 4100) && !curandGenerate(g, (unsigned *)d.p, 100), "offset");
	cudaMemcpy(parts.data(), d.p, 400, cudaMemcpyDeviceToHost);
	check(!memcmp(parts.data(), &whole[4100], 400), "numbers after an offset");
	check(!curandDestroyGenerator(g), "destroy");
	check(curandGenerate(g, (unsigned *)d.p, 1) == CURAND_STATUS_NOT_INITIALIZED, "after the end");
	check(curandDestroyGenerator((curandGenerator_t)d.p) == CURAND_STATUS_NOT_INITIALIZED, "no generator");
}

template <class T> static void moments(const std::vector<T> &v, double mean, double var, const char *what)
{
	double s = 0, q = 0;
	for (T x : v)
		s += x, q += (double)x * x;
	s /= v.size();
	q = q / v.size() - s * s;
	check(fabs(s - mean) < 0.05 * (1 + fabs(mean)) && fabs(q / var - 1) < 0.1, what);
}

/* MT19937 compared with the C++ library's: calls of any length, after an offset, and as numbers of
 * two words. */
static void twister()
{
	curandGenerator_t g = make(CURAND_RNG_PSEUDO_MT19937, true);
	std::mt19937 r(1234);
	std::vector<unsigned> got(3000), want(3000);
	for (unsigned &x : want)
		x = r();
	check(!curandGenerate(g, got.data(), 1) && !curandGenerate(g, got.data() + 1, 1299) &&
	      !curandGenerate(g, got.data() + 1300, 1700) && got == want, "MT19937");
	check(!curandSetGeneratorOffset(g, 700) && !curandGenerate(g, got.data(), 100) &&
	      !memcmp(got.data(), &want[700], 400), "MT19937 after an offset");
	double u = 0;
	curandSetGeneratorOffset(g, 0);
	check(!curandGenerateUniformDouble(g, &u, 1) && u == _curand_uniform_double_hq(want[0], want[1]), "MT19937, double");
	curandDestroyGenerator(g);
}

static void sobol()
{
	curandGenerator_t g = NULL;
	const unsigned dims = 36, points = 64;
	const unsigned begin[3][4] = {{0, 0x80000000, 0xc0000000, 0x40000000}, {0, 0x80000000, 0x40000000, 0xc0000000},
				      {0, 0x80000000, 0x40000000, 0xc0000000}};
	std::vector<unsigned> v(dims * points), w(dims * points);
	check(!curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_DEFAULT), "create");
	check(!curandSetQuasiRandomGeneratorDimensions(g, dims), "dimensions");
	check(curandSetQuasiRandomGeneratorDimensions(g, 99999) == CURAND_STATUS_OUT_OF_RANGE, "too many dimensions");
	check(!curandGenerate(g, v.data(), v.size()), "Sobol");
	bool even = true;
	for (unsigned d = 0; d < dims; d++) {
		unsigned long long seen = 0; /* a number in each 64th */
		for (unsigned k = 0; k < points; k++)
			seen |= 1ull << (v[d * points + k] >> 26);
		even = even && seen == ~0ull && (d >= 3 || !memcmp(&v[d * points], begin[d], 16));
	}
	check(even && v[2 * points + 4] == (0xc0000000 ^ 0x60000000), "Sobol: places");
	check(curandGenerate(g, v.data(), 35) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "Sobol: not a multiple");
	/* the next call continues the sequence, and an offset skips ahead; scrambled numbers differ
	 * by a constant */
	curandGenerator_t s = NULL;
	std::vector<unsigned> later(dims), from(dims);
	check(!curandGenerate(g, later.data(), dims) && !curandSetGeneratorOffset(g, points) &&
	      !curandGenerate(g, from.data(), dims) && from == later, "Sobol: parts");
	check(!curandCreateGeneratorHost(&s, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32) &&
	      !curandSetQuasiRandomGeneratorDimensions(s, dims) && !curandGenerate(s, w.data(), w.size()), "scrambled");
	bool shifted = true;
	for (size_t i = 0; i < w.size(); i++)
		shifted = shifted && (w[i] ^ v[i]) == (w[i / points * points] ^ v[i / points * points]);
	check(shifted && w[0] != v[0], "scrambled: a constant apart");
	curandGenerator_t wide = NULL;
	unsigned long long first[4];
	check(!curandCreateGeneratorHost(&wide, CURAND_RNG_QUASI_SOBOL64) && !curandGenerateLongLong(wide, first, 4) &&
	      first[1] == 1ull << 63 && first[2] == 3ull << 62, "Sobol, 64 bits");
	check(curandGenerate(wide, v.data(), 4) == CURAND_STATUS_TYPE_ERROR, "32 bits of 64");
	std::vector<float> f(N);
	check(!curandGenerateNormal(wide, f.data(), N, 3, 2), "Sobol, normal");
	moments(f, 3, 4, "Sobol, normal: moments");
}

static void counts(curandRngType_t type)
{
	curandGenerator_t g = NULL;
	std::vector<unsigned> v(N);
	check(!curandCreateGeneratorHost(&g, type) && !curandGeneratePoisson(g, v.data(), N, 9), "Poisson");
	moments(v, 9, 9, "Poisson: moments");
	check(!curandGeneratePoisson(g, v.data(), N, 1000), "Poisson of a thousand");
	moments(v, 1000, 1000, "Poisson of a thousand: moments");
	curandDestroyGenerator(g);
}

int main()
{
	order<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_DEFAULT);
	order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10);
	order<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A);
	twister();
	sobol();
	counts(CURAND_RNG_PSEUDO_XORWOW);
	counts(CURAND_RNG_PSEUDO_MT19937);
	counts(CURAND_RNG_QUASI_SOBOL32);
	curandGenerator_t g = make(CURAND_RNG_PSEUDO_XORWOW), h = make(CURAND_RNG_PSEUDO_XORWOW, true);
	device d(N * sizeof(double));
	std::vector<float> f(N), from_host(N);
	std::vector<double> w(N);
	check(!curandGenerateUniform(g, (float *)d.p, N), "uniform");
	cudaMemcpy(f.data(), d.p, N * 4, cudaMemcpyDeviceToHost);
	moments(f, 0.5, 1 / 12., "uniform: moments");
	check(!curandGenerateUniform(h, from_host.data(), N) && from_host == f, "to the host's memory");
	check(!curandGenerateUniformDouble(h, w.data(), N), "uniform, double");
	moments(w, 0.5, 1 / 12., "uniform, double: moments");
	check(!curandGenerateNormal(h, f.data(), N, 3, 2), "normal");
	moments(f, 3, 4, "normal: moments");
	check(!curandGenerateNormalDouble(h, w.data(), N, -1, 0.5), "normal, double");
	moments(w, -1, 0.25, "normal, double: moments");
	check(!curandGenerateLogNormal(h, f.data(), N, 0, 0.25f), "log-normal");
	moments(f, exp(0.03125), (exp(0.0625) - 1) * exp(0.0625), "log-normal: moments");
	check(!curandGenerateLogNormalDouble(h, w.data(), N, 0, 0.25), "log-normal, double");
	moments(w, exp(0.03125), (exp(0.0625) - 1) * exp(0.0625), "log-normal, double: moments");
	check(curandGenerateNormal(h, f.data(), 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "an odd count of normals");
	check(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32) == CURAND_STATUS_TYPE_ERROR, "another generator");
	printf("%d results\n", results);
	return bad != 0;
}
