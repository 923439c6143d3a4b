#include "gpu/warm.h"

#include "gpu/gpu.h"
#include "mem/warm.h"

bool warm_init(struct warm *w, struct gpu *g)
{
	*w = (struct warm){.g = g};
	return !g->m->perfect_mem;
}

void warm_see(void *arg, uint64_t addr, uint32_t bytes, bool written)
{
	struct warm *w = arg;
	/* pieces of 32 bytes, as many as a sector has: other bytes of a piece add nothing */
	uint64_t first = addr / 32, last = (addr + bytes - 1) / 32;
	uint64_t key = (first * 4 + (last - first)) * 2 + written + 1;
	uint64_t *recent = &w->recent[first / 4 % WARM_RECENT];
	if (*recent == key || (!written && *recent == key + 1))
		return;
	*recent = key;
	memsys_touch(w->g->mem, addr, bytes, written);
}
