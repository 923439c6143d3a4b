/* 8-bit floating point: the device's conversions against the definition of the formats. What a code
 * means is computed by ldexp; what a number becomes is the nearest of all codes, ties to the even one. */
#include <math.h>
#include <cuda_fp8.h>
#include "check.h"

enum { COUNT = 1 << 16 };

__global__ void decode(float *e4m3, float *e5m2)
{
	__nv_fp8_e4m3 a;
	__nv_fp8_e5m2 b;
	a.__x = b.__x = (unsigned char)threadIdx.x;
	e4m3[threadIdx.x] = float(a);
	e5m2[threadIdx.x] = float(b);
}

__global__ void encode(const float *in, unsigned char *e4m3, unsigned char *e5m2, unsigned char *quad)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	e4m3[i] = __nv_fp8_e4m3(in[i]).__x;
	e5m2[i] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E5M2);
	__nv_fp8x4_e4m3 q(make_float4(0.f, 1.f, in[i], -in[i]));
	float4 f = float4(q);
	quad[i] = __nv_fp8_e4m3(f.z).__x;
}

static double meaning(int code, int mant, int bias)
{
	int e = (code & 0x7f) >> mant, m = code & ((1 << mant) - 1);
	double v = e ? ldexp((1 << mant) + m, e - bias - mant) : ldexp(m, 1 - bias - mant);
	return code & 0x80 ? -v : v;
}

static int nearest(double v, int mant, int bias, int largest, int beyond)
{
	int sign = signbit(v) ? 0x80 : 0, best = 0;
	double a = fabs(v);
	for (int c = 1; c <= largest + 1; c++) { /* one past the largest, so that overflow rounds too */
		double was = fabs(meaning(best, mant, bias) - a), now = fabs(meaning(c, mant, bias) - a);
		if (now < was || (now == was && !(c & 1)))
			best = c;
	}
	return sign | (best > largest ? beyond : best);
}

int main()
{
	float *in, *out;
	unsigned char *code;
	CUDA(cudaMallocManaged(&in, COUNT * sizeof *in));
	CUDA(cudaMallocManaged(&out, 512 * sizeof *out));
	CUDA(cudaMallocManaged(&code, 3 * COUNT));
	decode<<<1, 256>>>(out, out + 256);
	unsigned seed = 1;
	for (int i = 0; i < COUNT; i++) { /* a third are ties */
		seed = seed * 1664525 + 1013904223;
		int bits = i % 3 ? 20 : 5;
		in[i] = ldexpf((float)(seed >> (32 - bits)), (int)(seed % 40) - 20 - bits) * (seed & 64 ? -1.f : 1.f);
	}
	encode<<<COUNT / 256, 256>>>(in, code, code + COUNT, code + 2 * COUNT);
	CUDA(cudaDeviceSynchronize());
	int wrong = 0;
	for (int c = 0; c < 256; c++) {
		wrong += (c & 0x7f) == 0x7f ? !isnan(out[c]) : out[c] != meaning(c, 3, 7);
		wrong += (c & 0x7f) > 0x7c ? !isnan(out[256 + c]) : (c & 0x7f) < 0x7c && out[256 + c] != meaning(c, 2, 15);
	}
	CHECK(wrong == 0);
	CHECK(isinf(out[256 + 0x7c]));
	for (int i = 0; i < COUNT; i++) {
		int a = nearest(in[i], 3, 7, 0x7e, 0x7e), b = nearest(in[i], 2, 15, 0x7b, 0x7c);
		wrong += code[i] != a || code[COUNT + i] != b || code[2 * COUNT + i] != a;
	}
	CHECK(wrong == 0);
	return failures != 0;
}
