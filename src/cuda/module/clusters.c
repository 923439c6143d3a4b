/* Answers how many clusters fit on the GPU simultaneously, and how large clusters may be. */
#include "cuda/rt.h"

#include "cuda/device/device.h"
#include "cuda/module/module.h"

enum { PORTABLE = 8 }; /* cluster size that every device of compute capability 9.0 supports */

RT(cudaOccupancyMaxActiveClusters, (int *n, const void *func, const cudaLaunchConfig_t *c))
{
	int blocks;
	unsigned size = 1;
	if (!n || !c)
		return rt_error(cudaErrorInvalidValue);
	for (unsigned i = 0; i < c->numAttrs; i++)
		if (c->attrs[i].id == cudaLaunchAttributeClusterDimension)
			size = c->attrs[i].val.clusterDim.x * c->attrs[i].val.clusterDim.y *
			       c->attrs[i].val.clusterDim.z;
	if (!size)
		return rt_error(cudaErrorInvalidClusterSize);
	dim3 b = c->blockDim;
	cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		&blocks, func, (int)(b.x * b.y * b.z), c->dynamicSmemBytes, 0);
	if (!e)
		*n = (int)(device_info()->sms * (unsigned)blocks / size);
	return e;
}

RT(cudaOccupancyMaxPotentialClusterSize, (int *size, const void *func, const cudaLaunchConfig_t *c))
{
	int blocks;
	if (!size || !c)
		return rt_error(cudaErrorInvalidValue);
	dim3 b = c->blockDim;
	cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		&blocks, func, (int)(b.x * b.y * b.z), c->dynamicSmemBytes, 0);
	if (!e)
		*size = blocks ? PORTABLE : 0;
	return e;
}
