// Launches: shapes, shared memory, arguments, cooperative groups, attributes, occupancy, errors.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

struct big { char tag; double d[5]; short s; };

__global__ void arguments(int *out, char a, short b, double c, big g, float f)
{
	*out = a + b + (int)c + (int)g.d[4] + g.s + g.tag + (int)f;
}
__global__ void where(unsigned *out)
{
	unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	out[b * blockDim.x * blockDim.y * blockDim.z + t] = b * 1000 + t;
}
__global__ void dynamic(int *out, int n)
{
	extern __shared__ int s[];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		s[i] = i;
	__syncthreads();
	if (threadIdx.x == 0) {
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += s[i];
		*out = sum;
	}
}
__global__ void __launch_bounds__(64) bounded(int *out) { *out = 1; }
__global__ void cooperate(int *data, int *out)
{
	cg::grid_group grid = cg::this_grid();
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	data[i] = i;
	grid.sync();
	atomicAdd(out, data[n - 1 - i]);
	grid.sync();
	if (i == 0)
		out[1] = grid.is_valid() ? *out : -1;
}
__global__ void empty() {}
extern "C" __global__ void scaled(int *out, int a, int b) { *out = a * b; }

static void shapes()
{
	unsigned *d, h[2 * 3 * 2 * 64];
	OK(cudaMalloc(&d, sizeof h));
	where<<<dim3(2, 3, 2), dim3(4, 8, 2)>>>(d);
	OK(cudaGetLastError());
	OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	int bad = 0;
	for (int b = 0; b < 12; b++)
		for (int t = 0; t < 64; t++)
			bad += h[b * 64 + t] != (unsigned)(b * 1000 + t);
	IS(bad, 0);
	where<<<0, 32>>>(d);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	where<<<1, 2048>>>(d);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	where<<<1, 0>>>(d);
	IS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
	IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	OK(cudaGetLastError());
	empty<<<1, 1>>>();
	OK(cudaGetLastError());
	OK(cudaFree(d));
}

static int shared_bytes()
{
	int n = 0;
	OK(cudaDeviceGetAttribute(&n, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
	return n;
}

static void shared()
{
	int *d, h;
	OK(cudaMalloc(&d, 4));
	dynamic<<<1, 128, 4000>>>(d, 1000);
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	IS(h, 499500);
	dynamic<<<1, 128, 100000>>>(d, 25000);
	IS(cudaGetLastError(), cudaErrorInvalidValue);
	if (shared_bytes() >= 100000) { /* more shared memory than a block may have without asking
		 * for it */
		OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 99996));
		dynamic<<<1, 128, 100000>>>(d, 25000);
		IS(cudaGetLastError(), cudaErrorInvalidValue);
		OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
		dynamic<<<1, 128, 100000>>>(d, 25000);
		OK(cudaGetLastError());
		OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
		IS(h, 312487500);
	}
	IS(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20), cudaErrorInvalidValue);
	cudaGetLastError();
	bounded<<<1, 128>>>(d);
	CHECK(cudaGetLastError() != cudaSuccess);
	OK(cudaFree(d));
}

static void by_hand()
{
	int *d, h;
	char a = 1;
	short b = 20;
	double c = 300;
	float f = 7e5f;
	big g = {2, {0, 0, 0, 0, 4000}, 50};
	OK(cudaMalloc(&d, 4));
	arguments<<<1, 1>>>(d, a, b, c, g, f);
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	IS(h, 1 + 20 + 300 + 4000 + 50 + 2 + 700000);
	void *args[] = {&d, &a, &b, &c, &g, &f};
	g.s = 60;
	OK(cudaLaunchKernel((void *)arguments, dim3(1), dim3(1), args, 0, 0));
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	IS(h, 1 + 20 + 300 + 4000 + 60 + 2 + 700000);
	IS(cudaLaunchKernel((void *)&h, dim3(1), dim3(1), args, 0, 0), cudaErrorInvalidDeviceFunction);
	cudaGetLastError();
	OK(cudaFree(d));
}

static void grids()
{
	int *d, *out, h[2], blocks, can;
	OK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
	IS(can, 1);
	OK(cudaMalloc(&d, 8 * 64 * 4));
	OK(cudaMalloc(&out, 8));
	OK(cudaMemset(out, 0, 8));
	void *args[] = {&d, &out};
	OK(cudaLaunchCooperativeKernel((void *)cooperate, dim3(8), dim3(64), args, 0, 0));
	OK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost));
	IS(h[0], 511 * 512 / 2);
	IS(h[1], h[0]);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, cooperate, 64, 0));
	CHECK(blocks > 0);
	IS(cudaLaunchCooperativeKernel((void *)cooperate, dim3(1 << 20), dim3(64), args, 0, 0),
	   cudaErrorCooperativeLaunchTooLarge);
	cudaGetLastError();
}

static void attributes()
{
	cudaFuncAttributes a;
	int n, m, grid, block;
	OK(cudaFuncGetAttributes(&a, bounded));
	IS(a.maxThreadsPerBlock, 64);
	OK(cudaFuncGetAttributes(&a, dynamic));
	CHECK(a.numRegs > 0);
	OK(cudaFuncSetCacheConfig(dynamic, cudaFuncCachePreferL1));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic, 128, 0));
	cudaDeviceProp prop;
	OK(cudaGetDeviceProperties(&prop, 0));
	cudaLaunchAttribute pairs;
	pairs.id = cudaLaunchAttributeClusterDimension;
	pairs.val.clusterDim.x = 2;
	pairs.val.clusterDim.y = pairs.val.clusterDim.z = 1;
	cudaLaunchConfig_t config = {};
	config.blockDim = dim3(128);
	config.attrs = &pairs;
	config.numAttrs = 1;
	OK(cudaOccupancyMaxActiveClusters(&m, (const void *)dynamic, &config));
	IS(m, n * prop.multiProcessorCount / 2);
	size_t most = prop.sharedMemPerMultiprocessor / 2 / 1024 * 1024;
	if (most > prop.sharedMemPerBlockOptin)
		most = prop.sharedMemPerBlockOptin;
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&m, dynamic, 128, most - 1024));
	CHECK(n > m && m == 2);
	OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, dynamic, 0, 0));
	CHECK(block > 0 && block <= 1024 && grid > 0);
}

/* Before CUDA 7 a launch was three steps, and a kernel could be named by a string. */
static void by_name()
{
#if CUDART_VERSION < 10010 || defined(__clang__)
	int *d, v = 0;
	OK(cudaMalloc(&d, 4));
	for (int i = 0; i < 2; i++) {
		OK(cudaConfigureCall(dim3(1), dim3(1)));
		OK(cudaSetupArgument(d, 0));
		OK(cudaSetupArgument(6 + i, 8));
		OK(cudaSetupArgument(7, 12));
		OK(i ? cudaLaunch("scaled") : cudaLaunch(scaled));
		OK(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
		IS(v, (6 + i) * 7);
	}
	OK(cudaConfigureCall(dim3(1), dim3(1)));
	IS(cudaLaunch("no such kernel"), cudaErrorInvalidDeviceFunction);
	cudaGetLastError();
	OK(cudaFree(d));
#endif
}

int main()
{
	by_name();
	shapes();
	shared();
	by_hand();
	grids();
	attributes();
	DONE();
}
