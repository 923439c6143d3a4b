// cudaDeviceReset frees all memory of the device and all pinned memory; the device can be used
// afterwards.
#include "check.h"
#include <unistd.h>

enum { BYTES = 32 << 20, ROUNDS = 12 };

__global__ void fill(int *p, int n, int v)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] = v;
}

static size_t resident()
{
	size_t all = 0, here = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%zu %zu", &all, &here) != 2)
		here = 0;
	if (f)
		fclose(f);
	return here * sysconf(_SC_PAGESIZE);
}

int main()
{
	size_t before, after, total, start = 0;
	static int mine[1024];
	OK(cudaFree(0));
	OK(cudaMemGetInfo(&before, &total));
	for (int i = 0; i < ROUNDS; i++) {
		int *managed, *pinned, *device, *array, got;
		OK(cudaMallocManaged(&managed, BYTES));
		OK(cudaMallocHost(&pinned, BYTES));
		OK(cudaMalloc(&device, BYTES));
		OK(cudaMalloc(&array, 4));
		OK(cudaHostRegister(mine, sizeof mine, 0));
		memset(managed, 1, BYTES);
		memset(pinned, 1, BYTES);
		OK(cudaMemset(device, 1, BYTES));
		fill<<<1, 32>>>(array, 1, i + 1);
		fill<<<1, 32>>>(mine, 1024, i);
		OK(cudaMemcpy(&got, array, 4, cudaMemcpyDeviceToHost));
		IS(got, i + 1);
		IS(mine[1023], i);
		OK(cudaDeviceReset());
		OK(cudaMemGetInfo(&after, &total));
		IS(after, before);
		if (i == 1)
			start = resident();
	}
	CHECK(resident() < start + 2 * (size_t)BYTES);
	DONE();
}
