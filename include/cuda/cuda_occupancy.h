/* How many blocks of a kernel an SM holds, as a function of properties that the caller gives: for
 * host code that asks without a kernel at hand. Limits are those of the compute capabilities that
 * NVIDIA publishes (3.0 to 9.0); for the simulated machine itself, use
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor. */
#ifndef HEDDLE_CUDA_OCCUPANCY_H
#define HEDDLE_CUDA_OCCUPANCY_H

#include <stddef.h>

typedef enum cudaOccError_enum {
	CUDA_OCC_SUCCESS = 0,
	CUDA_OCC_ERROR_INVALID_INPUT = 1,
	CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2,
} cudaOccError;

typedef enum cudaOccCacheConfig_enum {
	CACHE_PREFER_NONE = 0x00,
	CACHE_PREFER_SHARED = 0x01,
	CACHE_PREFER_L1 = 0x02,
	CACHE_PREFER_EQUAL = 0x03,
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum {
	SHAREDMEM_CARVEOUT_DEFAULT = -1,
	SHAREDMEM_CARVEOUT_MAX_L1 = 0,
	SHAREDMEM_CARVEOUT_HALF = 50,
	SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
} cudaOccCarveoutConfig;

typedef enum cudaOccPartitionedGCConfig_enum {
	PARTITIONED_GC_OFF,
	PARTITIONED_GC_ON,
	PARTITIONED_GC_ON_STRICT,
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
	FUNC_SHMEM_LIMIT_DEFAULT,
	FUNC_SHMEM_LIMIT_OPTIN,
} cudaOccFuncShmemConfig;

typedef enum cudaOccLimitingFactors_enum {
	OCC_LIMIT_WARPS = 0x01,
	OCC_LIMIT_REGISTERS = 0x02,
	OCC_LIMIT_SHARED_MEMORY = 0x04,
	OCC_LIMIT_BLOCKS = 0x08,
	OCC_LIMIT_BARRIERS = 0x10,
} cudaOccLimitingFactors;

struct cudaOccDeviceProp {
	int computeMajor, computeMinor;
	int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
	int regsPerBlock, regsPerMultiprocessor;
	int warpSize;
	size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
	int numSms;
	size_t sharedMemPerBlockOptin;
	size_t reservedSharedMemPerBlock;
#ifdef __cplusplus
	cudaOccDeviceProp() : cudaOccDeviceProp(__hd_zero()) {}
	template <typename P> cudaOccDeviceProp(const P &p)
		: computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
		  maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
		  regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize),
		  sharedMemPerBlock(p.sharedMemPerBlock),
		  sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
		  sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
		  reservedSharedMemPerBlock(p.reservedSharedMemPerBlock)
	{
	}

private:
	struct __hd_zero {
		int major = 0, minor = 0, maxThreadsPerBlock = 0, maxThreadsPerMultiProcessor = 0;
		int regsPerBlock = 0, regsPerMultiprocessor = 0, warpSize = 0, multiProcessorCount = 0;
		size_t sharedMemPerBlock = 0, sharedMemPerMultiprocessor = 0;
		size_t sharedMemPerBlockOptin = 0, reservedSharedMemPerBlock = 0;
	};
#endif
};

struct cudaOccFuncAttributes {
	int maxThreadsPerBlock, numRegs;
	size_t sharedSizeBytes;
	cudaOccPartitionedGCConfig partitionedGCConfig;
	cudaOccFuncShmemConfig shmemLimitConfig;
	size_t maxDynamicSharedSizeBytes;
	int numBlockBarriers;
#ifdef __cplusplus
	cudaOccFuncAttributes()
		: maxThreadsPerBlock(0), numRegs(0), sharedSizeBytes(0), partitionedGCConfig(PARTITIONED_GC_OFF),
		  shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN), maxDynamicSharedSizeBytes(0), numBlockBarriers(0)
	{
	}
	template <typename A> cudaOccFuncAttributes(const A &a) : cudaOccFuncAttributes()
	{
		maxThreadsPerBlock = a.maxThreadsPerBlock;
		numRegs = a.numRegs;
		sharedSizeBytes = a.sharedSizeBytes;
		maxDynamicSharedSizeBytes = (size_t)a.maxDynamicSharedSizeBytes;
	}
