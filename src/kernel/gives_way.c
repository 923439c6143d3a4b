/* Which stores give way: stores to shared memory that has been read since the last barrier. In
 * functional mode they let the block's other warps go first (func/pace.c gives the reason). Marked are
 * stores that can be reached from a barrier, or from another such store, by way of a read; not a store
 * that releases a lock (STSUL), for which the others would wait. */
#include "kernel/image.h"

static bool may_be_shared(const struct inst *in)
{
	return in->space == SP_SHARED || in->space == SP_GENERIC || in->space == SP_NONE;
}

static bool writes_shared(const struct inst *in)
{
	return inst_is(in, OF_STORE) && may_be_shared(in) && !(in->mods & M_UNLOCK);
}

static bool reads_shared(const struct inst *in)
{
	bool atomic = inst_is_atomic(in) && !inst_is_reduction(in);
	return (inst_is(in, OF_LOAD) || atomic) && may_be_shared(in);
}

/* Writes the successors of pc to `to` and returns their number. Calls are passed over. */
static uint32_t list_successors(const struct image *img, uint32_t pc, uint32_t to[2])
{
	const struct uop *u = &img->code[pc];
	uint32_t n = 0;
	if (uop_is(u, OF_INDEXED) || (uop_is(u, OF_RETURNS | OF_EXITS) && u->guard < 0))
		return 0;
	if (uop_is(u, OF_BRANCH))
		to[n++] = u->target;
	if (!uop_is(u, OF_BRANCH) || u->guard >= 0)
		to[n++] = pc + 1;
	return n;
}

void image_mark_gives_way(struct image *img)
{
	enum { BEFORE = 1, AFTER = 2 }; /* BEFORE, AFTER a read of shared memory */
	struct at {
		uint32_t pc;
		uint8_t when;
	} *todo = xmalloc((5 * (size_t)img->ncode + 1) * sizeof *todo);
	uint8_t *seen = xcalloc(img->ncode + 1, 1);
	uint32_t n = 0;
	for (uint32_t pc = 0; pc + 1 < img->ncode; pc++)
		if (uop_is(&img->code[pc], OF_BARRIER) && img->code[pc].in->bar != BAR_ARRIVE)
			todo[n++] = (struct at){pc + 1, BEFORE};
	while (n) {
		struct at at = todo[--n];
		struct uop *u = &img->code[at.pc];
		uint32_t to[2];
		if (at.pc >= img->ncode || (seen[at.pc] & at.when) || uop_is(u, OF_BARRIER))
			continue;
		seen[at.pc] |= at.when;
		if (at.when == AFTER && writes_shared(u->in)) {
			u->flags |= UOP_GIVES_WAY;
			at.when = BEFORE;
		}
		if (reads_shared(u->in))
			at.when = AFTER;
		for (uint32_t k = list_successors(img, at.pc, to); k--;)
			if (to[k] < img->ncode && !(seen[to[k]] & at.when))
				todo[n++] = (struct at){to[k], at.when};
	}
	free(todo);
	free(seen);
}
