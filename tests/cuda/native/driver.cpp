// Loads a cubin with the driver API and runs its kernel: saxpy of fermi.sass.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

static void must(CUresult r, int line)
{
	if (r != CUDA_SUCCESS) {
		printf("line %d: %d\n", line, (int)r);
		exit(1);
	}
}
#define MUST(x) must(x, __LINE__)

int main(int, char **argv)
{
	enum { N = 100 };
	float x[N], y[N], s[4] = {1, 2, 3, 4};
	CUdevice dev;
	CUcontext ctx;
	CUmodule m;
	CUfunction f;
	CUdeviceptr a, b, c, hits;
	size_t bytes;
	int n = N, count = -1;
	MUST(cuInit(0));
	MUST(cuDeviceGet(&dev, 0));
	MUST(cuCtxCreate(&ctx, 0, dev));
	MUST(cuModuleLoad(&m, argv[1]));
	MUST(cuModuleGetFunction(&f, m, "saxpy"));
	MUST(cuModuleGetGlobal(&c, &bytes, m, "scale"));
	if (bytes != sizeof s)
		return printf("scale has %zu bytes\n", bytes), 1;
	MUST(cuMemcpyHtoD(c, s, sizeof s));
	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	MUST(cuMemAlloc(&a, sizeof x));
	MUST(cuMemAlloc(&b, sizeof y));
	MUST(cuMemcpyHtoD(a, x, sizeof x));
	void *args[] = {&a, &b, &n};
	MUST(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	MUST(cuMemcpyDtoH(y, b, sizeof y));
	for (int i = 0; i < N; i++)
		if (y[i] != x[i] * s[i % 4] + 1.0f)
			return printf("b[%d] = %g\n", i, y[i]), 1;
	MUST(cuModuleGetGlobal(&hits, &bytes, m, "hits"));
	MUST(cuMemcpyDtoH(&count, hits, sizeof count));
	if (count != N)
		return printf("hits %d\n", count), 1;
	printf("passed\n");
	return 0;
}
