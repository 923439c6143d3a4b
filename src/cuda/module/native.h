/* Native code in place of a kernel's PTX (HEDDLE_NATIVE). All with the device locked. */
#ifndef CUDA_NATIVE_H
#define CUDA_NATIVE_H
#include "cuda/rt.h"

struct native {
	struct heddle_module *m;
	struct heddle_kernel *k;
	struct param_move {
		unsigned from, to, size;
	} * move;       /* one for each parameter */
	unsigned bytes; /* of the native parameter block */
};

/* Loads k's native code if the user chose one; an error is reported. */
cudaError_t native_load(struct heddle *h, struct kernel *k);
void native_unload(struct heddle *h, struct kernel *k); /* before k's module goes */
/* The launch with the native kernel; free its params. */
struct heddle_launch native_launch(const struct native *n, const struct kernel *k,
				   const struct heddle_launch *l);
void native_report(void); /* choices that no kernel was for */

#endif
