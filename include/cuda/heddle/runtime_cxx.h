/* The runtime API for C++: templates over the C functions so that typed pointers, symbols, kernels
 * and texture<> objects can be passed directly. */
#ifndef HEDDLE_RUNTIME_CXX_H
#define HEDDLE_RUNTIME_CXX_H

#include "../cuda_runtime_api.h"
#include "texture_cxx.h"

#define __HD_T template <class __T> static inline __host__ cudaError_t

/* Allocation. */
__HD_T cudaMalloc(__T **__p, size_t __n) { return ::cudaMalloc((void **)(void *)__p, __n); }
__HD_T cudaMallocHost(__T **__p, size_t __n, unsigned int __flags = cudaHostAllocDefault)
{
	return ::cudaHostAlloc((void **)(void *)__p, __n, __flags);
}
static inline __host__ cudaError_t cudaMallocHost(void **__p, size_t __n, unsigned int __flags)
{
	return ::cudaHostAlloc(__p, __n, __flags);
}
__HD_T cudaHostAlloc(__T **__p, size_t __n, unsigned int __flags)
{
	return ::cudaHostAlloc((void **)(void *)__p, __n, __flags);
}
__HD_T cudaHostGetDevicePointer(__T **__d, void *__h, unsigned int __flags)
{
	return ::cudaHostGetDevicePointer((void **)(void *)__d, __h, __flags);
}
__HD_T cudaMallocManaged(__T **__p, size_t __n, unsigned int __flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)(void *)__p, __n, __flags);
}
__HD_T cudaMallocPitch(__T **__p, size_t *__pitch, size_t __w, size_t __h)
{
	return ::cudaMallocPitch((void **)(void *)__p, __pitch, __w, __h);
}
__HD_T cudaMallocAsync(__T **__p, size_t __n, cudaStream_t __s)
{
	return ::cudaMallocAsync((void **)(void *)__p, __n, __s);
}
static inline __host__ cudaError_t cudaMallocAsync(void **__p, size_t __n, cudaMemPool_t __pool,
	cudaStream_t __s)
{
	return ::cudaMallocFromPoolAsync(__p, __n, __pool, __s);
}
__HD_T cudaMallocAsync(__T **__p, size_t __n, cudaMemPool_t __pool, cudaStream_t __s)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)__p, __n, __pool, __s);
}
__HD_T cudaMallocFromPoolAsync(__T **__p, size_t __n, cudaMemPool_t __pool, cudaStream_t __s)
{
	return ::cudaMallocFromPoolAsync((void **)(void *)__p, __n, __pool, __s);
}
__HD_T cudaStreamAttachMemAsync(cudaStream_t __s, __T *__p, size_t __n = 0,
	unsigned int __flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(__s, (void *)__p, __n, __flags);
}

/* Symbols. */
__HD_T cudaMemcpyToSymbol(const __T &__sym, const void *__src, size_t __n, size_t __off = 0,
	cudaMemcpyKind __k = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&__sym, __src, __n, __off, __k);
}
__HD_T cudaMemcpyToSymbolAsync(const __T &__sym, const void *__src, size_t __n, size_t __off = 0,
	cudaMemcpyKind __k = cudaMemcpyHostToDevice, cudaStream_t __s = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&__sym, __src, __n, __off, __k, __s);
}
__HD_T cudaMemcpyFromSymbol(void *__dst, const __T &__sym, size_t __n, size_t __off = 0,
	cudaMemcpyKind __k = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(__dst, (const void *)&__sym, __n, __off, __k);
}
__HD_T cudaMemcpyFromSymbolAsync(void *__dst, const __T &__sym, size_t __n, size_t __off = 0,
	cudaMemcpyKind __k = cudaMemcpyDeviceToHost, cudaStream_t __s = 0)
{
	return ::cudaMemcpyFromSymbolAsync(__dst, (const void *)&__sym, __n, __off, __k, __s);
}
__HD_T cudaGetSymbolAddress(void **__p, const __T &__sym)
{
	return ::cudaGetSymbolAddress(__p, (const void *)&__sym);
}
template <class __P, class __T>
static inline __host__ cudaError_t cudaGetSymbolAddress(__P **__p, const __T &__sym)
{
	return ::cudaGetSymbolAddress((void **)(void *)__p, (const void *)&__sym);
}
__HD_T cudaGetSymbolSize(size_t *__n, const __T &__sym)
{
	return ::cudaGetSymbolSize(__n, (const void *)&__sym);
}
__HD_T cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__node, cudaGraph_t __g,
	const cudaGraphNode_t *__deps, size_t __ndeps, const __T &__sym, const void *__src,
	size_t __n, size_t __off, cudaMemcpyKind __k)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(__node, __g, __deps, __ndeps, (const void *)&__sym,
		__src, __n, __off, __k);
}
__HD_T cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *__node, cudaGraph_t __g,
	const cudaGraphNode_t *__deps, size_t __ndeps, void *__dst, const __T &__sym, size_t __n,
	size_t __off, cudaMemcpyKind __k)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(__node, __g, __deps, __ndeps, __dst,
		(const void *)&__sym, __n, __off, __k);
}

