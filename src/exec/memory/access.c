#include "exec/memory/strays.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/mangled.h"
#include "devmem/heap.h"
#include "exec/cluster.h"
#include "exec/memory/pending.h"
#include "exec/memory/quads.h"
#include "exec/observer.h"

void exec_fault(struct warp *w, const struct uop *u, unsigned lane, enum heddle_fault_kind kind,
		uint64_t addr, uint32_t size, const char *fmt, ...)
{
	struct fault *f = &w->cta->x->fault;
	w->stop = STOP_FAULT;
	if (f->kind)
		return; /* keeps the first fault, which is the cause */
	*f = (struct fault){.kind = kind,
			    .block = w->cta->index,
			    .warp = w->id,
			    .lane = lane,
			    .addr = addr,
			    .size = size};
	f->pc = (uint32_t)(u - w->cta->l->img->code);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, ap);
	va_end(ap);
}

/* Shared memory of the cluster's blocks. */
static const struct window *cluster_window(const struct warp *w, const struct uop *u, uint64_t a,
					   uint64_t n)
{
	uint32_t at;
	const struct cta *o = shared_owner(w->cta, u, a, &at);
	if (!o || !o->live)
		return NULL;
	const struct window *win =
		(u->aux & AUX_SPACE) == SP_GENERIC ? &o->shared_gen : &o->shared_win;
	if (!window_has(win, a, n))
		win = &o->shared_low;
	return window_has(win, a, n) ? win : NULL;
}

const struct window *mem_refill(struct warp *w, const struct uop *u, uint64_t a, uint64_t n,
				enum access acc)
{
	unsigned sp = u->aux & AUX_SPACE;
	if (w->cta->cluster &&
	    (sp == SP_SHARED || (sp == SP_GENERIC && a - CLUSTER_BASE < CLUSTER_SPAN)))
		return cluster_window(w, u, a, n);
	if (sp != SP_GLOBAL && sp != SP_CONST && (sp != SP_GENERIC || a - LOCAL_BASE < WINDOW_SPAN))
		return NULL;
	const struct heap *heap = w->cta->l->heap;
	if (heap && heap_has(heap, a)) { /* heap blocks come and go, so they are looked up at
					  * each access */
		struct window *win = &w->cta->x->heap;
		*win = heap_window(heap, a);
		return window_has(win, a, n) ? win : NULL;
	}
	struct alloc *al = devmem_find(w->cta->l->mem, a);
	if (!al || al->freed || (al->kind == ALLOC_CONST && acc != ACC_READ) ||
	    al->size - (a - al->lo) < n)
		return NULL;
	struct window *win = &w->cta->x->window[u->target];
	*win = (struct window){.lo = al->lo, .size = al->size, .host = al->host};
	if (sp == SP_GLOBAL && !quads_range(w, u, win, (uint32_t)n, &win->reach))
		win->reach.bytes = 0;
	return win;
}

static const char *verb(enum access acc)
{
	return acc == ACC_READ ? "read" : acc == ACC_WRITE ? "write" : "atomic access";
}

/* True if the simulator's process has memory at the address: the program has probably used a host
 * address. */
static bool is_mapped(uint64_t a)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	return a >= 1ull << 32 && !msync((void *)(uintptr_t)(a & ~(page - 1)), page, MS_ASYNC);
}

static void describe_nearest(char *buf, size_t size, const struct devmem *m, uint64_t a)
{
	bool negative = a >> 63; /* a wrapped negative index: the address lies below all memory */
	const struct alloc *al = devmem_nearest(m, negative ? 0 : a);
	char site[PLACE_TEXT];
	const struct gone *gone = devmem_gone(m, a);
	if (gone) {
		snprintf(buf, size,
			 "in freed memory: 0x%llx of %llu bytes, shared with the host%s, is gone",
			 (unsigned long long)gone->lo, (unsigned long long)gone->size,
			 devmem_site(m, &(struct alloc){.lo = gone->lo}, site, sizeof site));
		return;
	}
	if (is_mapped(a)) {
		snprintf(buf, size, "an address of the host's memory, which kernels cannot use");
		return;
	}
	if (!al) {
		snprintf(buf, size, "nothing is allocated");
		return;
	}
	bool after = a >= al->lo && !negative;
	uint64_t dist = after ? a - (al->lo + al->size) : al->lo - a;
	snprintf(buf, size, "%llu bytes %s the nearest allocation, 0x%llx of %llu bytes%s%s",
		 (unsigned long long)dist, after ? "after the end of" : "before",
		 (unsigned long long)al->lo, (unsigned long long)al->size,
		 al->freed ? " (freed)" : "", devmem_site(m, al, site, sizeof site));
	if (al->name)
		snprintf(
			buf, size,
			"%llu bytes %s the nearest allocation, variable %s of %llu bytes at 0x%llx",
			(unsigned long long)dist, after ? "after the end of" : "before",
			plain_name(al->name).text, (unsigned long long)al->size,
			(unsigned long long)al->lo);
}

