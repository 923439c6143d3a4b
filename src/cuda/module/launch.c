/* Launches of kernels, and entry points that query and set properties of kernels. */
#include "cuda/device/device.h"
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

/* Prints the resource that a block has too little of, the needed and available amounts, and its
 * limit. */
static void say_resources(const struct kernel *k, unsigned threads, uint64_t shared)
{
	unsigned least = k->info.least_registers, regs = least ? least : k->info.registers;
	char plain[256], why[512];
	const char *name = heddle_plain_name(k->name, plain, sizeof plain);
	if (threads > k->info.max_threads)
		rt_fail("%s: a block of %u threads; the kernel is compiled for at most %u "
			"(__launch_bounds__, .maxntid)",
			name, threads, k->info.max_threads);
	else if (heddle_refuses(process.device.h, k->name, threads, regs, shared, why, sizeof why))
		rt_fail("%s: %s", name, why);
}

/* True if the shape has threads and no dimension of grid and block is too large; otherwise prints
 * which one is. */
static bool shape_fits(const struct kernel *k, const struct launch_conf *c, unsigned most)
{
	static const unsigned limits[6] = {0x7fffffff, 65535, 65535, 1024, 1024, 64};
	const unsigned side[6] = {c->grid.x,  c->grid.y,  c->grid.z,
				  c->block.x, c->block.y, c->block.z};
	uint64_t threads = (uint64_t)side[3] * side[4] * side[5];
	char plain[256];
	const char *name = heddle_plain_name(k->name, plain, sizeof plain);
	if (!threads) {
		rt_fail("%s: a block of (%u, %u, %u) has no threads", name, side[3], side[4],
			side[5]);
		return false;
	}
	for (unsigned i = 0; i < 6; i++)
		if (side[i] > limits[i]) {
			const unsigned *all = &side[i / 3 * 3];
			rt_fail("%s: a %s of (%u, %u, %u); its %c may be %u at most", name,
				i < 3 ? "grid" : "block", all[0], all[1], all[2], "xyz"[i % 3],
				limits[i]);
			return false;
		}
	if (threads > most)
		rt_fail("%s: a block of (%u, %u, %u) has %llu threads; it may have %u (sm.max_block_threads)",
			name, side[3], side[4], side[5], (unsigned long long)threads, most);
	return threads <= most;
}

static cudaError_t check_shape(const struct kernel *k, const struct launch_conf *c)
{
	const struct heddle_device *d = device_info();
	uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
	/* an empty grid is an error, but leaves no work undone */
	if (!c->grid.x || !c->grid.y || !c->grid.z || !shape_fits(k, c, d->threads_per_block))
		return cudaErrorInvalidConfiguration;
	if (threads > k->info.max_threads) { /* limit by .maxntid */
		say_resources(k, (unsigned)threads, 0);
		return cudaErrorLaunchOutOfResources;
	}
	uint64_t limit = d->shared_per_block;
	if (k->max_dynamic > 0 && (uint64_t)k->max_dynamic + k->info.shared_bytes > limit)
		/* the limit that the program set */
		limit = (uint64_t)k->max_dynamic + k->info.shared_bytes;
	if (c->shared + k->info.shared_bytes > limit) {
		char plain[256];
		rt_fail("%s: a block needs %llu bytes of shared memory, %u of them static; it may have %llu "
			"(sm.shared_bytes; cudaFuncSetAttribute allows more where a GPU has it)",
			heddle_plain_name(k->name, plain, sizeof plain),
			(unsigned long long)(c->shared + k->info.shared_bytes),
			k->info.shared_bytes, (unsigned long long)limit);
		return cudaErrorInvalidValue;
	}
	/* without a machine the number of registers is an estimate, which may be too high, so only
	 * a machine's limit counts */
	if (process.device.timing && !occupancy(k, (int)threads, c->shared)) {
		say_resources(k, (unsigned)threads, c->shared + k->info.shared_bytes);
		return cudaErrorLaunchOutOfResources;
	}
	return cudaSuccess;
}

/* True if all blocks of a cooperative launch fit on the machine simultaneously. */
static bool together_fits(const struct kernel *k, const struct launch_conf *c, uint64_t blocks)
{
	int each = occupancy(k, (int)(c->block.x * c->block.y * c->block.z), c->shared);
	unsigned sms = device_info()->sms;
	char plain[256];
	if (blocks <= (uint64_t)sms * (uint64_t)each)
		return true;
	rt_fail("%s: a cooperative launch of %llu blocks; the %u SMs hold %d each at a time (gpu.sms, "
		"sm.max_blocks and the block's registers, threads and shared memory)",
		heddle_plain_name(k->name, plain, sizeof plain), (unsigned long long)blocks, sms,
		each);
	return false;
}

