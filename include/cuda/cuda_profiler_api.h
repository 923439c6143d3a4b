#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__
#include "cuda_runtime_api.h"
#if defined(__cplusplus)
extern "C" {
#endif
extern cudaError_t cudaProfilerInitialize(const char *__configFile, const char *__outputFile,
	cudaOutputMode_t __outputMode);
#if defined(__cplusplus)
}
#endif
#endif
