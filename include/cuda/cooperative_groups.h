/* Cooperative groups: groups of threads as objects, with their barriers and shuffles. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#if defined(__CUDA__) /* nothing for the host's compiler */
#if __cplusplus < 201103L
#error "cooperative_groups.h needs C++11"
#endif
#include <type_traits>
#include "cuda_runtime.h"
#include "heddle/mbarrier.h"

#define _CG_HAS_MULTI_GRID_GROUP
#define _CG_HAS_CLUSTER_GROUP
#define __HD_CG __device__ __HD_INLINE

namespace cooperative_groups {

namespace __v1 {}

namespace details {
__HD_CG unsigned int __laneid(void) { unsigned int __r; asm("mov.u32 %0, %%laneid;" : "=r"(__r)); return __r; }
__HD_CG unsigned int __lanemask_lt(void) { unsigned int __r; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(__r)); return __r; }
__HD_CG unsigned int __block_rank(void)
{
	return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__HD_CG unsigned int __block_size(void) { return blockDim.x * blockDim.y * blockDim.z; }
__HD_CG unsigned long long __grid_blocks(void)
{
	return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
}
__HD_CG unsigned long long __grid_block_rank(void)
{
	return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

/* A shuffle of any trivially copyable type, a word at a time. */
template <class __T, class __F> __HD_CG __T __shuffle_words(const __T &__v, __F __f)
{
	constexpr int __n = (int)((sizeof(__T) + 3) / 4);
	unsigned int __w[__n] = {};
	__T __r;
	__builtin_memcpy(__w, &__v, sizeof(__T));
#pragma unroll
	for (int __i = 0; __i < __n; __i++)
		__w[__i] = __f(__w[__i]);
	__builtin_memcpy(&__r, __w, sizeof(__T));
	return __r;
}

/*
 * The barrier of a cooperative grid. Two words of global memory that belong to the launch count
 * arrivals; %envreg1:%envreg2 hold their address. Word 0's top bit flips when all blocks came.
 */
__HD_CG unsigned int *__grid_workspace(void)
{
	unsigned int __lo, __hi;
	asm volatile("mov.u32 %0, %%envreg2;" : "=r"(__lo));
	asm volatile("mov.u32 %0, %%envreg1;" : "=r"(__hi));
	return (unsigned int *)((unsigned long long)__hi << 32 | __lo);
}
__HD_CG unsigned int __grid_arrive(void)
{
	unsigned int __old = 0;
	if (!__grid_workspace())
		asm volatile("trap;"); /* not a cooperative launch */
	__syncthreads();
	if (__block_rank() == 0) {
		unsigned int *__bar = __grid_workspace() + 1;
		unsigned int __n = (unsigned int)__grid_blocks(), __add = 1;
		if (__grid_block_rank() == 0)
			__add = 0x80000000u - (__n - 1);
		__threadfence();
		__old = atomicAdd(__bar, __add);
	}
	return __old;
}
__HD_CG void __grid_wait(unsigned int __old)
{
	if (__block_rank() == 0) {
		volatile unsigned int *__bar = __grid_workspace() + 1;
		while (((__old ^ *__bar) & 0x80000000u) == 0)
			;
		__threadfence();
	}
	__syncthreads();
}

/* 0: the block's place in its cluster, 1: the cluster's dimensions, which are followed by their coordinate;
 * 2: the block's rank, 3: the cluster's blocks */
template <int __what, char __c = 0> __HD_CG unsigned int __cluster_register()
{
	unsigned int __r = 0;
#if defined(__CUDA_ARCH__)
	if (__what == 2)
		asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(__r));
	else if (__what == 3)
		asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(__r));
	else if (__what == 0 && __c == 'x')
		asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(__r));
	else if (__what == 0 && __c == 'y')
		asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(__r));
	else if (__what == 0)
		asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(__r));
	else if (__c == 'x')
		asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(__r));
	else if (__c == 'y')
		asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(__r));
	else
		asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(__r));
