/* --check race,init: checks accesses of an instruction's lanes to global and shared memory.
 *
 * Lanes are looked at in groups: lanes side by side, each after its neighbour or (reads) all at one
 * place. A group is checked by sectors, in one go each: the bytes must not be forbidden, a read
 * must find a byte that something has written (devmem/shadow.h has both bit maps), and marks.h
 * relates the access to earlier ones.
 *
 * A read of partly written bytes is not an error: copying a structure with wide accesses also reads the
 * padding between its members. */
#include "devmem/shadow.h"

#include "base/mangled.h"
#include "devmem/heap.h"
#include "check/marks.h"
#include "exec/cluster.h"

struct group { /* a run of lanes, first to last */
	unsigned first, last;
	bool in_row;       /* true: consecutive elements; false: all lanes at the first lane's
			    * address */
	uint64_t off, end; /* range of the bytes that the lanes touch */
};

static uint64_t off_of(const struct access_of *x, const struct group *g, unsigned lane)
{
	return g->in_row ? g->off + (uint64_t)(lane - g->first) * x->n : g->off;
}

/* Converts an offset to the address that the program uses. */
static uint64_t addr_of(const struct access_of *x, uint64_t base, uint64_t off)
{
	return x->sp == SP_SHARED ? off : base + off;
}

static void check_init(const struct access_of *x, const struct shadow *s, const struct group *g,
		       uint64_t base)
{
	char whose[PLACE_TEXT], of[100];
	for (unsigned i = g->first; i <= g->last; i++) {
		uint64_t off = off_of(x, g, i);
		if (shadow_any(s, s->init, off, x->n))
			continue;
		struct report *r =
			check_report(x->w, x->u, i, HEDDLE_FAULT_UNINIT, addr_of(x, base, off),
				     x->n, NO_PC, "uninitialised");
		if (r)
			report_text(
				r,
				"read of %u bytes at 0x%llx in %s memory%s%s that nothing has written",
				x->n, (unsigned long long)r->f.addr,
				x->sp == SP_SHARED ? "shared" : "global",
				check_block(of, sizeof of, x->w, x->owner),
				check_whose(whose, sizeof whose, x->w, x->sp == SP_SHARED,
					    r->f.addr));
	}
}

static void outside_block(const struct access_of *x, unsigned lane, uint64_t a)
{
	struct report *r =
		check_report(x->w, x->u, lane, HEDDLE_FAULT_BOUNDS, a, x->n, NO_PC, "malloc");
	struct heap_block b = heap_block_at(x->w->cta->l->heap, a);
	if (r)
		report_text(
			r,
			"%s of %u bytes at 0x%llx: %llu bytes after the start of a block of malloc, which has %llu bytes",
			x->acc == ACC_READ ? "read" : "write", x->n, (unsigned long long)a,
			(unsigned long long)(a - b.off), (unsigned long long)b.asked);
}

/* Reports an address between two shared variables: usually an index past the end of the first. */
static void outside_variable(const struct access_of *x, unsigned lane, uint64_t off)
{
	const struct image *img = x->w->cta->l->img;
	const struct shared_var *v = img->shared_var;
	while (v + 1 < img->shared_var + img->nshared && v[1].at <= off + x->n - 1)
		v++;
	struct report *r = check_report(x->w, x->u, lane, HEDDLE_FAULT_BOUNDS, off, x->n, NO_PC,
					"shared variable");
	if (r)
		report_text(
			r,
			"%s of %u bytes at shared address 0x%llx: %llu bytes after the start of %s, which has %u bytes",
			x->acc == ACC_READ ? "read" : "write", x->n, (unsigned long long)off,
			(unsigned long long)(off - v->at), plain_name(v->name).text, v->size);
}

/* Checks the group's bytes in one sector. */
static void check_sector(struct access_of *x, struct shadow *s, const struct group *g,
			 uint64_t base, uint64_t i)
{
	uint64_t at = i * SECTOR;
	unsigned from = g->first, to = g->last;
	struct mark m = {.in_row = g->in_row};
	if (g->in_row) {
		m.shift = (uint8_t)__builtin_ctz(x->n);
		if (at > g->off)
			from += (unsigned)((at - g->off) >> m.shift);
		if (at + SECTOR < g->end)
			to = g->first + (unsigned)((at + SECTOR - 1 - g->off) >> m.shift);
		m.off = (int16_t)(g->off - ((uint64_t)g->first << m.shift) - at);
	}
	m.lanes = ~0u >> (31 - to) & ~0u << from;
	x->a = addr_of(x, base, at);
	marks_access(x, s->marks, i, shadow_bits((int64_t)(g->off - at), (int64_t)(g->end - at)),
		     m.where);
}

