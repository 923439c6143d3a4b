// Kernels of many kinds, one launch each, for comparing cycles with other simulators: see
// docs/evidence/gpgpu-sim.md and tests/cuda/kinds.sh. `kinds` runs all, `kinds NAME` one. Their
// results are not examined; other tests check correctness.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 1 << 18, WIDTH = 512 };

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// ---- streams ----

__global__ void saxpy(float *y, const float *x, float a)
{
	int i = INDEX;
	y[i] = a * x[i] + y[i];
}

__global__ void fill(float *y)
{
	int i = INDEX;
	y[i] = 1.0f;
}

__global__ void copy4(float4 *y, const float4 *x)
{
	int i = INDEX;
	y[i] = x[i];
}

__global__ void bytes(unsigned char *y, const unsigned char *x)
{
	int i = INDEX;
	y[i] = x[i] / 3 + 7;
}

__global__ void stride(float *y, const float *x, int step)
{
	int i = INDEX;
	y[i] = x[(i * step) & (N - 1)];
}

__global__ void gather(float *y, const float *x, const int *index)
{
	int i = INDEX;
	y[i] = x[index[i]];
}

__global__ void scatter(float *y, const float *x, const int *index)
{
	int i = INDEX;
	y[index[i]] = x[i];
}

// ---- images ----

__global__ void transpose(float *y, const float *x)
{
	int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
	y[c * WIDTH + r] = x[r * WIDTH + c];
}

__global__ void transpose_tile(float *y, const float *x)
{
	__shared__ float t[16][17];
	int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
	t[threadIdx.y][threadIdx.x] = x[r * WIDTH + c];
	__syncthreads();
	r = blockIdx.x * 16 + threadIdx.y;
	c = blockIdx.y * 16 + threadIdx.x;
	y[r * WIDTH + c] = t[threadIdx.x][threadIdx.y];
}

__global__ void stencil(float *y, const float *x)
{
	int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x, i = r * WIDTH + c;
	if (r > 0 && c > 0 && r < WIDTH - 1 && c < WIDTH - 1)
		y[i] = 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - WIDTH] + x[i + WIDTH]);
}

__global__ void stencil_tile(float *y, const float *x)
{
	__shared__ float t[18][18];
	int tr = threadIdx.y + 1, tc = threadIdx.x + 1;
	int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x, i = r * WIDTH + c;
	t[tr][tc] = x[i];
	if (threadIdx.x == 0 && c > 0)
		t[tr][0] = x[i - 1];
	if (threadIdx.x == 15 && c < WIDTH - 1)
		t[tr][17] = x[i + 1];
	if (threadIdx.y == 0 && r > 0)
		t[0][tc] = x[i - WIDTH];
	if (threadIdx.y == 15 && r < WIDTH - 1)
		t[17][tc] = x[i + WIDTH];
	__syncthreads();
	if (r > 0 && c > 0 && r < WIDTH - 1 && c < WIDTH - 1)
		y[i] = 0.2f * (t[tr][tc] + t[tr][tc - 1] + t[tr][tc + 1] + t[tr - 1][tc] + t[tr + 1][tc]);
}

// ---- blocks that work together ----

__global__ void reduce(float *y, const float *x)
{
	__shared__ float s[256];
	int t = threadIdx.x;
	s[t] = x[blockIdx.x * 512 + t] + x[blockIdx.x * 512 + t + 256];
	__syncthreads();
	for (int d = 128; d; d >>= 1) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (!t)
		y[blockIdx.x] = s[0];
}

__global__ void scan(float *y, const float *x)
{
	__shared__ float s[2][256];
	int t = threadIdx.x, p = 0;
	s[0][t] = x[blockIdx.x * 256 + t];
	__syncthreads();
	for (int d = 1; d < 256; d <<= 1) {
		s[1 - p][t] = t >= d ? s[p][t] + s[p][t - d] : s[p][t];
		p = 1 - p;
		__syncthreads();
	}
	y[blockIdx.x * 256 + t] = s[p][t];
}

