/* Managed variables that `heddle cc` registers: each is a host variable and the name of a device
 * variable. */
#ifndef CUDA_MANAGED_H
#define CUDA_MANAGED_H
#include "cuda/rt.h"

void managed_map(struct heddle *h,
		 /* Call after loading: the host variable and the device variable then use one
		  * memory. */
		 struct heddle_module *m);
void managed_reset(void);
/* Calls f for managed variables that have pages of their own. Call with process.lock. */
void managed_each(void (*f)(uintptr_t lo, size_t size));
struct symbol *managed_symbol(const void *host);

#endif
