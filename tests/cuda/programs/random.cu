// long
/* MRG32k3a against numbers of the recurrences computed with matrices in exact arithmetic (state 12345 six
 * times, L'Ecuyer 1999), skips against draws, and the first two moments of Poisson numbers. */
#include <math.h>
#include <curand_kernel.h>
#include "check.h"

__global__ void mrg(double *out)
{
	curandStateMRG32k3a s;
	curand_init(0, 0, 0, &s);
	for (int i = 0; i < 3; i++)
		out[i] = curand_MRG32k3a(&s);
	curand_init(0, 1, 0, &s);
	out[3] = curand_MRG32k3a(&s);
	curand_init(0, 0, 0, &s);
	skipahead_sequence(1, &s);
	out[4] = curand_MRG32k3a(&s);
	curand_init(0, 0, 1000000000000ull, &s);
	out[5] = curand_MRG32k3a(&s);
	curand_init(0, 3, 5, &s);
	out[6] = curand_MRG32k3a(&s);
	curand_init(0, 0, 0, &s);
	out[7] = curand_uniform_double(&s);
}

template <class S>
__global__ void moments(double mean, double *sum)
{
	S s;
	double one = 0, two = 0;
	curand_init(2026, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
	for (int i = 0; i < 100; i++) {
		double x = curand_poisson(&s, mean) - mean;
		one += x;
		two += x * x;
	}
	atomicAdd(&sum[0], one);
	atomicAdd(&sum[1], two);
}

template <class S>
static void poisson(double mean, double *sum)
{
	enum { THREADS = 256, DRAWS = THREADS * 100 };
	sum[0] = sum[1] = 0;
	moments<S><<<THREADS / 64, 64>>>(mean, sum); /* small machines lack the registers for larger
		 * blocks */
	CUDA(cudaDeviceSynchronize());
	CHECK(fabs(sum[0] / DRAWS) < 5 * sqrt(mean / DRAWS)); /* five standard deviations */
	CHECK(fabs(sum[1] / DRAWS / mean - 1) < 5 * sqrt((2 + 1 / mean) / DRAWS));
}

int main()
{
	static const double expect[] = {545508589., 1368065410., 1327943761., 341016048.,
		3262379099., 1285224364., 1000060330.};
	double *out;
	CUDA(cudaMallocManaged(&out, 8 * sizeof *out));
	mrg<<<1, 1>>>(out);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 7; i++)
		CHECK(out[i] == expect[i]);
	CHECK(fabs(out[7] - 0.127011122046577) < 1e-10); /* result of the paper's implementation */
	static const double means[] = {0.5, 20, 64, 300, 3999, 5000};
	for (double m : means) {
		poisson<curandState>(m, out);
		poisson<curandStateMRG32k3a>(m, out);
	}
	poisson<curandStatePhilox4_32_10_t>(100, out);
	return failures != 0;
}