/* Checks the cluster size: at most 16 blocks, and a divisor of the grid. */
static cudaError_t check_cluster(const struct launch_conf *c)
{
	enum { MOST = 16 };
	uint64_t n = (uint64_t)c->cluster.x * c->cluster.y * c->cluster.z;
	if (!c->cluster.x && !c->cluster.y && !c->cluster.z)
		return cudaSuccess;
	if (!n || n > MOST)
		return cudaErrorInvalidClusterSize;
	return c->grid.x % c->cluster.x || c->grid.y % c->cluster.y || c->grid.z % c->cluster.z
		       ? cudaErrorInvalidClusterSize
		       : cudaSuccess;
}

cudaError_t kernel_work(struct kernel *k, const struct launch_conf *c, void **args,
			const void *block, struct work *w)
{
	cudaError_t e = check_shape(k, c);
	e = e ? e : check_cluster(c);
	if (e)
		return e;
	if (!k->launched && k->m->ours && k->info.local_bytes)
		report_local_use(k->name, k->info.local_bytes);
	k->launched = true;
	uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
	if (c->cooperative && !together_fits(k, c, blocks))
		return cudaErrorCooperativeLaunchTooLarge;
	if (k->info.nparam && !args && !block)
		return cudaErrorInvalidValue;
	uint8_t *params = rt_alloc(k->info.param_bytes);
	if (block)
		memcpy(params, block, k->info.param_bytes);
	else
		for (unsigned i = 0; i < k->info.nparam; i++)
			memcpy(params + k->param[i].offset, args[i], k->param[i].size);
	*w = (struct work){.kind = WORK_KERNEL,
			   .kernel = {k,
				      {.kernel = k->k,
				       .grid = {c->grid.x, c->grid.y, c->grid.z},
				       .block = {c->block.x, c->block.y, c->block.z},
				       .shared_bytes = (uint32_t)c->shared,
				       .params = params,
				       .cluster = {c->cluster.x, c->cluster.y, c->cluster.z},
				       .cooperative = c->cooperative}}};
	return cudaSuccess;
}

cudaError_t kernel_launch(struct kernel *k, const struct launch_conf *c, void **args,
			  const void *block)
{
	struct CUstream_st *s = stream_of(c->stream);
	struct work w;
	if (!s)
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = kernel_work(k, c, args, block, &w);
	if (e)
		return e;
	w.kernel.l.stream = (uint32_t)s->id;
	return work_submit(s, &w);
}

static cudaError_t launch_function(const void *func, const struct launch_conf *c, void **args)
{
	struct kernel *k;
	cudaError_t e = kernel_of(func, &k);
	if (!e)
		e = kernel_launch(k, c, args, NULL);
	if (e && process.device.sticky)
		failure_skipped();
	return rt_error(e);
}

RT(cudaLaunchKernel,
   (const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream))
{
	return launch_function(func, &(struct launch_conf){grid, block, shared, stream, false},
			       args);
}

RT(__cudaLaunchKernel,
   (cudaKernel_t func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream))
{
	return launch_function(func, &(struct launch_conf){grid, block, shared, stream, false},
			       args);
}

RT(cudaLaunchCooperativeKernel,
   (const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream))
{
	return launch_function(func, &(struct launch_conf){grid, block, shared, stream, true},
			       args);
}

RT(cudaLaunchCooperativeKernelMultiDevice,
   (struct cudaLaunchParams * list, unsigned n, unsigned flags))
{
	(void)flags;
	if (n != 1)
		return rt_error(n ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	return rt_cudaLaunchCooperativeKernel(list->func, list->gridDim, list->blockDim, list->args,
					      list->sharedMem, list->stream);
}

RT(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *func, void **args))
{
	struct launch_conf c = {.grid = config->gridDim,
				.block = config->blockDim,
				.shared = config->dynamicSmemBytes,
				.stream = config->stream,
				.cluster = {0, 0, 0}};
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const cudaLaunchAttribute *a = &config->attrs[i];
		if (a->id == cudaLaunchAttributeCooperative)
			c.cooperative = a->val.cooperative != 0;
		if (a->id == cudaLaunchAttributeClusterDimension)
			c.cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y,
					   a->val.clusterDim.z};
	}
	return launch_function(func, &c, args);
}

/* Programs keep the handle, so it must not depend on the state of the device. */
RT(__cudaGetKernel, (cudaKernel_t * out, const void *func))
{
	struct kernel *k = kernel_known(func);
	if (!k)
		return rt_error(cudaErrorInvalidDeviceFunction);
	*out = (cudaKernel_t)k;
	return cudaSuccess;
}

RT(cudaGetKernel, (cudaKernel_t * out, const void *func))
{
	return rt___cudaGetKernel(out, func);
}
RT(cudaGetFuncBySymbol, (cudaFunction_t * out, const void *func))
{
	return rt___cudaGetKernel((cudaKernel_t *)out, func);
}

