/* Names of the runtime's objects for NVIDIA's profilers: they have no effect. */
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_
#include "driver_types.h"
#include "nvToolsExt.h"
#define __HD_NVTX(A, C) \
static inline void nvtxNameCudaDevice##A(int __d, const C *__m) { (void)__d; (void)__m; } \
static inline void nvtxNameCudaStream##A(cudaStream_t __s, const C *__m) { (void)__s; (void)__m; } \
static inline void nvtxNameCudaEvent##A(cudaEvent_t __e, const C *__m) { (void)__e; (void)__m; }
__HD_NVTX(A, char)
__HD_NVTX(W, wchar_t)
#undef __HD_NVTX
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif
