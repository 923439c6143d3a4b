/* Figures of an instruction that issues: its lanes, its class and the register arrays that it reads
 * and writes, per SM and in the profile of its pc. m: lanes that execute the instruction; active:
 * lanes of the group; parts: parts of simd_width lanes.
 *
 * Most instructions of regular programs belong to a full warp, so count_whole() only adds to a few
 * counters, from which sm_count_until() derives the figures. */
#ifndef SM_COUNT_H
#define SM_COUNT_H
#include "sm/sm.h"

/* Counts an instruction of any number of lanes and parts. */
void count_issue(struct sm *sm, struct prof *p, const struct uop *u, const struct tinst *t,
		 lanemask m, lanemask active, unsigned parts);

/* Counts an instruction of a full warp in rf.parts parts, as nearly all instructions of regular
 * programs are. False: a different instruction; nothing was counted. A branch counts for all its
 * lanes, taken or not. */
static inline bool count_whole(struct sm *sm, struct prof *p, const struct uop *u,
			       const struct tinst *t, lanemask m, lanemask active, unsigned parts)
{
	struct op_count *c = &sm->op[t->opclass];
	lanemask full = sm->rf.full;
	bool stays = m == full || ((u->flags & UOP_BRANCH) && !m && active == full);
	if (!stays || parts != sm->rf.parts || !t->plain)
		return false;
	sm->whole++;
	p->whole++;
	c->full++;
	c->full_reads += t->nread;
	c->full_writes += t->nwrite;
	return true;
}

/* The profile entry of the instruction at pc: for a native instruction, the entry of its last
 * uop. */
static inline struct prof *count_at(struct prof *p, uint32_t pc, const struct tinst *t)
{
	return &p[pc + t->n - 1u];
}

/* The threads that execute a native instruction are known only after it has run, so it is counted
 * with its last uop. Its other uops (`micro`) count nothing. */
static inline void count_native(struct sm *sm, struct prof *p, const struct uop *u,
				const struct tinst *t, lanemask active, unsigned parts)
{
	const struct uop *last = u + t->n - 1;
	if (!last->in->micro)
		count_issue(sm, p + t->n - 1, last, t, sm->native_lanes, active, parts);
}

#endif