/* Checks lane by lane, because some lanes are between variables. */
static void check_group(struct access_of *x, struct shadow *s, const struct group *g,
			uint64_t base);
static void check_variables(struct access_of *x, struct shadow *s, const struct group *g,
			    uint64_t base)
{
	for (unsigned i = g->first; i <= g->last; i++) {
		uint64_t off = off_of(x, g, i);
		struct group one = {i, i, false, off, off + x->n};
		if (shadow_any(s, s->forbidden, off, x->n))
			x->sp == SP_SHARED ? outside_variable(x, i, off)
					   : outside_block(x, i, base + off);
		else
			check_group(x, s, &one, base);
	}
}

/* Checks the group's bytes, all in one piece of memory that begins at address `base`. */
static void check_group(struct access_of *x, struct shadow *s, const struct group *g, uint64_t base)
{
	const struct launch *l = x->w->cta->l;
	if (s->forbidden && shadow_any(s, s->forbidden, g->off, g->end - g->off)) {
		check_variables(x, s, g, base);
		return;
	}
	bool all = s->init && shadow_all(s->init, g->off, g->end);
	if (s->host && s->init && !all && x->acc != ACC_WRITE) {
		shadow_look_at_host(s, g->off, g->end - g->off);
		all = shadow_all(s->init, g->off, g->end);
	}
	if (s->init && !all && l->check_init && x->acc != ACC_WRITE)
		check_init(x, s, g, base);
	for (uint64_t i = g->off / SECTOR; i * SECTOR < g->end && l->check_race && !x->spared; i++)
		check_sector(x, s, g, base, i);
	if (s->init && !all && x->acc != ACC_READ)
		shadow_set(s->init, g->off, g->end < s->size ? g->end : s->size);
}

/* Checks one lane whose bytes lie in one sector, if neither variables nor init need a check. */
static inline bool check_lane(struct access_of *x, struct shadow *s, unsigned lane, uint64_t off,
			      uint64_t base)
{
	uint64_t i = off / SECTOR, bytes = ((1ull << (x->n & 63)) - 1) << off % SECTOR;
	if (off % SECTOR + x->n > SECTOR || (s->forbidden && s->forbidden[i] & bytes) ||
	    (s->init && bytes & ~s->init[i]))
		return false;
	x->a = base + i * SECTOR;
	if (!x->spared)
		marks_access(x, s->marks, i, bytes, 1u << lane);
	return true;
}

static const struct marks_ops marks_ops = {marks_free, marks_forget, marks_forget_all};

/* Clears marks of launches whose numbers can no longer be distinguished from the current one. */
static void shadow_begin(struct shadow *s, const struct launch *l)
{
	uint64_t era = l->grid_id >> 16;
	if (!s->marks) {
		s->marks = marks_new(shadow_words(s));
		s->marks_ops = &marks_ops;
		s->marks->era = era;
	}
	if (s->marks->era != era)
		marks_forget_all(s->marks);
	s->marks->era = era;
}

/* Records the warp's present knowledge. */
static void access_knows(struct access_of *x)
{
	const struct warp_check *c = &x->w->cta->check->w[x->w->id];
	x->k = c->k;
	x->differ = c->differ;
	x->told = c->told;
	x->base = c->differ || !know_own(c->k) ? 0 : know_own(c->k)->base;
}

