/* Floating point of 4 and 6 bits: the device's conversions against the definition of the formats. What a code means is
 * computed by ldexp; what a number becomes is the nearest of all codes, ties to the even one, or the next one in the
 * direction of the rounding. Every half goes in. */
#include <math.h>
#include <string.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include "check.h"

enum { COUNT = 1 << 16 };
struct codes {
	unsigned char e2m1[4], e2m3[4], e3m2[4], pair, high;
};

__host__ __device__ static codes convert(float x)
{
	codes c;
	for (int m = 0; m < 4; m++) {
		c.e2m1[m] = __nv_cvt_float_to_fp4(x, __NV_E2M1, (cudaRoundMode)m);
		c.e2m3[m] = __nv_cvt_double_to_fp6(x, __NV_E2M3, (cudaRoundMode)m);
		c.e3m2[m] = __nv_cvt_float_to_fp6(x, __NV_E3M2, (cudaRoundMode)m);
	}
	c.pair = __nv_fp4x2_e2m1(make_float2(x, 1.5f)).__x;
	float4 f = float4(__nv_fp6x4_e2m3(make_float4(1, 2, 3, x)));
	c.high = __nv_fp6_e2m3(f.w).__x;
	return c;
}

__global__ void encode(codes *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = convert(__half2float(__ushort_as_half((unsigned short)i)));
}

__global__ void decode(float *out)
{
	__nv_fp4_e2m1 a;
	__nv_fp6_e2m3 b;
	__nv_fp6_e3m2 c;
	a.__x = threadIdx.x & 15;
	b.__x = c.__x = (unsigned char)threadIdx.x;
	out[threadIdx.x] = (float)a;
	out[64 + threadIdx.x] = (float)b;
	out[128 + threadIdx.x] = float(c);
}

static double meaning(int code, int bits, int mant, int bias)
{
	int sign = code >> (bits - 1), e = (code & ((1 << (bits - 1)) - 1)) >> mant, m = code & ((1 << mant) - 1);
	double v = e ? ldexp((1 << mant) + m, e - bias - mant) : ldexp(m, 1 - bias - mant);
	return sign ? -v : v;
}

static int expected(double x, int mode, int bits, int mant, int bias)
{
	int largest = (1 << (bits - 1)) - 1, sign = signbit(x) ? largest + 1 : 0, low = 0;
	double a = fabs(x);
	if (isnan(x))
		return largest;
	while (low < largest && meaning(low + 1, bits, mant, bias) <= a)
		low++;
	double below = meaning(low, bits, mant, bias);
	if (low == largest || a == below)
		return sign | low;
	double above = meaning(low + 1, bits, mant, bias);
	bool up = mode == cudaRoundNearest ? a - below > above - a || (a - below == above - a && (low & 1)) :
					     mode == (sign ? cudaRoundMinInf : cudaRoundPosInf);
	return sign | (low + up);
}

int main()
{
	codes *c;
	float *f;
	CUDA(cudaMallocManaged(&c, COUNT * sizeof *c));
	CUDA(cudaMallocManaged(&f, 192 * sizeof *f));
	encode<<<COUNT / 256, 256>>>(c);
	decode<<<1, 64>>>(f);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++) {
		CHECK(f[i] == meaning(i & 15, 4, 1, 1));
		CHECK(f[64 + i] == meaning(i, 6, 3, 1));
		CHECK(f[128 + i] == meaning(i, 6, 2, 3));
	}
	for (int i = 0; i < COUNT; i++) {
		float x = __half2float(__ushort_as_half((unsigned short)i));
		codes mine = convert(x);
		for (int m = 0; m < 4; m++) {
			CHECK(c[i].e2m1[m] == expected(x, m, 4, 1, 1));
			CHECK(c[i].e2m3[m] == expected(x, m, 6, 3, 1));
			CHECK(c[i].e3m2[m] == expected(x, m, 6, 2, 3));
		}
		CHECK(c[i].pair == (c[i].e2m1[0] | 3 << 4));
		CHECK(c[i].high == c[i].e2m3[0]);
		CHECK(!memcmp(&mine, &c[i], sizeof mine));
	}
	return failures != 0;
}
