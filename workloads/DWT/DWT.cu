/*
 * DWT: Haar wavelet decomposition of a one-dimensional signal.
 *
 * Used by: the thesis on ISAs (Table 9: 270,248 thread instructions; Table 10: a conditional block
 *   inside the loop over the levels).
 * Geometry: a block of n threads takes 2n samples through all its levels in shared memory, in
 *   place; at each level half of the threads fall out, inside a loop with a barrier. A signal
 *   longer than a block needs further launches on the blocks' averages. The thesis names no size;
 *   its count fits two blocks of 512 threads, 2048 samples, and a last level by one thread, which
 *   is size paper here. Size test has small blocks, so that several levels lie above them, size
 *   small has 64 blocks.
 * Memory: one float a sample in shared memory, one word of padding every 16, so that the strided
 *   accesses of the upper levels spread over the banks.
 * Input: a sum of three square waves and noise.
 * Check: the decomposition level by level over the whole signal in double precision.
 */
#include "../common/workload.h"
#include <utility>

#define ROOT_HALF 0.70710678118654752440f

static __host__ __device__ int padded(int i)
{
	return i + (i >> 4);
}

/*
 * Takes 2 * blockDim.x samples a block down `levels` levels. The details of a level of the whole
 * signal of 2 * half samples lie at half, those of the next one at half / 2, and so on; the blocks'
 * averages go to `average`.
 */
__global__ void haar(const float *in, float *details, float *average, int levels, int half)
{
	extern __shared__ float s[];
	int t = threadIdx.x, n = blockDim.x;
	const float *from = in + 2 * n * blockIdx.x;
	s[padded(t)] = from[t];
	s[padded(t + n)] = from[t + n];
	__syncthreads();

	int threads = n, step = 1;
	for (int level = 0; level < levels; level++) {
		if (t < threads) {
			int a = padded(2 * t * step), b = padded((2 * t + 1) * step);
			float x = s[a], y = s[b];
			details[half + blockIdx.x * threads + t] = (x - y) * ROOT_HALF;
			s[a] = (x + y) * ROOT_HALF;
		}
		threads >>= 1;
		half >>= 1;
		step <<= 1;
		__syncthreads();
	}
	if (t == 0)
		average[blockIdx.x] = s[0];
}

/* The whole signal at once: averages to the front, details after them, until one average is
 * left. */
static std::vector<double> reference(const std::vector<float> &signal)
{
	std::vector<double> out(signal.begin(), signal.end()), last;
	for (size_t n = out.size(); n > 1; n /= 2) {
		last = out;
		for (size_t i = 0; i < n / 2; i++) {
			out[i] = (last[2 * i] + last[2 * i + 1]) / sqrt(2.0);
			out[n / 2 + i] = (last[2 * i] - last[2 * i + 1]) / sqrt(2.0);
		}
	}
	return out;
}

static int log2_of(int n)
{
	int l = 0;
	while (n > 1 << l)
		l++;
	return l;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("DWT", argc, argv);
	int n = 1 << workload_number(&w, "--levels", workload_pick(&w, 11, 16, 11), 6, 24);
	workload_options_end(&w);
	int most = workload_pick(&w, 64, 512, 512);
	std::vector<float> signal(n), got(n);
	for (int i = 0; i < n; i++)
		signal[i] = (i & 512 ? 2.0f : -2.0f) + (i & 64 ? 1.0f : -1.0f) +
		            (i % 24 < 12 ? 0.5f : -0.5f) + 0.25f * rng_normal(&w.rng);
	float *from = to_device(signal), *to = on_device<float>(n), *average = on_device<float>(n);
	for (int left = n; left > 1;) {
		int threads = left / 2 < most ? left / 2 : most, blocks = left / (2 * threads);
		int shared = (int)sizeof(float) * (padded(2 * threads - 1) + 1);
		haar<<<blocks, threads, shared>>>(from, to, average, log2_of(2 * threads),
		                                  left / 2);
		CUDA_LAUNCHED();
		left = blocks;
		std::swap(from, average);
	}
	CUDA(cudaMemcpy(to, from, sizeof(float), cudaMemcpyDeviceToDevice));
	from_device(got, to);
	check_near(&w, "coefficient", got, reference(signal), 2e-6, 4);
	return workload_finish(&w);
}
