/* Declarations for the kernels of this folder, in three forms: for clang's CUDA compiler
 * without a toolkit, for nvcc, and for a C++ compiler (HOST), where host.cc runs a block as
 * threads. */
#ifndef DEV_H
#define DEV_H
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#ifdef HOST
#include <math.h>
#define __global__
#define __device__
#define __constant__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
extern thread_local u32 tid_x, ctaid_x;
extern u32 ntid_x, nctaid_x;
void block_sync(void);
u32 warp_exchange(u32 v, u32 from);
u32 warp_ballot(int p);
#define TIDX tid_x
#define BIDX ctaid_x
#define BDIMX ntid_x
#define GDIMX nctaid_x
#define SYNC() block_sync()
#define SHFL_XOR(v, m) warp_exchange(v, (TIDX & 31) ^ (m))
#define SHFL_IDX(v, i) warp_exchange(v, i)
#define SHFL_UP(v, d) warp_exchange(v, (TIDX & 31) < (d) ? (TIDX & 31) : (TIDX & 31) - (d))
#define BALLOT(p) warp_ballot(p)
#define FMA(a, b, c) fmaf(a, b, c)
#define SQRT(a) sqrtf(a)
#elif defined(__NVCC__)
#define TIDX threadIdx.x
#define BIDX blockIdx.x
#define BDIMX blockDim.x
#define GDIMX gridDim.x
#define SYNC() __syncthreads()
#define SHFL_XOR(v, m) __shfl_xor_sync(~0u, (u32)(v), m)
#define SHFL_IDX(v, i) __shfl_sync(~0u, (u32)(v), i)
#define SHFL_UP(v, d) __shfl_up_sync(~0u, (u32)(v), d)
#define BALLOT(p) __ballot_sync(~0u, p)
#define FMA(a, b, c) __fmaf_rn(a, b, c)
#define SQRT(a) __fsqrt_rn(a)
#define ADD(p, v) atomicAdd(p, v)
#define CAS(p, old, v) exchange(p, &(old), v)
template <class T> __device__ inline bool exchange(T *p, T *old, T v)
{
	T was = *old;
	*old = atomicCAS(p, was, v);
	return *old == was;
}
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define TIDX __nvvm_read_ptx_sreg_tid_x()
#define BIDX __nvvm_read_ptx_sreg_ctaid_x()
#define BDIMX __nvvm_read_ptx_sreg_ntid_x()
#define GDIMX __nvvm_read_ptx_sreg_nctaid_x()
#define SYNC() __syncthreads()
#define SHFL_XOR(v, m) ((u32)__nvvm_shfl_sync_bfly_i32(~0u, v, m, 31))
#define SHFL_IDX(v, i) ((u32)__nvvm_shfl_sync_idx_i32(~0u, v, i, 31))
#define SHFL_UP(v, d) ((u32)__nvvm_shfl_sync_up_i32(~0u, v, d, 0))
#define BALLOT(p) ((u32)__nvvm_vote_ballot_sync(~0u, p))
#define FMA(a, b, c) __nvvm_fma_rn_f(a, b, c)
#define SQRT(a) __nvvm_sqrt_rn_f(a)
#endif
#ifndef ADD
#define ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define CAS(p, old, v)                                                                             \
	__atomic_compare_exchange_n(p, &(old), v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#endif

/* Thread's own number in the grid. */
#define I (BIDX * BDIMX + TIDX)
/* Every kernel: 8 blocks of 128 threads, 1024 input words, 1024 output words. */
#define KERNEL(name) extern "C" __global__ void name(const u32 *in, u32 *out, u32 n)
union bits {
	float f;
	u32 u;
};
__device__ static inline u32 bits_of(float f) { union bits b; b.f = f; return b.u; }
__device__ static inline float small(u32 v) { return (float)(v >> 8) * (1.0f / 16777216.0f); }
#endif