static struct access_of access_begin(struct warp *w, const struct uop *u, uint32_t n,
				     enum access acc)
{
	const struct cta *b = w->cta;
	const struct inst *in = u->in;
	/* loads of machine code that bypass the L1 may have been strong loads in the source */
	bool strong = acc == ACC_ATOMIC || (in->mods & M_VOLATILE) || in->sem > SEM_WEAK ||
		      (in->native && inst_passes_l1(in));
	struct access_of x = {.w = w, .u = u, .c = b->l->checks, .acc = acc, .n = n};
	access_knows(&x);
	x.read_only = acc == ACC_READ && ((in->mods & M_NC) || inst_is(in, OF_READ_ONLY));
	x.groups = !strong && !(n & (n - 1));
	/* Compilers leave __syncwarp() out of machine code where the threads of a warp are together. */
	x.lock_step = b->l->img->legacy_barrier || b->l->img->native || b->l->img->converges;
	x.now = (struct mark){.block = (uint32_t)b->index + 1,
			      .stamp = ++x.c->now,
			      .pc = w->pc & 0xfffffff,
			      .strong = strong,
			      .cta = strong && in->scope == SCOPE_CTA,
			      .is_volatile = acc != ACC_ATOMIC && (in->mods & M_VOLATILE),
			      .together = (w->mask & (w->mask - 1)) != 0,
			      .first = (uint16_t)check_first(b->l, w->id),
			      .launch = (uint16_t)b->l->grid_id};
	return x;
}

/* The system's part of shared memory only serves to synchronise. */
static bool is_reserved(const struct cta *b, uint64_t off)
{
	return b->l->img->reserved_smem && off >= b->l->reserved_at;
}

/* True for copies, which record their bytes themselves (copies.c). */
static bool is_copy(const struct inst *in)
{
	return inst_is(in, OF_LANE_COPY | OF_COPY_WAIT | OF_MBARRIER);
}

/* True if no store to the allocation is possible while the launch runs. After an unforeseen store
 * the answer is false. */
static bool is_spared(const struct launch *l, struct alloc *al, enum access acc)
{
	if (acc != ACC_READ)
		al->stored_to = l->grid_id;
	return l->checks->spares && al->stored_to != l->grid_id;
}

void shadow_shared(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		   uint32_t at, uint32_t n, enum access acc)
{
	struct shadow *s = owner->shadow;
	if (!s || is_reserved(owner, at))
		return;
	if (owner->check->copies.v.n && !is_copy(u->in))
		copies_at(w, u, lane, owner, at, n, acc);
	if (acc != ACC_READ && w->cta->l->check_race)
		products_overwrite(w, u, lane, owner, at, n);
	struct access_of x = access_begin(w, u, n, acc);
	x.sp = SP_SHARED;
	x.owner = owner;
	x.alone = true;
	shadow_begin(s, w->cta->l);
	check_group(&x, s, &(struct group){lane, lane, false, at, (uint64_t)at + n}, 0);
}

void shadow_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		   enum access acc, enum space sp, struct alloc *al)
{
	const struct launch *l = w->cta->l;
	if (sp == SP_SHARED) {
		shadow_shared(w, u, lane, w->cta, (uint32_t)a, n, acc);
		return;
	}
	if (!al || !al->shadow)
		return;
	if (l->check_race && l->checks->nothers)
		check_others(w, u, lane, a, n, acc);
	struct access_of x = access_begin(w, u, n, acc);
	x.sp = sp;
	x.alone = !x.c->nbeside;
	x.spared = is_spared(l, al, acc);
	shadow_begin(al->shadow, l);
	check_group(&x, al->shadow, &(struct group){lane, lane, false, a - al->lo, a - al->lo + n},
		    al->lo);
}

/* A compare-and-swap that finds another value only reads. */
static bool writes_now(const struct warp *w, const struct uop *u, unsigned lane, const uint8_t *p,
		       enum access acc)
{
	if (acc != ACC_ATOMIC || u->in->atom != ATOM_CAS || type_bytes(u->in->type) > 8)
		return acc != ACC_READ;
	uint32_t n = type_bytes(u->in->type);
	const uint32_t *row = row_u32(w, u->v[u->in->nd + 1]);
	uint64_t want = n > 4 ? pair_get(row, (int)lane) : row[lane];
	return !memcmp(p, &want, n);
}

/* The memory (allocation or shared memory) that contains an address. */
struct checked_mem {
	struct shadow *s;  /* NULL: no shadow, or nothing to check */
	uint64_t lo, room; /* lowest address of the lanes; all bytes that they access lie below
			    * lo + room */
	uint64_t base;     /* the first address as reports name it */
	uint8_t *host;
	struct cta *owner; /* block whose shared memory is accessed; NULL: global memory */
	bool reserved;
	bool spared; /* the launch cannot store to the memory, so reads cannot race */
};

