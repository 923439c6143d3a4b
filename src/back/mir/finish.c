/* The passes from selected code to allocated registers.
 *
 * A shared value (common.c) takes a register from where it is computed to its last reader, and a
 * multiprocessor holds fewer blocks the more registers a thread has. So where code that shares all it
 * can leaves the machine short of blocks, the code is made again without sharing. If that one has
 * room for more blocks, sharing is limited to where registers are left over (room.c), or to what was
 * computed a few instructions before: the farthest reach that has room for as many blocks. The shorter
 * code is kept. No value is spilled for this. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

enum { WARP = 32 };

static unsigned round_up(unsigned n, unsigned unit) { return (n + unit - 1) / unit * unit; }

/* The blocks that a multiprocessor holds of threads with so many registers. */
static unsigned blocks(const struct mfunc *m, unsigned registers)
{
	const struct mtarget *t = m->target;
	unsigned n = m->block_warps, warp = registers * WARP,
		 block = t->by_warp ? n * round_up(warp, t->unit) : round_up(n * warp, t->unit),
		 most = t->warps / n < t->blocks ? t->warps / n : t->blocks;
	return block && t->file / block < most ? t->file / block : most;
}

/* A copy whose code and values are its own. */
static struct mfunc copy_of(const struct mfunc *m)
{
	struct mfunc c = *m;
	memset(&c.code, 0, sizeof c.code);
	memset(&c.val, 0, sizeof c.val);
	memset(&c.literal, 0, sizeof c.literal);
	for (size_t i = 0; i < m->code.n; i++)
		vec_push(&c.code, m->code.v[i]);
	for (size_t i = 0; i < m->val.n; i++)
		vec_push(&c.val, m->val.v[i]);
	for (size_t i = 0; i < m->literal.n; i++)
		vec_push(&c.literal, m->literal.v[i]);
	return c;
}

/* Up to where values are shared. */
static void prepare(struct mfunc *m, unsigned without)
{
	mir_dead(m);
	if (!(without & FUSE_RENAME))
		mir_rename(m);
	for (unsigned i = 0; i < 2 && !(without & FUSE_FOLD); i++) {
		mir_fold(m, i);
		mir_dead(m);
	}
}

/* reach: of sharing; 0: none; room: registers that it may fill beyond, 0: none. */
static bool allocate(struct mfunc *m, uint32_t reach, unsigned room, unsigned registers,
		     bool may_spill, unsigned without)
{
	/* what made a shared value is not needed then: there is room for more */
	for (size_t n = 0, i = 0; reach && i < (room ? 4 : 1) && n != m->code.n; i++) {
		n = m->code.n;
		mir_common(m, reach, room);
		mir_dead(m);
	}
	if (!(without & (FUSE_VECTOR | FUSE_FOLD))) {
		mir_join(m);
		mir_fold(m, false);
		mir_dead(m);
	}
	if (m->target->sm < 20 && !(without & FUSE_ADDRESS))
		t_index(m);
	mir_fuse(m, without);
	if (!(without & FUSE_LDU))
		mir_ldu(m);
	if (!(without & FUSE_COALESCE))
		mir_coalesce(m);
	return mir_allocate(m, registers, may_spill);
}

/* The registers of a thread with which so many blocks have room. */
static unsigned registers_of(const struct mfunc *m, unsigned least)
{
	unsigned most = m->target->registers;
	while (most && blocks(m, most) < least)
		most--;
	return most;
}

/* Makes the code again from `plain`. True if `least` blocks have room without spills; it is kept if it is the
 * shorter one, or has room for more blocks. */
static bool again(struct mfunc *m, const struct mfunc *plain, uint32_t reach, unsigned room,
		  unsigned least, unsigned without)
{
	struct mfunc other = copy_of(plain);
	bool ok = allocate(&other, reach, room, registers_of(m, least), false, without) &&
		  blocks(m, other.registers) >= least;
	if (ok && (blocks(m, m->registers) < least || other.code.n < m->code.n)) {
		mfunc_free(m);
		*m = other;
	} else {
		mfunc_free(&other);
	}
	return ok;
}

static bool share(struct mfunc *m, unsigned registers, unsigned without)
{
	static const uint32_t reach[] = {256, 128, 64, 32, 16, 8};
	enum { REACHES = sizeof reach / sizeof *reach, SPARE = 8 };
	struct mfunc plain = copy_of(m);
	bool ok = allocate(m, UINT32_MAX, 0, registers, true, without);
	unsigned had = blocks(m, m->registers);
	if (ok && !(without & FUSE_ROOM) && had < blocks(m, 1) &&
	    again(m, &plain, 0, 0, had + 1, without)) {
		unsigned most = blocks(m, m->registers), all = registers_of(m, most);
		for (unsigned i = 0; i < REACHES; i++)
			if (again(m, &plain, reach[i], 0, most, without))
				break;
		/* pairs and what later passes keep need some registers besides */
		for (unsigned spare = 0; spare < SPARE && spare < all; spare++)
			if (again(m, &plain, reach[REACHES - 1], all - spare, most, without))
				break;
	}
	mfunc_free(&plain);
	return ok;
}

bool mir_finish(struct mfunc *m, unsigned registers, unsigned without)
{
	prepare(m, without);
	if (without & FUSE_COMMON ? !allocate(m, 0, 0, registers, true, without)
				  : !share(m, registers, without))
		return false;
	if (!(without & FUSE_BRA_U))
		mir_skip(m);
	if (!(without & FUSE_TAIL))
		mir_tail(m);
	return true;
}