__global__ void bitonic(unsigned *y)
{
	__shared__ unsigned s[256];
	int t = threadIdx.x;
	s[t] = y[blockIdx.x * 256 + t];
	__syncthreads();
	for (int k = 2; k <= 256; k <<= 1)
		for (int j = k >> 1; j; j >>= 1) {
			int o = t ^ j;
			if (o > t) {
				unsigned a = s[t], b = s[o];
				if ((a > b) == ((t & k) == 0)) {
					s[t] = b;
					s[o] = a;
				}
			}
			__syncthreads();
		}
	y[blockIdx.x * 256 + t] = s[t];
}

__global__ void barriers(int *y)
{
	__shared__ int s[256];
	int t = threadIdx.x;
	s[t] = t;
	for (int k = 0; k < 32; k++) {
		__syncthreads();
		int v = s[(t + 1) & 255];
		__syncthreads();
		s[t] = v + 1;
	}
	y[blockIdx.x * 256 + t] = s[t];
}

__global__ void banks(float *y, int step)
{
	__shared__ float s[2048];
	int t = threadIdx.x;
	for (int k = 0; k < 2048; k += 256)
		s[t + k] = t;
	__syncthreads();
	float a = 0;
	for (int k = 0; k < 32; k++)
		a += s[(t * step + k) & 2047];
	y[blockIdx.x * 256 + t] = a;
}

__global__ void big_tile(float *y, const float *x)
{
	__shared__ float s[8192];
	int t = threadIdx.x;
	for (int k = t; k < 8192; k += 256)
		s[k] = x[(blockIdx.x * 8192 + k) & (N - 1)];
	__syncthreads();
	float a = 0;
	for (int k = 0; k < 64; k++)
		a += s[(t * 7 + k * 129) & 8191];
	y[blockIdx.x * 256 + t] = a;
}

__global__ void nbody(float4 *y, const float4 *p, int n)
{
	__shared__ float4 s[128];
	int i = blockIdx.x * 128 + threadIdx.x;
	float4 a = p[i];
	float ax = 0, ay = 0, az = 0;
	for (int b = 0; b < n; b += 128) {
		s[threadIdx.x] = p[b + threadIdx.x];
		__syncthreads();
#pragma unroll 4
		for (int k = 0; k < 128; k++) {
			float dx = s[k].x - a.x, dy = s[k].y - a.y, dz = s[k].z - a.z;
			float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
			float f = s[k].w * r * r * r;
			ax += dx * f;
			ay += dy * f;
			az += dz * f;
		}
		__syncthreads();
	}
	y[i] = make_float4(ax, ay, az, 0);
}

// ---- atomics and fences ----

__global__ void histogram_tile(unsigned *h, const unsigned *x)
{
	__shared__ unsigned s[64];
	int t = threadIdx.x;
	if (t < 64)
		s[t] = 0;
	__syncthreads();
	for (int k = 0; k < 4; k++)
		atomicAdd(&s[x[(blockIdx.x * 4 + k) * 256 + t] & 63], 1);
	__syncthreads();
	if (t < 64)
		atomicAdd(&h[t], s[t]);
}

__global__ void histogram(unsigned *h, const unsigned *x)
{
	int i = INDEX;
	atomicAdd(&h[x[i] & 1023], 1);
}

__global__ void fence(int *y, const int *x)
{
	int i = INDEX;
	y[i] = x[i];
	__threadfence();
	y[i + N] = x[i] + 1;
}

// ---- arithmetic ----

__global__ void special(float *y, const float *x)
{
	int i = INDEX;
	float v = x[i];
	for (int k = 0; k < 16; k++)
		v = __sinf(v) + __expf(-v * v) * rsqrtf(v * v + 1.0f);
	y[i] = v;
}

__global__ void divide(float *y, const float *x)
{
	int i = INDEX;
	float v = x[i] + 1.0f;
	for (int k = 0; k < 16; k++)
		v = 1.0f + __fdividef(v, v + 3.0f);
	y[i] = v;
}

__global__ void doubles(double *y, const double *x, double a)
{
	int i = INDEX;
	double v = x[i];
	for (int k = 0; k < 16; k++)
		v = v * a + y[i & 1023];
	y[i] = v;
}

