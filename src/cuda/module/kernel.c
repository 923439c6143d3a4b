/* Attributes and occupancy of a loaded kernel. */
#include "cuda/module/program.h"

enum {
	SYSTEM_SHARED = 1024
}; /* bytes of a block's shared memory that sm_90 keeps for the system */

void func_attributes(const struct kernel *k, struct cudaFuncAttributes *a)
{
	const struct heddle_device *d = device_info();
	*a = (struct cudaFuncAttributes){
		.sharedSizeBytes = k->info.shared_bytes,
		.constSizeBytes = k->info.const_bytes,
		.localSizeBytes = k->info.local_bytes,
		.maxThreadsPerBlock = (int)k->info.max_threads,
		.numRegs = (int)k->info.registers,
		.ptxVersion = (int)k->info.target,
		.binaryVersion = (int)(10 * d->major + d->minor),
		.preferredShmemCarveout = k->carveout,
		.maxDynamicSharedSizeBytes =
			k->max_dynamic > 0 ? k->max_dynamic
					   : (int)d->shared_per_block - (int)k->info.shared_bytes};
}

int occupancy(const struct kernel *k, int threads, size_t dynamic)
{
	uint64_t own = k->info.shared_bytes + dynamic;
	uint64_t shared = own + (k->info.target >= 90 ? SYSTEM_SHARED : 0);
	if (threads <= 0 || (unsigned)threads > k->info.max_threads ||
	    own > device_info()->shared_per_block_optin)
		return 0;
	unsigned n =
		heddle_occupancy(process.device.h, (unsigned)threads, k->info.registers, shared);
	return (int)(n ? n
		       : heddle_occupancy(process.device.h, (unsigned)threads,
					  k->info.least_registers, shared));
}
