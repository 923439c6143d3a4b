/* Native code that replaces a kernel's PTX (HEDDLE_NATIVE). Call all functions with the device
 * locked. */
#ifndef CUDA_NATIVE_H
#define CUDA_NATIVE_H
#include "cuda/rt.h"

struct native {
	struct heddle_module *m;
	struct heddle_kernel *k;
	struct param_move {
		unsigned from, to, size;
		/* moves of parameters from the PTX kernel's layout to the native one, one per parameter */
	} * move;
	unsigned bytes; /* bytes of the native parameter block */
};

/* Loads k's native code if the user chose a file for it; reports errors. */
cudaError_t native_load(struct heddle *h, struct kernel *k);
void native_unload(struct heddle *h, struct kernel *k); /* call before k's module is unloaded */
/* Returns the launch with the native kernel; the caller frees its params. */
struct heddle_launch native_launch(const struct native *n, const struct kernel *k,
				   const struct heddle_launch *l);
void native_report(void); /* reports choices of HEDDLE_NATIVE that match no kernel */

#endif
