/* Fills of device memory, executed immediately. memset.c has the entry points. */
#include "cuda/memory/memory.h"

cudaError_t fill_run(const struct fill *f)
{
	enum heddle_status st = HEDDLE_OK;
	struct heddle *h = device_lock();
	for (uint64_t z = 0; z < f->depth && !st; z++)
		for (uint64_t y = 0; y < f->height && !st; y++)
			st = heddle_fill(h, f->addr + z * f->slice + y * f->pitch, f->value,
					 f->size, f->width);
	device_unlock();
	return st ? cudaErrorIllegalAddress : cudaSuccess;
}
