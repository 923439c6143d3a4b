/*
 * MC: prices of European call options by Monte Carlo simulation with quasi-random numbers.
 *
 * Used by: warpman (Table 2: 12 warps, no shared memory, 7680 registers a block).
 * Geometry: blocks of 384 threads throughout. `quasi_normal`: 128 blocks of 128x3 threads make a
 *   Sobol sequence of three dimensions and turn it into normally distributed numbers; the branch
 *   between the distribution's middle and its tails diverges. `paths`: one block an option, each
 *   thread runs every 384th path. `combine`: a thread an option adds up the threads' sums.
 * Memory: global only; the Sobol direction numbers in constant memory, read at one address by a
 *   warp.
 * Input: 256 options: price 5 to 50, strike 10 to 25, 1 to 5 years, rate 6 %, volatility 10 %,
 *   uniform. 49,152 paths. The paper gives only the block; the number of options is that of the
 *   published sample's kind, and more paths are more turns of the same loop.
 * Check: the sequence in Gray-code order, one direction number a step, the quantile by Newton's
 *   method, the prices over the same paths in double precision, and the Black-Scholes formula.
 */
#include "../common/workload.h"

enum { DIMENSIONS = 3, BITS = 32, POINTS = 128, THREADS = POINTS * DIMENSIONS, MAKERS = 128 };
#define RATE       0.06f
#define VOLATILITY 0.10f

__constant__ unsigned direction[DIMENSIONS][BITS];

/* The quantile of the normal distribution: a rational function in the middle, a polynomial of
 * log(-log(p)) in the tails (Moro 1995; error below 3e-9). */
static __device__ float quantile(float p)
{
	float y = p - 0.5f;
	if (fabsf(y) < 0.42f) {
		float z = y * y;
		return y * (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z +
		            2.50662823884f) /
		       ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z -
		         8.4735109309f) * z + 1.0f);
	}
	float z = logf(-logf(y > 0 ? 1.0f - p : p));
	float x = 0.337475482272615f + z * (0.976169019091719f + z * (0.160797971491821f +
	          z * (2.76438810333863e-2f + z * (3.8405729373609e-3f + z * (3.951896511919e-4f +
	          z * (3.21767881768e-5f + z * (2.888167364e-7f + z * 3.960315187e-7f)))))));
	return y > 0 ? x : -x;
}

/* normal[dimension][i] from point i + 1 of the sequence. */
__global__ void quasi_normal(float *normal, int n)
{
	const unsigned *v = direction[threadIdx.y];
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		unsigned x = 0, at = i + 1;
		for (int bit = 0; bit < BITS; bit++, at >>= 1)
			if (at & 1)
				x ^= v[bit];
		normal[threadIdx.y * n + i] =
		        quantile(((float)(x >> 9) + 0.5f) * (1.0f / 8388608.0f));
	}
}

struct option {
	float price, strike, drift, spread;          /* (r - v^2/2) t and v sqrt(t) */
};

__global__ void paths(const struct option *options, const float *normal, float *sums,
                      float *squares, int n)
{
	struct option o = options[blockIdx.x];
	int t = threadIdx.y * blockDim.x + threadIdx.x;
	float sum = 0, square = 0;
	for (int i = t; i < n; i += THREADS) {
		float end = o.price * __expf(o.drift + o.spread * normal[i]);
		float payoff = end > o.strike ? end - o.strike : 0;
		sum += payoff;
		square += payoff * payoff;
	}
	sums[t * gridDim.x + blockIdx.x] = sum;
	squares[t * gridDim.x + blockIdx.x] = square;
}

/* The mean payoff and its standard deviation. */
__global__ void combine(const float *sums, const float *squares, float *mean, float *deviation,
                        int options, int n)
{
	int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	if (i >= options)
		return;
	float sum = 0, square = 0;
	for (int t = 0; t < THREADS; t++) {
		sum += sums[t * options + i];
		square += squares[t * options + i];
	}
	float m = sum / n;
	mean[i] = m;
	deviation[i] = sqrtf(fmaxf(square / n - m * m, 0));
}

/* Direction numbers from the primitive polynomials 1, x + 1, x^2 + x + 1 with m = 1; 1; 1, 3. */
static std::vector<unsigned> directions(void)
{
	std::vector<unsigned> v(DIMENSIONS * BITS);
	for (int i = 0; i < BITS; i++)
		v[i] = 1u << (31 - i);
	unsigned *a = &v[BITS], *b = &v[2 * BITS];
	a[0] = 1u << 31;
	for (int i = 1; i < BITS; i++)
		a[i] = a[i - 1] ^ a[i - 1] >> 1;
	b[0] = 1u << 31;
	b[1] = 3u << 30;
	for (int i = 2; i < BITS; i++)
		b[i] = b[i - 1] ^ b[i - 2] ^ b[i - 2] >> 2;
	return v;
}

/* Solves Phi(x) = p. The distribution's tail keeps its digits for p below one half. */
static double quantile_exact(double p)
{
	if (p > 0.5)
		return -quantile_exact(1 - p);
	double x = 0;
	for (int i = 0; i < 100; i++) {
		double tail = 0.5 * erfc(-x / sqrt(2.0));
		double density = exp(-x * x / 2) / sqrt(2 * M_PI);
		double step = (log(tail) - log(p)) * tail / density;   /* Newton on the logarithm */
		x -= step;
		if (fabs(step) < 1e-13)
			break;
	}
	return x;
}

/* The sequence in its Gray-code order, put in place: point g(k) follows from point g(k - 1) by one
 * direction number. */
static std::vector<double> sequence(const std::vector<unsigned> &v, int n)
{
	std::vector<double> z((size_t)DIMENSIONS * n);
	for (int d = 0; d < DIMENSIONS; d++) {
		unsigned x = 0, gray = 0, most = 1;
		while (most <= (unsigned)n)
			most *= 2;
		for (unsigned k = 1; k < most; k++) {
			int flip = __builtin_ctz(k);
			x ^= v[d * BITS + flip];
			gray ^= 1u << flip;
			if (gray <= (unsigned)n)
				z[(size_t)d * n + gray - 1] =
				        quantile_exact(((x >> 9) + 0.5) / 8388608.0);
		}
	}
	return z;
}

static double black_scholes(const struct option *o, double years)
{
	auto cdf = [](double d) { return 0.5 * erfc(-d / sqrt(2.0)); };
	double d2 = (log((double)o->price / o->strike) + o->drift) / o->spread, d1 = d2 + o->spread;
	return o->price * cdf(d1) - o->strike * exp(-(double)RATE * years) * cdf(d2);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("MC", argc, argv);
	workload_options_end(&w);
	int count = workload_pick(&w, 8, 32, 256), n = workload_pick(&w, 4096, 32768, 16384);
	int points = DIMENSIONS * n;
	std::vector<struct option> options(count);
	std::vector<float> years(count), normal(points), mean(count), deviation(count);
	for (int i = 0; i < count; i++) {
		years[i] = rng_range(&w.rng, 1, 5);
		options[i].price = rng_range(&w.rng, 5, 50);
		options[i].strike = rng_range(&w.rng, 10, 25);
		options[i].drift = (RATE - VOLATILITY * VOLATILITY / 2) * years[i];
		options[i].spread = VOLATILITY * sqrtf(years[i]);
	}
	std::vector<unsigned> v = directions();
	CUDA(cudaMemcpyToSymbol(direction, v.data(), v.size() * sizeof(unsigned)));
	float *dnormal = on_device<float>(points),
	      *sums = on_device<float>((size_t)count * THREADS),
	      *squares = on_device<float>((size_t)count * THREADS),
	      *dmean = on_device<float>(count), *ddeviation = on_device<float>(count);
	dim3 block(POINTS, DIMENSIONS);
	quasi_normal<<<workload_pick<int>(&w, 16, MAKERS, MAKERS), block>>>(dnormal, n);
	paths<<<count, block>>>(to_device(options), dnormal, sums, squares, points);
	combine<<<(count + THREADS - 1) / THREADS, block>>>(sums, squares, dmean, ddeviation, count,
	                                                    points);
	CUDA_LAUNCHED();
	from_device(normal, dnormal);
	from_device(mean, dmean);
	from_device(deviation, ddeviation);

	std::vector<double> z = sequence(v, n), want_mean(count), want_deviation(count),
	                    formula(count), value(count);
	check_near(&w, "normal", normal, z, 2e-6);
	for (int i = 0; i < count; i++) {
		double sum = 0, square = 0;
		for (double x : z) {
			double payoff =
			        options[i].price * exp(options[i].drift + options[i].spread * x) -
			        options[i].strike;
			sum += payoff > 0 ? payoff : 0;
			square += payoff > 0 ? payoff * payoff : 0;
		}
		want_mean[i] = sum / points;
		want_deviation[i] = sqrt(square / points - want_mean[i] * want_mean[i]);
		value[i] = mean[i] * exp(-(double)RATE * years[i]);
		formula[i] = black_scholes(&options[i], years[i]);
	}
	check_near(&w, "mean payoff", mean, want_mean, 5e-6);
	check_near(&w, "deviation", deviation, want_deviation, 1e-4);
	check_near(&w, "price by formula", value, formula, 5e-3, 1);
	return workload_finish(&w);
}