RT(cudaFuncGetName, (const char **name, const void *func))
{
	struct kernel *k;
	RETURN_IF_ERROR(kernel_of(func, &k));
	*name = k->name;
	return cudaSuccess;
}

RT(cudaFuncGetParamInfo, (const void *func, size_t i, size_t *offset, size_t *size))
{
	struct kernel *k;
	RETURN_IF_ERROR(kernel_of(func, &k));
	if (i >= k->info.nparam)
		return rt_error(cudaErrorInvalidValue);
	*offset = k->param[i].offset;
	if (size)
		*size = k->param[i].size;
	return cudaSuccess;
}

/* ---- attributes ---- */

RT(cudaFuncGetAttributes, (struct cudaFuncAttributes * a, const void *func))
{
	struct kernel *k;
	if (!a)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(kernel_of(func, &k));
	func_attributes(k, a);
	return cudaSuccess;
}

RT(cudaFuncSetAttribute, (const void *func, enum cudaFuncAttribute attr, int value))
{
	struct kernel *k;
	RETURN_IF_ERROR(kernel_of(func, &k));
	if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
		if (value < 0 ||
		    (uint64_t)value + k->info.shared_bytes > device_info()->shared_per_block_optin)
			return rt_error(cudaErrorInvalidValue);
		k->max_dynamic = value;
		return cudaSuccess;
	}
	if (attr == cudaFuncAttributePreferredSharedMemoryCarveout) {
		if (value < -1 || value > 100)
			return rt_error(cudaErrorInvalidValue);
		k->carveout = value; /* stored; a hint */
		return cudaSuccess;
	}
	return attr == cudaFuncAttributeNonPortableClusterSizeAllowed
		       ? cudaSuccess
		       : rt_error(cudaErrorInvalidValue);
}

RT(cudaKernelSetAttributeForDevice,
   (cudaKernel_t k, enum cudaFuncAttribute attr, int value, int device))
{
	return device ? rt_error(cudaErrorInvalidDevice) : rt_cudaFuncSetAttribute(k, attr, value);
}

RT(cudaFuncSetCacheConfig, (const void *func, enum cudaFuncCache config))
{
	struct kernel *k;
	RETURN_IF_ERROR(kernel_of(func, &k));
	if ((unsigned)config > cudaFuncCachePreferEqual)
		return rt_error(cudaErrorInvalidValue);
	k->cache = (int)config;
	return cudaSuccess;
}

RT(cudaFuncSetSharedMemConfig, (const void *func, enum cudaSharedMemConfig config))
{
	struct kernel *k;
	RETURN_IF_ERROR(kernel_of(func, &k));
	return (unsigned)config > cudaSharedMemBankSizeEightByte ? rt_error(cudaErrorInvalidValue)
								 : cudaSuccess;
}

RT(cudaSetDoubleForDevice, (double *d))
{
	(void)d;
	return cudaSuccess; /* all devices have doubles, so nothing is converted */
}
RT(cudaSetDoubleForHost, (double *d))
{
	(void)d;
	return cudaSuccess;
}

/* ---- occupancy ---- */

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
   (int *blocks, const void *func, int threads, size_t shared, unsigned flags))
{
	struct kernel *k;
	if (!blocks || threads <= 0 || flags > cudaOccupancyDisableCachingOverride)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(kernel_of(func, &k));
	*blocks = occupancy(k, threads, shared);
	return cudaSuccess;
}

RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
   (int *blocks, const void *func, int threads, size_t shared))
{
	return rt_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads,
									 shared, 0);
}

RT(cudaOccupancyAvailableDynamicSMemPerBlock,
   (size_t * bytes, const void *func, int blocks, int threads))
{
	struct kernel *k;
	if (!bytes || blocks <= 0 || threads <= 0)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(kernel_of(func, &k));
	if (occupancy(k, threads, 0) < blocks)
		return rt_error(cudaErrorInvalidValue);
	const struct heddle_device *d = device_info();
	uint64_t n = d->shared_per_sm / (unsigned)blocks / 128 * 128;
	if (n > d->shared_per_block_optin)
		n = d->shared_per_block_optin;
	*bytes = n > k->info.shared_bytes ? n - k->info.shared_bytes : 0;
	return cudaSuccess;
}

RT_PTSZ(cudaLaunchKernel, (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s),
	(f, g, b, a, n, s))
RT_PTSZ(__cudaLaunchKernel, (cudaKernel_t f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s),
	(f, g, b, a, n, s))
RT_PTSZ(cudaLaunchKernelExC, (const cudaLaunchConfig_t *c, const void *f, void **a), (c, f, a))
RT_PTSZ(cudaLaunchCooperativeKernel,
	(const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s), (f, g, b, a, n, s))
