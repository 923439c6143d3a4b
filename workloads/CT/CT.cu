/*
 * CT: separable convolution of an image through textures, rows then columns.
 *
 * Used by: warpman (Table 2: 6 warps, no shared memory, 3068 registers a block; figures 10 and 11:
 *   differences between warps from texture-cache misses).
 * Geometry: blocks of 16x12 threads, one pixel each; 192x32 blocks for 3072x384, a quarter of the
 *   SDK's 3072x1536: blocks do the same everywhere, and 15 SMs of 7 have 58 rounds of them.
 *   --rows 2 makes blocks of one warp, as the paper does to compare with (section 6.3).
 * Memory: the image is a 2D texture over an array, 17 fetches a pixel and pass, clamped at the
 *   borders; the kernel's 17 weights lie in constant memory. Rows write to linear memory, which is
 *   copied to the array that columns read.
 * Input: uniform numbers from 0 to 16; random weights of sum one.
 * Check: the same separable convolution in double precision.
 */
#include "../common/workload.h"
#include <algorithm>

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, BX = 16 };

__constant__ float weight[TAPS];

__global__ void rows(float *out, int width, int height, cudaTextureObject_t image)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float fx = x + 0.5f, fy = y + 0.5f, sum = 0;
#pragma unroll
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += tex2D<float>(image, fx + k, fy) * weight[RADIUS - k];
	out[y * width + x] = sum;
}

__global__ void columns(float *out, int width, int height, cudaTextureObject_t image)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float fx = x + 0.5f, fy = y + 0.5f, sum = 0;
#pragma unroll
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += tex2D<float>(image, fx, fy + k) * weight[RADIUS - k];
	out[y * width + x] = sum;
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
	cudaResourceDesc from = {};
	from.resType = cudaResourceTypeArray;
	from.res.array.array = array;
	cudaTextureDesc how = {};
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = cudaFilterModePoint;
	how.readMode = cudaReadModeElementType;
	cudaTextureObject_t t;
	CUDA(cudaCreateTextureObject(&t, &from, &how, NULL));
	return t;
}

/* One pass in direction (dx, dy), the image clamped at its borders. */
static std::vector<double> convolve(const std::vector<double> &in, int width, int height,
                                    const float *weights, int dx, int dy)
{
	std::vector<double> out(in.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			for (int i = 0; i < TAPS; i++) {
				int sx = std::min(std::max(x + dx * (RADIUS - i), 0), width - 1);
				int sy = std::min(std::max(y + dy * (RADIUS - i), 0), height - 1);
				out[(size_t)y * width + x] +=
				        in[(size_t)sy * width + sx] * weights[i];
			}
	return out;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("CT", argc, argv);
	int by = (int)workload_number(&w, "--rows", 12, 1, 64);
	workload_options_end(&w);
	int width = workload_pick(&w, 200, 768, 3072), height = workload_pick(&w, 100, 384, 384);
	size_t n = (size_t)width * height, pitch = width * sizeof(float);
	std::vector<float> image(n), got(n);
	float weights[TAPS], sum = 0;
	for (float &x : image)
		x = rng_range(&w.rng, 0, 16);
	for (float &x : weights)
		sum += x = rng_range(&w.rng, 0, 1);
	for (float &x : weights)
		x /= sum;
	CUDA(cudaMemcpyToSymbol(weight, weights, sizeof weights));
	cudaChannelFormatDesc one_float = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	CUDA(cudaMallocArray(&array, &one_float, width, height));
	CUDA(cudaMemcpy2DToArray(array, 0, 0, image.data(), pitch, pitch, height,
	                         cudaMemcpyHostToDevice));
	cudaTextureObject_t texture = texture_of(array);
	float *out = on_device<float>(n);
	dim3 blocks((width + BX - 1) / BX, (height + by - 1) / by), threads(BX, by);

	std::vector<double> want(image.begin(), image.end());
	rows<<<blocks, threads>>>(out, width, height, texture);
	CUDA_LAUNCHED();
	want = convolve(want, width, height, weights, 1, 0);
	from_device(got, out);
	check_near(&w, "after rows", got, want, 1e-6, 16);

	CUDA(cudaMemcpy2DToArray(array, 0, 0, out, pitch, pitch, height, cudaMemcpyDeviceToDevice));
	columns<<<blocks, threads>>>(out, width, height, texture);
	CUDA_LAUNCHED();
	want = convolve(want, width, height, weights, 0, 1);
	from_device(got, out);
	check_near(&w, "after columns", got, want, 1e-6, 16);
	CUDA(cudaDestroyTextureObject(texture));
	CUDA(cudaFreeArray(array));
	return workload_finish(&w);
}
