#include "exec/heap.h"

void heap_init(struct heap *h)
{
	*h = (struct heap){0};
	pthread_rwlock_init(&h->lock, NULL);
}

void heap_fini(struct heap *h)
{
	vec_free(&h->blocks);
	pthread_rwlock_destroy(&h->lock);
}

/* Index of the block that contains offset `off`; blocks cover the whole region. */
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
}

bool heap_reserve(struct heap *h, struct devmem *mem, uint64_t bytes)
{
	if (h->region)
		return true;
	h->region = devmem_alloc(mem, bytes, ALLOC_HEAP, 256);
	if (h->region)
		vec_push(&h->blocks, (struct heap_block){0, bytes, false});
	return h->region != NULL;
}

uint64_t heap_malloc(struct heap *h, uint64_t size)
{
	uint64_t addr = 0, want = (size + 15) & ~15ull;
	if (!want || want < size)
		return 0;
	pthread_rwlock_wrlock(&h->lock);
	for (size_t i = 0; i < h->blocks.n; i++) {
		struct heap_block *b = &h->blocks.v[i];
		if (b->used || b->size < want)
			continue;
		if (b->size > want)
			insert_after(h, i, (struct heap_block){b->off + want, b->size - want, false});
		b = &h->blocks.v[i];
		b->size = want;
		b->used = true;
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
			merge_next(h, i);
			if (i)
				merge_next(h, i - 1);
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
