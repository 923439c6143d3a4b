#include "kernel/cta.h"

#include <sys/mman.h>
#include "devmem/shadow.h"
#include "check/check.h"

/* Storage of one warp, each part a multiple of a row. */
struct sizes {
	size_t rows, preds, local;
};

static size_t round_row(size_t n) { return (n + ROW - 1) & ~(size_t)(ROW - 1); }

static struct sizes warp_sizes(const struct launch *l)
{
	return (struct sizes){(size_t)l->frame_rows * ROW, round_row((size_t)l->frame_preds * 4),
			      round_row((size_t)l->stack_bytes * LANES)};
}

static size_t shared_size(const struct launch *l)
{
	return round_row((size_t)l->shared_bytes + 16);
}

size_t cta_bytes(const struct launch *l)
{
	struct sizes z = warp_sizes(l);
	return round_row(sizeof(struct cta)) + round_row(l->nwarps * sizeof(struct wstate)) +
	       shared_size(l) + l->nwarps * (z.rows + z.preds + z.local);
}

/* Sets thread indices of a warp, which are equal in every block. */
static uint32_t start_threads(struct wstate *ws, const struct launch *l, uint32_t w)
{
	uint32_t mask = 0, first = wstate_thread(l, w), lanes = wstate_lanes(l, w);
	for (uint32_t i = 0; i < lanes && first + i < l->nthreads; i++) {
		uint32_t t = first + i;
		ws->tid[0][i] = t % l->block[0];
		ws->tid[1][i] = t / l->block[0] % l->block[1];
		ws->tid[2][i] = t / (l->block[0] * l->block[1]);
		mask |= 1u << i;
	}
	return mask;
}

/* Large blocks are mapped, so that untouched local memory costs nothing. For small blocks, of
 * which programs with many short launches need one each, the two system calls and the faults would
 * cost more than the launch. Pages shared by blocks of several threads (base/pages.h) would make these slow. */
enum { MAPPED = 128 << 10 };

static uint8_t *alloc_zeroed(size_t size)
{
	if (size < MAPPED) {
		uint8_t *p = aligned_alloc(ROW, size); /* all sizes are multiples of a row */
		return p ? memset(p, 0, size) : NULL;
	}
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void free_zeroed(uint8_t *p, size_t size)
{
	if (size < MAPPED)
		free(p);
	else
		munmap(p, size);
}

struct cta *cta_new(struct launch *l)
{
	size_t size = cta_bytes(l);
	struct sizes z = warp_sizes(l);
	uint8_t *p = alloc_zeroed(size);
	if (!p)
		return NULL;
	struct cta *b = (struct cta *)p;
	b->l = l;
	b->mem = p;
	b->mem_size = size;
	p += round_row(sizeof *b);
	b->warps = (struct wstate *)p;
	p += round_row(l->nwarps * sizeof *b->warps);
	b->shared = p;
	p += shared_size(l);
	for (uint32_t i = 0; i < l->nwarps; i++) {
		struct wstate *ws = &b->warps[i];
		ws->rows = p;
		ws->preds = (uint32_t *)(p + z.rows);
		ws->w.local = p + z.rows + z.preds;
		ws->w.cta = b;
		ws->w.id = (uint16_t)i;
		ws->w.tid = ws->tid;
		ws->w.dyn = ws->dyn;
		ws->w.init = start_threads(ws, l, i);
		p += z.rows + z.preds + z.local;
	}
	if (l->checks) {
		b->shadow = shadow_new(l->shared_bytes, false);
		for (uint32_t i = 0; i < l->img->nshared; i++) {
			const struct shared_var *v = &l->img->shared_var[i];
			shadow_forbid(b->shadow, v->at + v->size,
				      i + 1 < l->img->nshared ? v[1].at : l->img->shared_bytes);
		}
		b->check = block_check_new(l);
		for (uint32_t i = 0; i < l->nwarps; i++)
			b->check->warp[i] = &b->warps[i].w;
	}
	return b;
}

void cta_free(struct cta *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->l->nwarps; i++) {
		free(b->warps[i].token);
		free(b->warps[i].exchange);
	}
	shadow_free(b->shadow);
	block_check_free(b->check);
	free_zeroed(b->mem, b->mem_size);
}

/* Maps the block's shared memory to addresses from `lo` on; generic: generic addresses. */
static void place_shared(struct cta *b, uint64_t lo, uint64_t generic)
{
	struct window w = {.size = b->l->shared_bytes, .host = b->shared};
	b->shared_win = b->shared_gen = b->shared_low = w;
	b->shared_win.lo = lo;
	b->shared_gen.lo = generic;
}