/* Kernels. */
__HD_T cudaLaunchKernel(__T *__f, dim3 __grid, dim3 __block, void **__args,
	size_t __smem = 0, cudaStream_t __s = 0)
{
	return ::cudaLaunchKernel((const void *)__f, __grid, __block, __args, __smem, __s);
}
__HD_T cudaLaunchCooperativeKernel(__T *__f, dim3 __grid, dim3 __block, void **__args,
	size_t __smem = 0, cudaStream_t __s = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)__f, __grid, __block, __args, __smem,
		__s);
}
__HD_T cudaLaunch(__T *__f) { return ::cudaLaunch((const void *)__f); }
__HD_T cudaSetupArgument(__T __arg, size_t __off)
{
	return ::cudaSetupArgument((const void *)&__arg, sizeof(__T), __off);
}
__HD_T cudaFuncSetCacheConfig(__T *__f, cudaFuncCache __c)
{
	return ::cudaFuncSetCacheConfig((const void *)__f, __c);
}
__HD_T cudaFuncSetSharedMemConfig(__T *__f, cudaSharedMemConfig __c)
{
	return ::cudaFuncSetSharedMemConfig((const void *)__f, __c);
}
__HD_T cudaFuncGetAttributes(cudaFuncAttributes *__a, __T *__f)
{
	return ::cudaFuncGetAttributes(__a, (const void *)__f);
}
__HD_T cudaFuncSetAttribute(__T *__f, cudaFuncAttribute __a, int __v)
{
	return ::cudaFuncSetAttribute((const void *)__f, __a, __v);
}
__HD_T cudaGetFuncBySymbol(cudaFunction_t *__fn, __T *__sym)
{
	return ::cudaGetFuncBySymbol(__fn, (const void *)__sym);
}
static inline __host__ cudaError_t cudaEventCreate(cudaEvent_t *__e, unsigned int __flags)
{
	return ::cudaEventCreateWithFlags(__e, __flags);
}
static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__x, cudaGraph_t __g,
	unsigned long long __flags)
{
	return ::cudaGraphInstantiateWithFlags(__x, __g, __flags);
}
static inline __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__x, cudaGraph_t __g)
{
	return ::cudaGraphInstantiateWithFlags(__x, __g, 0);
}
#if __cplusplus >= 201103L
template <class... __Want, class... __Args>
static inline __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *__c,
	void (*__f)(__Want...), __Args &&...__args)
{
	auto __launch = [&](__Want... __v) {
		void *__p[sizeof...(__Want) + 1] = {(void *)&__v...};
		return ::cudaLaunchKernelExC(__c, (const void *)__f, __p);
	};
	return __launch(static_cast<__Args &&>(__args)...);
}
#endif

/* Occupancy. */
__HD_T cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__n, __T __f, int __bs, size_t __smem)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__n, (const void *)__f, __bs,
		__smem, cudaOccupancyDefault);
}
__HD_T cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__n, __T __f, int __bs,
	size_t __smem, unsigned int __flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__n, (const void *)__f, __bs,
		__smem, __flags);
}
__HD_T cudaOccupancyAvailableDynamicSMemPerBlock(size_t *__smem, __T *__f, int __n, int __bs)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(__smem, (const void *)__f, __n, __bs);
}

/* The block size with the most resident threads: every multiple of the warp size is tried from the
 * kernel's limit down, so the largest block wins a tie. */
template <class __Size, class __T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
	int *__grid, int *__block, __T __f, __Size __smem_of, int __limit = 0,
	unsigned int __flags = 0)
{
	if (!__grid || !__block || !__f)
		return cudaErrorInvalidValue;
	int __dev, __maxthreads, __devblock, __nsm, __warp;
	cudaFuncAttributes __a;
	cudaError_t __e = ::cudaGetDevice(&__dev);
	if (!__e)
		__e = ::cudaDeviceGetAttribute(&__maxthreads,
			cudaDevAttrMaxThreadsPerMultiProcessor, __dev);
	if (!__e)
		__e = ::cudaDeviceGetAttribute(&__devblock, cudaDevAttrMaxThreadsPerBlock, __dev);
	if (!__e)
		__e = ::cudaDeviceGetAttribute(&__nsm, cudaDevAttrMultiProcessorCount, __dev);
	if (!__e)
		__e = ::cudaDeviceGetAttribute(&__warp, cudaDevAttrWarpSize, __dev);
	if (!__e)
		__e = ::cudaFuncGetAttributes(&__a, (const void *)__f);
	if (__e)
		return __e;
	int __cap = __a.maxThreadsPerBlock < __devblock ? __a.maxThreadsPerBlock : __devblock;
	if (__limit > 0 && __limit < __cap)
		__cap = __limit;
	int __best = 0, __bestblock = 0, __bestn = 0;
	for (int __at = (__cap + __warp - 1) / __warp * __warp; __at > 0; __at -= __warp) {
		int __bs = __at < __cap ? __at : __cap, __n = 0;
		__e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&__n,
			(const void *)__f, __bs, __smem_of(__bs), __flags);
		if (__e)
			return __e;
		if (__n * __bs > __best) {
			__best = __n * __bs;
			__bestblock = __bs;
			__bestn = __n;
		}
		if (__best == __maxthreads)
			break;
	}
	*__grid = __bestn * __nsm;
	*__block = __bestblock;
	return cudaSuccess;
}
template <class __Size, class __T>
static inline __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *__grid,
	int *__block, __T __f, __Size __smem_of, int __limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(__grid, __block, __f,
		__smem_of, __limit, cudaOccupancyDefault);
}
struct __hd_smem_const {
	size_t __n;
	__host__ __device__ size_t operator()(int) const { return __n; }
};
__HD_T cudaOccupancyMaxPotentialBlockSizeWithFlags(int *__grid, int *__block, __T __f,
	size_t __smem = 0, int __limit = 0, unsigned int __flags = 0)
{
	__hd_smem_const __c = {__smem};
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(__grid, __block, __f, __c,
		__limit, __flags);
}
__HD_T cudaOccupancyMaxPotentialBlockSize(int *__grid, int *__block, __T __f, size_t __smem = 0,
	int __limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeWithFlags(__grid, __block, __f, __smem, __limit,
		cudaOccupancyDefault);
}

