/* From selected code to allocated registers, with the choice of how many values are shared.
 *
 * A shared value (common.c) holds a register from its computation to its last reader, and a
 * multiprocessor has room for fewer blocks the more registers a thread has. So the code is first
 * made with all sharing. If the registers then limit the number of blocks, it is made again without
 * sharing. If that makes room for more blocks, values are shared while registers are left over
 * (room.c), or over the longest of a few distances that has room for as many blocks. The shorter
 * code is kept. No value is spilled for sharing. The passes are those of pipeline.c. */
#include <stdlib.h>
#include <string.h>
#include "back/pipeline.h"

enum { WARP = 32 };

static unsigned round_up(unsigned n, unsigned unit) { return (n + unit - 1) / unit * unit; }

/* The number of blocks that a multiprocessor holds if threads have this many registers. */
static unsigned blocks_with(const struct mfunc *m, unsigned registers)
{
	const struct mtarget *t = m->target;
	unsigned n = m->block_warps, warp = registers * WARP,
		 block = t->by_warp ? n * round_up(warp, t->unit) : round_up(n * warp, t->unit),
		 most = t->warps / n < t->blocks ? t->warps / n : t->blocks;
	return block && t->file / block < most ? t->file / block : most;
}

/* A copy with code and values of its own. */
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

/* The registers per thread with which `least` blocks fit. */
static unsigned registers_of(const struct mfunc *m, unsigned least)
{
	unsigned most = m->target->registers;
	while (most && blocks_with(m, most) < least)
		most--;
	return most;
}

struct attempt { /* code that registers were allocated for, and whether `least` blocks fit */
	uint64_t code;
	unsigned least;
	bool ok;
};
typedef VEC(struct attempt) attempts;

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* A number for the code: equal for equal code, and hardly ever for other code. */
static uint64_t hash_code(const struct mfunc *m)
{
	uint64_t h = m->val.n;
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		h = mix(h, (uintptr_t)in->name);
		h = mix(h, (uint64_t)in->guard << 32 | in->label);
		h = mix(h, (uint64_t)in->nd << 16 | (uint64_t)in->n << 8 | (uint64_t)in->cc << 5 |
				   (uint64_t)in->keep << 4 | (uint64_t)in->pop << 3 |
				   (uint64_t)in->ends << 2 | (uint64_t)in->fresh << 1 |
				   (uint64_t)in->guard_neg);
		for (unsigned k = 0; in->name && k < in->n; k++) {
			const struct mo *o = &in->o[k];
			h = mix(h, (uint64_t)o->v << 32 | (uint64_t)o->kind << 24 |
					   (uint64_t)o->word << 16 | (uint64_t)o->bank << 8 |
					   (uint64_t)o->half << 4 | (uint64_t)o->neg << 3 |
					   (uint64_t)o->abs << 2 | (uint64_t)o->inv << 1 |
					   (uint64_t)o->wide);
			h = mix(h, (uint64_t)o->imm);
			h = mix(h, (uintptr_t)o->text);
		}
	}
	return h;
}

/* Makes the code again from `plain`. True if `least` blocks fit without spills; the code is kept if
 * it is shorter, or if more blocks fit. Sharing that gives the code of an earlier attempt has its result. */
static bool try_sharing(struct mfunc *m, const struct mfunc *plain, struct sharing s,
			unsigned least, unsigned without, attempts *past)
{
	struct mfunc other = copy_of(plain);
	pipeline_share(&other, s, without);
	uint64_t code = hash_code(&other);
	for (size_t i = 0; i < past->n; i++)
		if (past->v[i].code == code && past->v[i].least == least) {
			mfunc_free(&other);
			return past->v[i].ok;
		}
	bool ok = pipeline_allocate(&other, registers_of(m, least), false, without) &&
		  blocks_with(m, other.registers) >= least;
	vec_push(past, ((struct attempt){code, least, ok}));
	if (ok && (blocks_with(m, m->registers) < least || other.code.n < m->code.n)) {
		mfunc_free(m);
		*m = other;
	} else {
		mfunc_free(&other);
	}
	return ok;
}

static bool choose_sharing(struct mfunc *m, unsigned registers, unsigned without)
{
	static const uint32_t reach[] = {256, 128, 64, 32, 16, 8};
	enum { REACHES = sizeof reach / sizeof *reach, SPARE = 8 };
	struct mfunc plain = copy_of(m);
	attempts past = {0};
	pipeline_share(m, (struct sharing){UINT32_MAX, 0}, without);
	bool ok = pipeline_allocate(m, registers, true, without);
	unsigned had = blocks_with(m, m->registers);
	if (ok && !(without & FUSE_ROOM) && had < blocks_with(m, 1) &&
	    try_sharing(m, &plain, (struct sharing){0}, had + 1, without, &past)) {
		unsigned most = blocks_with(m, m->registers), all = registers_of(m, most);
		for (unsigned i = 0; i < REACHES; i++)
			if (try_sharing(m, &plain, (struct sharing){reach[i], 0}, most, without,
					&past))
				break;
		/* pairs, and values that later passes keep, need some registers in addition */
		for (unsigned spare = 0; spare < SPARE && spare < all; spare++)
			if (try_sharing(m, &plain,
					(struct sharing){reach[REACHES - 1], all - spare}, most,
					without, &past))
				break;
	}
	mfunc_free(&plain);
	vec_free(&past);
	return ok;
}

bool mir_finish(struct mfunc *m, unsigned registers, unsigned without)
{
	bool none = without & FUSE_COMMON;
	pipeline_prepare(m, without);
	if (none)
		pipeline_share(m, (struct sharing){0}, without);
	if (none ? !pipeline_allocate(m, registers, true, without)
		 : !choose_sharing(m, registers, without))
		return false;
	pipeline_finish(m, without);
	return true;
}