enum { NULL_PAGE = 4096 }; /* bytes after address 0 that count as a null-pointer access */

/* Reports a global, constant or generic address outside everything the instruction may touch. */
static void fault_global(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
			 enum access acc)
{
	const struct devmem *m = w->cta->l->mem;
	const struct alloc *al = devmem_find(m, a);
	unsigned long long addr = a;
	char site[PLACE_TEXT] = "";
	if (al)
		devmem_site(m, al, site, sizeof site);
	if (al && al->freed) {
		exec_fault(w, u, lane, HEDDLE_FAULT_FREED, a, n,
			   "%s of %u bytes at 0x%llx in freed memory: the allocation 0x%llx of "
			   "%llu bytes%s is gone",
			   verb(acc), n, addr, (unsigned long long)al->lo,
			   (unsigned long long)al->size, site);
	} else if (al && al->kind == ALLOC_CONST && acc != ACC_READ) {
		exec_fault(w, u, lane, HEDDLE_FAULT_READ_ONLY, a, n,
			   "%s of %u bytes at 0x%llx in constant memory (variable %s)", verb(acc),
			   n, addr, al->name ? plain_name(al->name).text : "?");
	} else if (al && al->kind == ALLOC_HEAP) {
		exec_fault(w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
			   "%s of %u bytes at 0x%llx in the heap of malloc, not inside one block "
			   "that is allocated",
			   verb(acc), n, addr);
	} else if (al) {
		exec_fault(
			w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
			"%s of %u bytes at 0x%llx runs over the end of the allocation 0x%llx of %llu bytes%s",
			verb(acc), n, addr, (unsigned long long)al->lo,
			(unsigned long long)al->size, site);
	} else if (a < NULL_PAGE) {
		exec_fault(w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
			   "%s of %u bytes at 0x%llx outside any allocation: a null pointer",
			   verb(acc), n, addr);
	} else {
		char near[PLACE_TEXT + 300];
		describe_nearest(near, sizeof near, m, a);
		exec_fault(w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
			   "%s of %u bytes at 0x%llx outside any allocation: %s", verb(acc), n,
			   addr, near);
	}
}

static uint8_t *lane_local(struct warp *w, const struct uop *u, unsigned lane, uint64_t a,
			   uint32_t n, enum access acc, uint32_t **local)
{
	if (a > w->cta->l->stack_bytes || w->cta->l->stack_bytes - a < n) {
		if (w->cta->l->check)
			exec_fault(w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
				   "%s of %u bytes at local address 0x%llx: the thread has %u "
				   "bytes of local memory",
				   verb(acc), n, (unsigned long long)a, w->cta->l->stack_bytes);
		return NULL;
	}
	*local = (uint32_t *)(w->local + (a >> 2) * ROW) + lane;
	return (uint8_t *)*local + (a & 3);
}

static uint8_t *lane_window(struct warp *w, const struct uop *u, unsigned lane,
			    const struct window *win, uint64_t a, uint32_t n, enum access acc,
			    const char *what)
{
	if (window_has(win, a, n) && !(acc != ACC_READ && win == &w->cta->l->param))
		return win->host + (a - win->lo);
	if (w->cta->l->check)
		exec_fault(w, u, lane,
			   acc == ACC_READ || win != &w->cta->l->param ? HEDDLE_FAULT_BOUNDS
								       : HEDDLE_FAULT_READ_ONLY,
			   a, n,
			   "%s of %u bytes at %s address 0x%llx: the block has %llu bytes of it",
			   verb(acc), n, what, (unsigned long long)(a - win->lo),
			   (unsigned long long)win->size);
	return NULL;
}

static uint8_t *lane_global(struct warp *w, const struct uop *u, unsigned lane, uint64_t a,
			    uint32_t n, enum access acc)
{
	uint8_t *p = mem_find(w, u, a, n, acc);
	if (p)
		return p;
	struct heap *heap = w->cta->l->heap;
	if (heap && heap_has(heap, a) && heap_owns(heap, a, n))
		return heap->region->host + (a - heap->region->lo);
	if (!w->cta->l->check)
		return NULL;
	p = stray_bytes(w, u, lane, a, n, acc, fault_global);
	if (!p)
		fault_global(w, u, lane, a, n, acc);
	return p;
}

