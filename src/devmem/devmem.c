#include "devmem/devmem.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "devmem/shadow.h"

enum { GAP = 512, KEEP_FREED = 65536 };

void devmem_init(struct devmem *s, uint64_t limit)
{
	*s = (struct devmem){.next = HEAP_BASE, .limit = limit};
}

static void release_memory(struct alloc *a)
{
	shadow_free(a->shadow);
	a->shadow = NULL;
	if (a->freed || a->kind == ALLOC_MAPPED)
		return;
	munmap(a->host, a->mapped);
}

void devmem_fini(struct devmem *s)
{
	for (size_t i = 0; i < s->allocs.n; i++) {
		release_memory(s->allocs.v[i]);
		free(s->allocs.v[i]);
	}
	vec_free(&s->allocs);
	if (s->escapes)
		s->escapes_free(s->escapes);
}

/* Returns the index of the first allocation whose start is above addr. */
static size_t upper_bound(const struct devmem *s, uint64_t addr)
{
	size_t lo = 0, hi = s->allocs.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (s->allocs.v[mid]->lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct alloc *insert_alloc(struct devmem *s, struct alloc a)
{
	struct alloc *p = xmalloc(sizeof *p);
	*p = a;
	/* mapped memory has contents, and variables are zero */
	bool unset = a.kind == ALLOC_DEVICE || a.kind == ALLOC_HEAP ||
		     (a.kind == ALLOC_HOST && s->check_init);
	if (s->shadowed)
		p->shadow = shadow_new(a.size, !unset);
	if (p->shadow && unset && a.kind == ALLOC_HOST)
		shadow_of_host(p->shadow, a.host, s->nhost++);
	size_t at = upper_bound(s, a.lo);
	vec_reserve(&s->allocs, s->allocs.n + 1);
	memmove(s->allocs.v + at + 1, s->allocs.v + at, (s->allocs.n - at) * sizeof p);
	s->allocs.v[at] = p;
	s->allocs.n++;
	s->used += a.kind == ALLOC_MAPPED || a.reserved ? 0 : a.size;
	return p;
}

/* True if the memory consists of pages that only the device has. */
static bool has_page(enum alloc_kind kind) { return kind == ALLOC_DEVICE || kind == ALLOC_SYMBOL; }

static uint64_t page_end(uint64_t addr)
{
	return (addr + DEVMEM_PAGE - 1) & ~(uint64_t)(DEVMEM_PAGE - 1);
}

static void *pages_at(uint64_t at, uint64_t bytes, int flags)
{
	return mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* Maps memory at any address. Large buffers begin with a huge page of the host and are made of such pages: kernels
 * read them from one end to the other, often from many places at once. */
static void *any_pages(uint64_t bytes)
{
	enum { HUGE_PAGE = 2 << 20, LEAST = 2 * HUGE_PAGE };
	if (bytes < LEAST)
		return pages_at(0, bytes, 0);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	bytes = (bytes + page - 1) / page * page;
	unsigned char *p = pages_at(0, bytes + HUGE_PAGE, 0);
	if (p == MAP_FAILED)
		return p;
	size_t before = -(uintptr_t)p % HUGE_PAGE;
	if (before)
		munmap(p, before);
	p += before;
	munmap(p + bytes, HUGE_PAGE - before);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

/* Maps memory that host and device share, at the host's address. Code with 32-bit addresses reaches
 * it only between the end of the device's memory, if that is small enough, and 4 GB. Places are
 * tried downwards from the last one, only a few: a full range must not slow allocations down. */
static void *low_pages(struct devmem *s, uint64_t bytes)
{
	enum { STEP = 1 << 16, TRIES = 64 };
	uint64_t low = HEAP_BASE + s->limit, top = UINT32_MAX - (STEP - 1);
	uint64_t need = (bytes + GAP + STEP - 1) & ~(uint64_t)(STEP - 1);
	for (unsigned i = 0; i < TRIES; i++, s->shared_top -= STEP) {
		if (s->shared_top < low + need)
			s->shared_top = top;
		if (top < low + need)
			break;
		uint64_t at = s->shared_top - need;
		void *p = pages_at(at, bytes, MAP_FIXED_NOREPLACE);
		if ((uint64_t)(uintptr_t)p == at) {
			s->shared_top = at;
			return p;
		}
		if (p != MAP_FAILED)
			munmap(p, bytes);
	}
	return MAP_FAILED;
}

struct alloc *devmem_alloc(struct devmem *s, uint64_t size, enum alloc_kind kind, uint64_t align)
{
	if (size > s->limit || s->used > s->limit - size)
		return NULL;
	align = align < 256 ? 256 : align; /* the alignment that cudaMalloc guarantees */
	uint64_t lo = (s->next + align - 1) & ~(align - 1), mapped = size ? size : 1;
	if (s->lenient && has_page(kind)) /* to the end of the page; untouched pages cost nothing */
		mapped = page_end(lo + mapped) - lo;
	void *host = kind == ALLOC_HOST ? low_pages(s, mapped) : MAP_FAILED;
	if (host == MAP_FAILED)
		host = any_pages(mapped);
	if (host == MAP_FAILED)
		return NULL;
	struct alloc a = {
		.lo = lo, .size = size, .host = host, .mapped = mapped, .kind = (uint8_t)kind};
	if (kind == ALLOC_HOST)
		a.lo = (uint64_t)(uintptr_t)host;
	else
		s->next = lo + size + GAP; /* a gap, so that an access past an end is detected */
	return insert_alloc(s, a);
}

struct alloc *devmem_reserve(struct devmem *s, uint64_t size)
{
	uint64_t lo = page_end(s->next);
	void *host = size ? pages_at(0, size, 0) : MAP_FAILED;
	if (host == MAP_FAILED)
		return NULL;
	s->next = lo + size + GAP;
	return insert_alloc(s, (struct alloc){.lo = lo,
					      .size = size,
					      .host = host,
					      .mapped = size,
					      .kind = ALLOC_DEVICE,
					      .reserved = true});
}

bool devmem_commit(struct devmem *s, uint64_t bytes)
{
	if (bytes > s->limit || s->used > s->limit - bytes)
		return false;
	s->used += bytes;
	return true;
}

void devmem_decommit(struct devmem *s, uint64_t bytes) { s->used -= bytes; }

struct alloc *devmem_map(struct devmem *s, void *ptr, uint64_t size, enum alloc_kind kind)
{
	return insert_alloc(s, (struct alloc){.lo = (uint64_t)(uintptr_t)ptr,
					      .size = size,
					      .host = ptr,
					      .kind = (uint8_t)kind});
}

struct alloc *devmem_alias(struct devmem *s, void *ptr, uint64_t size)
{
	enum { ALIGN = 256 };
	uint64_t at = (uint64_t)(uintptr_t)ptr, lo = (s->next + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
	lo += at & (ALIGN - 1); /* keeps the alignment of the host's address */
	s->next = lo + size + GAP;
	s->aliases++;
	return insert_alloc(
		s, (struct alloc){.lo = lo, .size = size, .host = ptr, .kind = ALLOC_MAPPED});
}

struct alloc *devmem_aliased(const struct devmem *s, uint64_t host)
{
	for (size_t i = 0; s->aliases && i < s->allocs.n; i++) {
		struct alloc *a = s->allocs.v[i];
		uint64_t at = (uint64_t)(uintptr_t)a->host;
		if (a->kind == ALLOC_MAPPED && a->lo != at && host - at < a->size)
			return a;
	}
	return NULL;
}

struct alloc *devmem_find(const struct devmem *s, uint64_t addr)
{
	size_t i = upper_bound(s, addr);
	if (!i)
		return NULL;
	struct alloc *a = s->allocs.v[i - 1];
	return addr - a->lo < a->size ? a : NULL;
}

/* Returns the allocation whose page contains the bytes; NULL: none. */
static const struct alloc *page_owner(const struct devmem *s, uint64_t addr, uint64_t n)
{
	size_t i = upper_bound(s, addr);
	const struct alloc *a = i ? s->allocs.v[i - 1] : NULL;
	if (!a || a->freed || !has_page(a->kind))
		return NULL;
	uint64_t end = page_end(a->lo + (a->size ? a->size : 1));
	if (i < s->allocs.n && s->allocs.v[i]->lo < end)
		end = s->allocs.v[i]->lo;
	return addr < end && end - addr >= n ? a : NULL;
}

bool devmem_page_answers(const struct devmem *s, uint64_t addr, uint64_t n)
{
	return page_owner(s, addr, n);
}

uint8_t *devmem_in_page(const struct devmem *s, uint64_t addr, uint64_t n)
{
	const struct alloc *a = s->lenient ? page_owner(s, addr, n) : NULL;
	return a ? a->host + (addr - a->lo) : NULL;
}

struct alloc *devmem_nearest(const struct devmem *s, uint64_t addr)
{
	size_t i = upper_bound(s, addr);
	struct alloc *below = i ? s->allocs.v[i - 1] : NULL;
	struct alloc *above = i < s->allocs.n ? s->allocs.v[i] : NULL;
	if (!below || !above)
		return below ? below : above;
	return addr - (below->lo + below->size) <= above->lo - addr ? below : above;
}

static void remove_entry(struct devmem *s, size_t i)
{
	free(s->allocs.v[i]);
	memmove(s->allocs.v + i, s->allocs.v + i + 1, (s->allocs.n - i - 1) * sizeof *s->allocs.v);
	s->allocs.n--;
}

/* Drops old entries of freed allocations, so that the table does not grow with every allocation. */
static void forget_freed(struct devmem *s)
{
	size_t k = 0;
	for (size_t i = 0; i < s->allocs.n; i++) {
		if (s->allocs.v[i]->freed)
			free(s->allocs.v[i]);
		else
			s->allocs.v[k++] = s->allocs.v[i];
	}
	s->allocs.n = k;
	s->nfreed = 0;
}

const struct gone *devmem_gone(const struct devmem *s, uint64_t addr)
{
	for (size_t i = 0; i < NGONE; i++)
		if (addr - s->gone[i].lo < s->gone[i].size)
			return &s->gone[i];
	return NULL;
}

bool devmem_free(struct devmem *s, uint64_t addr)
{
	size_t i = upper_bound(s, addr);
	if (!i || s->allocs.v[i - 1]->lo != addr || s->allocs.v[i - 1]->freed)
		return false;
	struct alloc *a = s->allocs.v[i - 1];
	release_memory(a);
	if (a->kind != ALLOC_MAPPED && !a->reserved)
		s->used -= a->size;
	if (a->kind == ALLOC_MAPPED || a->kind == ALLOC_HOST) {
		s->aliases -= a->lo != (uint64_t)(uintptr_t)a->host;
		s->gone[s->ngone++ % NGONE] = (struct gone){a->lo, a->size};
		remove_entry(s, i - 1); /* the host may use these addresses again */
		return true;
	}
	a->freed = true;
	a->host = NULL;
	if (++s->nfreed > KEEP_FREED)
		forget_freed(s);
	return true;
}

const char *devmem_site(const struct devmem *s, const struct alloc *a, char *buf, size_t n)
{
	const char *who = s->site && !a->name ? s->site(s->site_arg, a->lo) : NULL;
	snprintf(buf, n, "%s%s", who ? ", allocated by " : "", who ? who : "");
	return buf;
}
