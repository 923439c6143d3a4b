// options: -std=c++17 -arch=sm_80
/* Functions of half and bfloat16 have the bits of nvcc's headers: checksums of the results for all 65,536 bit patterns (of
 * elements, or of 32,768 pairs), made once on an H200 by code that nvcc 13 compiled. */
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { N = 65536 };

#define ROW(name, type, call, sum) \
	__global__ void k_##name(const type *x, const type *y, type *out) \
	{ \
		int i = blockIdx.x * blockDim.x + threadIdx.x; \
		type a = x[i], b = y[i]; \
		out[i] = call; \
	}
#include "half_bits.def"
#undef ROW

static uint16_t *device; /* arguments, second arguments, results */

template <class T> static uint64_t checksum(void (*kernel)(const T *, const T *, T *))
{
	static uint16_t out[N];
	kernel<<<N * sizeof *out / sizeof(T) / 256, 256>>>((T *)device, (T *)(device + N), (T *)(device + 2 * N));
	cudaMemcpy(out, device + 2 * N, sizeof out, cudaMemcpyDeviceToHost);
	uint64_t sum = 0;
	for (uint16_t bits : out)
		sum = (sum ^ bits) * 0x100000001b3 + 1;
	return sum;
}

int main()
{
	static uint16_t in[2 * N];
	uint32_t seed = 1;
	int bad = 0;
	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		in[i] = (uint16_t)i;
		in[N + i] = (uint16_t)(i % 8 ? seed >> 16 : i ^ (i & 8) << 12); /* sometimes equal
			 * to the other operand, or its negative */
	}
	cudaMalloc(&device, 3 * N * sizeof *device);
	cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
#define ROW(name, type, call, sum) \
	if (uint64_t got = checksum<type>(k_##name); got != sum) { \
		printf("%s: %#llx, expected %#llx\n", #name, (unsigned long long)got, (unsigned long long)sum); \
		bad = 1; \
	}
#include "half_bits.def"
	return bad;
}
