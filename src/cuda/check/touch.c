/* --check race: records the host's accesses to managed memory while a kernel may run, and to pinned
 * memory while a copy may. Pages that waiting work points to are protected; the first read and the
 * first write of a page are recorded, and the page becomes readable, then writable again. Managed
 * variables have pages of their own (heddle/wrapper.h), which any kernel may use. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "cuda/check/beside.h"
#include "cuda/module/managed.h"

enum { MANAGED_PAGE = 4096 }; /* page size that heddle/wrapper.h assumes */

static struct touches *const seen = &process.touches;

static uintptr_t page_of(uintptr_t a) { return a & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1); }

#if defined(__x86_64__) || defined(__aarch64__)
enum { TELLS_WRITES = true };
#else
enum { TELLS_WRITES = false };
#endif

/* Reads from the signal's context whether the access was a write. On aarch64 this is in one of
 * several records, the last of which has size 0. */
static bool is_write(const ucontext_t *u)
{
#if defined(__x86_64__)
	return u->uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
	const unsigned char *p = u->uc_mcontext.__reserved,
			    *end = p + sizeof u->uc_mcontext.__reserved;
	struct _aarch64_ctx head;
	for (; p + sizeof(struct esr_context) <= end; p += head.size) {
		memcpy(&head, p, sizeof head);
		if (head.magic == ESR_MAGIC)
			return ((const struct esr_context *)p)->esr >> 6 & 1;
		if (!head.size)
			break;
	}
	return false;
#else
	(void)u;
	return false;
#endif
}

static void on_fault(int sig, siginfo_t *i, void *context)
{
	uintptr_t a = (uintptr_t)i->si_addr;
	for (unsigned k = 0; k < seen->nwatched; k++) {
		if (a < seen->watched[k].lo || a >= seen->watched[k].hi)
			continue;
		bool worker = thread.is_worker &&
			      /* a thread that runs no host function belongs to the program, so
			       * work already submitted is concurrent */
			      !thread.host_function,
		     all = !TELLS_WRITES || is_write(context) || worker;
		mprotect((void *)page_of(a), (size_t)sysconf(_SC_PAGESIZE),
			 all ? PROT_READ | PROT_WRITE : PROT_READ);
		if (worker)
			return;
		unsigned n = __atomic_fetch_add(&seen->n, 1, __ATOMIC_RELAXED);
		if (n < TOUCHES)
			seen->list[n] = (struct touch){a, is_write(context), fault_pc(context),
						       seen->seq, thread.host_function};
		return;
	}
	/* not a watched page: the access faults again, for the handler that the program had
	 * installed */
	sigaction(sig, &seen->old, NULL);
}

static void watch_range(uintptr_t lo, size_t size)
{
	uintptr_t hi = page_of(lo + size + (uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	for (unsigned k = 0; k < seen->nwatched; k++)
		if (seen->watched[k].lo == lo)
			return;
	if (seen->nwatched == WATCHED || page_of(lo) != lo)
		return;
	if (!seen->nwatched) {
		struct sigaction act = {.sa_sigaction = on_fault,
					.sa_flags = SA_SIGINFO | SA_NODEFER};
		sigaction(SIGSEGV, &act, &seen->old);
	}
	seen->watched[seen->nwatched++] = (struct watched){lo, hi, thread.host_function};
	mprotect((void *)lo, hi - lo, PROT_NONE);
}

/* Watches the bytes from..to of an allocation. Pages that also hold other memory of the program are
 * not watched: neither around registered memory, nor around a part of an allocation, whose other
 * parts the program may pass to system calls. */
static void watch_part(const struct host_info *i, uint64_t from, uint64_t to)
{
	uintptr_t lo = (uintptr_t)from, hi = (uintptr_t)to;
	if (i->registered || lo > (uintptr_t)i->p)
		lo = page_of(lo + (uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	if (i->registered || hi < (uintptr_t)i->p + i->size)
		hi = page_of(hi);
	if (lo < hi)
		watch_range(lo, hi - lo);
}

/* Watches the rows of a copy. Until the program waits, the whole allocation is watched, so that
 * rows shorter than a page are covered; beyond that wait (held), only the pages of the rows. */
static void watch_rows(uint64_t addr, uint64_t bytes, bool held)
{
	const struct host_info *i = host_find((const void *)(uintptr_t)addr);
	if (i && held)
		watch_part(i, addr, addr + bytes);
	else if (i)
		watch_part(i, (uint64_t)(uintptr_t)i->p, (uint64_t)(uintptr_t)i->p + i->size);
}

/* Returns the number of bytes from the first byte of a copy's place to past its last. */
static uint64_t copy_extent(const struct copy *c, const struct rows *p)
{
	uint64_t pitch = p->pitch ? p->pitch : c->width,
		 slice = p->slice ? p->slice : pitch * c->height;
	return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

static void watch_copy(const struct copy *c, bool held)
{
	if (!c->width || !c->height || !c->depth)
		return;
	watch_rows(c->dst.addr, copy_extent(c, &c->dst), held);
	if (!c->staged)
		watch_rows(c->src.addr, copy_extent(c, &c->src), held);
}

/* Watches the memory that a kernel's parameters point to, from each pointer to the allocation's
 * end. */
static void watch_params(const struct queued *e, bool held)
{
	const uint64_t *p = e->w.kernel.l.params;
	for (size_t k = 0; k + 8 <= e->w.kernel.k->info.param_bytes; k += 8, p++) {
		const struct host_info *i = host_find((const void *)(uintptr_t)*p);
		if (i && i->managed)
			watch_rows(*p, (uint64_t)(uintptr_t)i->p + i->size - *p, held);
	}
	if (sysconf(_SC_PAGESIZE) == MANAGED_PAGE)
		managed_each(watch_range);
}

static void watch_memory(const struct queued *e, bool held)
{
	if (beside_is_late(e)) {
		struct copy c = beside_copy(&e->w);
		watch_copy(&c, held);
	} else if (e->w.kind == WORK_KERNEL) {
		watch_params(e, held);
	}
}

void touch_by_host(uint64_t of)
{
	for (unsigned k = 0; k < seen->nwatched && !of; k++)
		if (seen->watched[k].host == thread.host_function) {
			mprotect((void *)seen->watched[k].lo,
				 seen->watched[k].hi - seen->watched[k].lo, PROT_READ | PROT_WRITE);
			seen->watched[k] = (struct watched){0};
		}
	thread.host_function = of;
}

void touch_watch_for_host(const struct queued *e) { watch_memory(e, false); }

void touch_watch(const struct queued *e, bool held)
{
	if (e->w.kind != WORK_KERNEL && !beside_is_late(e))
		return;
	seen->seq = seen->seq > e->seq ? seen->seq : e->seq;
	watch_memory(e, held);
}

void touch_end(void)
{
	for (unsigned k = 0; k < seen->nwatched; k++)
		mprotect((void *)seen->watched[k].lo, seen->watched[k].hi - seen->watched[k].lo,
			 PROT_READ | PROT_WRITE);
	if (seen->nwatched)
		sigaction(SIGSEGV, &seen->old, NULL);
	seen->nwatched = seen->n = 0;
}

unsigned touch_count(void) { return seen->n < TOUCHES ? seen->n : TOUCHES; }
const struct touch *touch_at(unsigned i) { return &seen->list[i]; }
