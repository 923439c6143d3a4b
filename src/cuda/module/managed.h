/* Managed variables as `heddle cc` registers them: a host variable and the name of its device twin.
 */
#ifndef CUDA_MANAGED_H
#define CUDA_MANAGED_H
#include "cuda/rt.h"

void managed_map(struct heddle *h,
		 struct heddle_module *m); /* after loading: same memory for both */
void managed_reset(void);
/* With process.lock: those that have pages for themselves. */
void managed_each(void (*f)(uintptr_t lo, size_t size));
struct symbol *managed_symbol(const void *host);

#endif
