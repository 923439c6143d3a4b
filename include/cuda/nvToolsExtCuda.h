/* Names of the driver's objects for NVIDIA's profilers: nobody reads them. */
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_
#include "cuda.h"
#include "nvToolsExt.h"
static inline void nvtxNameCuDeviceA(CUdevice __d, const char *__m) { (void)__d; (void)__m; }
static inline void nvtxNameCuContextA(CUcontext __c, const char *__m) { (void)__c; (void)__m; }
static inline void nvtxNameCuStreamA(CUstream __s, const char *__m) { (void)__s; (void)__m; }
static inline void nvtxNameCuEventA(CUevent __e, const char *__m) { (void)__e; (void)__m; }
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#endif