__global__ void remainder(int *y, const int *x)
{
	int i = INDEX;
	int v = x[i] + 100000;
	for (int k = 0; k < 8; k++)
		v = v / ((k & 3) + 3) + v % 7 + 1000;
	y[i] = v;
}

__global__ void multiply(int *y, const int *x)
{
	int i = INDEX;
	int v = x[i];
	for (int k = 0; k < 32; k++)
		v = v * 1664525 + 1013904223;
	y[i] = v;
}

__global__ void longs(long long *y, const long long *x)
{
	int i = INDEX;
	long long v = x[i];
	for (int k = 0; k < 16; k++)
		v = v * 6364136223846793005ll + (v >> 7);
	y[i] = v;
}

__global__ void dice(float *y)
{
	int i = INDEX;
	unsigned s = i * 747796405u + 2891336453u;
	int in = 0;
	for (int k = 0; k < 32; k++) {
		s = s * 1664525u + 1013904223u;
		float a = (s >> 8) * (1.0f / 16777216.0f);
		s = s * 1664525u + 1013904223u;
		float b = (s >> 8) * (1.0f / 16777216.0f);
		if (a * a + b * b < 1.0f)
			in++;
	}
	y[i] = in;
}

__global__ void nest(int *y, const int *x)
{
	int i = INDEX;
	int v = x[i], n = v & 15, s = 0;
	for (int k = 0; k < n; k++) {
		if ((v >> k) & 1) {
			if (k & 1)
				s += v * k;
			else
				s -= v;
		} else if (s & 1) {
			s ^= v;
		} else {
			s += 3;
		}
	}
	y[i] = s;
}

// ---- constants, local memory, caches ----

__constant__ float table[1024];

__global__ void convolve(float *y, const float *x)
{
	int i = INDEX;
	float s = 0;
	for (int k = 0; k < 17; k++)
		s += table[k] * x[(i + k) & (N - 1)];
	y[i] = s;
}

__global__ void look_up(float *y, const int *index)
{
	int i = INDEX;
	float s = 0;
	for (int k = 0; k < 8; k++)
		s += table[(index[i] + k * 37) & 1023];
	y[i] = s;
}

__global__ void local_array(float *y, const float *x, const int *index)
{
	int i = INDEX;
	float a[16];
	for (int k = 0; k < 16; k++)
		a[k] = x[(i + k * 256) & (N - 1)];
	float s = 0;
	for (int k = 0; k < 16; k++)
		s += a[(index[i] + k) & 15] * k;
	y[i] = s;
}

__global__ void in_l1(float *y, const float *x)
{
	int i = threadIdx.x;
	float s = 0;
	for (int k = 0; k < 64; k++)
		s += x[(i + k * 32) & 1023];
	y[INDEX] = s;
}

__global__ void in_l2(float *y, const float *x)
{
	int i = INDEX;
	float s = 0;
	for (int k = 0; k < 16; k++)
		s += x[(i * 1 + k * 8192) & 65535];
	y[i] = s;
}

// ---- matrices and graphs ----

__global__ void columns(float *y, const float *a, const float *x)
{
	int r = INDEX;
	float s = 0;
	for (int k = 0; k < 128; k++)
		s += a[k * 4096 + r] * x[k];
	y[r] = s;
}

__global__ void rows(float *y, const float *a, const float *x)
{
	int r = INDEX;
	float s = 0;
	for (int k = 0; k < 64; k++)
		s += a[r * 64 + k] * x[k];
	y[r] = s;
}

__global__ void sparse(float *y, const float *v, const int *column, const int *row, const float *x)
{
	int r = INDEX;
	float s = 0;
	for (int k = row[r]; k < row[r + 1]; k++)
		s += v[k] * x[column[k]];
	y[r] = s;
}

__global__ void expand(int *level, const int *row, const int *column, int depth, int n)
{
	int i = INDEX;
	if (i < n && level[i] == depth)
		for (int k = row[i]; k < row[i + 1]; k++)
			if (level[column[k]] < 0)
				level[column[k]] = depth + 1;
}

// ---- launches ----

