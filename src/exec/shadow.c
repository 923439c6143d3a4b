/* --check race,init: shadow memory beside global and shared memory.
 *
 * Memory remembers the last writer of each byte in the launch, and the last readers of two warps. Two accesses by different threads,
 * one of them a write, not both atomic, are a race unless something orders them:
 *   same warp            lanes run in lock step from instruction to instruction; two lanes that write
 *                        one byte in the same instruction do race
 *   same block           a barrier of the block, the end of a phase of an mbarrier, or a meeting of warps in the
 *                        system's part of shared memory lies between them
 *   different blocks     both blocks have communicated since (fence, atomic, volatile access), the
 *                        writer's block after its write
 * Reads of which neither the host nor a kernel has written any byte are reported by init. One with some
 * is the copy of a structure in wide accesses: the gaps between its members are nobody's to write.  */
#include "devmem/shadow.h"

#include <pthread.h>
#include <stdlib.h>
#include "exec/access.h"

/* One access. Marks are kept for four bytes at a time, 18 bytes of shadow a byte; `bytes` says
 * which of the four it touched. Where threads share a word byte by byte, the word gets a mark for
 * each byte. */
struct mark {
	uint32_t cta;           /* block index + 1; 0: none */
	uint32_t barrier;       /* of the block, when it happened */
	uint32_t pc;
	uint32_t inst;          /* of the warp: which instruction; only compared */
	uint32_t clock;         /* of the launch's communications, low part */
	uint16_t thread;        /* in the block */
	uint8_t clock_high;
	uint8_t bytes : 4, atomic : 1;
};
struct granule {
	struct mark write, read;
	/* the last reader before `read` that is of another warp: a writer is not both */
	struct mark other;
};
enum { GRANULE = 4 };

