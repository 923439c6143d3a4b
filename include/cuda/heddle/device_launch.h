/*
 * The device's part of the runtime that launches kernels. Headers name these functions in code that
 * only some programs call; a kernel that does call one is refused when the program is linked.
 */
#ifndef HEDDLE_DEVICE_LAUNCH_H
#define HEDDLE_DEVICE_LAUNCH_H

#include "../driver_types.h"

extern "C" {
__device__ void *cudaGetParameterBuffer(size_t __alignment, size_t __size);
__device__ void *cudaGetParameterBufferV2(void *__func, dim3 __grid, dim3 __block, unsigned __shared);
__device__ cudaError_t cudaLaunchDevice(void *__func, void *__parameters, dim3 __grid, dim3 __block,
	unsigned __shared, cudaStream_t __stream);
__device__ cudaError_t cudaLaunchDeviceV2(void *__parameters, cudaStream_t __stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}

#endif