#endif
	return __r;
}
template <int __what> __HD_CG dim3 __cluster_dim3()
{
	return dim3(__cluster_register<__what, 'x'>(), __cluster_register<__what, 'y'>(), __cluster_register<__what, 'z'>());
}
__HD_CG void __cluster_arrive(void) { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
__HD_CG void __cluster_wait(void) { asm volatile("barrier.cluster.wait;" ::: "memory"); }
__HD_CG void __cluster_sync(void)
{
	__cluster_arrive();
	__cluster_wait();
}
} /* namespace details */

class thread_group {
protected:
	friend class grid_group;
	enum __kind { __block, __warp, __grid, __cluster };
	unsigned char _kind;
	unsigned int _mask, _size, _rank, _meta, _nmeta;
	__HD_CG thread_group(__kind __k, unsigned int __m, unsigned int __s, unsigned int __r,
		unsigned int __meta = 0, unsigned int __nmeta = 1)
		: _kind(__k), _mask(__m), _size(__s), _rank(__r), _meta(__meta), _nmeta(__nmeta) {}
public:
	__HD_CG unsigned long long size() const
	{
		return _kind == __grid ? details::__grid_blocks() * details::__block_size() : _size;
	}
	__HD_CG unsigned long long num_threads() const { return size(); }
	__HD_CG unsigned long long thread_rank() const
	{
		return _kind == __grid ? details::__grid_block_rank() * details::__block_size() +
			details::__block_rank() : _rank;
	}
	__HD_CG bool is_valid() const { return true; }
	__HD_CG void sync() const
	{
		if (_kind == __warp)
			__syncwarp(_mask);
		else if (_kind == __block)
			__syncthreads();
		else if (_kind == __cluster)
			details::__cluster_sync();
		else
			details::__grid_wait(details::__grid_arrive());
	}
	friend __HD_CG thread_group tiled_partition(const thread_group &__g, unsigned int __n);
};

/* All threads of the block. */
class thread_block : public thread_group {
	__HD_CG thread_block() : thread_group(__block, 0, details::__block_size(), details::__block_rank()) {}
	friend __HD_CG thread_block this_thread_block();
public:
	static __HD_CG void sync() { __syncthreads(); }
	static __HD_CG unsigned int size() { return details::__block_size(); }
	static __HD_CG unsigned int num_threads() { return details::__block_size(); }
	static __HD_CG unsigned int thread_rank() { return details::__block_rank(); }
	static __HD_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static __HD_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static __HD_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static __HD_CG dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	struct arrival_token {};
	__HD_CG arrival_token barrier_arrive() const { return arrival_token(); }
	__HD_CG void barrier_wait(arrival_token &&) const { __syncthreads(); }
};
__HD_CG thread_block this_thread_block() { return thread_block(); }
/* Memory that tiles of several warps may need in CUDA; Heddle's tiles need none. */
template <unsigned int __threads = 1024> struct block_tile_memory { unsigned int __unused; };
template <unsigned int __threads> __HD_CG thread_block this_thread_block(block_tile_memory<__threads> &)
{
	return this_thread_block();
}

/* All threads of a cooperative launch. */
class grid_group : public thread_group {
	__HD_CG grid_group() : thread_group(__grid, 0, 0, 0) {}
	friend __HD_CG grid_group this_grid();
public:
	struct arrival_token { unsigned int __old; };
	__HD_CG bool is_valid() const { return details::__grid_workspace() != nullptr; }
	__HD_CG void sync() const
	{
		details::__grid_wait(details::__grid_arrive());
	}
	__HD_CG arrival_token barrier_arrive() const { arrival_token __t = {details::__grid_arrive()}; return __t; }
	__HD_CG void barrier_wait(arrival_token &&__t) const { details::__grid_wait(__t.__old); }
	static __HD_CG unsigned long long size() { return details::__grid_blocks() * details::__block_size(); }
	static __HD_CG unsigned long long num_threads() { return size(); }
	static __HD_CG unsigned long long thread_rank()
	{
		return details::__grid_block_rank() * details::__block_size() + details::__block_rank();
	}
	static __HD_CG dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static __HD_CG dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static __HD_CG unsigned long long num_blocks() { return details::__grid_blocks(); }
	static __HD_CG dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static __HD_CG unsigned long long block_rank() { return details::__grid_block_rank(); }
};
__HD_CG grid_group this_grid() { return grid_group(); }

