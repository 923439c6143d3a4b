// options: -arch=sm_75
/* <nv/target>: code for the host, for devices, for devices from some architecture on. */
#include "check.h"
#include <nv/target>

__host__ __device__ static int side()
{
	NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;))
}

__host__ __device__ static int first()
{
	NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return 90;), NV_IS_EXACTLY_SM_75, (int a = 70, b = 5; return a + b;),
			   NV_PROVIDES_SM_60, (return 60;), NV_IS_HOST, (return 1;))
	return 0;
}

__host__ __device__ static int sum()
{
	int n = 0;
	NV_IF_TARGET(NV_PROVIDES_SM_70, (n += 1;), (n += 2;));
	NV_IF_TARGET(NV_PROVIDES_SM_80, (n += 4;));
	NV_IF_TARGET(NV_IS_EXACTLY_SM_75, (n += 8;));
	NV_IF_TARGET(NV_ANY_TARGET, (n += 16;));
	NV_DISPATCH_TARGET(NV_NO_TARGET, (n += 32;), NV_PROVIDES_SM_80, (n += 64;))
	return n;
}

__global__ void kernel(int *out)
{
	out[0] = side();
	out[1] = first();
	out[2] = sum();
}

int main()
{
	int *out;
	CUDA(cudaMallocManaged(&out, 3 * sizeof *out));
	kernel<<<1, 1>>>(out);
	CUDA(cudaDeviceSynchronize());
	CHECK(out[0] == 1 && out[1] == 75 && out[2] == 25);
	CHECK(side() == 2 && first() == 1 && sum() == 18);
	return failures != 0;
}
