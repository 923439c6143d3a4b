/* --check race,init: shadow memory beside global and shared memory.
 *
 * Memory remembers of each word the last plain writer, the last strong one (atomics, volatile and
 * relaxed accesses) and up to three readers that nothing orders among each other; of shared memory one of
 * each warp. Two accesses by
 * different threads, one of them a write, not both strong, are a race unless the first happens before
 * the second: hb.c says what makes it so. Strong accesses of block scope race with those of other
 * blocks. Below sm_70 the lanes of a warp run in lock step: only accesses of one instruction race.
 *
 * Reads of which neither the host nor a kernel has written any byte are reported by init. One with some
 * is the copy of a structure in wide accesses: the gaps between its members are nobody's to write. */
#include "devmem/shadow.h"

#include "exec/check.h"

/* One access. Marks are kept for four bytes at a time, 20 bytes of shadow a byte; `bytes` says
 * which of the four it touched. Where threads share a word byte by byte, the word gets marks for
 * each byte. */
struct mark {
	uint32_t block;         /* index + 1; 0: none */
	uint32_t stamp;         /* of the launch: which warp instruction */
	uint32_t pc : 28, strong : 1, cta : 1, is_volatile : 1;
	uint32_t together : 1;  /* several lanes executed the instruction */
	uint16_t thread : 10, bytes : 4;
	uint16_t launch;        /* low part of its number */
};
enum { READERS = 3, GRANULE = 4 };
struct granule {
	struct mark write, atomic, read[READERS];
};

struct shadow {
	uint64_t size;
	uint64_t era;           /* high part of the number of launches that its marks are of */
	struct granule *marks;  /* of each word; NULL: none yet */
	/* of each word: 1 + index of its bytes' marks; 0: none. NULL: no word has */
	uint32_t *split;
	VEC(struct granule) byte_marks; /* GRANULE for each split word */
	uint8_t *init;          /* bit a byte, NULL: all initialised */
	uint8_t *forbidden;     /* bit a byte, or NULL */
	/* shared memory: the same for a word's readers by warp, where there are more than READERS */
	uint32_t *crowded;
	VEC(struct crowd { struct mark read[32]; }) crowds;
};

struct shadow *shadow_new(uint64_t size, bool initialised)
{
	struct shadow *s = xcalloc(1, sizeof *s);
	s->size = size;
	if (!initialised)
		s->init = xcalloc(1, size / 8 + 8);
	return s;
}

static void forget(struct shadow *s)
{
	free(s->marks);
	free(s->split);
	s->marks = NULL;
	s->split = NULL;
	s->byte_marks.n = 0;
	free(s->crowded);
	s->crowded = NULL;
	s->crowds.n = 0;
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	forget(s);
	vec_free(&s->byte_marks);
	vec_free(&s->crowds);
	free(s->init);
	free(s->forbidden);
	free(s);
}

void shadow_written(struct shadow *s, uint64_t off, uint64_t n)
{
	if (!s || !s->init || off >= s->size)
		return;
	uint64_t end = n < s->size - off ? off + n : s->size;
	while (off < end && (off % 8 || end - off < 8))
		s->init[off / 8] |= (uint8_t)(1u << off % 8), off++;
	memset(s->init + off / 8, 0xff, (end - off) / 8);
	for (off += (end - off) / 8 * 8; off < end; off++)
		s->init[off / 8] |= (uint8_t)(1u << off % 8);
}