/* The blocks of a cluster; a launch without clusters makes clusters of one block. */
class cluster_group : public thread_group {
	__HD_CG cluster_group()
		: thread_group(__cluster, 0, details::__cluster_register<3>() * details::__block_size(),
			details::__cluster_register<2>() * details::__block_size() + details::__block_rank()) {}
	friend __HD_CG cluster_group this_cluster();
public:
	struct arrival_token {};
	static __HD_CG void sync() { details::__cluster_sync(); }
	static __HD_CG arrival_token barrier_arrive()
	{
		details::__cluster_arrive();
		return arrival_token();
	}
	static __HD_CG void barrier_wait() { details::__cluster_wait(); }
	static __HD_CG void barrier_wait(arrival_token &&) { details::__cluster_wait(); }
	static __HD_CG unsigned int block_rank() { return details::__cluster_register<2>(); }
	static __HD_CG unsigned int num_blocks() { return details::__cluster_register<3>(); }
	static __HD_CG dim3 block_index() { return details::__cluster_dim3<0>(); }
	static __HD_CG dim3 dim_blocks() { return details::__cluster_dim3<1>(); }
	static __HD_CG dim3 dim_threads()
	{
		dim3 __b = dim_blocks();
		return dim3(__b.x * blockDim.x, __b.y * blockDim.y, __b.z * blockDim.z);
	}
	static __HD_CG dim3 thread_index()
	{
		dim3 __b = block_index();
		return dim3(__b.x * blockDim.x + threadIdx.x, __b.y * blockDim.y + threadIdx.y,
			__b.z * blockDim.z + threadIdx.z);
	}
	static __HD_CG unsigned int num_threads() { return num_blocks() * details::__block_size(); }
	static __HD_CG unsigned int size() { return num_threads(); }
	static __HD_CG unsigned int thread_rank()
	{
		return block_rank() * details::__block_size() + details::__block_rank();
	}
	template <class __T> static __HD_CG __T *map_shared_rank(__T *__p, int __rank)
	{
		unsigned long long __r = 0;
#if defined(__CUDA_ARCH__)
		asm("mapa.u64 %0, %1, %2;" : "=l"(__r) : "l"(__p), "r"(__rank));
#endif
		return (__T *)__r;
	}
	static __HD_CG unsigned int query_shared_rank(const void *__p)
	{
		unsigned int __r = 0;
#if defined(__CUDA_ARCH__)
		asm("getctarank.u64 %0, %1;" : "=r"(__r) : "l"(__p));
#endif
		return __r;
	}
};
__HD_CG cluster_group this_cluster() { return cluster_group(); }

/* The grids of several devices; there is only one device. */
class multi_grid_group : public thread_group {
	__HD_CG multi_grid_group() : thread_group(__grid, 0, 0, 0) {}
	friend __HD_CG multi_grid_group this_multi_grid();
public:
	__HD_CG bool is_valid() const { return details::__grid_workspace() != nullptr; }
	__HD_CG unsigned int grid_rank() const { return 0; }
	__HD_CG unsigned int num_grids() const { return 1; }
};
__HD_CG multi_grid_group this_multi_grid() { return multi_grid_group(); }