static const char *wanted;

static void end(const char *name)
{
	cudaError_t e = cudaDeviceSynchronize();
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(e));
	exit(1);
}

#define RUN(kernel, grid, block, ...)                                                              \
	if (!wanted || !strcmp(wanted, #kernel)) {                                                 \
		kernel<<<grid, block>>>(__VA_ARGS__);                                              \
		end(#kernel);                                                                      \
	}

static char *host;
static const size_t BYTES = N * 16 + 4096;

template <typename T> static T *device(size_t bytes)
{
	void *p = NULL;
	cudaMalloc(&p, bytes);
	cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice);
	return (T *)p;
}

int main(int argc, char **argv)
{
	wanted = argc > 1 ? argv[1] : NULL;
	host = (char *)malloc(BYTES);
	unsigned *word = (unsigned *)host, seed = 1;
	for (size_t i = 0; i < BYTES / 4; i++)
		((float *)host)[i] = (i % 1000) * 0.001f;
	float *y = device<float>(BYTES);
	const float *x = device<float>(BYTES);
	for (size_t i = 0; i < BYTES / 4; i++) {
		seed = seed * 1664525u + 1013904223u;
		word[i] = (seed >> 9) & (N - 1);
	}
	int *index = device<int>(BYTES);
	cudaMemcpyToSymbol(table, host, sizeof table);
	for (int i = 0; i <= N; i++)
		word[i] = i * 8 - (i % 3);
	int *row = device<int>((N + 1) * 4);
	for (int i = 0; i < N; i++)
		word[i] = i % 5 ? -1 : 3;
	int *level = device<int>(N * 4);

	dim3 tiles(32, 32), tile(16, 16);
	int all = N / 256;
	RUN(saxpy, all, 256, y, x, 2.0f)
	RUN(fill, all, 256, y)
	RUN(copy4, all / 4, 256, (float4 *)y, (const float4 *)x)
	RUN(bytes, all, 256, (unsigned char *)y, (const unsigned char *)x)
	RUN(stride, all / 4, 256, y, x, 8)
	RUN(gather, all / 4, 256, y, x, index)
	RUN(scatter, all / 4, 256, y, x, index)
	RUN(transpose, tiles, tile, y, x)
	RUN(transpose_tile, tiles, tile, y, x)
	RUN(stencil, tiles, tile, y, x)
	RUN(stencil_tile, tiles, tile, y, x)
	RUN(reduce, N / 512, 256, y, x)
	RUN(scan, all / 2, 256, y, x)
	RUN(histogram_tile, 64, 256, (unsigned *)y, (const unsigned *)index)
	RUN(histogram, 64, 256, (unsigned *)y, (const unsigned *)index)
	RUN(special, 128, 256, y, x)
	RUN(divide, 128, 256, y, x)
	RUN(doubles, 128, 256, (double *)y, (const double *)x, 1.5)
	RUN(remainder, 128, 256, (int *)y, index)
	RUN(multiply, 256, 256, (int *)y, index)
	RUN(longs, 128, 256, (long long *)y, (const long long *)x)
	RUN(convolve, 256, 256, y, x)
	RUN(look_up, 128, 256, y, index)
	RUN(nest, 256, 256, (int *)y, index)
	RUN(local_array, 128, 256, y, x, index)
	RUN(nbody, 32, 128, (float4 *)y, (const float4 *)x, 1024)
	RUN(bitonic, 128, 256, (unsigned *)index)
	RUN(sparse, 64, 256, y, x, index, row, x)
	RUN(in_l1, 180, 256, y, x)
	RUN(in_l2, 180, 256, y, x)
	RUN(banks, 90, 256, y, 1)
	RUN(banks, 90, 256, y, 8)
	RUN(barriers, 90, 256, (int *)y)
	RUN(big_tile, 60, 256, y, x)
	RUN(columns, 16, 256, y, x, x)
	RUN(rows, 64, 64, y, x, x)
	RUN(dice, 180, 192, y)
	RUN(expand, 256, 256, level, row, index, 3, 65536)
	RUN(fence, 128, 256, (int *)y, index)
	return 0;
}
