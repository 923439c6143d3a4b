// Both interfaces in one program: the runtime's first use of the device is what cuInit() does, streams wait
// for values in memory by the driver's names.
// options: -lcuda
#include "check.h"
#include <cuda.h>

static void values(CUstream s, CUdeviceptr p)
{
	unsigned seen[3] = {};
	OK(cuMemsetD32(p, 0, 4));
	OK(cuStreamWriteValue32(s, p, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
	OK(cuStreamWaitValue32(s, p, 5, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamWaitValue32(s, p, 3, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuStreamWaitValue32(s, p, 4, CU_STREAM_WAIT_VALUE_AND));
	OK(cuStreamWriteValue32(s, p + 4, 7, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
	OK(cuMemcpyDtoHAsync(seen, p, sizeof seen, s));
	OK(cuStreamSynchronize(s));
	CHECK(seen[0] == 5 && seen[1] == 7 && seen[2] == 0);
}

int main()
{
	int n = -1, major = -1;
	CUdevice dev;
	CUstream s;
	void *p;
	CHECK(cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED);
	OK(cudaGetDeviceCount(&n));
	CHECK(n == 1);
	OK(cuDeviceGet(&dev, 0));
	OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev));
	CHECK(major > 0);
	OK(cudaMalloc(&p, 16));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	values(s, (CUdeviceptr)p);
	OK(cuStreamDestroy(s));
	OK(cudaDeviceReset());
	OK(cuDeviceGetCount(&n)); /* the driver stays initialised */
	DONE();
}
