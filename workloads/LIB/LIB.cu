/*
 * LIB: a portfolio of swaptions under the LIBOR market model, by Monte Carlo.
 *
 * Used by: hws (thesis, section 5.2: 4096 paths, 15 options), stsimt (Table II: two kernels, 64 blocks
 *   of 64 threads).
 * Geometry: one thread a path, 64 blocks of 64. The first kernel gives each path's value and, by
 *   running the computation backwards (adjoints), its sensitivity to each initial forward rate, summed
 *   for a tilt of the curve of rates; the second kernel gives the value alone.
 * Memory: 80 forward rates a thread in local memory, indexed by loop counters, and for the adjoints
 *   the rates of all 40 steps; volatilities, maturities and swap rates in constant memory; normal
 *   random numbers in global memory, neighbouring paths side by side.
 * Input: synthetic. Forward rates start at 5 %, volatility 20 %, quarter years, 40 steps; 15 swaptions
 *   with lengths of 1 to 20 years and swap rates around 5 %; normal numbers from the suite's generator
 *   in place of a Sobol sequence.
 * Check: values in double precision; sensitivities against the forward derivative (tangents), another
 *   method than the kernel's. Where a swaption is at the money to seven digits, its payment has a kink
 *   and rounding decides the side: such a path's sensitivity is not compared.
 */
#include "../common/workload.h"

enum { THREADS = 64, RATES = 80, STEPS = 40, AHEAD = RATES - STEPS, OPTIONS = 15 };
#define DELTA 0.25f

__constant__ float volatility[RATES], tilt[RATES];
__constant__ float swap_rate[OPTIONS];
__constant__ int swap_length[OPTIONS];

/* One step of the model: rates n+1 and up get their drift and the step's shock. */
static __device__ void path_step(float *rate, int n, float z)
{
	float shock = sqrtf(DELTA) * z, drift = 0;
	for (int i = n + 1; i < RATES; i++) {
		float lambda = volatility[i - n - 1], con = DELTA * lambda;
		drift += con * rate[i] / (1.0f + DELTA * rate[i]);
		rate[i] *= __expf(con * drift + lambda * (shock - 0.5f * con));
	}
}

/* Discounted value of the portfolio when rates STEPS and up are known: bonds b[i] and their sums s[i]
 * give a swap's value; a swaption pays when it is in the money (100 a unit). */
static __device__ float portfolio(const float *rate, float *b, float *s)
{
	float bond = 1, sum = 0, value = 0;
	for (int i = 0; i < AHEAD; i++) {
		bond /= 1.0f + DELTA * rate[STEPS + i];
		sum += DELTA * bond;
		b[i] = bond;
		s[i] = sum;
	}
	for (int k = 0; k < OPTIONS; k++) {
		int m = swap_length[k] - 1;
		float swap = b[m] + swap_rate[k] * s[m] - 1.0f;
		if (swap < 0)
			value -= 100.0f * swap;
	}
	for (int n = 0; n < STEPS; n++)
		value /= 1.0f + DELTA * rate[n];
	return value;
}

/* The derivative of the portfolio's value by each rate, given its parts. */
static __device__ void portfolio_back(const float *rate, const float *b, const float *s, float value,
                                      float *bar)
{
	float bbar[AHEAD], sbar[AHEAD], discount = 1;
	for (int n = 0; n < STEPS; n++) {
		bar[n] = -value * DELTA / (1.0f + DELTA * rate[n]);
		discount /= 1.0f + DELTA * rate[n];
	}
	for (int i = 0; i < AHEAD; i++)
		bbar[i] = sbar[i] = 0;
	for (int k = 0; k < OPTIONS; k++) {
		int m = swap_length[k] - 1;
		if (b[m] + swap_rate[k] * s[m] - 1.0f < 0) {
			bbar[m] -= 100.0f * discount;
			sbar[m] -= 100.0f * discount * swap_rate[k];
		}
	}
	float bondbar = 0, sumbar = 0;
	for (int i = AHEAD - 1; i >= 0; i--) {
		sumbar += sbar[i];
		bondbar += bbar[i] + DELTA * sumbar;
		float q = 1.0f + DELTA * rate[STEPS + i];
		bar[STEPS + i] = -bondbar * b[i] * DELTA / q;
		bondbar /= q;
	}
}

__global__ void libor_sensitivity(float *value, float *sensitivity, const float *normal, int paths)
{
	int p = blockIdx.x * THREADS + threadIdx.x;
	if (p >= paths)
		return;
	float rate[RATES], before[STEPS][RATES], b[AHEAD], s[AHEAD], bar[RATES];
	for (int i = 0; i < RATES; i++)
		rate[i] = 0.05f;
	for (int n = 0; n < STEPS; n++) {
		for (int i = n + 1; i < RATES; i++)
			before[n][i] = rate[i];
		path_step(rate, n, normal[n * paths + p]);
	}
	float v = portfolio(rate, b, s);
	value[p] = v;
	portfolio_back(rate, b, s, v, bar);
	/* Steps backwards. A rate acts on its own next value and, through the drift, on all above it. */
	for (int n = STEPS - 1; n >= 0; n--) {
		float driftbar = 0;
		for (int i = RATES - 1; i > n; i--) {
			float old = before[n][i];
			/* the rate after the step: the next step kept it, unless the next step leaves it alone */
			float now = n + 1 < STEPS && i > n + 1 ? before[n + 1][i] : rate[i];
			float con = DELTA * volatility[i - n - 1], q = 1.0f + DELTA * old;
			driftbar += con * now * bar[i];
			bar[i] = bar[i] * now / old + driftbar * con / (q * q);
		}
	}
	float sum = 0;
	for (int i = 0; i < RATES; i++)
		sum += tilt[i] * bar[i];
	sensitivity[p] = sum;
}

