/* --check race: whether a mark happens before an access, and the report if not. happens_before.c
 * defines the order. Two accesses by different threads, one of them a write, not both strong, are a
 * race unless the first happens before the second. Strong accesses of block scope race with those
 * of other blocks. Below sm_70 the lanes of a warp run in lock step: only accesses of one
 * instruction race. */
#include <stdio.h>
#include "base/mangled.h"
#include "check/marks.h"

/* ---- order ---- */

static const struct beside *beside(const struct access_of *x, const struct mark *m)
{
	for (uint32_t i = 0; i < x->c->nbeside; i++)
		if ((uint16_t)x->c->beside[i].grid_id == m->launch)
			return &x->c->beside[i];
	return NULL;
}

static bool same_warp(const struct access_of *x, const struct mark *m)
{
	uint32_t n = x->w->cta->l->warp_size;
	return m->block == x->now.block && m->first / n == x->now.first / n;
}

bool mark_before(const struct access_of *x, const struct know *k, const struct mark *m)
{
	const struct seen *s;
	if (m->launch != x->now.launch)
		return x->sp == SP_SHARED || !x->c->nbeside || !beside(x, m);
	if (m->block != x->now.block) {
		if (x->sp == SP_SHARED && !x->w->cta->cluster)
			return true; /* the mark belongs to an earlier block that used this
				      * storage */
		s = others_get(know_others(k), m->block - 1);
		return s && m->stamp <= s->base;
	}
	s = know_own(k);
	if (s && m->stamp <= s->base)
		return true;
	return x->lock_step && same_warp(x, m) && m->stamp != x->now.stamp;
}

static bool thread_before(const struct access_of *x, const struct know *k, unsigned lane,
			  const struct mark *m, uint32_t thread)
{
	if (mark_before(x, k, m))
		return true;
	if (m->launch != x->now.launch)
		return false;
	if (m->block != x->now.block)
		return seen_knows(others_get(know_others(k), m->block - 1), thread, m->stamp);
	return thread == x->now.first + lane || seen_knows(know_own(k), thread, m->stamp);
}

/* Old code reduces through volatile shared memory and relies on lock step: the accesses are strong,
 * and lanes that wrote in one instruction read each other's words in another. */
static bool warp_synchronous(const struct access_of *x, const struct mark *m)
{
	return m->is_volatile && x->now.is_volatile && m->together && x->now.together &&
	       same_warp(x, m) && m->launch == x->now.launch && x->sp == SP_SHARED;
}

/* Bytes of a scalar memory access (each element of a vector counts as one); 0: not a memory
 * access. */
static unsigned scalar_bytes(const struct inst *in)
{
	return inst_is(in, OF_LOAD | OF_STORE) || inst_is_atomic(in) ? type_bytes(in->type) : 0;
}

/* PTX: strong accesses are atomic with respect to each other only if they access the same bytes.
 * Accesses of different sizes therefore race, except where libraries do this on purpose: they build
 * atomics of bytes and halfwords from a compare-and-swap of the containing word, and mix them with
 * plain strong accesses of the small size. */
bool marks_sizes_differ(const struct access_of *x, const struct mark *m)
{
	const struct beside *o = m->launch != x->now.launch ? beside(x, m) : NULL;
	if (m->launch != x->now.launch && !o)
		return false;
	const struct inst *a = (o ? o->img : x->w->cta->l->img)->code[m->pc].in, *b = x->u->in;
	unsigned na = scalar_bytes(a), nb = scalar_bytes(b);
	if (na == nb || !na || !nb)
		return false;
	if (na >= 4 && nb >= 4)
		return true;
	const struct inst *wide = na > nb ? a : b;
	return inst_is_atomic(a) && inst_is_atomic(b) && wide->atom != ATOM_CAS;
}

/* True if both accesses are strong in a scope that includes both threads, so that they do not race
 * in either order. */
static bool both_strong(const struct access_of *x, const struct mark *m)
{
	if (!m->strong || !x->now.strong || warp_synchronous(x, m) || marks_sizes_differ(x, m))
		return false;
	return !(m->cta || x->now.cta) || (m->block == x->now.block && m->launch == x->now.launch);
}

/* ---- lanes ---- */

static uint64_t bytes_between(int from, int to)
{
	from = from < 0 ? 0 : from;
	to = to > SECTOR ? SECTOR : to;
	return from >= to ? 0 : ~0ull >> (SECTOR - (to - from)) << from;
}

static uint64_t lane_bytes(const struct mark *m, unsigned lane)
{
	int from = m->off + (int)(lane << m->shift);
	return m->in_row ? m->bytes & bytes_between(from, from + (1 << m->shift)) : m->bytes;
}

/* Lanes of m that touch some of the bytes. */
static uint32_t lanes_at(const struct mark *m, uint64_t bytes)
{
	if (!m->in_row)
		return m->lanes;
	int first = (__builtin_ctzll(bytes) - m->off) >> m->shift;
	int last = (SECTOR - 1 - __builtin_clzll(bytes) - m->off) >> m->shift;
	return m->lanes & ~0u >> (31 - last) & ~0u << first;
}

/* ---- reports ---- */