/* The threads of a warp that execute together at this point. */
class coalesced_group : public thread_group {
	/* the lane of the group's thread of a rank */
	__HD_CG unsigned int __lane(unsigned int __r) const
	{
		return _size == 32 ? __r : __fns(_mask, 0, (int)__r + 1);
	}
	__HD_CG coalesced_group(unsigned int __m, unsigned int __meta = 0, unsigned int __nmeta = 1)
		: thread_group(__warp, __m, __popc(__m), __popc(__m & details::__lanemask_lt()), __meta, __nmeta) {}
	friend __HD_CG coalesced_group coalesced_threads();
	template <class __G, class __L> friend __HD_CG coalesced_group labeled_partition(const __G &__g, __L __label);
	template <class __G> friend __HD_CG coalesced_group binary_partition(const __G &__g, bool __p);
	friend __HD_CG coalesced_group tiled_partition(const coalesced_group &__g, unsigned int __n);
	friend struct __access;
	__HD_CG unsigned int __compact(unsigned int __bits) const
	{
		if (_size == 32)
			return __bits;
		unsigned int __r = 0, __m = _mask;
		for (unsigned int __i = 0; __m; __i++, __m &= __m - 1)
			__r |= (__bits >> (__ffs((int)__m) - 1) & 1) << __i;
		return __r;
	}
public:
	__HD_CG unsigned int size() const { return _size; }
	__HD_CG unsigned int num_threads() const { return _size; }
	__HD_CG unsigned int thread_rank() const { return _rank; }
	__HD_CG unsigned int meta_group_size() const { return _nmeta; }
	__HD_CG unsigned int meta_group_rank() const { return _meta; }
	__HD_CG void sync() const { __syncwarp(_mask); }
	template <class __T> __HD_CG __T shfl(const __T &__v, int __src) const
	{
		unsigned int __m = _mask, __l = __lane((unsigned int)__src % _size);
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_sync(__m, __w, (int)__l, 32); });
	}
	template <class __T> __HD_CG __T shfl_up(const __T &__v, int __d) const
	{
		unsigned int __m = _mask, __r = _rank >= (unsigned int)__d ? _rank - (unsigned int)__d : _rank;
		unsigned int __l = __lane(__r);
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_sync(__m, __w, (int)__l, 32); });
	}
	template <class __T> __HD_CG __T shfl_down(const __T &__v, int __d) const
	{
		unsigned int __m = _mask, __r = _rank + (unsigned int)__d < _size ? _rank + (unsigned int)__d : _rank;
		unsigned int __l = __lane(__r);
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_sync(__m, __w, (int)__l, 32); });
	}
	template <class __T> __HD_CG __T shfl_xor(const __T &__v, int __x) const
	{
		unsigned int __r = (_rank ^ (unsigned int)__x) < _size ? _rank ^ (unsigned int)__x : _rank;
		unsigned int __m = _mask, __l = __lane(__r);
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_sync(__m, __w, (int)__l, 32); });
	}
	__HD_CG int any(int __p) const { return (__ballot_sync(_mask, __p) & _mask) != 0; }
	__HD_CG int all(int __p) const { return (__ballot_sync(_mask, __p) & _mask) == _mask; }
	__HD_CG unsigned int ballot(int __p) const { return __compact(__ballot_sync(_mask, __p)); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	template <class __T> __HD_CG unsigned int match_any(__T __v) const { return __compact(__match_any_sync(_mask, __v)); }
	template <class __T> __HD_CG unsigned int match_all(__T __v, int &__p) const { return __compact(__match_all_sync(_mask, __v, &__p)); }
#endif
};
__HD_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* A tile of 1 to 32 threads, a power of two. */
template <unsigned int __size> struct __tile_ops {
	static_assert(__size >= 1 && __size <= 32 && (__size & (__size - 1)) == 0,
		"a tile has 1, 2, 4, 8, 16 or 32 threads");
	static __HD_CG unsigned int __mask()
	{
		return __size == 32 ? 0xffffffffu :
			((1u << (__size & 31)) - 1) << (details::__laneid() & ~(__size - 1));
	}
};