void shadow_forbid(struct shadow *s, uint64_t from, uint64_t to)
{
	if (!s->forbidden)
		s->forbidden = xcalloc(1, s->size / 8 + 8);
	for (uint64_t i = from; i < to && i < s->size; i++)
		s->forbidden[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Shared memory of a new block. The marks of other blocks are no longer looked at. */
void shadow_reset(struct shadow *s)
{
	if (s->init)
		memset(s->init, 0, s->size / 8 + 1);
}

/* ---- one access ---- */

struct access_of {              /* what an instruction's lanes have in common */
	struct warp *w;
	const struct uop *u;
	struct launch_check *c;
	struct mark now;
	enum access acc;
	enum space sp;
	bool lock_step;
	uint32_t n;
	unsigned lane;          /* the one looked at, */
	uint64_t a;             /* its address, */
	const struct know *k;   /* what it knows */
};

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
	return m->block == x->now.block && m->thread / n == x->now.thread / n;
}

static bool happens_before(const struct access_of *x, const struct mark *m)
{
	const struct seen *own = know_own(x->k);
	if (m->launch != x->now.launch)
		return x->sp == SP_SHARED || !beside(x, m);
	if (m->block != x->now.block)
		return x->sp == SP_SHARED ||
		       seen_knows(others_get(know_others(x->k), m->block - 1), m->thread, m->stamp);
	if (m->thread == x->now.thread || (own && m->stamp <= own->base))
		return true;
	if (x->lock_step && same_warp(x, m))
		return m->stamp != x->now.stamp;
	return seen_knows(own, m->thread, m->stamp);
}

/* Old code reduces through volatile shared memory and trusts in lock step: strong accesses, but the
 * lanes that wrote together read together, what others of them wrote. */
static bool warp_synchronous(const struct access_of *x, const struct mark *m)
{
	return m->is_volatile && x->now.is_volatile && m->together && x->now.together &&
	       same_warp(x, m) && m->launch == x->now.launch && x->sp == SP_SHARED;
}

/* Do the two exclude each other, in whatever order they come? */
static bool both_strong(const struct access_of *x, const struct mark *m)
{
	if (!m->strong || !x->now.strong || warp_synchronous(x, m))
		return false;
	return !(m->cta || x->now.cta) || (m->block == x->now.block && m->launch == x->now.launch);
}

static const char *why(const struct access_of *x, const struct mark *m)
{
	if (m->launch != x->now.launch)
		return "the two kernels are in streams that nothing orders";
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

static const char *verb(bool writes, bool strong, bool is_volatile)
{
	if (!strong)
		return writes ? "written" : "read";
	if (is_volatile)
		return writes ? "written (volatile)" : "read (volatile)";
	return writes ? "written atomically" : "read atomically";
}

static void race(const struct access_of *x, const struct mark *m, bool wrote)
{
	const struct beside *o = m->launch != x->now.launch ? beside(x, m) : NULL;
	const struct image *img = o ? o->img : x->w->cta->l->img;
	const char *cause = why(x, m);
	struct report *r = check_report(x->w, x->u, x->lane, HEDDLE_FAULT_RACE, x->a, x->n, m->pc,
	                                cause);
	if (!r)
		return;
	char at[300];
	if (!check_place(img, m->pc, at, sizeof at))
		snprintf(at, sizeof at, "line %u", img->code[m->pc].in->line);
	r->other_block = m->block - 1;
	r->other_thread = m->thread;
	r->other_img = o ? o->img : NULL;
	report_text(r, "data race in %s memory at 0x%llx: %s here, %s at %s by thread %u of block %u%s%s, %s",
	            x->sp == SP_SHARED ? "shared" : "global", (unsigned long long)x->a,
	            verb(x->acc != ACC_READ, x->now.strong, x->now.is_volatile),
	            verb(wrote, m->strong, m->is_volatile), at, m->thread, m->block - 1,
	            o ? " of kernel " : "", o ? o->img->kernel->name : "", cause);
}

static inline bool races(const struct access_of *x, const struct mark *m)
{
	return m->block && (m->bytes & x->now.bytes) && !both_strong(x, m) && !happens_before(x, m);
}

/* Marks that may be forgotten: of the same thread, or that happen before this access, as then
 * whoever races with them races with this one too. */
static inline bool replaces(const struct access_of *x, const struct mark *m)
{
	return !m->block || (happens_before(x, m) && !(m->bytes & ~x->now.bytes));
}

static uint64_t words_of(const struct shadow *s) { return s->size / GRANULE + 1; }

static unsigned warp_of(const struct access_of *x) { return x->now.thread / x->w->cta->l->warp_size % 32; }

static struct crowd *crowd_of(struct shadow *s, uint64_t word, bool add)
{
	if (!s->crowded && add)
		s->crowded = xcalloc(words_of(s), sizeof *s->crowded);
	if (!s->crowded || (!s->crowded[word] && !add))
		return NULL;
	if (!s->crowded[word]) {
		vec_push(&s->crowds, (struct crowd){0});
		s->crowded[word] = (uint32_t)s->crowds.n;
	}
	return &s->crowds.v[s->crowded[word] - 1];
}

static void put_reader(const struct access_of *x, struct granule *g, struct shadow *s, uint64_t word)
{
	unsigned k = 0;
	while (k < READERS && !replaces(x, &g->read[k]))
		k++;
	if (k == READERS) /* one of its own warp goes first, then one of its block, then any */
		for (k = 0; k < READERS && !same_warp(x, &g->read[k]);)
			k++;
	if (k == READERS && x->sp == SP_SHARED) {
		crowd_of(s, word, true)->read[warp_of(x)] = x->now;
		return;
	}
	if (k == READERS)
		for (k = 0; k < READERS && g->read[k].block != x->now.block;)
			k++;
	if (k == READERS)
		k = x->now.stamp % READERS;
	g->read[k] = x->now;
}

/* The first of n readers that the write races with. */
static bool race_with_reader(const struct access_of *x, const struct mark *m, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (races(x, &m[k])) {
			race(x, &m[k], false);
			return true;
		}
	return false;
}

static void check_granule(const struct access_of *x, struct granule *g, struct shadow *s, uint64_t word)
{
	if (races(x, &g->write))
		race(x, &g->write, true);
	else if (races(x, &g->atomic))
		race(x, &g->atomic, true);
	if (x->acc == ACC_READ) {
		put_reader(x, g, s, word);
		return;
	}
	if (!race_with_reader(x, g->read, READERS) && s->crowded && s->crowded[word])
		race_with_reader(x, crowd_of(s, word, false)->read, 32);
	*(x->now.strong ? &g->atomic : &g->write) = x->now;
}

/* ---- bytes ---- */

static void only_byte(struct mark *m, unsigned k)
{
	if (!(m->bytes >> k & 1))
		m->block = 0;
	m->bytes = (1u << k) & 15;
}

/* Marks of the word's bytes from now on: each as the word's was. */
static struct granule *split_word(struct shadow *s, uint64_t word)
{
	if (!s->split)
		s->split = xcalloc(words_of(s), sizeof *s->split);
	s->split[word] = (uint32_t)s->byte_marks.n + 1;
	for (unsigned k = 0; k < GRANULE; k++) {
		struct granule g = s->marks[word];
		only_byte(&g.write, k);
		only_byte(&g.atomic, k);
		for (unsigned i = 0; i < READERS; i++)
			only_byte(&g.read[i], k);
		vec_push(&s->byte_marks, g);
	}
	return &s->byte_marks.v[s->split[word] - 1];
}

/* Would the access in place of m forget bytes that only m touched? */
static bool forgets(const struct access_of *x, const struct mark *m)
{
	return m->block && (m->bytes & ~x->now.bytes) &&
	       !(m->block == x->now.block && m->stamp == x->now.stamp && m->thread == x->now.thread);
}

static void check_word(struct access_of *x, struct shadow *s, uint64_t word)
{
	struct granule *g = &s->marks[word], *bytes = NULL;
	if (s->split && s->split[word])
		bytes = &s->byte_marks.v[s->split[word] - 1];
	else if (x->acc != ACC_READ && forgets(x, x->now.strong ? &g->atomic : &g->write))
		bytes = split_word(s, word);
	if (!bytes) {
		check_granule(x, g, s, word);
		return;
	}
	uint8_t all = x->now.bytes;
	for (unsigned k = 0; k < GRANULE; k++) {
		x->now.bytes = (1u << k) & all & 15;
		if (x->now.bytes)
			check_granule(x, &bytes[k], s, word);
	}
	x->now.bytes = all & 15;
}

static void check_race(struct access_of *x, struct shadow *s, uint64_t off)
{
	uint64_t end = off + x->n < s->size ? off + x->n : s->size;
	uint64_t era = x->w->cta->l->grid_id >> 16;
	if (s->marks && s->era != era)
		forget(s);
	if (!s->marks)
		s->marks = xcalloc(words_of(s), sizeof *s->marks);
	s->era = era;
	while (off < end) {
		uint64_t word = off / GRANULE, stop = (word + 1) * GRANULE;
		stop = stop < end ? stop : end;
		x->now.bytes = ((1u << (stop - off)) - 1) << off % GRANULE & 15;
		check_word(x, s, word);
		off = stop;
	}
}

static bool any_written(const struct shadow *s, uint64_t off, uint32_t n)
{
	if (!(off & 3) && n == 4)
		return s->init[off / 8] & 15 << (off & 4);
	for (uint64_t i = off; i < off + n && i < s->size; i++)
		if (s->init[i / 8] >> i % 8 & 1)
			return true;
	return false;
}

static void check_init(const struct access_of *x, const struct shadow *s, uint64_t off)
{
	if (!s->init || x->acc == ACC_WRITE || any_written(s, off, x->n))
		return;
	struct report *r = check_report(x->w, x->u, x->lane, HEDDLE_FAULT_UNINIT, x->a, x->n, NO_PC,
	                                "uninitialised");
	if (r)
		report_text(r, "read of %u bytes at 0x%llx in %s memory that nothing has written", x->n,
		            (unsigned long long)x->a, x->sp == SP_SHARED ? "shared" : "global");
}

/* Between two shared variables: behind the end of the one before, as a rule. */
static bool check_variable(const struct access_of *x, const struct shadow *s, uint64_t off)
{
	const struct image *img = x->w->cta->l->img;
	uint64_t last = off + x->n - 1;
	if (!(s->forbidden[last / 8] >> last % 8 & 1) && !(s->forbidden[off / 8] >> off % 8 & 1))
		return true;
	const struct shared_var *v = img->shared_var;
	while (v + 1 < img->shared_var + img->nshared && v[1].at <= last)
		v++;
	struct report *r = check_report(x->w, x->u, x->lane, HEDDLE_FAULT_BOUNDS, x->a, x->n, NO_PC,
	                                "shared variable");
	if (r)
		report_text(r, "%s of %u bytes at shared address 0x%llx: %llu bytes after the start of %s, which has %u bytes",
		            x->acc == ACC_READ ? "read" : "write", x->n, (unsigned long long)x->a,
		            (unsigned long long)(off - v->at), v->name, v->size);
	return false;
}

static struct access_of access_begin(struct warp *w, const struct uop *u, uint32_t n, enum access acc)
{
	const struct cta *b = w->cta;
	const struct inst *in = u->in;
	bool strong = acc == ACC_ATOMIC || (in->mods & M_VOLATILE) || in->sem > SEM_WEAK;
	struct access_of x = {.w = w, .u = u, .c = b->l->checks, .acc = acc, .n = n};
	x.lock_step = b->l->img->legacy_barrier || b->l->img->native;
	x.now = (struct mark){.block = (uint32_t)b->index + 1, .stamp = ++x.c->now,
	                      .pc = w->pc & 0xfffffff, .strong = strong,
	                      .cta = strong && in->scope == SCOPE_CTA,
	                      .is_volatile = acc != ACC_ATOMIC && (in->mods & M_VOLATILE),
	                      .together = __builtin_popcount(w->mask) > 1,
	                      .launch = (uint16_t)b->l->grid_id};
	return x;
}

/* One lane's access at offset `off` of what s is the shadow of. */
static void access_lane(struct access_of *x, struct shadow *s, uint64_t off)
{
	const struct launch *l = x->w->cta->l;
	x->now.thread = (check_first(l, x->w->id) + x->lane) & 1023;
	x->k = x->w->cta->check->t[x->now.thread].k;
	if (s->forbidden && !check_variable(x, s, off))
		return;
	if (l->check_init)
		check_init(x, s, off);
	if (l->check_race)
		check_race(x, s, off);
	if (x->acc != ACC_READ && s->init)
		shadow_written(s, off, x->n);
}

/* The system's part of shared memory is for meetings alone. */
static bool is_reserved(const struct cta *b, uint64_t off)
{
	return b->l->img->reserved_smem && off >= b->l->reserved_at;
}

void shadow_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, enum access acc,
                   enum space sp, struct alloc *al)
{
	struct cta *b = w->cta;
	struct shadow *s = sp == SP_SHARED ? b->shadow : al ? al->shadow : NULL;
	uint64_t off = sp == SP_SHARED ? a : al ? a - al->lo : 0;
	if (!s || (sp == SP_SHARED && is_reserved(b, off)))
		return;
	struct access_of x = access_begin(w, u, n, acc);
	x.sp = sp;
	x.lane = lane;
	x.a = a;
	access_lane(&x, s, off);
}

/* A compare-and-swap that finds another value only reads. */
static bool writes_now(const struct warp *w, const struct uop *u, unsigned lane, const uint8_t *p, enum access acc)
{
	if (acc != ACC_ATOMIC || u->in->mode != ATOM_CAS || type_bytes(u->in->type) > 8)
		return acc != ACC_READ;
	uint32_t n = type_bytes(u->in->type);
	const uint32_t *row = row_u32(w, u->v[u->in->nd + 1]);
	uint64_t want = n > 4 ? pair_get(row, (int)lane) : row[lane];
	return !memcmp(p, &want, n);
}

void shadow_lanes(struct warp *w, const struct uop *u, uint32_t n, enum access acc)
{
	struct cta *b = w->cta;
	struct launch_check *c = b->l->checks;
	struct access_of x = access_begin(w, u, n, acc);
	unsigned space = u->aux & AUX_SPACE;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t a = lane_addr(w, u, (int)i), off = a;
		struct shadow *s;
		const uint8_t *host;
		bool shared = space == SP_SHARED;
		if (space == SP_GENERIC && a - SHARED_BASE < WINDOW_SPAN)
			shared = true, off = a - SHARED_BASE;
		if (shared) {
			if (off >= b->l->shared_bytes || b->l->shared_bytes - off < n)
				continue; /* a fault: the operation finds it */
			s = b->shadow;
			host = b->shared + off;
		} else {
			struct alloc *al = c->last;
			if (!al || a - al->lo >= al->size || al->freed)
				al = c->last = devmem_find(b->l->mem, a);
			if (!al || al->freed || a - al->lo >= al->size || al->size - (a - al->lo) < n)
				continue;
			s = al->shadow;
			off = a - al->lo;
			host = al->host + off;
		}
		if (!s || (off & 3 && n >= 4))
			continue;
		x.lane = i;
		x.a = shared ? off : a;
		x.sp = shared ? SP_SHARED : SP_GLOBAL;
		if (!shared || !is_reserved(b, off))
			access_lane(&x, s, off);
		if (x.now.strong && b->l->check_race)
			check_strong(w, u, i, shared ? off : a, shared, acc != ACC_WRITE,
			             writes_now(w, u, i, host, acc));
	}
}