static const char *name_missing_order(const struct access_of *x, const struct mark *m)
{
	if (m->launch != x->now.launch)
		return "the two kernels are in streams that nothing orders, or in branches of a graph";
	if (x->read_only)
		return "and the read-only path (ld.global.nc: __ldg, const __restrict__; textures) does not see what the "
		       "kernel itself writes";
	if (m->strong && x->now.strong && marks_sizes_differ(x, m))
		return "they have different sizes: only accesses of the same bytes are atomic to each other";
	if (same_warp(x, m) && m->stamp == x->now.stamp)
		return "lanes of one instruction";
	if (same_warp(x, m))
		return "lanes of one warp: from sm_70 on they do not run in lock step, __syncwarp() is missing between them";
	if (m->strong && x->now.strong)
		return "atomics of block scope from two blocks";
	if (m->strong != x->now.strong)
		return "one is atomic or volatile, the other is not, nothing orders them";
	return "nothing orders them";
}

static const char *verb(const struct image *img, uint32_t pc, bool writes, bool strong,
			bool is_volatile)
{
	if (writes && uop_is(&img->code[pc], OF_CALL))
		return "freed";
	if (!strong)
		return writes ? "written" : "read";
	if (is_volatile)
		return writes ? "written (volatile)" : "read (volatile)";
	return writes ? "written atomically" : "read atomically";
}

static void report_race(const struct access_of *x, unsigned lane, const struct mark *m,
			uint32_t thread, bool wrote)
{
	const struct beside *o = m->launch != x->now.launch ? beside(x, m) : NULL;
	const struct image *img = o ? o->img : x->w->cta->l->img;
	const char *cause = name_missing_order(x, m);
	uint64_t a = x->a + (uint64_t)__builtin_ctzll(lane_bytes(&x->now, lane));
	struct report *r = check_report(x->w, x->u, lane, HEDDLE_FAULT_RACE, a, x->n, m->pc, cause);
	if (!r)
		return;
	char at[PLACE_TEXT], whose[PLACE_TEXT], who[100], of[100];
	const struct launch *l = x->w->cta->l;
	check_where(img, m->pc, at, sizeof at);
	r->other_block = m->block - 1;
	r->other_thread = thread;
	r->other_img = o ? o->img : NULL;
	report_text(r, "data race in %s memory%s at 0x%llx%s: %s here, %s at %s by %s%s%s, %s",
		    x->sp == SP_SHARED ? "shared" : "global",
		    check_block(of, sizeof of, x->w, x->owner), (unsigned long long)a,
		    check_whose(whose, sizeof whose, x->w, x->sp == SP_SHARED, a),
		    verb(l->img, x->now.pc, x->acc != ACC_READ, x->now.strong, x->now.is_volatile),
		    verb(img, m->pc, wrote, m->strong, m->is_volatile), at,
		    check_who(who, sizeof who, o ? o->grid : l->grid, o ? o->block : l->block,
			      thread, m->block - 1),
		    o ? " of kernel " : "", o ? plain_name(o->img->kernel->name).text : "", cause);
}

/* ---- an access and a mark ---- */

/* Compares lane by lane. */
static enum verdict check_lanes_of(const struct access_of *x, const struct mark *m, bool wrote)
{
	const struct launch *l = x->w->cta->l;
	enum verdict v = BEFORE;
	for (uint32_t q = x->now.lanes; q; q &= q - 1) {
		unsigned lane = (unsigned)__builtin_ctz(q);
		uint64_t both = lane_bytes(&x->now, lane) & m->bytes;
		const struct know *k = check_know(x->w->cta->check, l, x->w->id, lane);
		for (uint32_t o = both ? lanes_at(m, both) : 0; o; o &= o - 1) {
			uint32_t thread = m->first + (uint32_t)__builtin_ctz(o);
			if (thread_before(x, k, lane, m, thread))
				continue;
			report_race(x, lane, m, thread, wrote);
			v = RACE;
			break;
		}
	}
	return v;
}

/* Compares with any write of the kernel, ordered or not: ld.global.nc may miss it. */
static enum verdict check_read_only(const struct access_of *x, const struct mark *m)
{
	for (uint32_t q = x->now.lanes; q; q &= q - 1) {
		unsigned lane = (unsigned)__builtin_ctz(q);
		uint64_t both = lane_bytes(&x->now, lane) & m->bytes;
		if (both)
			report_race(x, lane, m,
				    m->first + (uint32_t)__builtin_ctz(lanes_at(m, both)), true);
	}
	return RACE;
}

/* True if both marks have equal lanes at equal bytes. */
static bool same_threads(const struct mark *a, const struct mark *b)
{
	if (a->block != b->block || a->launch != b->launch || a->first != b->first ||
	    a->in_row != b->in_row)
		return false;
	if (a->in_row)
		return a->off == b->off && a->shift == b->shift;
	return a->lanes == b->lanes && !(a->lanes & (a->lanes - 1));
}

/* True if two stores write equal constants: memory does not depend on their order. */
static bool same_constants(const struct access_of *x, const struct mark *m)
{
	const struct image *mine = x->w->cta->l->img;
	const struct beside *o = m->launch != x->now.launch ? beside(x, m) : NULL;
	const struct image *its = m->launch == x->now.launch ? mine : o ? o->img : NULL;
	return its && mine->constant[x->now.pc] &&
	       mine->constant[x->now.pc] == its->constant[m->pc];
}

enum verdict mark_check(const struct access_of *x, const struct mark *m, bool wrote)
{
	if (!(m->bytes & x->now.bytes))
		return APART;
	if (x->read_only && wrote && m->launch == x->now.launch)
		return check_read_only(x, m);
	if (m->strong && x->now.strong && both_strong(x, m))
		return STRONG;
	if ((!x->differ && mark_before(x, x->k, m)) || same_threads(&x->now, m))
		return BEFORE;
	if (wrote && x->acc == ACC_WRITE && same_constants(x, m))
		return BEFORE;
	return check_lanes_of(x, m, wrote);
}