template <unsigned int __size, class __Parent = void>
class thread_block_tile : public thread_group {
	template <unsigned int __n, class __P> friend __HD_CG thread_block_tile<__n, __P> tiled_partition(const __P &__g);
	friend struct __access;
public:
	__HD_CG thread_block_tile(unsigned int __meta, unsigned int __nmeta)
		: thread_group(__warp, __tile_ops<__size>::__mask(), __size, details::__laneid() & (__size - 1), __meta, __nmeta) {}
	/* converts a tile with a parent to a tile without */
	template <class __Q> __HD_CG thread_block_tile(const thread_block_tile<__size, __Q> &__o)
		: thread_group(__warp, __tile_ops<__size>::__mask(), __size, details::__laneid() & (__size - 1),
			__o.meta_group_rank(), __o.meta_group_size()) {}
	static __HD_CG constexpr unsigned int size() { return __size; }
	static __HD_CG constexpr unsigned int num_threads() { return __size; }
	static __HD_CG unsigned int thread_rank() { return details::__laneid() & (__size - 1); }
	__HD_CG unsigned int meta_group_size() const { return _nmeta; }
	__HD_CG unsigned int meta_group_rank() const { return _meta; }
	__HD_CG void sync() const { __syncwarp(__tile_ops<__size>::__mask()); }
	template <class __T> __HD_CG __T shfl(const __T &__v, int __src) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_sync(__m, __w, __src, (int)__size); });
	}
	template <class __T> __HD_CG __T shfl_up(const __T &__v, unsigned int __d) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_up_sync(__m, __w, __d, (int)__size); });
	}
	template <class __T> __HD_CG __T shfl_down(const __T &__v, unsigned int __d) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_down_sync(__m, __w, __d, (int)__size); });
	}
	template <class __T> __HD_CG __T shfl_xor(const __T &__v, unsigned int __x) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET { return __shfl_xor_sync(__m, __w, (int)__x, (int)__size); });
	}
	__HD_CG int any(int __p) const { return ballot(__p) != 0; }
	__HD_CG int all(int __p) const { return ballot(__p) == (__size == 32 ? 0xffffffffu : (1u << (__size & 31)) - 1); }
	__HD_CG unsigned int ballot(int __p) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return (__ballot_sync(__m, __p) & __m) >> (details::__laneid() & ~(__size - 1) & 31);
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	template <class __T> __HD_CG unsigned int match_any(__T __v) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return (__match_any_sync(__m, __v) & __m) >> (details::__laneid() & ~(__size - 1) & 31);
	}
	template <class __T> __HD_CG unsigned int match_all(__T __v, int &__p) const
	{
		unsigned int __m = __tile_ops<__size>::__mask();
		return (__match_all_sync(__m, __v, &__p) & __m) >> (details::__laneid() & ~(__size - 1) & 31);
	}
#endif
};

/* A tile of several warps: 64 to 1024 threads. It meets at an mbarrier in the shared memory that
 * the system reserves for a block, where each tile of each size has its own (16 of 64 threads, 8 of
 * 128, 4 of 256, 2 of 512, 1 of 1024), so tiles of several sizes, and tiles of tiles, can exist at the same time.
 * Tiles exchange values through shared memory. */
