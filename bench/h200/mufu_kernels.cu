// The kernels of mufu.cu, which loads them as a cubin and patches other functions into their MUFU
// instructions.
//   nvcc -arch=sm_90 -cubin -o mufu_kernels.cubin mufu_kernels.cu
__device__ static unsigned mufu(unsigned x)
{
	float r;
	asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__uint_as_float(x)));
	return __float_as_uint(r);
}

extern "C" __global__ void each(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = mufu(in[i]);
}

// Adds up results of consecutive inputs, 2^log per element of `out`, which starts as zeros.
extern "C" __global__ void sum(unsigned *out, unsigned log)
{
	enum { EACH = 1024 };
	unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH, sum = 0;
#pragma unroll 1
	for (unsigned i = 0; i < EACH; i++) {
		unsigned t = mufu(first + i) + (first + i) * 0x9e3779b1u;
		t = (t ^ t >> 15) * 0x85ebca6bu;
		sum += t ^ t >> 13;
	}
	atomicAdd(&out[first >> log], sum);
}
