/* cuRAND from the host: order of the numbers, calls in parts, offsets, both generators, both memories, moments. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/* Number n as the device's own functions give it. */
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

int main()
{
	order<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_DEFAULT);
	order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10);
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
	check(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_TYPE_ERROR, "another generator");
	printf("%d results\n", results);
	return bad != 0;
}