/* False: the address is invalid, and the operation itself will report the fault. */
static bool find_checked_mem(struct warp *w, const struct uop *u, uint32_t n, uint64_t a,
			     enum access acc, struct checked_mem *p)
{
	struct cta *b = w->cta;
	struct launch_check *c = b->l->checks;
	unsigned space = u->aux & AUX_SPACE;
	uint64_t size;
	bool in_cluster = b->cluster && (space == SP_SHARED ||
					 (space == SP_GENERIC && a - CLUSTER_BASE < CLUSTER_SPAN));
	if (in_cluster) {
		uint32_t at;
		struct cta *o = shared_owner(b, u, a, &at);
		p->s = NULL;
		if (!o)
			return false;
		*p = (struct checked_mem){
			.s = o->shadow, .lo = a - at, .host = o->shared, .owner = o};
		p->reserved = is_reserved(o, at);
		size = b->l->img->reserved_smem && !p->reserved ? b->l->reserved_at
								: b->l->shared_bytes;
	} else if (space == SP_SHARED || (space == SP_GENERIC && a - SHARED_BASE < WINDOW_SPAN)) {
		*p = (struct checked_mem){.s = b->shadow,
					  .lo = space == SP_SHARED ? 0 : SHARED_BASE,
					  .host = b->shared,
					  .owner = b};
		p->reserved = is_reserved(b, a - p->lo);
		size = b->l->img->reserved_smem && !p->reserved ? b->l->reserved_at
								: b->l->shared_bytes;
	} else {
		struct alloc *al = c->last;
		if (!al || a - al->lo >= al->size || al->freed)
			al = c->last = devmem_find(b->l->mem, a);
		p->s = NULL;
		if (!al || al->freed || !al->shadow)
			return false;
		*p = (struct checked_mem){
			.s = al->shadow, .lo = al->lo, .base = al->lo, .host = al->host};
		p->spared = is_spared(b->l, al, acc);
		size = al->size;
	}
	if (a - p->lo >= size || size - (a - p->lo) < n) {
		p->s = NULL;
		return false;
	}
	shadow_begin(p->s, b->l);
	p->room = size - n;
	return true;
}

/* True if lanes i and i + 1 belong to one group. */
static inline bool goes_on(const struct access_of *x, const uint64_t *a, unsigned i)
{
	uint64_t step = i + 1 < LANES && x->w->mask >> (i + 1) & 1 ? a[i + 1] - a[i] : 1u << 30;
	return x->groups && (step == x->n || (!step && x->acc == ACC_READ));
}

/* True if the addresses of 16 lanes from `from` on increase by `step` from lane to lane.
 * Branch-free, so that the compiler vectorises the loop. */
static inline bool half_goes_on(const uint64_t *a, unsigned from, uint64_t step)
{
	uint64_t off = 0, first = a[from];
	for (unsigned k = 0; k < LANES / 2; k++)
		off |= a[from + k] ^ (first + k * step);
	return !off;
}

/* The last lane of the group that begins with lanes i and i + 1. */
static unsigned group_end(const struct access_of *x, const struct checked_mem *p, const uint64_t *a,
			  unsigned i)
{
	uint64_t step = a[i + 1] - a[i];
	if (x->w->mask == ~0u && i % 16 == 0 && half_goes_on(a, i, step) &&
	    a[i + 15] - p->lo <= p->room) {
		i += 15;
		if (i < 31 && a[i + 1] == a[i] + step && half_goes_on(a, i + 1, step) &&
		    a[31] - p->lo <= p->room)
			return 31;
		if (i == 31 || a[i + 1] != a[i] + step)
			return i;
	}
	while (i + 1 < LANES && x->w->mask >> (i + 1) & 1 && a[i + 1] == a[i] + step &&
	       a[i + 1] - p->lo <= p->room)
		i++;
	return i;
}