__global__ void libor_value(float *value, const float *normal, int paths)
{
	int p = blockIdx.x * THREADS + threadIdx.x;
	if (p >= paths)
		return;
	float rate[RATES], b[AHEAD], s[AHEAD];
	for (int i = 0; i < RATES; i++)
		rate[i] = 0.05f;
	for (int n = 0; n < STEPS; n++)
		path_step(rate, n, normal[n * paths + p]);
	value[p] = portfolio(rate, b, s);
}

/* ---- host: a number with its derivative along the tilt ---- */

struct dual {
	double v, d;
};

static struct dual mul(struct dual a, struct dual b)
{
	struct dual r = {a.v * b.v, a.v * b.d + a.d * b.v};
	return r;
}

static struct dual add(struct dual a, double k, struct dual b)
{
	struct dual r = {a.v + k * b.v, a.d + k * b.d};
	return r;
}

static struct dual grow(struct dual rate) /* 1 / (1 + delta rate) */
{
	double q = 1 / (1 + (double)DELTA * rate.v);
	struct dual r = {q, -q * q * DELTA * rate.d};
	return r;
}

struct market {
	float volatility[RATES], tilt[RATES], swap_rate[OPTIONS];
	int swap_length[OPTIONS];
};

/* kink: set if a swaption is so near the money that rounding decides. */
static struct dual path_value(const struct market *m, const float *normal, size_t stride, bool *kink)
{
	struct dual rate[RATES], sum = {0, 0}, bond = {1, 0}, value = {0, 0};
	for (int i = 0; i < RATES; i++) {
		rate[i].v = 0.05f;
		rate[i].d = m->tilt[i];
	}
	for (int n = 0; n < STEPS; n++) {
		struct dual drift = {0, 0};
		for (int i = n + 1; i < RATES; i++) {
			double lambda = m->volatility[i - n - 1], con = DELTA * lambda;
			drift = add(drift, con, mul(rate[i], grow(rate[i])));
			double e = exp(con * drift.v + lambda * (sqrt((double)DELTA) * normal[n * stride] - con / 2));
			struct dual factor = {e, e * con * drift.d};
			rate[i] = mul(rate[i], factor);
		}
	}
	struct dual swap[AHEAD], leg[AHEAD];
	for (int i = 0; i < AHEAD; i++) {
		bond = mul(bond, grow(rate[STEPS + i]));
		sum = add(sum, DELTA, bond);
		swap[i] = bond;
		leg[i] = sum;
	}
	for (int k = 0; k < OPTIONS; k++) {
		int at = m->swap_length[k] - 1;
		struct dual s = add(swap[at], m->swap_rate[k], leg[at]);
		*kink |= fabs(s.v - 1) < 1e-5;
		if (s.v < 1) {
			s.v -= 1;
			value = add(value, -100, s);
		}
	}
	for (int n = 0; n < STEPS; n++)
		value = mul(value, grow(rate[n]));
	return value;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("LIB", argc, argv);
	workload_options_end(&w);
	int paths = workload_pick(&w, 512, 1024, 4096);
	struct market m;
	for (int i = 0; i < RATES; i++)
		m.volatility[i] = 0.2f, m.tilt[i] = (float)(i + 1) / RATES;
	for (int k = 0; k < OPTIONS; k++) {
		m.swap_length[k] = 4 + (k % 5) * 8 + (k % 5) / 4 * 4; /* quarters: 4, 12, 20, 28, 40 */
		m.swap_rate[k] = 0.045f + 0.005f * (float)(k / 5);
	}
	CUDA(cudaMemcpyToSymbol(volatility, m.volatility, sizeof m.volatility));
	CUDA(cudaMemcpyToSymbol(tilt, m.tilt, sizeof m.tilt));
	CUDA(cudaMemcpyToSymbol(swap_rate, m.swap_rate, sizeof m.swap_rate));
	CUDA(cudaMemcpyToSymbol(swap_length, m.swap_length, sizeof m.swap_length));
	std::vector<float> normal((size_t)STEPS * paths), value(paths), again(paths), sensitivity(paths);
	std::vector<double> want(paths), slope(paths);
	for (float &z : normal)
		z = rng_normal(&w.rng);
	std::vector<bool> kink(paths);
	for (int p = 0; p < paths; p++) {
		bool near = false;
		struct dual d = path_value(&m, &normal[p], paths, &near);
		want[p] = d.v;
		slope[p] = d.d;
		kink[p] = near;
	}
	float *dnormal = to_device(normal), *dvalue = on_device<float>(paths);
	float *dslope = on_device<float>(paths), *dagain = on_device<float>(paths);
	int blocks = (paths + THREADS - 1) / THREADS;
	libor_sensitivity<<<blocks, THREADS>>>(dvalue, dslope, dnormal, paths);
	CUDA_LAUNCHED();
	libor_value<<<blocks, THREADS>>>(dagain, dnormal, paths);
	CUDA_LAUNCHED();
	from_device(value, dvalue);
	from_device(again, dagain);
	from_device(sensitivity, dslope);
	int skipped = 0;
	for (int p = 0; p < paths; p++)
		if (kink[p])
			skipped++, slope[p] = sensitivity[p];
	check_true(&w, "few paths at the money", skipped <= 1 + paths / 100);
	check_near(&w, "value", value, want, 5e-5, 20);
	check_near(&w, "value again", again, want, 5e-5, 20);
	check_near(&w, "sensitivity", sensitivity, slope, 5e-5, 200);
	return workload_finish(&w);
}
