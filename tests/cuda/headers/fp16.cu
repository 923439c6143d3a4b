/* cuda_fp16.h and cuda_bf16.h: conversions, arithmetic, comparison, pairs, on device and host. */
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T, class T2> __device__ void arithmetic(T *p, T2 *q)
{
	T a = p[0], b = p[1];
	p[2] = a + b * a - b / a;
	p[3] = __hfma(a, b, p[2]);
	p[3] += a;
	p[4] = -p[3];
	if (a > b && a != b && !__hisnan(a))
		p[5] = __hmax(a, b);
	T2 v = q[0], w = q[1];
	q[2] = __hfma2(v, w, __hadd2(v, __hmul2(w, v)));
	q[3] = v * w + q[2];
	if (__hbgt2(v, w))
		q[4] = __hneg2(h2sqrt(w));
	p[6] = hexp(a);
	p[7] = hsin(b);
	p[8] = T(1.5f);
	p[9] = (T)3;
	p[10] = T(2.0);
	float f = (float)a;
	p[11] = f * 2.0f;
	p[12] = __shfl_down_sync(0xffffffffu, a, 1);
	q[5] = __shfl_xor_sync(0xffffffffu, v, 16);
	p[13] = __ldg(p + 14);
}

__global__ void half_kernel(half *p, half2 *q, float *f, int *i)
{
	arithmetic(p, q);
	f[0] = __half2float(p[0]) + __low2float(q[0]) + __half22float2(q[1]).y;
	p[1] = __float2half(f[1]);
	p[2] = __float2half_rz(f[1]);
	p[3] = __int2half_rn(i[0]);
	i[1] = __half2int_rn(p[4]) + __half2ushort_rz(p[5]) + (int)__half2ll_ru(p[6]);
	q[0] = __float2half2_rn(f[2]);
	q[1] = __floats2half2_rn(f[1], f[2]);
	q[2] = __halves2half2(p[0], p[1]);
	q[3] = __half2half2(__high2half(q[2]));
	q[4] = __lows2half2(q[1], q[2]);
	q[5] = __lowhigh2highlow(q[4]);
	p[7] = __ushort_as_half(__half_as_ushort(p[8]) ^ 1);
	half s = 0;
	s += p[0];
	p[9] = hrcp(hsqrt(s));
	atomicAdd(p + 20, s);
	atomicAdd(q + 20, q[0]);
	const half k(0.5f);
	p[10] = __hadd_sat(k, k);
}
__global__ void bf_kernel(__nv_bfloat16 *p, __nv_bfloat162 *q, float *f)
{
	arithmetic(p, q);
	f[0] = __bfloat162float(p[0]) + __bfloat1622float2(q[0]).x;
	p[1] = __float2bfloat16(f[1]);
	q[1] = __floats2bfloat162_rn(f[0], f[1]);
	q[2] = __bfloat162bfloat162(p[2]);
}
int main()
{
	half h = __float2half(1.25f);
	__nv_bfloat16 b(2.5f);
	float x = __half2float(h), y = h, z = __bfloat162float(b);
	half2 v = __floats2half2_rn(x, y);
	printf("%g %g %g %g\n", x, y, z, __high2float(v));
	half_kernel<<<1, 1>>>(0, 0, 0, 0);
	bf_kernel<<<1, 1>>>(0, 0, 0);
	return 0;
}
