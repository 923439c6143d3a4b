/*
 * NN: a convolutional network of four layers that recognises handwritten digits.
 *
 * Used by: hws (thesis, section 5.2: 28 digits; the last two kernels have blocks of one thread),
 *   warpman (Table 2: 8 warps a block, no shared memory, one block an image).
 * Geometry: for --layout map (the default), a block is one feature map of one image, a thread one unit:
 *   6x28 blocks of 13x13, 50x28 blocks of 5x5, 100x28 and 10x28 blocks of one thread. For --layout
 *   image (row NN.warpman), each layer is one block of 256 threads an image and threads stride over the
 *   layer's units; 280 images, so that 15 SMs with five blocks each are filled more than once.
 *   --layout turned is the same with the weights of the full layers turned, so that threads of a
 *   warp read neighbours.
 * Memory: images, weights and unit values in global memory, no shared memory, no barriers.
 * Input: synthetic. 29x29 images of two or three strokes of a pen, random weights in place of trained
 *   ones: time does not depend on their values.
 * Check: all units of all layers, in double precision.
 */
#include "../common/workload.h"

enum {
	IN = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, KERNEL = 5, UNITS3 = 100, UNITS4 = 10,
	UNITS1 = MAPS1 * SIDE1 * SIDE1, UNITS2 = MAPS2 * SIDE2 * SIDE2,
	WEIGHTS1 = MAPS1 * (1 + KERNEL * KERNEL), FAN2 = 1 + MAPS1 * KERNEL * KERNEL,
	WEIGHTS2 = MAPS2 * FAN2, WEIGHTS3 = UNITS3 * (1 + UNITS2), WEIGHTS4 = UNITS4 * (1 + UNITS3),
	THREADS = 256,
};

static __device__ float squash(float x)
{
	return 1.7159f * tanhf(0.66666667f * x);
}

/* One unit of each layer. A weight set begins with its bias; kernels of 5x5 move by two points. */
static __device__ float unit1(const float *image, const float *weights, int map, int x, int y)
{
	const float *k = weights + map * (1 + KERNEL * KERNEL);
	float sum = *k++;
	for (int j = 0; j < KERNEL; j++)
		for (int i = 0; i < KERNEL; i++)
			sum += image[(2 * y + j) * IN + 2 * x + i] * *k++;
	return squash(sum);
}

static __device__ float unit2(const float *layer1, const float *weights, int map, int x, int y)
{
	const float *k = weights + map * FAN2;
	float sum = *k++;
	for (int m = 0; m < MAPS1; m++)
		for (int j = 0; j < KERNEL; j++)
			for (int i = 0; i < KERNEL; i++)
				sum += layer1[(m * SIDE1 + 2 * y + j) * SIDE1 + 2 * x + i] * *k++;
	return squash(sum);
}

/* Weights of a unit lie `step` apart: 1, or with turned weights as many as there are units. */
static __device__ float unit_full(const float *layer, const float *weights, int inputs, int unit, int step = 1)
{
	const float *k = weights + (step == 1 ? unit * (1 + inputs) : unit);
	float sum = *k;
	k += step;
	for (int i = 0; i < inputs; i++)
		sum += layer[i] * k[i * step];
	return squash(sum);
}

/* ---- a block a map ---- */

__global__ void nn_layer1(const float *images, const float *weights, float *out)
{
	int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
	out[image * UNITS1 + (map * SIDE1 + y) * SIDE1 + x] =
		unit1(images + image * IN * IN, weights, map, x, y);
}

__global__ void nn_layer2(const float *layer1, const float *weights, float *out)
{
	int map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
	out[image * UNITS2 + (map * SIDE2 + y) * SIDE2 + x] =
		unit2(layer1 + image * UNITS1, weights, map, x, y);
}

__global__ void nn_layer3(const float *layer2, const float *weights, float *out)
{
	int unit = blockIdx.x, image = blockIdx.y;
	out[image * UNITS3 + unit] = unit_full(layer2 + image * UNITS2, weights, UNITS2, unit);
}