/* True for operations whose accesses checked.c recorded before they began. */
static bool is_seen(const struct inst *in)
{
	return in->op == OP_LD || in->op == OP_LDU || in->op == OP_ST || in->op == OP_ATOM ||
	       in->op == OP_RED;
}

uint8_t *mem_lane(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		  uint32_t align, enum access acc, uint32_t **local)
{
	struct cta *b = w->cta;
	unsigned sp = u->aux & AUX_SPACE;
	*local = NULL;
	if (a & (align - 1) && b->l->check) {
		exec_fault(w, u, lane, HEDDLE_FAULT_MISALIGNED, a, n,
			   "%s of %u bytes at 0x%llx, which is not a multiple of %u", verb(acc), n,
			   (unsigned long long)a, align);
		return NULL;
	}
	bool in_cluster = b->cluster && (sp == SP_SHARED ||
					 (sp == SP_GENERIC && a - CLUSTER_BASE < CLUSTER_SPAN));
	if (in_cluster) {
		uint32_t at;
		struct cta *o = shared_find(w, u, lane, a, n, 1, &at);
		if (!o)
			return NULL;
		if (b->l->observer && !is_seen(u->in))
			b->l->observer->shared(w, u, lane, o, at, n, acc);
		return o->shared + at;
	}
	if (sp == SP_GENERIC) {
		if (a - SHARED_BASE < WINDOW_SPAN)
			sp = SP_SHARED, a -= SHARED_BASE;
		else if (a - LOCAL_BASE < WINDOW_SPAN)
			sp = SP_LOCAL, a -= LOCAL_BASE;
		else if (a - PARAM_BASE < WINDOW_SPAN)
			sp = SP_PARAM, a -= PARAM_BASE;
		else
			sp = SP_GLOBAL;
	}
	uint8_t *p;
	switch (sp) {
	case SP_LOCAL: p = lane_local(w, u, lane, a, n, acc, local); break;
	case SP_SHARED: p = lane_window(w, u, lane, &b->shared_win, a, n, acc, "shared"); break;
	case SP_PARAM: p = lane_window(w, u, lane, &b->l->param, a, n, acc, "parameter"); break;
	default: p = lane_global(w, u, lane, a, n, acc); break;
	}
	bool seen = is_seen(u->in);
	if (p && b->l->observer && !seen && sp == SP_LOCAL)
		b->l->observer->local(w, u, lane, a, n, acc);
	else if (p && b->l->observer && !seen && (sp == SP_SHARED || sp == SP_GLOBAL))
		b->l->observer->access(w, u, lane, a, n, acc, sp,
				       sp == SP_GLOBAL ? devmem_find(b->l->mem, a) : NULL);
	return p;
}

/* Local memory is stored in rows: consecutive words of a lane are one row apart. */
static void local_copy(uint32_t *word, unsigned skew, uint8_t *buf, uint32_t n, bool store)
{
	for (uint32_t k = 0; k < n; k++) {
		uint8_t *byte = (uint8_t *)(word + (skew + k) / 4 * LANES) + (skew + k) % 4;
		if (store)
			*byte = buf[k];
		else
			buf[k] = *byte;
	}
}

bool mem_load(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, void *buf, uint32_t n,
	      uint32_t align)
{
	uint32_t *local;
	uint8_t *p = mem_lane(w, u, lane, a, n, align, ACC_READ, &local);
	if (!p)
		memset(buf, 0, n);
	else if (local)
		local_copy(local, (unsigned)(p - (uint8_t *)local), buf, n, false);
	else
		memcpy(buf, p, n);
	struct pending *late = pending_of(w);
	if (p && late && mem_is_global(w, u, a))
		pending_load(late, p, buf, n);
	return p != NULL;
}

bool mem_store(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, const void *buf,
	       uint32_t n, uint32_t align)
{
	uint32_t *local;
	uint8_t *p = mem_lane(w, u, lane, a, n, align, ACC_WRITE, &local);
	if (!p)
		return false;
	struct pending *late = pending_of(w);
	if (local)
		local_copy(local, (unsigned)(p - (uint8_t *)local), (uint8_t *)(uintptr_t)buf, n,
			   true);
	else if (late && mem_is_global(w, u, a))
		pending_store(late, p, buf, n);
	else
		memcpy(p, buf, n);
	return true;
}
