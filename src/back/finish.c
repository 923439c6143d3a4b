/* The passes from selected code to allocated registers.
 *
 * A shared value (common.c) takes a register from where it is computed to its last reader, and a
 * multiprocessor holds fewer warps the more registers a thread has. So where code that shares all it
 * can leaves the machine short of warps, the code is made again without sharing. If that one has
 * room for more warps, sharing is limited to what was computed a few instructions before: the
 * farthest reach that has room for as many warps is kept. No value is spilled for this. */
#include <stdlib.h>
#include <string.h>
#include "back/mir.h"

enum { WARP = 32 };

/* The warps that a multiprocessor has registers for. */
static unsigned warps(const struct mfunc *m)
{
	const struct mtarget *t = m->target;
	unsigned each = (m->registers * WARP + t->unit - 1) / t->unit * t->unit,
		 n = each ? t->file / each : t->warps;
	return n < t->warps ? n : t->warps;
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

/* reach: of sharing; 0: none. */
static bool allocate(struct mfunc *m, uint32_t reach, unsigned registers, bool spills,
		     unsigned without)
{
	if (reach) {
		mir_common(m, reach);
		mir_dead(m);
	}
	if (!(without & (FUSE_VECTOR | FUSE_FOLD))) {
		mir_join(m);
		mir_fold(m, false);
		mir_dead(m);
	}
	mir_fuse(m, without);
	if (!(without & FUSE_COALESCE))
		mir_coalesce(m);
	return mir_allocate(m, registers, spills);
}

/* Makes the code again from `plain`, and keeps it if `least` warps have room without spills. */
static bool again(struct mfunc *m, const struct mfunc *plain, uint32_t reach, unsigned least,
		  unsigned without)
{
	const struct mtarget *t = m->target;
	struct mfunc other = copy_of(plain);
	unsigned most = t->file / least / t->unit * t->unit / WARP;
	most = most < t->registers ? most : t->registers;
	bool ok = allocate(&other, reach, most, false, without) && warps(&other) >= least;
	if (ok) {
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
	struct mfunc plain = copy_of(m);
	bool ok = allocate(m, UINT32_MAX, registers, true, without);
	unsigned had = ok ? warps(m) : 0;
	if (ok && had < m->target->warps && again(m, &plain, 0, had + 1, without))
		for (unsigned i = 0, most = warps(m); i < sizeof reach / sizeof *reach; i++)
			if (again(m, &plain, reach[i], most, without))
				break;
	mfunc_free(&plain);
	return ok;
}

bool mir_finish(struct mfunc *m, unsigned registers, unsigned without)
{
	prepare(m, without);
	if (without & FUSE_COMMON ? !allocate(m, 0, registers, true, without)
				  : !share(m, registers, without))
		return false;
	if (!(without & FUSE_BRA_U))
		mir_skip(m);
	if (!(without & FUSE_TAIL))
		mir_tail(m);
	return true;
}
