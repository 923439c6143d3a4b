/* The demonstration's program: plain CUDA C, as it would be compiled by nvcc. It draws the Mandelbrot set
 * in the terminal and into a PGM file. Neighbouring threads leave the loop after very different numbers of
 * steps, so warps diverge along the border of the set.
 *
 *   heddle cc demo/zoom.cu -o zoom && ./zoom [WIDTH HEIGHT FILE.pgm]                                  */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t e = (call);                                                            \
		if (e != cudaSuccess) {                                                            \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                 \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

__global__ void mandelbrot(unsigned char *out, int width, int height, float left, float top, float dx, float dy,
                           int limit)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= width || j >= height)
		return;
	float cx = left + i * dx, cy = top + j * dy, x = 0, y = 0;
	int n = 0;
	while (n < limit && x * x + y * y < 4.0f) {
		float t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	out[j * width + i] = n == limit ? 0 : 255 - 7 * n % 256;
}

static int draw(std::vector<unsigned char> &image, int width, int height)
{
	unsigned char *d;
	dim3 block(32, 4), grid((width + 31) / 32, (height + 3) / 4);
	image.resize((size_t)width * height);
	CHECK(cudaMalloc(&d, image.size()));
	mandelbrot<<<grid, block>>>(d, width, height, -2.25f, -1.2f, 3.2f / width, 2.4f / height, 300);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(image.data(), d, image.size(), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(d));
	return 0;
}

int main(int argc, char **argv)
{
	std::vector<unsigned char> image;
	cudaDeviceProp prop;
	CHECK(cudaGetDeviceProperties(&prop, 0));
	printf("%s, compute capability %d.%d, %d SMs\n", prop.name, prop.major, prop.minor, prop.multiProcessorCount);
	if (argc < 4) {
		const int width = 76, height = 30;
		if (draw(image, width, height))
			return 1;
		for (int j = 0; j < height; j++) {
			for (int i = 0; i < width; i++) {
				int v = image[(size_t)j * width + i];
				putchar(v == 0 ? '@' : " .-=+*#%"[(255 - v) / 7 > 15 ? 7 : (255 - v) / 14]);
			}
			putchar('\n');
		}
		return 0;
	}
	int width = atoi(argv[1]), height = atoi(argv[2]);
	if (width < 1 || height < 1 || draw(image, width, height))
		return 1;
	FILE *f = fopen(argv[3], "wb");
	if (!f || fprintf(f, "P5 %d %d 255\n", width, height) < 0 || fwrite(image.data(), 1, image.size(), f) != image.size() ||
	    fclose(f)) {
		perror(argv[3]);
		return 1;
	}
	return 0;
}
