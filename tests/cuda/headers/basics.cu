/* Features of cuda_runtime.h and the compiler: qualifiers, types, math, atomics, warps, memory. */
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_occupancy.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <iostream>
#include <math_constants.h>
#include <nvToolsExt.h>
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>
#include <string>
#include <vector>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e)); exit(1); } } while (0)

__constant__ float coef[16];
__device__ int counter;
__device__ __constant__ int table[4] = {1, 2, 3, 4};
static __device__ float scale = 2.0f;
const int N_CONST = 7;
static int rounded(int x) { return __occRoundUp(x, 4) + __occDivideRoundUp(x, 4) + __occMin(x, 4); }
struct __align__(16) vec { float x, y, z; __host__ __device__ vec(float a = 0) : x(a), y(a), z(a) {} };
template <class T> struct shared_memory { __device__ operator T *() { extern __shared__ int smem[]; return (T *)smem; } };

__host__ __device__ inline float both(float x) { return x * x + N_CONST; }

__global__ void math_float(float *p, int *q)
{
	float x = p[threadIdx.x], y = p[1], s, c;
	int e;
	sincosf(x, &s, &c);
	p[0] = sinf(x) + cosf(x) + tanf(x) + asinf(x) + acosf(x) + atanf(x) + atan2f(x, y) + sinhf(x) + coshf(x) + tanhf(x);
	p[1] = expf(x) + exp2f(x) + exp10f(x) + expm1f(x) + logf(x) + log2f(x) + log10f(x) + log1pf(x) + powf(x, y) + s * c;
	p[2] = sqrtf(x) + rsqrtf(x) + cbrtf(x) + rcbrtf(x) + hypotf(x, y) + fmodf(x, y) + remainderf(x, y) + fmaf(x, y, s);
	p[3] = erff(x) + erfcf(x) + erfinvf(x) + erfcinvf(x) + erfcxf(x) + normcdff(x) + normcdfinvf(x) + tgammaf(x) + lgammaf(x);
	p[4] = floorf(x) + ceilf(x) + truncf(x) + roundf(x) + rintf(x) + nearbyintf(x) + fabsf(x) + copysignf(x, y) + fdimf(x, y);
	p[5] = fminf(x, y) + fmaxf(x, y) + ldexpf(x, 3) + scalbnf(x, 2) + frexpf(x, &e) + modff(x, &s) + nextafterf(x, y) + logbf(x);
	p[6] = sinpif(x) + cospif(x) + j0f(x) + j1f(x) + y0f(x) + jnf(2, x) + norm3df(x, y, s) + rnorm3df(x, y, s) + rhypotf(x, y);
	p[7] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __log2f(x) + __powf(x, y) + __fdividef(x, y) + __tanf(x) + __exp10f(x);
	p[8] = __fadd_rn(x, y) + __fmul_rz(x, y) + __fdiv_rd(x, y) + __fsqrt_ru(x) + __frcp_rn(x) + __fmaf_rn(x, y, s) + __saturatef(x);
	q[0] = __float2int_rn(x) + __float2uint_rz(x) + (int)__float2ll_rd(x) + isnan(x) + isinf(x) + isfinite(x) + signbit(x) + ilogbf(x);
	q[1] = lrintf(x) + llroundf(x) + lroundf(x) + __float_as_int(x) + min(q[0], 3) + max(q[1], 4u) + abs(q[2]);
	p[9] = sin(x) + exp(x) + pow(x, y) + pow(x, 2) + sqrt(x) + fabs(x) + log(x) + floor(x) + round(x) + fmax(x, y) + std::abs(x) + std::max(x, y) + min(x, y);
	p[10] = cyl_bessel_i0f(x) + erf(x) + erfc(x) + exp10(x) + rsqrt(x) + tgamma(x) + __int_as_float(q[3]) + CUDART_INF_F + CUDART_PI_F;
	p[11] = both(x) + scale * coef[3] + table[1] + abs(x) + max(x, 1.0f) + std::sqrt(x) + std::pow(x, 3);
}
__global__ void math_double(double *p, long long *q)
{
	double x = p[threadIdx.x], y = p[1], s, c;
	int e;
	sincos(x, &s, &c);
	p[0] = sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + atan2(x, y) + sinh(x) + cosh(x) + tanh(x) + asinh(x) + acosh(x) + atanh(x);
	p[1] = exp(x) + exp2(x) + exp10(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x) + pow(x, y) + pow(x, 3) + s * c;
	p[2] = sqrt(x) + rsqrt(x) + cbrt(x) + rcbrt(x) + hypot(x, y) + fmod(x, y) + remainder(x, y) + fma(x, y, s) + remquo(x, y, &e);
	p[3] = erf(x) + erfc(x) + erfinv(x) + erfcinv(x) + erfcx(x) + normcdf(x) + normcdfinv(x) + tgamma(x) + lgamma(x);
	p[4] = floor(x) + ceil(x) + trunc(x) + round(x) + rint(x) + fabs(x) + copysign(x, y) + ldexp(x, 3) + frexp(x, &e) + modf(x, &s);
	p[5] = sinpi(x) + cospi(x) + j0(x) + y1(x) + jn(3, x) + norm4d(x, y, s, c) + __dadd_ru(x, y) + __dmul_rd(x, y) + __ddiv_rn(x, y) + __dsqrt_rn(x) + __fma_rz(x, y, s);
	q[0] = __double2ll_rn(x) + __double2int_rz(x) + __double_as_longlong(x) + __double2hiint(x) + llrint(x) + isnan(x);
	p[6] = __longlong_as_double(q[1]) + __hiloint2double(1, 2) + __ll2double_rn(q[2]) + fmin(x, y) + max(x, y) + nextafter(x, y) + CUDART_PI;
	cuDoubleComplex z = cuCmul(make_cuDoubleComplex(x, y), make_cuDoubleComplex(s, c));
	p[7] = cuCabs(z) + cuCreal(cuCdiv(z, z)) + cuCimag(cuConj(z));
}
__global__ void integers(int *p, unsigned *u, unsigned long long *l)
{
	p[0] = __mul24(p[0], p[1]) + __umul24(u[0], u[1]) + __mulhi(p[0], p[1]) + __umulhi(u[0], u[1]) + __popc(u[0]) + __clz(p[0]) + __ffs(p[1]);
	u[0] = __brev(u[1]) + __byte_perm(u[0], u[1], 0x3210) + __sad(p[0], p[1], u[0]) + __usad(u[0], u[1], 2) + __funnelshift_l(u[0], u[1], 3);
	l[0] = __umul64hi(l[0], l[1]) + __popcll(l[0]) + __clzll(l[1]) + __ffsll(l[2]) + __brevll(l[3]) + min(l[0], l[1]) + __hadd(p[0], p[1]);
	u[1] = __vadd4(u[0], u[1]) + __vabsdiffu4(u[0], u[1]) + __vmaxs2(u[0], u[1]) + __vcmpeq4(u[0], u[1]) + __dp4a(u[0], u[1], u[2]) + __vsadu4(u[0], u[1]);
	assert(p[0] > 0);
	printf("%d %u %llu %s\n", p[0], u[0], l[0], "text");
	l[1] = clock64() + clock() + __nvvm_read_ptx_sreg_clock();
}
__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, long long *s, unsigned short *h)
{
	__shared__ int si;
	atomicAdd(&si, 1); atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(l, 1ull); atomicAdd(f, 1.f); atomicAdd(d, 1.0); atomicAdd(&counter, 2);
	atomicSub(i, 1); atomicSub(u, 1u); atomicExch(i, 1); atomicExch(u, 1u); atomicExch(l, 1ull); atomicExch(f, 1.f);
	atomicMin(i, 1); atomicMin(u, 1u); atomicMin(l, 1ull); atomicMin(s, 1ll); atomicMax(i, 1); atomicMax(u, 1u); atomicMax(l, 1ull); atomicMax(s, 1ll);
	atomicInc(u, 5u); atomicDec(u, 5u); atomicAnd(i, 1); atomicOr(u, 1u); atomicXor(l, 1ull); atomicCAS(i, 1, 2); atomicCAS(u, 1u, 2u); atomicCAS(l, 1ull, 2ull);
	atomicCAS(h, (unsigned short)1, (unsigned short)2); atomicAdd_block(i, 1); atomicAdd_system(f, 1.f); atomicCAS_system(i, 1, 2); atomicMax_block(u, 1u);
	__threadfence(); __threadfence_block(); __threadfence_system(); __syncthreads();
	i[1] = __syncthreads_count(i[0]) + __syncthreads_and(i[0]) + __syncthreads_or(i[0]);
}
__global__ void warps(int *p, float *f, double *d, unsigned long long *l, const float4 *v, char4 *c)
{
	p[0] = __shfl_sync(~0u, p[0], 1) + __shfl_up_sync(~0u, p[0], 1) + __shfl_down_sync(~0u, p[1], 1, 16) + __shfl_xor_sync(~0u, p[2], 2);
	f[0] = __shfl_sync(~0u, f[0], 1) + __shfl(f[1], 2) + __shfl_down(f[2], 1);
	d[0] = __shfl_xor_sync(~0u, d[1], 1);
	l[0] = __shfl_sync(~0u, l[1], 1) + __match_any_sync(~0u, l[2]);
	p[1] = __any_sync(~0u, p[0]) + __all_sync(~0u, p[1]) + __ballot_sync(~0u, p[2]) + __activemask() + __any(p[3]) + __all(p[4]) + __ballot(p[5]) + __match_any_sync(~0u, p[0]);
	__syncwarp();
	float4 w = __ldg(v);
	f[1] = w.x + __ldg(f + 2) + __ldcg(f + 3) + __ldcs(v).y + __ldg(d) + __ldg(c).x;
	__stcg(f + 4, 1.0f);
	float *sm = shared_memory<float>();
	sm[threadIdx.x] = f[0];
	vec local(3);
	vec *heap = new vec[2];
	heap[1] = local;
	int *q = (int *)malloc(64);
	memset(q, 0, 64);
	memcpy(q + 1, p, 8);
	p[3] = q[1] + (int)heap[1].x + warpSize;
	free(q);
	delete[] heap;
	uint3 t = threadIdx;
	dim3 bd = blockDim;
	p[4] = t.x + bd.y;
}
int main(int argc, char **argv)
{
	int n = 100, dev, count;
	float *d, *h = (float *)malloc(n * sizeof(float));
	double *dd;
	cudaDeviceProp prop;
	CHECK(cudaGetDeviceCount(&count));
	CHECK(cudaSetDevice(0));
	CHECK(cudaGetDevice(&dev));
	CHECK(cudaGetDeviceProperties(&prop, dev));
	printf("%s %d.%d %zu %d\n", prop.name, prop.major, prop.minor, prop.totalGlobalMem, prop.multiProcessorCount);
	CHECK(cudaMalloc(&d, n * sizeof(float)));
	CHECK(cudaMalloc((void **)&dd, n * sizeof(double)));
	CHECK(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToSymbol(coef, h, sizeof(coef)));
	CHECK(cudaMemcpyToSymbol(counter, &n, sizeof(int), 0, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyFromSymbol(&n, counter, sizeof(int)));
	void *sym;
	CHECK(cudaGetSymbolAddress(&sym, coef));
	cudaStream_t st;
	cudaEvent_t a, b;
	CHECK(cudaStreamCreate(&st));
	CHECK(cudaEventCreate(&a));
	CHECK(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
	dim3 grid(1, 2), block(32, 2, 1);
	cudaEventRecord(a, 0);
	math_float<<<grid, block>>>(d, (int *)d);
	math_double<<<1, 32, 0, st>>>(dd, 0);
	integers<<<n, 32, 16 * sizeof(float)>>>(0, 0, 0);
	atomics<<<1, 1>>>(0, 0, 0, 0, 0, 0, 0);
	warps<<<1, 32>>>(0, 0, 0, 0, 0, 0);
	cudaEventRecord(b);
	float ms;
	cudaEventElapsedTime(&ms, a, b);
	cudaFuncSetCacheConfig(math_float, cudaFuncCachePreferL1);
	cudaFuncSetAttribute(math_float, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
	cudaFuncAttributes fa;
	cudaFuncGetAttributes(&fa, math_float);
	int bs, gs, nb;
	cudaOccupancyMaxPotentialBlockSize(&gs, &bs, math_float, 0, 0);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nb, math_float, 128, 0);
	int *mg;
	cudaMallocManaged(&mg, 64);
	cudaHostAlloc(&h, 64, cudaHostAllocMapped);
	cudaMallocHost((void **)&h, 64);
	cudaDeviceSynchronize();
	cudaThreadSynchronize();
	CHECK(cudaGetLastError());
	std::cout << max(1, 2) << min(1.0f, 2.0f) << rsqrtf(4.0f) << std::string("x") << both(2) << std::endl;
	std::vector<float> v(10);
	std::sort(v.begin(), v.end());
	nvtxRangePushA("x");
	nvtxRangePop();
	nvtxRangePushW(L"x");
	nvtxRangePop();
	nvtxNameOsThreadW(0, L"x");
	nvtxNameCuStreamW(0, L"x");
	nvtxNameCudaStreamW(0, L"x");
	cudaProfilerStart();
	cudaDeviceReset();
	return argc > 100 && argv && rounded(argc);
}

/* Built-in variables convert to dim3 and uint3; the length of a string literal is a constant on the
 * device. */
__global__ void copies(unsigned *out)
{
	dim3 grid(gridDim), block = blockDim, thread(threadIdx);
	uint3 t = threadIdx, b = blockDim;
	out[thread.x] = grid.x + block.y + t.z + b.x + (unsigned)strlen("seven");
}