void cta_join(struct cta *b, struct cluster *c, uint32_t rank)
{
	const struct launch *l = b->l;
	uint64_t lo = (uint64_t)rank * WINDOW_SPAN;
	b->cluster = c;
	b->rank = rank;
	c->block[rank] = b;
	place_shared(b, lo, CLUSTER_BASE + lo);
	if (b->check)
		block_check_join(b);
	for (uint32_t i = 0; i < l->nwarps; i++)
		b->warps[i].w.base[BASE_CONST] = l->crows + (size_t)rank * launch_crows(l);
}

uint64_t cluster_index(const struct launch *l, uint64_t cluster, uint32_t rank)
{
	uint64_t at = 0, scale = 1;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t n = l->grid[i] / l->cluster[i];
		at += (cluster % n * l->cluster[i] + rank % l->cluster[i]) * scale;
		cluster /= n;
		rank /= l->cluster[i];
		scale *= l->grid[i];
	}
	return at;
}

static void start_warp(struct cta *b, uint32_t i)
{
	struct wstate *ws = &b->warps[i];
	const struct launch *l = b->l;
	const struct image_func *f = &l->img->funcs[0];
	struct warp *w = &ws->w;
	/* Values left by an earlier block must not be visible: results do not depend on which
	 * blocks shared a host thread. */
	memset(ws->rows, 0, (size_t)f->nrows * ROW);
	memset(ws->preds, 0, (size_t)f->npreds * 4);
	uint32_t local = l->img->recursive ? w->local_used : l->stack_bytes;
	memset(w->local, 0, (size_t)local * LANES);
	w->local_used = l->img->local_max;
	memset(w->cc, 0, sizeof w->cc);
	memset(ws->spin, 0xff, sizeof ws->spin);
	memset(ws->dyn, 0, sizeof ws->dyn);
	ws->spins = 0;
	w->ninst = 0;
	ws->ntokens = 0;
	memset(ws->off, 0, sizeof ws->off);
	w->live = w->active = w->init;
	w->stop = STOP_NONE;
	w->at_cluster = 0;
	w->base[BASE_CONST] = l->crows;
}

/* Tesla: shared memory begins with the launch's shape, in 16 bits each, and the parameters. Grids of the
 * machine have two dimensions and no program reads the first word, so the first word has the third
 * dimension: the index and, in the upper byte, the number of blocks, for code that is made of PTX. */
static void tesla_header(struct cta *b)
{
	const struct launch *l = b->l;
	uint16_t head[8] = {(uint16_t)(b->ctaid[2] | l->grid[2] << 8),
			    (uint16_t)l->block[0],
			    (uint16_t)l->block[1],
			    (uint16_t)l->block[2],
			    (uint16_t)l->grid[0],
			    (uint16_t)l->grid[1],
			    (uint16_t)b->ctaid[0],
			    (uint16_t)b->ctaid[1]};
	size_t room = l->shared_bytes, n = l->img->kernel->param_bytes;
	memcpy(b->shared, head, room < sizeof head ? room : sizeof head);
	if (room > sizeof head)
		memcpy(b->shared + sizeof head, l->param.host,
		       n < room - sizeof head ? n : room - sizeof head);
}

void cta_start(struct cta *b, uint64_t index, uint32_t from, uint32_t n)
{
	const struct launch *l = b->l;
	b->index = index;
	b->cluster = NULL;
	b->rank = 0;
	place_shared(b, 0, SHARED_BASE);
	b->ctaid[0] = (uint32_t)(index % l->grid[0]);
	b->ctaid[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
	b->ctaid[2] = (uint32_t)(index / ((uint64_t)l->grid[0] * l->grid[1]));
	b->sm = (uint32_t)(index % l->nsm);
	b->live = l->nthreads;
	b->barriers = 0;
	memset(b->bar, 0, sizeof b->bar);
	if (l->img->kernel->native)
		memset(b->lock, 0, sizeof b->lock);
	memset(b->shared, l->shared_fill, l->shared_bytes);
	if (l->img->kernel->native && l->img->kernel->native->shared_header)
		tesla_header(b);
	if (b->shadow) {
		block_check_start(b);
		shadow_reset(b->shadow);
		shadow_written(b->shadow, l->reserved_at, l->shared_bytes - l->reserved_at);
	}
	for (uint32_t i = from; i < from + n; i++)
		start_warp(b, i);
}