__global__ void nn_layer4(const float *layer3, const float *weights, float *out)
{
	int unit = blockIdx.x, image = blockIdx.y;
	out[image * UNITS4 + unit] = unit_full(layer3 + image * UNITS3, weights, UNITS3, unit);
}

/* ---- a block an image ---- */

__global__ void nn_image1(const float *images, const float *weights, float *out)
{
	int image = blockIdx.x;
	for (int u = threadIdx.x; u < UNITS1; u += THREADS)
		out[image * UNITS1 + u] = unit1(images + image * IN * IN, weights, u / (SIDE1 * SIDE1),
		                                u % SIDE1, u / SIDE1 % SIDE1);
}

__global__ void nn_image2(const float *layer1, const float *weights, float *out)
{
	int image = blockIdx.x;
	for (int u = threadIdx.x; u < UNITS2; u += THREADS)
		out[image * UNITS2 + u] = unit2(layer1 + image * UNITS1, weights, u / (SIDE2 * SIDE2),
		                                u % SIDE2, u / SIDE2 % SIDE2);
}

__global__ void nn_image3(const float *layer2, const float *weights, float *out)
{
	int image = blockIdx.x;
	for (int u = threadIdx.x; u < UNITS3; u += THREADS)
		out[image * UNITS3 + u] = unit_full(layer2 + image * UNITS2, weights, UNITS2, u);
}

__global__ void nn_image4(const float *layer3, const float *weights, float *out)
{
	int image = blockIdx.x;
	for (int u = threadIdx.x; u < UNITS4; u += THREADS)
		out[image * UNITS4 + u] = unit_full(layer3 + image * UNITS3, weights, UNITS3, u);
}

/* ---- host ---- */

static std::vector<float> make_images(struct rng *r, int count)
{
	std::vector<float> v((size_t)count * IN * IN, -1.0f); /* paper */
	for (int n = 0; n < count; n++) {
		for (int stroke = 2 + (int)rng_below(r, 2); stroke > 0; stroke--) {
			float x = rng_range(r, 7, 22), y = rng_range(r, 7, 22);
			float dx = rng_range(r, -1, 1), dy = rng_range(r, -1, 1);
			for (int s = 0; s < 12; s++, x += dx, y += dy) {
				int px = (int)x, py = (int)y;
				for (int k = 0; k < 4; k++) {
					int qx = px + k % 2, qy = py + k / 2;
					if (qx >= 0 && qx < IN && qy >= 0 && qy < IN)
						v[((size_t)n * IN + qy) * IN + qx] = 1; /* ink */
				}
			}
		}
	}
	return v;
}

/* The same layers with turned weights: threads of a warp read neighbours. */

__global__ void nn_turned3(const float *layer2, const float *weights, float *out)
{
	int image = blockIdx.x;
	for (int u = threadIdx.x; u < UNITS3; u += THREADS)
		out[image * UNITS3 + u] = unit_full(layer2 + image * UNITS2, weights, UNITS2, u, UNITS3);
}

__global__ void nn_turned4(const float *layer3, const float *weights, float *out)
{
	int image = blockIdx.x;
	for (int u = threadIdx.x; u < UNITS4; u += THREADS)
		out[image * UNITS4 + u] = unit_full(layer3 + image * UNITS3, weights, UNITS3, u, UNITS4);
}

static std::vector<float> turned(const std::vector<float> &weights, int units)
{
	std::vector<float> v(weights.size());
	size_t each = weights.size() / units;
	for (size_t i = 0; i < v.size(); i++)
		v[i % each * units + i / each] = weights[i];
	return v;
}

static std::vector<float> make_weights(struct rng *r, int count, int fan)
{
	std::vector<float> v(count);
	float range = 1 / sqrtf((float)fan);
	for (float &x : v)
		x = rng_range(r, -range, range);
	return v;
}

