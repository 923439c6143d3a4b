/*
 * BS: prices of European call and put options by the Black-Scholes formula.
 *
 * Used by: hws (thesis, section 5.2: low divergence; speedup of hybrid warp size 1.00).
 * Geometry: a fixed grid of 480 blocks of 128 threads; a thread prices every 61,440th option, so any
 *   number of options is served. The thesis says only that each thread takes more than one index.
 * Memory: five streams of floats in global memory, no shared memory.
 * Input: synthetic. Stock price 5 to 30, strike 1 to 100, time 0.25 to 10 years, uniform; riskless
 *   rate 2 %, volatility 30 %.
 * Check: the formula in double precision with the C library's erfc().
 */
#include "../common/workload.h"

#define RATE       0.02f
#define VOLATILITY 0.30f
enum { BLOCKS = 480, THREADS = 128 };

/* The cumulative normal distribution by a fifth-degree polynomial in 1/(1 + 0.2316419 |d|)
 * (Abramowitz and Stegun 26.2.17; error below 7.5e-8). Without a branch. */
static __device__ float normal_cdf(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
	float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f +
	             k * (-1.821255978f + k * 1.330274429f))));
	float tail = 0.39894228040143267794f * __expf(-0.5f * d * d) * poly;
	return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(float *call, float *put, const float *price, const float *strike,
                              const float *years, int n)
{
	int stride = gridDim.x * blockDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
		float s = price[i], x = strike[i], t = years[i];
		float root = VOLATILITY * sqrtf(t);
		float d1 = (__logf(s / x) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) / root;
		float d2 = d1 - root;
		float c1 = normal_cdf(d1), c2 = normal_cdf(d2);
		float discounted = x * __expf(-RATE * t);
		call[i] = s * c1 - discounted * c2;
		put[i] = discounted * (1.0f - c2) - s * (1.0f - c1);
	}
}

static double cdf(double d)
{
	return 0.5 * erfc(-d / sqrt(2.0));
}

static void reference(float s, float x, float t, double *call, double *put)
{
	double sigma = VOLATILITY, r = RATE;
	double d1 = (log((double)s / x) + (r + sigma * sigma / 2) * t) / (sigma * sqrt((double)t));
	double d2 = d1 - sigma * sqrt((double)t);
	*call = s * cdf(d1) - x * exp(-r * t) * cdf(d2);
	*put = x * exp(-r * t) * cdf(-d2) - s * cdf(-d1);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("BS", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 50000, 400000, 4000000);
	std::vector<float> price(n), strike(n), years(n), call(n), put(n);
	std::vector<double> want_call(n), want_put(n);
	for (int i = 0; i < n; i++) {
		price[i] = rng_range(&w.rng, 5, 30);
		strike[i] = rng_range(&w.rng, 1, 100);
		years[i] = rng_range(&w.rng, 0.25f, 10);
		reference(price[i], strike[i], years[i], &want_call[i], &want_put[i]);
	}
	float *dcall = on_device<float>(n), *dput = on_device<float>(n);
	black_scholes<<<BLOCKS, THREADS>>>(dcall, dput, to_device(price), to_device(strike),
	                                   to_device(years), n);
	CUDA_LAUNCHED();
	from_device(call, dcall);
	from_device(put, dput);
	check_near(&w, "call", call, want_call, 5e-6, 10);
	check_near(&w, "put", put, want_put, 5e-6, 10);
	return workload_finish(&w);
}
