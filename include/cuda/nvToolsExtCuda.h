/* Names of the driver's objects for NVIDIA's profilers: they have no effect. */
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_
#include "cuda.h"
#include "nvToolsExt.h"
#define __HD_NVTX(A, C) \
static inline void nvtxNameCuDevice##A(CUdevice __d, const C *__m) { (void)__d; (void)__m; } \
static inline void nvtxNameCuContext##A(CUcontext __c, const C *__m) { (void)__c; (void)__m; } \
static inline void nvtxNameCuStream##A(CUstream __s, const C *__m) { (void)__s; (void)__m; } \
static inline void nvtxNameCuEvent##A(CUevent __e, const C *__m) { (void)__e; (void)__m; }
__HD_NVTX(A, char)
__HD_NVTX(W, wchar_t)
#undef __HD_NVTX
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#endif
