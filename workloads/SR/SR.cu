/*
 * SR: speckle-reducing anisotropic diffusion (SRAD) of an ultrasound image.
 *
 * Used by: warpman (Table 2: 16 warps, 4 KB of shared memory, 2560 registers a block).
 * Geometry: blocks of 512 threads, one thread a pixel: 450 blocks for 502x458. An iteration takes
 *   the mean and variance of the image with `prepare` and two launches of `reduce` (450 blocks,
 *   then 1), derivatives and the diffusion coefficient with `coefficients`, and the step with
 *   `diffuse`; `extract` and `compress` go from grey values to their exponentials and back.
 * Memory: reduce has two arrays of 512 floats in shared memory, 4 KB; the image's four neighbour
 *   tables are index arrays in global memory.
 * Input: synthetic: bright ellipses on a darker ground with multiplicative speckle, 502x458, lambda
 *   0.5, 100 iterations as in the Rodinia suite.
 * Check: the same diffusion in double precision on the CPU.
 */
#include "../common/workload.h"
#include <algorithm>

enum { THREADS = 512 };
#define LAMBDA 0.5f

__global__ void extract(float *image, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < n)
		image[i] = expf(image[i] / 255);
}

__global__ void prepare(const float *image, float *sums, float *squares, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < n) {
		sums[i] = image[i];
		squares[i] = image[i] * image[i];
	}
}

/*
 * Adds up the n elements that lie `stride` apart, a block's THREADS of them into the first; the
 * next launch has a stride THREADS times as large. The last block may be partial.
 */
__global__ void reduce(float *sums, float *squares, int n, int stride)
{
	__shared__ float s[THREADS], q[THREADS];
	int t = threadIdx.x, i = blockIdx.x * THREADS + t;
	bool in = i < n;
	s[t] = in ? sums[i * stride] : 0;
	q[t] = in ? squares[i * stride] : 0;
	__syncthreads();
	for (int d = 1; d < THREADS; d *= 2) {
		if (t % (2 * d) == 0) {
			s[t] += s[t + d];
			q[t] += q[t + d];
		}
		__syncthreads();
	}
	if (t == 0) {
		sums[i * stride] = s[0];
		squares[i * stride] = q[0];
	}
}

struct neighbours {
	const int *north, *south, *west, *east; /* row above and below, column left and right */
};

struct derivatives {
	float *north, *south, *west, *east, *c;
};

__global__ void coefficients(struct derivatives d, struct neighbours nb, const float *image,
                             int rows, int n, float q0)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= n)
		return;
	int row = i % rows, col = i / rows;          /* the image is stored by columns */
	float j = image[i];
	float dn = image[nb.north[row] + rows * col] - j,
	      ds = image[nb.south[row] + rows * col] - j;
	float dw = image[row + rows * nb.west[col]] - j, de = image[row + rows * nb.east[col]] - j;
	float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j);
	float l = (dn + ds + dw + de) / j;
	float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
	float den = 1 + 0.25f * l;
	float q = num / (den * den);
	float c = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
	if (c < 0)
		c = 0;
	else if (c > 1)
		c = 1;
	d.north[i] = dn;
	d.south[i] = ds;
	d.west[i] = dw;
	d.east[i] = de;
	d.c[i] = c;
}

__global__ void diffuse(float *image, struct derivatives d, struct neighbours nb, int rows, int n,
                        float lambda)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= n)
		return;
	int row = i % rows, col = i / rows;
	float c = d.c[i], cs = d.c[nb.south[row] + rows * col], ce = d.c[row + rows * nb.east[col]];
	float div = c * d.north[i] + cs * d.south[i] + c * d.west[i] + ce * d.east[i];
	image[i] += 0.25f * lambda * div;
}

__global__ void compress(float *image, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < n)
		image[i] = logf(image[i]) * 255;
}

static std::vector<float> ultrasound(struct workload *w, int rows, int cols)
{
	float e[6][5];
	for (auto &x : e) {
		x[0] = rng_range(&w->rng, 0, (float)rows);
		x[1] = rng_range(&w->rng, 0, (float)cols);
		x[2] = rng_range(&w->rng, 0.05f, 0.3f) * rows;
		x[3] = rng_range(&w->rng, 0.05f, 0.3f) * cols;
		x[4] = rng_range(&w->rng, 20, 90);
	}
	std::vector<float> v((size_t)rows * cols);
	for (int c = 0; c < cols; c++) {
		for (int r = 0; r < rows; r++) {
			float grey = 60;
			for (auto &x : e) {
				float dr = (r - x[0]) / x[2], dc = (c - x[1]) / x[3];
				if (dr * dr + dc * dc < 1)
					grey += x[4];
			}
			grey *= 1 + 0.2f * rng_normal(&w->rng);
			v[(size_t)c * rows + r] = fminf(fmaxf(floorf(grey), 0), 255);
		}
	}
	return v;
}

static std::vector<double> reference(const std::vector<float> &grey, int rows, int cols,
                                     int iterations)
{
	size_t n = grey.size();
	std::vector<double> j(n), c(n), next;
	for (size_t i = 0; i < n; i++)
		j[i] = exp(grey[i] / 255.0);
	auto at = [=](int r, int k) {
		r = std::min(std::max(r, 0), rows - 1);
		k = std::min(std::max(k, 0), cols - 1);
		return (size_t)k * rows + r;
	};
	for (int it = 0; it < iterations; it++) {
		double sum = 0, squares = 0;
		for (double x : j) {
			sum += x;
			squares += x * x;
		}
		double mean = sum / n, q0 = (squares / n - mean * mean) / (mean * mean);
		for (int k = 0; k < cols; k++) {
			for (int r = 0; r < rows; r++) {
				double x = j[at(r, k)], g2 = 0, l = 0;
				for (size_t o :
				     {at(r - 1, k), at(r + 1, k), at(r, k - 1), at(r, k + 1)}) {
					g2 += (j[o] - x) * (j[o] - x) / (x * x);
					l += (j[o] - x) / x;
				}
				double q = (g2 / 2 - l * l / 16) / ((1 + l / 4) * (1 + l / 4));
				double v = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
				c[at(r, k)] = v < 0 ? 0 : v > 1 ? 1 : v;
			}
		}
		next = j;
		for (int k = 0; k < cols; k++) {
			for (int r = 0; r < rows; r++) {
				double x = j[at(r, k)], mine = c[at(r, k)];
				double div = mine * (j[at(r - 1, k)] - x) +
				             mine * (j[at(r, k - 1)] - x) +
				             c[at(r + 1, k)] * (j[at(r + 1, k)] - x) +
				             c[at(r, k + 1)] * (j[at(r, k + 1)] - x);
				next[at(r, k)] = x + (double)LAMBDA / 4 * div;
			}
		}
		j.swap(next);
	}
	for (double &x : j)
		x = log(x) * 255;
	return j;
}

static struct neighbours neighbours_of(int rows, int cols)
{
	std::vector<int> north(rows), south(rows), west(cols), east(cols);
	for (int r = 0; r < rows; r++) {
		north[r] = std::max(r - 1, 0);
		south[r] = std::min(r + 1, rows - 1);
	}
	for (int k = 0; k < cols; k++) {
		west[k] = std::max(k - 1, 0);
		east[k] = std::min(k + 1, cols - 1);
	}
	return {to_device(north), to_device(south), to_device(west), to_device(east)};
}

/* Mean and variance give q0, the speckle of the whole image. */
static float speckle(const float *image, float *sums, float *squares, int n)
{
	prepare<<<(n + THREADS - 1) / THREADS, THREADS>>>(image, sums, squares, n);
	for (int left = n, stride = 1; left > 1; stride *= THREADS) {
		int blocks = (left + THREADS - 1) / THREADS;
		reduce<<<blocks, THREADS>>>(sums, squares, left, stride);
		left = blocks;
	}
	float sum, square;
	CUDA(cudaMemcpy(&sum, sums, sizeof sum, cudaMemcpyDeviceToHost));
	CUDA(cudaMemcpy(&square, squares, sizeof square, cudaMemcpyDeviceToHost));
	float mean = sum / n, variance = square / n - mean * mean;
	return variance / (mean * mean);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("SR", argc, argv);
	workload_options_end(&w);
	int rows = workload_pick(&w, 70, 502, 502), cols = workload_pick(&w, 50, 458, 458),
	    n = rows * cols;
	int iterations = workload_pick(&w, 3, 4, 100), blocks = (n + THREADS - 1) / THREADS;
	std::vector<float> image = ultrasound(&w, rows, cols);
	std::vector<double> want = reference(image, rows, cols, iterations);
	float *dimage = to_device(image), *sums = on_device<float>(n),
	      *squares = on_device<float>(n);
	struct neighbours nb = neighbours_of(rows, cols);
	struct derivatives d = {on_device<float>(n), on_device<float>(n), on_device<float>(n),
	                        on_device<float>(n), on_device<float>(n)};
	extract<<<blocks, THREADS>>>(dimage, n);
	for (int i = 0; i < iterations; i++) {
		float q0 = speckle(dimage, sums, squares, n);
		coefficients<<<blocks, THREADS>>>(d, nb, dimage, rows, n, q0);
		diffuse<<<blocks, THREADS>>>(dimage, d, nb, rows, n, LAMBDA);
	}
	compress<<<blocks, THREADS>>>(dimage, n);
	CUDA_LAUNCHED();
	from_device(image, dimage);
	check_near(&w, "grey", image, want, 2e-5, 100);
	return workload_finish(&w);
}