template <unsigned int __size, class __Parent>
class __multi_warp_tile : public thread_group {
	/* one value per warp of the block; a tile uses those of its own warps */
	template <class __T> static __HD_CG __T *__slots()
	{
		__shared__ __attribute__((aligned(16))) unsigned char __memory[32 * sizeof(__T)];
		return (__T *)__memory + details::__block_rank() / __size * (__size / 32);
	}
public:
	__HD_CG __multi_warp_tile(unsigned int __meta, unsigned int __nmeta)
		: thread_group(__block, 0, __size, details::__block_rank() % __size, __meta, __nmeta) {}
	static __HD_CG constexpr unsigned int size() { return __size; }
	static __HD_CG constexpr unsigned int num_threads() { return __size; }
	static __HD_CG unsigned int thread_rank() { return details::__block_rank() % __size; }
	__HD_CG unsigned int meta_group_size() const { return _nmeta; }
	__HD_CG unsigned int meta_group_rank() const { return _meta; }
	static __HD_CG unsigned long long *__barrier()
	{
		unsigned long long *__all = 0;
#if defined(__CUDA_ARCH__)
		unsigned int __at;
		asm("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(__at));
		__all = (unsigned long long *)__cvta_shared_to_generic(__at);
#endif
		return __all + (32 - 2048 / __size) + details::__block_rank() / __size;
	}
	/* Called between two barriers of the enclosing group. */
	__HD_CG void __open() const
	{
		if (thread_rank() == 0)
			__hd_mb_init(__barrier(), __size / 32);
	}
	/* A warp arrives once, after all its lanes have come. */
	__HD_CG void sync() const
	{
		__syncwarp();
		if (details::__laneid() == 0) {
			unsigned long long __token = __hd_mb_arrive(__barrier(), 1);
			while (!__hd_mb_test(__barrier(), __token))
				;
		}
		__syncwarp();
	}
	/* Combines the warps' values by f, for every thread; all lanes of a warp pass one value. */
	template <class __T, class __F> __HD_CG void __exchange(const __T &__v, __F __f) const
	{
		__T *__s = __slots<__T>();
		if (details::__laneid() == 0)
			__s[thread_rank() / 32] = __v;
		sync();
		__f(__s);
		sync(); /* the memory is free again */
	}
	template <class __T> __HD_CG __T shfl(const __T &__v, int __src) const
	{
		__T __r, __mine = details::__shuffle_words(__v, [=](unsigned int __w) __HD_QUIET {
			return __shfl_sync(0xffffffffu, __w, __src % 32, 32);
		});
		__exchange(__mine, [&](const __T *__s) __HD_QUIET { __r = __s[(unsigned int)__src % __size / 32]; });
		return __r;
	}
	__HD_CG int any(int __p) const
	{
		int __r = 0;
		__exchange(__any_sync(0xffffffffu, __p), [&](const int *__s) __HD_QUIET {
			for (unsigned int __i = 0; __i < __size / 32; __i++)
				__r |= __s[__i] != 0;
		});
		return __r;
	}
	__HD_CG int all(int __p) const { return !any(!__p); }
};
#define __HD_MULTI_WARP(__n)                                                                       \
	template <class __P> class thread_block_tile<__n, __P> : public __multi_warp_tile<__n, __P> { \
	public:                                                                                    \
		using __multi_warp_tile<__n, __P>::__multi_warp_tile;                              \
		template <class __Q> __HD_CG thread_block_tile(const thread_block_tile<__n, __Q> &__o) \
			: __multi_warp_tile<__n, __P>(__o.meta_group_rank(), __o.meta_group_size()) {} \
	};
__HD_MULTI_WARP(64)
__HD_MULTI_WARP(128)
__HD_MULTI_WARP(256)
__HD_MULTI_WARP(512)
__HD_MULTI_WARP(1024)
#undef __HD_MULTI_WARP

/* Lets the algorithms ask any warp-level group for its member mask. */
struct __access {
	template <unsigned int __n, class __P> static __HD_CG unsigned int __mask(const thread_block_tile<__n, __P> &)
	{
		return __tile_ops<__n>::__mask();
	}
	static __HD_CG unsigned int __mask(const coalesced_group &__g) { return __g._mask; }
};

/* Partitions. */
namespace details {
__HD_CG unsigned int __parts(const thread_block &, unsigned int __n) { return (__block_size() + __n - 1) / __n; }
__HD_CG unsigned int __part(const thread_block &, unsigned int __n) { return __block_rank() / __n; }
template <unsigned int __s, class __P> __HD_CG unsigned int __parts(const thread_block_tile<__s, __P> &, unsigned int __n) { return __s / __n; }
template <unsigned int __s, class __P> __HD_CG unsigned int __part(const thread_block_tile<__s, __P> &__g, unsigned int __n)
{
	return __g.thread_rank() / __n;
}
}
namespace details {
template <class __T, class __P> __HD_CG void __open_tile(const __T &, const __P &, std::false_type) {}
template <class __T, class __P> __HD_CG void __open_tile(const __T &__t, const __P &__parent, std::true_type)
{
	__parent.sync();
	__t.__open();
	__parent.sync();
}
}
template <unsigned int __n, class __P> __HD_CG thread_block_tile<__n, __P> tiled_partition(const __P &__g)
{
	thread_block_tile<__n, __P> __t(details::__part(__g, __n), details::__parts(__g, __n));
	details::__open_tile(__t, __g, std::integral_constant<bool, (__n > 32)>());
	return __t;
}
__HD_CG coalesced_group tiled_partition(const coalesced_group &__g, unsigned int __n)
{
	unsigned int __first = __g._rank / __n * __n, __m = 0;
	for (unsigned int __i = __first; __i < __first + __n && __i < __g._size; __i++)
		__m |= 1u << __g.__lane(__i);
	return coalesced_group(__m, __g._rank / __n, (__g._size + __n - 1) / __n);
}
__HD_CG thread_group tiled_partition(const thread_group &__g, unsigned int __n)
{
	unsigned int __lane = details::__laneid(), __first = __lane & ~(__n - 1);
	unsigned int __m = __n >= 32 ? 0xffffffffu : ((1u << __n) - 1) << __first;
	return thread_group(thread_group::__warp, __m, __n, __lane & (__n - 1), __g._rank / __n,
		(__g._size + __n - 1) / __n);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <class __G, class __L> __HD_CG coalesced_group labeled_partition(const __G &__g, __L __label)
{
	unsigned int __all = __access::__mask(__g), __mine = __match_any_sync(__all, (int)__label) & __all;
	/* groups are numbered by their first lanes */
	unsigned int __leader = __ballot_sync(__all, (__mine & details::__lanemask_lt()) == 0) & __all;
	unsigned int __low = __mine & -__mine;
	return coalesced_group(__mine, __popc(__leader & (__low - 1)), __popc(__leader));
}
#endif
template <class __G> __HD_CG coalesced_group binary_partition(const __G &__g, bool __p)
{
	unsigned int __all = __access::__mask(__g), __yes = __ballot_sync(__all, __p) & __all;
	return __p ? coalesced_group(__yes, 1, 2) : coalesced_group(__all & ~__yes, 0, 2);
}

template <class __G> __HD_CG void sync(const __G &__g) { __g.sync(); }
template <class __G> __HD_CG auto thread_rank(const __G &__g) -> decltype(__g.thread_rank()) { return __g.thread_rank(); }
template <class __G> __HD_CG auto group_size(const __G &__g) -> decltype(__g.size()) { return __g.size(); }

/* Operators of the algorithms. */
template <class __T> struct plus { __HD_CG __T operator()(__T __a, __T __b) const { return __a + __b; } };
template <class __T> struct less { __HD_CG __T operator()(__T __a, __T __b) const { return __b < __a ? __b : __a; } };
template <class __T> struct greater { __HD_CG __T operator()(__T __a, __T __b) const { return __a < __b ? __b : __a; } };
template <class __T> struct bit_and { __HD_CG __T operator()(__T __a, __T __b) const { return __a & __b; } };
template <class __T> struct bit_or { __HD_CG __T operator()(__T __a, __T __b) const { return __a | __b; } };
template <class __T> struct bit_xor { __HD_CG __T operator()(__T __a, __T __b) const { return __a ^ __b; } };

/* Names of CUDA 11.1 to 11.5. */
namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
}

/* One thread of the group calls the function, the others receive the value. */
template <class __G, class __F> __HD_CG void invoke_one(const __G &__g, __F &&__f)
{
	if (__g.thread_rank() == 0)
		__f();
}
template <class __G, class __F> __HD_CG auto invoke_one_broadcast(const __G &__g, __F &&__f) -> decltype(__f())
{
	decltype(__f()) __r;
	if (__g.thread_rank() == 0)
		__r = __f();
	return __g.shfl(__r, 0);
}

} /* namespace cooperative_groups */

#endif
#endif
