/*
 * BP: one training step of a neural network with a hidden layer by back propagation.
 *
 * Used by: stsimt (Table II: two kernels, 4096 blocks of 256 threads).
 * Geometry: 65,536 input units, 16 hidden units, one output. A block of 16x16 threads takes 16 input
 *   units and all hidden units: 4096 blocks. bp_forward gives partial sums, added up on the host;
 *   bp_adjust changes the weights between input and hidden layer.
 * Memory: a block's inputs and weight tile in shared memory; the sum over its 16 inputs is a tree in
 *   which half of the threads drop out at every level.
 * Input: synthetic. Random inputs and weights.
 * Check: partial sums, hidden units, and all adjusted weights in double precision.
 */
#include "../common/workload.h"

enum { H = 16 };
#define ETA      0.3f
#define MOMENTUM 0.3f

/* Weights are [input + 1][H]; input 0 is the bias unit, always 1. Partial sums are [block][H]. */
__global__ void bp_forward(const float *input, const float *weights, float *partial)
{
	__shared__ float node[H], tile[H][H];
	int tx = threadIdx.x, ty = threadIdx.y, unit = blockIdx.x * H + ty + 1;
	if (tx == 0)
		node[ty] = input[unit];
	__syncthreads();
	tile[ty][tx] = weights[unit * H + tx] * node[ty];
	__syncthreads();
	for (int step = 1; step < H; step *= 2) {
		if (ty % (2 * step) == 0)
			tile[ty][tx] += tile[ty + step][tx];
		__syncthreads();
	}
	if (ty == 0)
		partial[blockIdx.x * H + tx] = tile[0][tx];
}

/* The first block adjusts the bias unit's weights too. */
__global__ void bp_adjust(const float *delta, const float *input, float *weights, float *old)
{
	int tx = threadIdx.x, ty = threadIdx.y, unit = blockIdx.x * H + ty + 1, i = unit * H + tx;
	float change = ETA * delta[tx] * input[unit] + MOMENTUM * old[i];
	weights[i] += change;
	old[i] = change;
	if (blockIdx.x == 0 && ty == 0) {
		change = ETA * delta[tx] + MOMENTUM * old[tx];
		weights[tx] += change;
		old[tx] = change;
	}
}

static double squash(double x)
{
	return 1 / (1 + exp(-x));
}

/* From the hidden layer's sums to its errors: forward to the output, back through its weights. */
static void hidden_errors(const double *sum, const float *out_weights, double target, double *delta)
{
	double h[H], out = out_weights[H];
	for (int j = 0; j < H; j++) {
		h[j] = squash(sum[j]);
		out += h[j] * out_weights[j];
	}
	out = squash(out);
	double out_delta = out * (1 - out) * (target - out);
	for (int j = 0; j < H; j++)
		delta[j] = h[j] * (1 - h[j]) * out_delta * out_weights[j];
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("BP", argc, argv);
	int blocks = workload_pick(&w, 128, 1024, 4096), n = blocks * H;
	workload_options_end(&w);
	std::vector<float> input(n + 1), weights((size_t)(n + 1) * H), old(weights.size()), out_weights(H + 1);
	float range = 1 / sqrtf((float)n);
	for (float &x : input)
		x = rng_range(&w.rng, 0, 1);
	input[0] = 1;
	for (size_t i = 0; i < weights.size(); i++) {
		weights[i] = rng_range(&w.rng, -range, range);
		old[i] = rng_range(&w.rng, -0.01f, 0.01f);
	}
	for (float &x : out_weights)
		x = rng_range(&w.rng, -1, 1);
	float *dinput = to_device(input), *dweights = to_device(weights), *dold = to_device(old);
	float *dpartial = on_device<float>((size_t)blocks * H);

	bp_forward<<<blocks, dim3(H, H)>>>(dinput, dweights, dpartial);
	CUDA_LAUNCHED();
	std::vector<float> partial((size_t)blocks * H), new_weights(weights.size()), change(old.size());
	from_device(partial, dpartial);
	double sum[H], delta[H];
	std::vector<float> sums(H), fdelta(H);
	for (int j = 0; j < H; j++) {
		sum[j] = weights[j];
		for (int b = 0; b < blocks; b++)
			sum[j] += partial[(size_t)b * H + j];
		sums[j] = (float)sum[j];
	}
	hidden_errors(sum, out_weights.data(), 0.9, delta);
	for (int j = 0; j < H; j++)
		fdelta[j] = (float)delta[j];
	bp_adjust<<<blocks, dim3(H, H)>>>(to_device(fdelta), dinput, dweights, dold);
	CUDA_LAUNCHED();
	from_device(new_weights, dweights);
	from_device(change, dold);

	std::vector<double> want_sums(H, 0), want_partial(partial.size(), 0), want_weights(weights.size());
	std::vector<double> want_change(old.size());
	for (int i = 0; i <= n; i++)
		for (int j = 0; j < H; j++) {
			double term = (double)input[i] * weights[(size_t)i * H + j];
			want_sums[j] += term;
			if (i)
				want_partial[(size_t)((i - 1) / H) * H + j] += term;
		}
	hidden_errors(want_sums.data(), out_weights.data(), 0.9, delta);
	for (int i = 0; i <= n; i++)
		for (int j = 0; j < H; j++) {
			size_t k = (size_t)i * H + j;
			want_change[k] = (double)ETA * delta[j] * input[i] + (double)MOMENTUM * old[k];
			want_weights[k] = weights[k] + want_change[k];
		}
	check_near(&w, "partial", partial, want_partial, 1e-7);
	check_near(&w, "sum", sums, want_sums, 5e-7);
	check_near(&w, "weight", new_weights, want_weights, 1e-7, 0.1);
	check_near(&w, "change", change, want_change, 5e-7, 0.01);
	return workload_finish(&w);
}
