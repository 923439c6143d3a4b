/* Detection of polls whose answer does not change, and the lanes for which a .sync operation
 * waits. */
#ifndef KERNEL_POLL_H
#define KERNEL_POLL_H
#include "exec/lanes.h"
#include "kernel/reconv.h"

/* A hash of the address and the answer of poll u in the first of lanes m. */
static inline uint64_t poll_key(const struct wstate *ws, const struct uop *u, uint32_t m)
{
	uint32_t f = (uint32_t)__builtin_ctz(m);
	uint64_t key = m;
	if (u->d != SINK) { /* an mbarrier wait returns a predicate in place of a register */
		uint32_t seen =
			uop_is(u, OF_MBARRIER) ? ws->w.pred[u->d] & m : row_u32(&ws->w, u->d)[f];
		key = key * 0x9e3779b97f4a7c15u + seen;
	}
	if (u->a != SINK)
		key = key * 0x9e3779b97f4a7c15u + row_u32(&ws->w, u->a)[f];
	return key;
}

/* True if the poll at pc with that key has returned one answer many times: other warps must run. */
static inline bool warp_polls(struct wstate *ws, uint32_t pc, uint64_t key)
{
	enum { SPINS = sizeof ws->spin / sizeof *ws->spin };
	unsigned i = 0;
	while (i < SPINS && ws->spin[i].pc != pc)
		i++;
	if (i < SPINS && ws->spin[i].key == key)
		return ++ws->spins >= 64;
	if (i == SPINS) { /* replaces the poll that was recorded first */
		memmove(ws->spin + 1, ws->spin, sizeof ws->spin - sizeof *ws->spin);
		i = 0;
	}
	ws->spin[i] = (struct spin){pc, key};
	ws->spins = 0;
	return false;
}

/* True if the instruction reads a clock: a wait for a clock ends by itself. */
static inline bool inst_reads_time(const struct inst *in)
{
	const struct opnd *o = in->ns ? inst_src(in, 0) : NULL;
	unsigned s = o && o->kind == OPND_SREG ? o->reg : SREG_COUNT;
	return s == SREG_CLOCK || s == SREG_CLOCK_HI || s == SREG_CLOCK64 ||
	       s == SREG_GLOBALTIMER || s == SREG_GLOBALTIMER_LO || s == SREG_GLOBALTIMER_HI;
}

/* Where the lanes that a .sync operation names meet: 0: at this instruction; otherwise each at an operation with this
 * number, wherever it is. SYNC_ANYWHERE: the operation has no results, and only orders their accesses (bar.warp.sync). */
static inline uint32_t inst_meets(const struct inst *in)
{
	if (inst_exchange(in))
		return SYNC_EXCHANGES | (uint32_t)in->type << 16 | (uint32_t)in->mode << 8 | in->op;
	return op_info[in->op].kind == OPK_BARRIER ? SYNC_ANYWHERE : SYNC_HERE;
}

/* Lanes that the masks of a .sync operation of lanes m name. */
uint32_t warp_members(const struct warp *w, const struct uop *u, uint32_t m);

#endif
