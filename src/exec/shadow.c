/* --check race,init: shadow memory beside global and shared memory.
 *
 * Each byte remembers its last writer and last reader of the launch. Two accesses by different threads,
 * one of them a write, not both atomic, are a race unless something orders them:
 *   same warp            lanes run in lock step from instruction to instruction; two lanes that write
 *                        one byte in the same instruction do race
 *   same block           a barrier of the block lies between them
 *   different blocks     both blocks have communicated since (fence, atomic, volatile access), the
 *                        writer's block after its write
 * Reads of bytes that neither the host nor a kernel has written are reported by init.               */
#include "exec/shadow.h"

#include <pthread.h>
#include <stdlib.h>
#include "exec/access.h"

struct mark {                   /* one access */
	uint32_t cta;           /* block index + 1; 0: none */
	uint16_t thread;
	uint16_t atomic;
	uint32_t barrier;       /* of the block, when it happened */
	uint32_t pc;
	uint64_t clock;         /* of the launch's communications */
	uint64_t inst;          /* of the warp: which instruction */
};

struct shadow {
	uint64_t size;
	uint64_t launch;        /* marks are of this launch */
	struct mark *write, *read;
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
	free(s->write);
	free(s->read);
	free(s->init);
	free(s);
}

void shadow_written(struct shadow *s, uint64_t off, uint64_t n)
{
	for (uint64_t i = off; s && s->init && i < off + n && i < s->size; i++)
		s->init[i / 8] |= (uint8_t)(1u << i % 8);
}

void shadow_reset(struct shadow *s)
{
	if (s->init)
		memset(s->init, 0, s->size / 8 + 1);
	if (s->write)
		memset(s->write, 0, s->size * sizeof *s->write);
	if (s->read)
		memset(s->read, 0, s->size * sizeof *s->read);
}

/* Marks are made for a launch when memory is first touched in it. */
static void open_marks(struct shadow *s, uint64_t launch)
{
	if (s->launch == launch && s->write)
		return;
	free(s->write);
	free(s->read);
	s->write = xcalloc(s->size, sizeof *s->write);
	s->read = xcalloc(s->size, sizeof *s->read);
	s->launch = launch;
}

static bool ordered(const struct mark *old, const struct mark *now, const struct cta *b, uint32_t warp_size)
{
	if (!old->cta)
		return true;
	if (old->atomic && now->atomic)
		return true;
	if (old->cta != now->cta) /* conservative: both sides have communicated since */
		return old->clock < b->sync_clock;
	if (old->thread == now->thread || old->barrier != now->barrier)
		return true;
	return old->thread / warp_size == now->thread / warp_size && old->inst != now->inst;
}

static void report_race(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, const struct mark *old,
                        const char *was, const char *is, enum space sp)
{
	const struct uop *o = &w->cta->l->img->code[old->pc];
	exec_fault(w, u, lane, HEDDLE_FAULT_RACE, a, n,
		   "data race in %s memory at 0x%llx: %s here, %s at line %u by thread %u of block %u, nothing orders them",
		   sp == SP_SHARED ? "shared" : "global", (unsigned long long)a, is, was, o->in->line, old->thread,
		   old->cta - 1);
}

static void check_race(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, enum access acc,
                       enum space sp, struct shadow *s, uint64_t off)
{
	struct cta *b = w->cta;
	const struct launch *l = b->l;
	struct mark now = {.cta = (uint32_t)b->index + 1, .thread = (uint16_t)(wstate_thread(l, w->id) + lane),
			   .atomic = acc == ACC_ATOMIC || (u->in->mods & M_VOLATILE) || u->in->sem > SEM_WEAK,
			   .barrier = b->barriers, .pc = w->pc, .clock = clock_now, .inst = wstate_of(w)->ninst + w->pc};
	open_marks(s, l->grid_id);
	for (uint64_t i = off; i < off + n && i < s->size; i++) {
		if (!ordered(&s->write[i], &now, b, l->warp_size)) {
			report_race(w, u, lane, a, n, &s->write[i], "written", acc == ACC_READ ? "read" : "written", sp);
			return;
		}
		if (acc != ACC_READ && !ordered(&s->read[i], &now, b, l->warp_size)) {
			report_race(w, u, lane, a, n, &s->read[i], "read", "written", sp);
			return;
		}
		if (acc == ACC_READ)
			s->read[i] = now;
		else
			s->write[i] = now;
	}
}

/* Blocks that communicate see what was written before. */
void shadow_communicate(struct cta *b)
{
	pthread_mutex_lock(&lock);
	b->sync_clock = ++clock_now;
	pthread_mutex_unlock(&lock);
}

void shadow_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, enum access acc,
                   enum space sp, struct alloc *al)
{
	struct cta *b = w->cta;
	struct shadow *s = sp == SP_SHARED ? b->shadow : al ? al->shadow : NULL;
	uint64_t off = sp == SP_SHARED ? a : al ? a - al->lo : 0;
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	if (b->l->check_init && s->init && acc != ACC_WRITE)
		for (uint64_t i = off; i < off + n && i < s->size; i++)
			if (!(s->init[i / 8] >> i % 8 & 1)) {
				exec_fault(w, u, lane, HEDDLE_FAULT_UNINIT, a, n,
					   "read of %u bytes at 0x%llx in %s memory that nothing has written", n,
					   (unsigned long long)a, sp == SP_SHARED ? "shared" : "global");
				break;
			}
	if (b->l->check_race)
		check_race(w, u, lane, a, n, acc, sp, s, off);
	if (acc != ACC_READ)
		shadow_written(s, off, n);
	pthread_mutex_unlock(&lock);
	if (acc == ACC_ATOMIC && sp == SP_GLOBAL)
		shadow_communicate(b);
}
