/* How entry points get their names. An entry point of the runtime API is defined once, as rt_NAME,
 * and exported as NAME under the version names of the CUDA 10, 11, 12 and 13 libraries; where a
 * version changed a signature or a structure, each version has a definition of its own. Signatures
 * of CUDA 10 are those of CUDA 11. The driver API has no versions.
 *
 * libcudart.so.10.0 to .13 and libcuda.so.1 are names of one file, so that a program that uses
 * several of them has one device. */
#ifndef CUDA_EXPORT_H
#define CUDA_EXPORT_H
#include <cuda_runtime_api.h>

#define EXPORT_10(impl, name)                                                                      \
	__asm__(".symver " #impl "," #name "@libcudart.so.10.0");                                  \
	__asm__(".symver " #impl "," #name "@libcudart.so.10.1");                                  \
	__asm__(".symver " #impl "," #name "@libcudart.so.10.2");
#define EXPORT_11_ALONE(impl, name) __asm__(".symver " #impl "," #name "@@libcudart.so.11.0");
#define EXPORT_11(impl, name)                                                                      \
	EXPORT_10(impl, name)                                                                      \
	EXPORT_11_ALONE(impl, name)
#define EXPORT_12(impl, name) __asm__(".symver " #impl "," #name "@libcudart.so.12");
#define EXPORT_13(impl, name) __asm__(".symver " #impl "," #name "@libcudart.so.13");
#define EXPORT_ALL(impl, name)                                                                     \
	EXPORT_11(impl, name)                                                                      \
	EXPORT_12(impl, name)                                                                      \
	EXPORT_13(impl, name)

/* example: RT(cudaFree, (void *p)) { ... } */
#define RT(name, ...) RT_TYPE(cudaError_t, name, __VA_ARGS__)
#define RT_TYPE(type, name, ...)                                                                   \
	EXPORT_ALL(rt_##name, name)                                                                \
	type rt_##name __VA_ARGS__;                                                                \
	type rt_##name __VA_ARGS__

/* Defines the variant of an entry point for programs compiled with one default stream per thread: a
 * call of the plain function in which stream 0 means the calling thread's own stream. */
#define RT_OWN(name, suffix, params, args)                                                         \
	EXPORT_ALL(rt_##name##suffix, name##suffix)                                                \
	cudaError_t rt_##name##suffix params;                                                      \
	cudaError_t rt_##name##suffix params                                                       \
	{                                                                                          \
		thread.own_stream_depth++;                                                         \
		cudaError_t own_ = rt_##name args;                                                 \
		thread.own_stream_depth--;                                                         \
		return own_;                                                                       \
	}
#define RT_PTSZ(name, params, args) RT_OWN(name, _ptsz, params, args)
#define RT_PTDS(name, params, args) RT_OWN(name, _ptds, params, args)

#endif