#endif
};

struct cudaOccDeviceState {
	cudaOccCacheConfig cacheConfig;
	int carveoutConfig;
#ifdef __cplusplus
	cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
};

struct cudaOccResult {
	int activeBlocksPerMultiprocessor;
	unsigned limitingFactors; /* set of cudaOccLimitingFactors: all that limit equally */
	int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers;
	int allocatedRegistersPerBlock;
	size_t allocatedSharedMemPerBlock;
	cudaOccPartitionedGCConfig partitionedGCConfig;
};

typedef struct cudaOccDeviceProp cudaOccDeviceProp;
typedef struct cudaOccFuncAttributes cudaOccFuncAttributes;
typedef struct cudaOccDeviceState cudaOccDeviceState;
typedef struct cudaOccResult cudaOccResult;

/* Resident blocks per SM; 0: unknown. */
static inline int __hd_occ_blocks(const cudaOccDeviceProp *p)
{
	switch (p->computeMajor * 10 + p->computeMinor) {
	case 30: case 32: case 35: case 37: case 75: case 86: case 87: return 16;
	case 50: case 52: case 53: case 60: case 61: case 62: case 70: case 72: case 80: case 90: return 32;
	case 89: return 24;
	default: return 0;
	}
}

/* Helpers of NVIDIA's header that programs use. */
static inline int __occDivideRoundUp(int x, int y) { return (x + y - 1) / y; }
static inline int __occRoundUp(int x, int y) { return y * __occDivideRoundUp(x, y); }
static inline int __occMin(int x, int y) { return x < y ? x : y; }
static inline size_t __hd_occ_round(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

static inline int __hd_occ_shared_unit(const cudaOccDeviceProp *p) { return p->computeMajor >= 8 ? 128 : 256; }
static inline cudaOccError cudaOccSMemAllocationGranularity(int *limit, const cudaOccDeviceProp *properties)
{
	if (!limit || !properties || properties->computeMajor < 3)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	*limit = __hd_occ_shared_unit(properties);
	return CUDA_OCC_SUCCESS;
}

/* A warp's registers come in units of 256 from the registers of its scheduler, of which an SM has four (6.0: two). */
static inline int __hd_occ_by_registers(const cudaOccDeviceProp *p, int regs, int warps, int *allocated)
{
	int parts = p->computeMajor == 6 && p->computeMinor == 0 ? 2 : 4;
	int each = (int)__hd_occ_round((size_t)regs * (size_t)p->warpSize, 256);
	*allocated = each * (int)__hd_occ_round((size_t)warps, (size_t)parts);
	if (*allocated > p->regsPerBlock)
		return 0;
	return p->regsPerMultiprocessor / parts / each * parts / warps;
}

static inline cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult *result,
	const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
	const cudaOccDeviceState *state, int blockSize, size_t dynamicSmemSize)
{
	const int none = 0x7fffffff;
	if (!result || !properties || !attributes || !state || blockSize <= 0 || properties->warpSize <= 0)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	int most = __hd_occ_blocks(properties);
	if (!most)
		return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
	int warps = (blockSize + properties->warpSize - 1) / properties->warpSize;
	int fits = blockSize <= properties->maxThreadsPerBlock &&
		(attributes->maxThreadsPerBlock == 0 || blockSize <= attributes->maxThreadsPerBlock);
	result->blockLimitBlocks = most;
	result->blockLimitWarps =
		fits ? properties->maxThreadsPerMultiprocessor / properties->warpSize / warps : 0;

	result->allocatedRegistersPerBlock = 0;
	result->blockLimitRegs = attributes->numRegs <= 0 ? none
		: __hd_occ_by_registers(properties, attributes->numRegs, warps,
			&result->allocatedRegistersPerBlock);

	size_t shared = attributes->sharedSizeBytes + dynamicSmemSize;
	size_t limit = attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
			properties->sharedMemPerBlockOptin
		? properties->sharedMemPerBlockOptin : properties->sharedMemPerBlock;
	size_t each = __hd_occ_round(shared + properties->reservedSharedMemPerBlock,
		(size_t)__hd_occ_shared_unit(properties));
	result->allocatedSharedMemPerBlock = each;
	result->blockLimitSharedMem = shared > limit ? 0
		: !each ? none : (int)(properties->sharedMemPerMultiprocessor / each);

	result->blockLimitBarriers = attributes->numBlockBarriers > 0 ? 16 * most / attributes->numBlockBarriers : none;
	result->partitionedGCConfig = PARTITIONED_GC_OFF;

	const int limits[] = {result->blockLimitWarps, result->blockLimitRegs, result->blockLimitSharedMem,
		result->blockLimitBlocks, result->blockLimitBarriers};
	int least = limits[0];
	for (int i = 1; i < 5; i++)
		least = limits[i] < least ? limits[i] : least;
	result->activeBlocksPerMultiprocessor = least;
	result->limitingFactors = 0;
	for (int i = 0; i < 5; i++)
		result->limitingFactors |= limits[i] == least ? 1u << i : 0;
	return CUDA_OCC_SUCCESS;
}