/* A layer of maps from maps, each kernel k x k moving by s: a full layer has k equal to the side. */
static std::vector<double> layer(const std::vector<double> &in, const std::vector<float> &weights,
                                 int images, int from, int side, int to, int k, int s)
{
	int out_side = (side - k) / s + 1;
	std::vector<double> out((size_t)images * to * out_side * out_side);
	size_t o = 0;
	for (int n = 0; n < images; n++)
		for (int m = 0; m < to; m++)
			for (int y = 0; y < out_side; y++)
				for (int x = 0; x < out_side; x++) {
					size_t at = (size_t)m * (1 + from * k * k);
					double sum = weights[at++];
					for (int f = 0; f < from; f++)
						for (int j = 0; j < k; j++)
							for (int i = 0; i < k; i++)
								sum += weights[at++] *
								       in[(((size_t)n * from + f) * side + s * y + j) * side + s * x + i];
					out[o++] = 1.7159 * tanh(0.66666667 * sum);
				}
	return out;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("NN", argc, argv);
	const char *layout = workload_option(&w, "--layout", "map");
	bool turn = !strcmp(layout, "turned"), by_image = turn || !strcmp(layout, "image");
	if (!by_image && strcmp(layout, "map")) {
		fprintf(stderr, "NN: --layout %s: expected map, image or turned\n", layout);
		return 2;
	}
	int most = by_image ? 280 : 28;
	int n = (int)workload_number(&w, "--images", workload_pick(&w, 4, 12, most), 1, 10000);
	workload_options_end(&w);
	std::vector<float> images = make_images(&w.rng, n);
	std::vector<float> w1 = make_weights(&w.rng, WEIGHTS1, 26), w2 = make_weights(&w.rng, WEIGHTS2, FAN2);
	std::vector<float> w3 = make_weights(&w.rng, WEIGHTS3, UNITS2), w4 = make_weights(&w.rng, WEIGHTS4, UNITS3);
	std::vector<float> l1((size_t)n * UNITS1), l2((size_t)n * UNITS2), l3((size_t)n * UNITS3);
	std::vector<float> l4((size_t)n * UNITS4);
	float *dimages = to_device(images), *dw1 = to_device(w1), *dw2 = to_device(w2), *dw3 = to_device(turn ? turned(w3, UNITS3) : w3);
	float *dw4 = to_device(turn ? turned(w4, UNITS4) : w4), *d1 = on_device<float>(l1.size()), *d2 = on_device<float>(l2.size());
	float *d3 = on_device<float>(l3.size()), *d4 = on_device<float>(l4.size());
	if (by_image) {
		nn_image1<<<n, THREADS>>>(dimages, dw1, d1);
		nn_image2<<<n, THREADS>>>(d1, dw2, d2);
		(turn ? nn_turned3 : nn_image3)<<<n, THREADS>>>(d2, dw3, d3);
		(turn ? nn_turned4 : nn_image4)<<<n, THREADS>>>(d3, dw4, d4);
	} else {
		nn_layer1<<<dim3(MAPS1, n), dim3(SIDE1, SIDE1)>>>(dimages, dw1, d1);
		nn_layer2<<<dim3(MAPS2, n), dim3(SIDE2, SIDE2)>>>(d1, dw2, d2);
		nn_layer3<<<dim3(UNITS3, n), 1>>>(d2, dw3, d3);
		nn_layer4<<<dim3(UNITS4, n), 1>>>(d3, dw4, d4);
	}
	CUDA_LAUNCHED();
	from_device(l1, d1);
	from_device(l2, d2);
	from_device(l3, d3);
	from_device(l4, d4);
	std::vector<double> in(images.begin(), images.end());
	std::vector<double> r1 = layer(in, w1, n, 1, IN, MAPS1, KERNEL, 2);
	std::vector<double> r2 = layer(r1, w2, n, MAPS1, SIDE1, MAPS2, KERNEL, 2);
	std::vector<double> r3 = layer(r2, w3, n, MAPS2, SIDE2, UNITS3, SIDE2, 1);
	std::vector<double> r4 = layer(r3, w4, n, UNITS3, 1, UNITS4, 1, 1);
	check_near(&w, "layer 1", l1, r1, 3e-6);
	check_near(&w, "layer 2", l2, r2, 3e-6);
	check_near(&w, "layer 3", l3, r3, 3e-6);
	check_near(&w, "layer 4", l4, r4, 3e-6);
	return workload_finish(&w);
}
