// options: -arch=sm_50
/* Functions that CUDA 11 lacks before some architecture and that programs then define themselves. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if __CUDACC_VER_MAJOR__ < 12 && defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
__device__ __nv_bfloat16 __ldcs(const __nv_bfloat16 *p)
{
	unsigned short bits = __ldcs(reinterpret_cast<const unsigned short *>(p));
	return __nv_bfloat16_raw{bits};
}
__device__ void __stcs(__nv_bfloat16 *p, __nv_bfloat16 v)
{
	__stcs(reinterpret_cast<unsigned short *>(p), ((__nv_bfloat16_raw)v).x);
}
__device__ __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 v, int lane, int width = 32)
{
	return __nv_bfloat16_raw{(unsigned short)__shfl_xor_sync(mask, (int)((__nv_bfloat16_raw)v).x, lane, width)};
}
__device__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
	__nv_bfloat16 old = *p;
	*p = old + v;
	return old;
}
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAdd(double *p, double v)
{
	unsigned long long *bits = (unsigned long long *)p, old = *bits, seen;
	do {
		seen = old;
		old = atomicCAS(bits, seen, __double_as_longlong(v + __longlong_as_double(seen)));
	} while (seen != old);
	return __longlong_as_double(old);
}
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
__device__ __half atomicAdd(__half *p, __half v)
{
	__half old = *p;
	*p = __hadd(old, v);
	return old;
}
#endif

__global__ void uses(double *d, __half *h, __nv_bfloat16 *b, __nv_bfloat162 *b2)
{
	atomicAdd(d, 1.0);
	atomicAdd(h, h[1]);
	atomicAdd(b, b[1]);
	__stcs(b + 2, __ldcs(b + 3));
	b[4] = __shfl_xor_sync(0xffffffffu, b[5], 1);
	/* and functions that the program does not define come from CUDA */
	b[6] = __ldg(b + 7);
	__stcs(b2, __ldcs(b2 + 1));
	b2[2] = __shfl_down_sync(0xffffffffu, b2[3], 1);
}
