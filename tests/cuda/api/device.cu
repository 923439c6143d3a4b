// The device: count, properties, attributes, limits, versions, device output and heap.
#include "check.h"

__global__ void hello(int n) { printf("thread %d of %d\n", threadIdx.x, n); }
__global__ void heap(int *ok)
{
	int *p = (int *)malloc(1000);
	if (p)
		p[249] = 1;
	atomicAdd(ok, p != NULL);
	free(p);
}

int main()
{
	int n, device, value;
	size_t limit;
	OK(cudaGetDeviceCount(&n));
	IS(n, 1);
	OK(cudaSetDevice(0));
	OK(cudaGetDevice(&device));
	IS(device, 0);
	IS(cudaSetDevice(1), cudaErrorInvalidDevice);
	cudaGetLastError();
	cudaDeviceProp p;
	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(p.name[0] && p.major >= 1 && p.multiProcessorCount > 0 && p.totalGlobalMem > 0);
	IS(p.warpSize, 32);
#if CUDART_VERSION < 13000
	CHECK(p.clockRate > 0);
#endif
	CHECK(p.maxThreadsPerBlock >= 512 && p.sharedMemPerBlock >= 16384);
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
	IS(value, p.multiProcessorCount);
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
	IS(value, p.major);
	IS(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
	cudaGetLastError();
	OK(cudaRuntimeGetVersion(&value));
	IS(value, CUDART_VERSION);
	OK(cudaDriverGetVersion(&n));
	CHECK(n >= value);
	OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	IS(limit, 8 << 20);
	OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
	OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
	IS(limit, 32 << 20);
	OK(cudaChooseDevice(&device, &p));
	int can;
	OK(cudaDeviceCanAccessPeer(&can, 0, 0));
	IS(can, 0);
	int *ok;
	OK(cudaMallocManaged(&ok, 4));
	*ok = 0;
	heap<<<2, 32>>>(ok);
	OK(cudaDeviceSynchronize());
	IS(*ok, 64);
	/* a kernel's output appears when the program waits */
	hello<<<1, 2>>>(2);
	printf("before\n");
	OK(cudaDeviceSynchronize());
	printf("after\n");
	DONE();
}