struct shadow {
	uint64_t size;
	uint64_t launch;        /* marks are of this launch */
	struct granule *marks;  /* of each word */
	/* of each word: 1 + index of its bytes' marks; 0: none. NULL: no word has */
	uint32_t *split;
	VEC(struct granule) byte_marks; /* GRANULE for each split word */
	uint8_t *init;          /* bit a byte, NULL: all initialised */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t clock_now;

struct shadow *shadow_new(uint64_t size, bool initialised)
{
	struct shadow *s = xcalloc(1, sizeof *s);
	s->size = size;
	if (!initialised)
		s->init = xcalloc(1, size / 8 + 1);
	return s;
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	free(s->marks);
	free(s->split);
	vec_free(&s->byte_marks);
	free(s->init);
	free(s);
}

void shadow_written(struct shadow *s, uint64_t off, uint64_t n)
{
	for (uint64_t i = off; s && s->init && i < off + n && i < s->size; i++)
		s->init[i / 8] |= (uint8_t)(1u << i % 8);
}

static uint64_t words_of(const struct shadow *s) { return s->size / GRANULE + 1; }

static void forget_split(struct shadow *s)
{
	free(s->split);
	s->split = NULL;
	s->byte_marks.n = 0;
}

void shadow_reset(struct shadow *s)
{
	if (s->init)
		memset(s->init, 0, s->size / 8 + 1);
	if (s->marks)
		memset(s->marks, 0, words_of(s) * sizeof *s->marks);
	forget_split(s);
}

/* Marks are made for a launch when memory is first touched in it. */
static void open_marks(struct shadow *s, uint64_t launch)
{
	if (s->launch == launch && s->marks)
		return;
	free(s->marks);
	s->marks = xcalloc(words_of(s), sizeof *s->marks);
	forget_split(s);
	s->launch = launch;
}

static uint64_t mark_clock(const struct mark *m) { return (uint64_t)m->clock_high << 32 | m->clock; }

static bool ordered(const struct mark *old, const struct mark *now, const struct cta *b, uint32_t warp_size)
{
	if (!old->cta)
		return true;
	if (old->atomic && now->atomic)
		return true;
	if (old->cta != now->cta) /* conservative: both sides have communicated since */
		return mark_clock(old) < b->sync_clock;
	if (old->thread == now->thread || old->barrier != now->barrier)
		return true;
	return old->thread / warp_size == now->thread / warp_size && old->inst != now->inst;
}

static void report_race(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, const struct mark *old,
                        const char *was, const char *is, enum space sp)
{
	const struct uop *o = &w->cta->l->img->code[old->pc];
	exec_fault(w, u, lane, HEDDLE_FAULT_RACE, a, n,
	           "data race in %s memory at 0x%llx: %s here, %s at line %u by thread %u of block "
	           "%u, nothing orders them",
	           sp == SP_SHARED ? "shared" : "global", (unsigned long long)a, is, was,
	           o->in->line, old->thread, old->cta - 1);
}

/* Marks of the word's bytes from now on: each as the word's was. */
static struct granule *split_word(struct shadow *s, uint64_t word)
{
	if (!s->split)
		s->split = xcalloc(words_of(s), sizeof *s->split);
	s->split[word] = (uint32_t)s->byte_marks.n + 1;
	for (unsigned k = 0; k < GRANULE; k++) {
		struct granule g = s->marks[word];
		if (!(g.write.bytes >> k & 1))
			g.write.cta = 0;
		if (!(g.read.bytes >> k & 1))
			g.read.cta = 0;
		if (!(g.other.bytes >> k & 1))
			g.other.cta = 0;
		g.write.bytes = g.read.bytes = g.other.bytes = (1u << k) & 15;
		vec_push(&s->byte_marks, g);
	}
	return &s->byte_marks.v[s->split[word] - 1];
}

/* Two accesses of one instruction by one thread, or the same thread again where nothing can
 * tell. */
static bool same_access(const struct mark *a, const struct mark *b)
{
	return a->cta == b->cta && a->thread == b->thread && a->inst == b->inst && a->pc == b->pc;
}

/* Would `now` in place of `old` forget bytes that only `old` touched? */
static bool forgets(const struct mark *old, const struct mark *now)
{
	return old->cta && (old->bytes & ~now->bytes) && !same_access(old, now);
}

static void put_mark(struct mark *m, const struct mark *now)
{
	uint8_t more = m->cta && same_access(m, now) ? m->bytes : 0;
	*m = *now;
	m->bytes |= more & 15;
}

struct race { /* what check_race looks at */
	struct warp *w;
	const struct uop *u;
	unsigned lane;
	uint64_t a;
	uint32_t n;
	enum access acc;
	enum space sp;
};

static bool same_warp(const struct mark *a, const struct mark *b, uint32_t warp_size)
{
	return a->cta == b->cta && a->thread / warp_size == b->thread / warp_size;
}

/* One word or byte: false after a race. */
static bool check_granule(const struct race *r, struct granule *g, const struct mark *now)
{
	const struct cta *b = r->w->cta;
	bool reads = r->acc == ACC_READ;
	if ((g->write.bytes & now->bytes) && !ordered(&g->write, now, b, b->l->warp_size)) {
		report_race(r->w, r->u, r->lane, r->a, r->n, &g->write, "written",
		            reads ? "read" : "written", r->sp);
		return false;
	}
	const struct mark *readers[] = {&g->read, &g->other};
	for (unsigned k = 0; k < 2 && !reads; k++)
		if ((readers[k]->bytes & now->bytes) &&
		    !ordered(readers[k], now, b, b->l->warp_size)) {
			report_race(r->w, r->u, r->lane, r->a, r->n, readers[k], "read", "written",
			            r->sp);
			return false;
		}
	if (reads && g->read.cta && !same_warp(&g->read, now, b->l->warp_size))
		g->other = g->read;
	put_mark(reads ? &g->read : &g->write, now);
	return true;
}

static bool check_word(const struct race *r, struct shadow *s, uint64_t word, struct mark *now)
{
	struct granule *g = &s->marks[word], *bytes = NULL;
	if (s->split && s->split[word])
		bytes = &s->byte_marks.v[s->split[word] - 1];
	else if (forgets(r->acc == ACC_READ ? &g->read : &g->write, now))
		bytes = split_word(s, word);
	if (!bytes)
		return check_granule(r, g, now);
	uint8_t all = now->bytes;
	for (unsigned k = 0; k < GRANULE; k++) {
		now->bytes = (1u << k) & all & 15;
		if (now->bytes && !check_granule(r, &bytes[k], now))
			return false;
	}
	return true;
}

static void check_race(const struct race *r, struct shadow *s, uint64_t off)
{
	struct cta *b = r->w->cta;
	const struct launch *l = b->l;
	struct mark now = {.cta = (uint32_t)b->index + 1,
	                   .thread = (uint16_t)(r->w->id * l->warp_size + r->lane),
	                   .atomic = r->acc == ACC_ATOMIC || (r->u->in->mods & M_VOLATILE) ||
	                             r->u->in->sem > SEM_WEAK,
	                   .barrier = b->barriers,
	                   .pc = r->w->pc,
	                   .clock = (uint32_t)clock_now,
	                   .clock_high = (uint8_t)(clock_now >> 32),
	                   .inst = (uint32_t)(r->w->ninst + r->w->pc)};
	uint64_t end = off + r->n < s->size ? off + r->n : s->size;
	open_marks(s, l->grid_id);
	while (off < end) {
		uint64_t word = off / GRANULE, stop = (word + 1) * GRANULE;
		stop = stop < end ? stop : end;
		now.bytes = ((1u << (stop - off)) - 1) << off % GRANULE & 15;
		if (!check_word(r, s, word, &now))
			return;
		off = stop;
	}
}

/* Blocks that communicate see what was written before. */
void shadow_communicate(struct cta *b)
{
	pthread_mutex_lock(&lock);
	b->sync_clock = ++clock_now;
	pthread_mutex_unlock(&lock);
}

static bool any_written(const struct shadow *s, uint64_t off, uint32_t n)
{
	for (uint64_t i = off; i < off + n && i < s->size; i++)
		if (s->init[i / 8] >> i % 8 & 1)
			return true;
	return false;
}

void shadow_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, enum access acc,
                   enum space sp, struct alloc *al)
{
	struct cta *b = w->cta;
	struct shadow *s = sp == SP_SHARED ? b->shadow : al ? al->shadow : NULL;
	uint64_t off = sp == SP_SHARED ? a : al ? a - al->lo : 0;
	if (!s)
		return;
	/* where groups of warps meet: by atomics */
	if (sp == SP_SHARED && b->l->img->reserved_smem && off >= b->l->reserved_at) {
		b->barriers += acc == ACC_ATOMIC;
		return;
	}
	pthread_mutex_lock(&lock);
	if (b->l->check_init && s->init && acc != ACC_WRITE && !any_written(s, off, n))
		exec_fault(w, u, lane, HEDDLE_FAULT_UNINIT, a, n,
			   "read of %u bytes at 0x%llx in %s memory that nothing has written", n,
			   (unsigned long long)a, sp == SP_SHARED ? "shared" : "global");
	if (b->l->check_race)
		check_race(&(struct race){w, u, lane, a, n, acc, sp}, s, off);
	if (acc != ACC_READ)
		shadow_written(s, off, n);
	pthread_mutex_unlock(&lock);
	if (acc == ACC_ATOMIC && sp == SP_GLOBAL)
		shadow_communicate(b);
}
