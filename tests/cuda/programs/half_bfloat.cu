/* Conversions between the two 16-bit formats: by way of float, rounded once, on device and host. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "check.h"

template <class To, class From>
__global__ void convert(To *out, const From *in)
{
	out[threadIdx.x] = static_cast<To>(in[threadIdx.x]);
}

/* 1, 1/3, the largest half, beyond it, a half that bfloat16 rounds to even, a tiny number. */
static const float values[] = {1.0f, 1.0f / 3, 65504.0f, 1e30f, 257.0f, 259.0f, -6e-8f};
enum { N = sizeof values / sizeof *values };

int main()
{
	__half *h;
	__nv_bfloat16 *b;
	CUDA(cudaMallocManaged(&h, N * sizeof *h));
	CUDA(cudaMallocManaged(&b, N * sizeof *b));
	for (int i = 0; i < N; i++)
		b[i] = __float2bfloat16(values[i]);
	convert<<<1, N>>>(h, b);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++) {
		CHECK(__half_as_ushort(h[i]) == __half_as_ushort(__float2half(float(b[i]))));
		CHECK(__half_as_ushort(h[i]) == __half_as_ushort(__half(b[i])));
	}
	CHECK(__half_as_ushort(h[0]) == 0x3c00 && __half_as_ushort(h[3]) == 0x7c00);
	for (int i = 0; i < N; i++)
		h[i] = __float2half(values[i]);
	convert<<<1, N>>>(b, h);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < N; i++)
		CHECK(__bfloat16_as_ushort(b[i]) == __bfloat16_as_ushort(__nv_bfloat16(h[i])));
	CHECK(float(b[4]) == 256.0f && float(b[5]) == 260.0f);
	return failures != 0;
}