/* The block size with most threads on an SM, the largest of equal ones, and how many blocks fill the device. Dynamic shared memory is
 * the function's result for a block size, or without a function a constant. */
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
	const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, size_t (*blockSizeToDynamicSMemSize)(int),
	size_t dynamicSMemSize)
{
	int most = 0;
	if (!minGridSize || !blockSize || !properties || !attributes || !state || properties->warpSize <= 0)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	int limit = properties->maxThreadsPerBlock, unit = properties->warpSize;
	if (attributes->maxThreadsPerBlock > 0 && attributes->maxThreadsPerBlock < limit)
		limit = attributes->maxThreadsPerBlock;
	*minGridSize = *blockSize = 0;
	for (int size = limit; size > 0 && most < properties->maxThreadsPerMultiprocessor; size = (size - 1) / unit * unit) {
		cudaOccResult r;
		cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes, state, size,
			blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize);
		if (e != CUDA_OCC_SUCCESS)
			return e;
		if (size * r.activeBlocksPerMultiprocessor > most) {
			most = size * r.activeBlocksPerMultiprocessor;
			*blockSize = size;
			*minGridSize = r.activeBlocksPerMultiprocessor * properties->numSms;
		}
	}
	return CUDA_OCC_SUCCESS;
}

#ifdef __cplusplus
/* Dynamic shared memory does not depend on the block size. */
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
	const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, size_t dynamicSMemSize = 0)
{
	return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, NULL, dynamicSMemSize);
}
#endif

/* The largest dynamic shared memory with which the given number of blocks still fits an SM. */
static inline cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *bytesAvailable, const cudaOccDeviceProp *properties,
	const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, int numBlocks, int blockSize)
{
	cudaOccResult r;
	cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes, state, blockSize, 0);
	if (e != CUDA_OCC_SUCCESS)
		return e;
	if (!bytesAvailable || numBlocks <= 0 || numBlocks > r.activeBlocksPerMultiprocessor)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	size_t unit = (size_t)__hd_occ_shared_unit(properties), least = attributes->sharedSizeBytes + properties->reservedSharedMemPerBlock;
	size_t each = properties->sharedMemPerMultiprocessor / (size_t)numBlocks / unit * unit;
	size_t limit = attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && properties->sharedMemPerBlockOptin
		? properties->sharedMemPerBlockOptin : properties->sharedMemPerBlock;
	each = each > least ? each - least : 0;
	limit = limit > attributes->sharedSizeBytes ? limit - attributes->sharedSizeBytes : 0;
	*bytesAvailable = each < limit ? each : limit;
	return CUDA_OCC_SUCCESS;
}

#endif
