#include "devmem/heap.h"

#include "devmem/shadow.h"

void heap_init(struct heap *h)
{
	*h = (struct heap){0};
	pthread_rwlock_init(&h->lock, NULL);
}

void heap_fini(struct heap *h)
{
	vec_free(&h->blocks);
	free(h->used);
	free(h->start);
	pthread_rwlock_destroy(&h->lock);
}

static void put_bit(_Atomic uint64_t *bits, uint64_t off, bool on)
{
	uint64_t bit = 1ull << off / HEAP_GRANULE % 64;
	_Atomic uint64_t *word = &bits[off / HEAP_CHUNK];
	if (on)
		atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	else
		atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
}

static void mark_used(struct heap *h, const struct heap_block *b)
{
	for (uint64_t o = b->off; o < b->off + b->size;) {
		if (o % HEAP_CHUNK == 0 && b->off + b->size - o >= HEAP_CHUNK) {
			atomic_store_explicit(&h->used[o / HEAP_CHUNK], b->used ? ~0ull : 0,
					      memory_order_relaxed);
			o += HEAP_CHUNK;
		} else {
			put_bit(h->used, o, b->used);
			o += HEAP_GRANULE;
		}
	}
}

/* Returns the index of the block that contains offset `off`; blocks cover the whole region. */
static size_t block_at(const struct heap *h, uint64_t off)
{
	size_t lo = 0, hi = h->blocks.n;
	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;
		if (h->blocks.v[mid].off <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void insert_after(struct heap *h, size_t i, struct heap_block b)
{
	vec_reserve(&h->blocks, h->blocks.n + 1);
	memmove(h->blocks.v + i + 2, h->blocks.v + i + 1, (h->blocks.n - i - 1) * sizeof b);
	h->blocks.v[i + 1] = b;
	h->blocks.n++;
	put_bit(h->start, b.off, true);
}

bool heap_reserve(struct heap *h, struct devmem *mem, uint64_t bytes)
{
	if (h->region)
		return true;
	bytes &= ~(uint64_t)(HEAP_GRANULE - 1);
	size_t words = bytes / HEAP_CHUNK + 1;
	_Atomic uint64_t *used = calloc(words, sizeof *used), *start = calloc(words, sizeof *start);
	struct alloc *region = used && start ? devmem_alloc(mem, bytes, ALLOC_HEAP, 256) : NULL;
	if (!region) {
		free(used);
		free(start);
		return false;
	}
	h->used = used;
	h->start = start;
	h->region = region;
	vec_push(&h->blocks, (struct heap_block){0, bytes, false});
	put_bit(start, 0, true);
	return true;
}

uint64_t heap_malloc(struct heap *h, uint64_t size)
{
	struct shadow *shadow = h->region->shadow;
	uint64_t addr = 0, want = ((size + 15) & ~15ull) + (shadow ? HEAP_GRANULE : 0);
	if (!size || want < size)
		return 0;
	pthread_rwlock_wrlock(&h->lock);
	while (h->first_free < h->blocks.n && h->blocks.v[h->first_free].used)
		h->first_free++;
	for (size_t i = h->first_free; i < h->blocks.n; i++) {
		struct heap_block *b = &h->blocks.v[i];
		if (b->used || b->size < want)
			continue;
		if (b->size > want)
			insert_after(h, i,
				     (struct heap_block){b->off + want, b->size - want, false});
		b = &h->blocks.v[i];
		b->size = want;
		b->asked = size;
		b->used = true;
		mark_used(h, b);
		if (shadow)
			shadow_renew(shadow, b->off, b->off + size, b->off + want);
		addr = h->region->lo + b->off;
		break;
	}
	pthread_rwlock_unlock(&h->lock);
	return addr;
}

static void merge_next(struct heap *h, size_t i)
{
	struct heap_block *b = h->blocks.v;
	if (i + 1 >= h->blocks.n || b[i].used || b[i + 1].used)
		return;
	put_bit(h->start, b[i + 1].off, false);
	b[i].size += b[i + 1].size;
	memmove(b + i + 1, b + i + 2, (h->blocks.n - i - 2) * sizeof *b);
	h->blocks.n--;
}

bool heap_free(struct heap *h, uint64_t addr)
{
	bool ok = false;
	pthread_rwlock_wrlock(&h->lock);
	if (h->region && addr - h->region->lo < h->region->size) {
		size_t i = block_at(h, addr - h->region->lo);
		struct heap_block *b = &h->blocks.v[i];
		ok = b->used && h->region->lo + b->off == addr;
		if (ok) {
			b->used = false;
			mark_used(h, b);
			merge_next(h, i);
			if (i)
				merge_next(h, i - 1);
			/* all blocks before it are in use, so it was not merged with one of them */
			if (i < h->first_free)
				h->first_free = i;
		}
	}
	pthread_rwlock_unlock(&h->lock);
	return ok;
}

bool heap_owns(struct heap *h, uint64_t addr, uint64_t n)
{
	pthread_rwlock_rdlock(&h->lock);
	uint64_t off = addr - h->region->lo;
	const struct heap_block *b = &h->blocks.v[block_at(h, off)];
	bool ok = b->used && b->off + b->size - off >= n;
	pthread_rwlock_unlock(&h->lock);
	return ok;
}

struct heap_block heap_block_at(struct heap *h, uint64_t addr)
{
	pthread_rwlock_rdlock(&h->lock);
	struct heap_block b = h->blocks.v[block_at(h, addr - h->region->lo)];
	pthread_rwlock_unlock(&h->lock);
	b.off += h->region->lo;
	return b;
}

struct window heap_window(const struct heap *h, uint64_t addr)
{
	uint64_t off = addr - h->region->lo, chunk = off / HEAP_CHUNK;
	unsigned at = (unsigned)(off / HEAP_GRANULE % 64);
	uint64_t used = atomic_load_explicit(&h->used[chunk], memory_order_relaxed);
	uint64_t start = atomic_load_explicit(&h->start[chunk], memory_order_relaxed);
	if (!(used >> at & 1))
		return (struct window){0};
	/* The block starts at the last start at or below `at`, and ends before the next start
	 * above. All granules of a block have equal use bits, which therefore are not needed. */
	uint64_t below = start & (~0ull >> (63 - at)),
		 above = at == 63 ? 0 : start & (~0ull << (at + 1));
	unsigned lo = below ? 63 - (unsigned)__builtin_clzll(below) : 0;
	unsigned hi = above ? (unsigned)__builtin_ctzll(above) : 64;
	uint64_t first = chunk * HEAP_CHUNK + lo * HEAP_GRANULE;
	uint64_t end = chunk * HEAP_CHUNK + (uint64_t)hi * HEAP_GRANULE;
	if (end > h->region->size)
		end = h->region->size;
	return (struct window){
		.lo = h->region->lo + first, .size = end - first, .host = h->region->host + first};
}