/* Texture and surface references. */
#define __HD_TEX template <class __T, int __dim, enum cudaTextureReadMode __rm> \
	static inline __host__ cudaError_t
__HD_TEX cudaBindTexture(size_t *__off, const struct texture<__T, __dim, __rm> &__t,
	const void *__p, const struct cudaChannelFormatDesc &__d, size_t __n = UINT_MAX)
{
	return ::cudaBindTexture(__off, &__t, __p, &__d, __n);
}
__HD_TEX cudaBindTexture(size_t *__off, const struct texture<__T, __dim, __rm> &__t,
	const void *__p, size_t __n = UINT_MAX)
{
	return ::cudaBindTexture(__off, &__t, __p, &__t.channelDesc, __n);
}
__HD_TEX cudaBindTexture2D(size_t *__off, const struct texture<__T, __dim, __rm> &__t,
	const void *__p, const struct cudaChannelFormatDesc &__d, size_t __w, size_t __h,
	size_t __pitch)
{
	return ::cudaBindTexture2D(__off, &__t, __p, &__d, __w, __h, __pitch);
}
__HD_TEX cudaBindTexture2D(size_t *__off, const struct texture<__T, __dim, __rm> &__t,
	const void *__p, size_t __w, size_t __h, size_t __pitch)
{
	return ::cudaBindTexture2D(__off, &__t, __p, &__t.channelDesc, __w, __h, __pitch);
}
__HD_TEX cudaBindTextureToArray(const struct texture<__T, __dim, __rm> &__t,
	cudaArray_const_t __a, const struct cudaChannelFormatDesc &__d)
{
	return ::cudaBindTextureToArray(&__t, __a, &__d);
}
__HD_TEX cudaBindTextureToArray(const struct texture<__T, __dim, __rm> &__t,
	cudaArray_const_t __a)
{
	struct cudaChannelFormatDesc __d;
	cudaError_t __e = ::cudaGetChannelDesc(&__d, __a);
	return __e ? __e : ::cudaBindTextureToArray(&__t, __a, &__d);
}
__HD_TEX cudaBindTextureToMipmappedArray(const struct texture<__T, __dim, __rm> &__t,
	cudaMipmappedArray_const_t __m, const struct cudaChannelFormatDesc &__d)
{
	return ::cudaBindTextureToMipmappedArray(&__t, __m, &__d);
}
__HD_TEX cudaBindTextureToMipmappedArray(const struct texture<__T, __dim, __rm> &__t,
	cudaMipmappedArray_const_t __m)
{
	cudaArray_t __a;
	struct cudaChannelFormatDesc __d;
	cudaError_t __e = ::cudaGetMipmappedArrayLevel(&__a, __m, 0);
	if (!__e)
		__e = ::cudaGetChannelDesc(&__d, __a);
	return __e ? __e : ::cudaBindTextureToMipmappedArray(&__t, __m, &__d);
}
__HD_TEX cudaUnbindTexture(const struct texture<__T, __dim, __rm> &__t)
{
	return ::cudaUnbindTexture(&__t);
}
__HD_TEX cudaGetTextureAlignmentOffset(size_t *__off,
	const struct texture<__T, __dim, __rm> &__t)
{
	return ::cudaGetTextureAlignmentOffset(__off, &__t);
}
template <class __T, int __dim>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const struct surface<__T, __dim> &__s,
	cudaArray_const_t __a, const struct cudaChannelFormatDesc &__d)
{
	return ::cudaBindSurfaceToArray(&__s, __a, &__d);
}
template <class __T, int __dim>
static inline __host__ cudaError_t cudaBindSurfaceToArray(const struct surface<__T, __dim> &__s,
	cudaArray_const_t __a)
{
	struct cudaChannelFormatDesc __d;
	cudaError_t __e = ::cudaGetChannelDesc(&__d, __a);
	return __e ? __e : ::cudaBindSurfaceToArray(&__s, __a, &__d);
}
#undef __HD_TEX
#undef __HD_T

#endif
