/* A pool: pieces are cut from regions, and a piece that is freed waits in a list of its class for the next one of
 * that class. When no piece is in use any more, all regions but one go back to the host.
 *
 *	region (32 MB, mapped; the host fills in what is touched)
 *	| head | piece | piece | ...            | not cut yet |
 *	         ^ struct piece, then the data
 *
 * In sanitizer builds each piece is an allocation of its own, so that its ends are guarded. */
#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check_memory(void *p)
{
	if (!p) {
		fputs("heddle: out of memory\n", stderr);
		exit(3);
	}
	return p;
}

#ifdef __SANITIZE_ADDRESS__

void *pages_new(size_t size)
{
	size_t bytes = (size / PAGES_ALIGN + 1) * PAGES_ALIGN;
	return memset(check_memory(aligned_alloc(PAGES_ALIGN, bytes)), 0, bytes);
}

void pages_free(void *p) { free(p); }

#else

#include <pthread.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, REGION = 32 << 20, LARGE = REGION / 8 };
/* Classes of sizes: eight per power of two. ALONE: the piece has a separate region. */
enum { PARTS = 8, CLASSES = 8 * sizeof(size_t) * PARTS, ALONE = CLASSES };

struct piece {
	_Alignas(PAGES_ALIGN) struct piece *next; /* next free piece of its class */
	size_t size;                              /* ALONE: bytes of the piece's region */
	unsigned class;
};
_Static_assert(sizeof(struct piece) == PAGES_ALIGN, "data behind the piece are aligned");

struct region {
	_Alignas(PAGES_ALIGN) struct region *next;
	size_t size;
};

static struct {
	pthread_mutex_t lock;
	struct region *regions;  /* the first is the one that pieces are cut from */
	unsigned char *at, *end; /* the part of the region that has not been cut into pieces */
	/* from here on the region has never been used, so it is zero */
	unsigned char *fresh;
	size_t used; /* pieces in use */
	struct piece *unused[CLASSES];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Maps memory that begins with a huge page. Without huge pages the host uses small ones. */
static struct region *map_region(size_t size)
{
	size_t all = size + HUGE_PAGE;
	unsigned char *p = mmap(NULL, all, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	check_memory(p == MAP_FAILED ? NULL : p);
	size_t before = -(uintptr_t)p % HUGE_PAGE;
	if (before)
		munmap(p, before);
	munmap(p + before + size, all - before - size);
	madvise(p + before, size, MADV_HUGEPAGE);
	struct region *r = (struct region *)(p + before);
	r->size = size;
	return r;
}

static void begin_region(struct region *r)
{
	pool.at = pool.fresh = (unsigned char *)(r + 1);
	pool.end = (unsigned char *)r + r->size;
	r->next = pool.regions;
	pool.regions = r;
}

/* The class of a size, which is rounded up to the largest of the class. */
static unsigned class_of(size_t *size)
{
	unsigned log = 63u - (unsigned)__builtin_clzll(*size | PAGES_ALIGN * PARTS);
	size_t step = (size_t)1 << log >> 3, n = (*size + step - 1) / step;
	*size = n * step;
	return log * PARTS + (unsigned)n - 1;
}

static struct piece *take_piece(size_t size, unsigned class, bool *zero)
{
	struct piece *p = pool.unused[class];
	*zero = false;
	if (p) {
		pool.unused[class] = p->next;
		return p;
	}
	if ((size_t)(pool.end - pool.at) < size)
		begin_region(map_region(REGION));
	p = (struct piece *)pool.at;
	*zero = pool.at >= pool.fresh;
	pool.at += size;
	if (pool.fresh < pool.at)
		pool.fresh = pool.at;
	return p;
}

static void *new_alone(size_t size)
{
	size = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	struct piece *p = (struct piece *)map_region(size);
	p->size = size;
	p->class = ALONE;
	return p + 1;
}

void *pages_new(size_t size)
{
	size_t all = size + sizeof(struct piece);
	bool zero;
	if (all > LARGE)
		return new_alone(all);
	unsigned class = class_of(&all);
	pthread_mutex_lock(&pool.lock);
	struct piece *p = take_piece(all, class, &zero);
	pool.used++;
	pthread_mutex_unlock(&pool.lock);
	p->class = class;
	return zero ? p + 1 : memset(p + 1, 0, size);
}

/* Nothing is in use: keeps one region, whose pages the next launch need not touch for the first time. */
static void forget_pieces(void)
{
	struct region *kept = pool.regions;
	for (struct region *r = kept->next; r;) {
		struct region *next = r->next;
		munmap(r, r->size);
		r = next;
	}
	kept->next = NULL;
	pool.at = (unsigned char *)(kept + 1);
	memset(pool.unused, 0, sizeof pool.unused);
}

void pages_free(void *data)
{
	if (!data)
		return;
	struct piece *p = (struct piece *)data - 1;
	if (p->class == ALONE) {
		munmap(p, p->size);
		return;
	}
	pthread_mutex_lock(&pool.lock);
	p->next = pool.unused[p->class];
	pool.unused[p->class] = p;
	if (!--pool.used)
		forget_pieces();
	pthread_mutex_unlock(&pool.lock);
}

#endif
