// long
// options: -rdc=true
/* The device's part of the runtime: queries in a kernel return what they return on the host; copies
 * and frees take effect after earlier launches of the kernel. */
#include "check.h"
#include <new>

template <class T> __device__ void put(T *to, T x) { new (to) T(x); }
template <class T> __global__ void fill(T *to, T x)
{
	__shared__ T s[200];
	s[threadIdx.x] = x;
	__syncthreads();
	put(to + threadIdx.x, s[0]);
}
template <class T> struct launcher {
	static __host__ __device__ void go(T *to, T x) { fill<T><<<1, 4>>>(to, x); }
};

struct facts {
	int sms, warp, version, blocks, blocks_flags, bad;
	cudaFuncAttributes a;
};
__host__ __device__ void ask(facts *f)
{
	cudaDeviceGetAttribute(&f->sms, cudaDevAttrMultiProcessorCount, 0);
	cudaDeviceGetAttribute(&f->warp, cudaDevAttrWarpSize, 0);
	f->bad = cudaDeviceGetAttribute(&f->bad, (cudaDeviceAttr)9999, 0) == cudaErrorInvalidValue;
	cudaRuntimeGetVersion(&f->version);
	cudaFuncGetAttributes(&f->a, fill<int>);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&f->blocks, fill<int>, 128, 1024);
	cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&f->blocks_flags, fill<int>, 64, 0, 0);
}

__global__ void parent(facts *f, int *to)
{
	ask(f);
	launcher<int>::go(to, 5);
	cudaMemsetAsync(to, 0, 2 * sizeof(int)); /* 0 0 5 5 */
	launcher<int>::go(to + 4, 6);
	cudaMemcpyAsync(to + 8, to + 4, 4 * sizeof(int), cudaMemcpyDeviceToDevice);
	int *mine = (int *)malloc(4 * sizeof(int));
	launcher<int>::go(mine, 7);
	free(mine); /* takes effect after the launch above */
	cudaMemset2DAsync(to + 12, 8, 1, 4, 2, 0);
	cudaMemcpy2DAsync(to + 16, 4, to + 12, 8, 4, 2, cudaMemcpyDeviceToDevice, 0);
	cudaDeviceSynchronize();
}

int main()
{
	facts *f, h = {};
	int *to;
	cudaMallocManaged(&f, sizeof *f);
	cudaMallocManaged(&to, 32 * sizeof *to);
	ask(&h);
	parent<<<1, 1>>>(f, to);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	CHECK(h.sms > 0 && f->sms == h.sms && f->warp == 32 && h.bad && f->bad && f->version == h.version);
	CHECK(h.blocks > 0 && f->blocks == h.blocks && f->blocks_flags == h.blocks_flags && h.blocks_flags > h.blocks);
	CHECK(h.a.sharedSizeBytes == 800 && f->a.sharedSizeBytes == 800 && f->a.numRegs == h.a.numRegs);
	CHECK(f->a.maxThreadsPerBlock == h.a.maxThreadsPerBlock && f->a.ptxVersion == h.a.ptxVersion);
	CHECK(f->a.binaryVersion == h.a.binaryVersion && f->a.localSizeBytes == h.a.localSizeBytes);
	CHECK(f->a.maxDynamicSharedSizeBytes == h.a.maxDynamicSharedSizeBytes && f->a.constSizeBytes == h.a.constSizeBytes);
	CHECK(!to[0] && !to[1] && to[2] == 5 && to[3] == 5 && to[4] == 6 && to[8] == 6 && to[11] == 6);
	CHECK(to[12] == 0x01010101 && to[14] == 0x01010101 && to[16] == 0x01010101 && to[17] == 0x01010101);
	return failures != 0;
}
