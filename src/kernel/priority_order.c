/* The order of an image's instructions by priority: function by function; within a function the blocks
 * as pass/priority.h orders them; within a block as written. */
#include "kernel/image.h"
#include "pass/priority.h"

static uint32_t order_func(const struct func *f, uint32_t *order, uint32_t next)
{
	struct arena a = {0};
	const struct cfg *c = cfg_build(&a, f);
	const uint32_t *position = priority_build(&a, c);
	uint32_t *block = ARENA_ARRAY(&a, uint32_t, c->n + 1);
	for (uint32_t b = 0; b <= c->n; b++)
		block[position[b]] = b;
	for (uint32_t k = 0; k <= c->n; k++)
		for (uint32_t i = c->block[block[k]].first; i < c->block[block[k]].end; i++)
			order[i] = next++;
	arena_free(&a);
	return next;
}

const uint32_t *image_order(const struct image *img, struct arena *a)
{
	uint32_t *order = ARENA_ARRAY(a, uint32_t, img->ncode + 1);
	for (uint32_t i = 0; i < img->nfuncs; i++) {
		const struct image_func *f = &img->funcs[i];
		order[f->end] = order_func(f->f, order + f->start, f->start);
	}
	return order;
}