/* Checks the group that begins with lanes i and i + 1. Returns its last lane. */
static unsigned check_many(struct access_of *x, const struct checked_mem *p, const uint64_t *a,
			   unsigned i)
{
	struct shadow *s = p->s;
	unsigned last = group_end(x, p, a, i);
	struct group g = {i, last, a[i + 1] != a[i] && last > i, a[i] - p->lo,
			  a[last] - p->lo + x->n};
	uint64_t at = g.off / SECTOR, from = g.off % SECTOR, n = g.end - g.off;
	uint64_t bytes = ~0ull >> ((SECTOR - n) & 63) << from;
	if (from + n > SECTOR || !x->w->cta->l->check_race ||
	    (s->forbidden && s->forbidden[at] & bytes) || (s->init && bytes & ~s->init[at])) {
		check_group(x, s, &g, p->base);
		return last;
	}
	struct mark m = {.lanes = ~0u >> (31 - last) & ~0u << i};
	if (g.in_row)
		m.shift = (uint8_t)__builtin_ctz(x->n), m.in_row = true,
		m.off = (int16_t)(from - ((uint64_t)i << m.shift));
	x->a = p->base + at * SECTOR;
	if (!x->spared)
		marks_access(x, s->marks, at, bytes, m.where);
	return last;
}

static void lane_addrs(const struct warp *w, const struct uop *u, uint64_t *a)
{
	for (int i = 0; i < LANES; i++)
		a[i] = lane_addr(w, u, i);
}

/* For scattered lanes: prefetches all their sectors, so that the host loads them in parallel. */
static void fetch_sectors(const struct checked_mem *p, const uint64_t *a, uint32_t m)
{
	for (; m; m &= m - 1) {
		uint64_t off = a[__builtin_ctz(m)] - p->lo;
		if (off <= p->room)
			marks_fetch(p->s->marks, off / SECTOR);
	}
}

/* True for a strong access that neither releases nor acquires anything. */
static bool says_nothing(const struct warp *w, const struct uop *u, const struct cta *owner)
{
	const struct block_check *c = w->cta->check;
	return u->in->sem <= SEM_RELAXED && !c->w[w->id].fenced && !c->w[w->id].differ &&
	       !(owner ? owner->check->shared.n : w->cta->l->checks->global.n);
}

/* Checks a single lane. */
static inline void check_one(struct access_of *x, const struct checked_mem *p, const uint64_t *a,
			     unsigned i, bool tells)
{
	uint64_t off = a[i] - p->lo;
	struct group g = {i, i, false, off, off + x->n};
	if (!p->reserved && (!x->w->cta->l->check_race || !check_lane(x, p->s, i, off, p->base)))
		check_group(x, p->s, &g, p->base);
	if (!tells)
		return;
	check_strong(x->w, x->u, i, p->owner ? off : a[i], p->owner, x->acc != ACC_WRITE,
		     writes_now(x->w, x->u, i, p->host + off, x->acc));
	access_knows(x);
}

/* Lanes whose bytes lie inside the memory of p. Branch-free, so that the compiler vectorises the
 * loop. */
static uint32_t inside(const struct checked_mem *p, const uint64_t *a)
{
	uint32_t in = 0;
	for (unsigned i = 0; i < LANES; i++)
		in |= (uint32_t)(a[i] - p->lo <= p->room) << i;
	return in;
}

void shadow_lanes(struct warp *w, const struct uop *u, uint32_t n, enum access acc)
{
	struct access_of x = access_begin(w, u, n, acc);
	struct checked_mem p = {0};
	uint64_t a[LANES];
	bool tells = false, fetched = false;
	unsigned align = n >= 4 ? 3 : 0;
	lane_addrs(w, u, a);
	for (uint32_t m = w->mask; m;) {
		unsigned i = (unsigned)__builtin_ctz(m);
		m &= m - 1;
		if (!p.s || p.reserved || a[i] - p.lo > p.room) {
			if (!find_checked_mem(w, u, n, a[i], acc, &p))
				continue;
			x.sp = p.owner ? SP_SHARED : SP_GLOBAL;
			x.owner = p.owner;
			x.alone = p.owner || !x.c->nbeside;
			x.spared = p.spared;
			tells = x.now.strong && w->cta->l->check_race &&
				(p.reserved || !says_nothing(w, u, p.owner));
		}
		if (p.spared && !p.s->init && !p.s->forbidden) {
			m &= ~inside(&p, a);
			continue;
		}
		if ((a[i] - p.lo) & align)
			continue; /* a fault, which the operation itself will report */
		if (goes_on(&x, a, i) && !p.reserved) {
			i = check_many(&x, &p, a, i);
			m &= i == LANES - 1 ? 0 : ~0u << (i + 1);
			continue;
		}
		if (m && !fetched && !p.owner && !p.spared) {
			fetch_sectors(&p, a, m);
			fetched = true;
		}
		check_one(&x, &p, a, i, tells);
	}
}
