#include "gpu/warm.h"

#include <stdlib.h>
#include <string.h>
#include "exec/context.h"
#include "gpu/gpu.h"
#include "mem/warm.h"
#include "sm/l1.h"

enum { LINE = 128, SECTOR = 32, SECTORS = LINE / SECTOR, FIRST_ROOM = 1 << 10 };

void warm_init(struct warm *w) { *w = (struct warm){0}; }

void warm_free(struct warm *w)
{
	free(w->table);
	warm_init(w);
}

static struct warm_line *find_entry(const struct warm *w, uint64_t line)
{
	size_t i = (line * 0x9e3779b97f4a7c15u) >> 20 & (w->room - 1);
	while (w->table[i].used && w->table[i].line != line)
		i = (i + 1) & (w->room - 1);
	return &w->table[i];
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_block(const void *a, const void *b)
{
	const struct warm_line *x = a, *y = b;
	int c = compare(x->block, y->block);
	c = c ? c : compare(x->progress, y->progress);
	return c ? c : compare(x->line, y->line);
}

/* Returns the entries in order, malloc'ed; at most the last WARM_MOST. */
static struct warm_line *sort_entries(const struct warm *w, size_t *n)
{
	struct warm_line *e = xmalloc((w->n + 1) * sizeof *e);
	size_t k = 0;
	for (size_t i = 0; i < w->room; i++)
		if (w->table[i].used)
			e[k++] = w->table[i];
	qsort(e, k, sizeof *e, by_block);
	size_t drop = k > WARM_MOST ? k - WARM_MOST : 0;
	*n = k - drop;
	memmove(e, e + drop, *n * sizeof *e);
	return e;
}

/* Doubles the table, or, when it holds twice the lines that are kept, drops the older half. */
static void make_room(struct warm *w)
{
	size_t n;
	struct warm_line *e = sort_entries(w, &n);
	if (w->n < 2 * (size_t)WARM_MOST)
		w->room = w->room ? 2 * w->room : FIRST_ROOM;
	free(w->table);
	w->table = xcalloc(w->room, sizeof *w->table);
	w->n = n;
	for (size_t i = 0; i < n; i++)
		*find_entry(w, e[i].line) = e[i];
	free(e);
	memset(w->recent, 0, sizeof w->recent);
}

static uint32_t narrow(uint64_t x) { return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX; }

/* Returns the line's entry, as accessed last by this block. */
static struct warm_line *access_line(struct warm *w, uint64_t line, uint32_t block,
				     uint32_t progress)
{
	struct warm_line **recent = &w->recent[line % WARM_RECENT];
	if (!*recent || (*recent)->line != line) {
		if (4 * w->n >= 3 * w->room || w->n >= 2 * (size_t)WARM_MOST)
			make_room(w);
		*recent = find_entry(w, line);
		w->n += !(*recent)->used;
		(*recent)->line = line;
	}
	struct warm_line *l = *recent;
	if (!l->used)
		l->first = l->block = block;
	l->used = 1;
	if (l->block != block || progress > l->progress)
		l->progress = progress;
	l->several |= block != l->block && l->block != l->first && block != l->first;
	l->block = block;
	return *recent;
}

void warm_see(void *arg, const struct warp *warp, uint64_t addr, uint32_t bytes, bool written)
{
	struct warm_line *e =
		access_line(arg, addr / LINE, narrow(warp->cta->index), narrow(warp->ninst));
	unsigned from = addr % LINE, end = from + bytes;
	unsigned first = from / SECTOR, last = (end - 1) / SECTOR;
	unsigned sectors = (2u << last) - (1u << first);
	if (!written) {
		e->read |= (uint8_t)sectors;
		return;
	}
	unsigned begin = (from + SECTOR - 1) / SECTOR, stop = end / SECTOR;
	e->written |= (uint8_t)sectors;
	if (stop > begin)
		e->whole |= (uint8_t)((1u << stop) - (1u << begin));
}

void warm_add(struct warm *w, const warm_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct warm_line *x = &lines->v[i];
		access_line(w, x->line, x->first, 0); /* the first block that accessed the line,
						       * if not recorded yet */
		struct warm_line *l = access_line(w, x->line, x->block, x->progress);
		l->several |= x->several;
		l->read |= x->read;
		l->written |= x->written;
		l->whole |= x->whole;
	}
}

void warm_list(const struct warm *w, warm_lines *out)
{
	size_t n;
	struct warm_line *e = sort_entries(w, &n);
	for (size_t i = 0; i < n; i++)
		vec_push(out, e[i]);
	free(e);
}

bool warm_helps(const struct gpu *g) { return !g->m->perfect_mem; }

/* Accesses runs of neighbouring sectors; `bytes` of each run's last sector. */
static void access_sectors(struct gpu *g, uint64_t line, unsigned sectors, unsigned bytes,
			   bool written, unsigned halves)
{
	for (unsigned i = 0; i < SECTORS; i++) {
		unsigned from = i;
		if (!(sectors >> i & 1))
			continue;
		while (bytes == SECTOR && i + 1 < SECTORS && sectors >> (i + 1) & 1)
			i++;
		memsys_touch(g->mem, line * LINE + from * SECTOR, (i - from) * SECTOR + bytes,
			     written, halves);
	}
}

struct access {
	uint64_t wave;
	const struct warm_line *l;
};

static int by_wave(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	int c = compare(x->wave, y->wave);
	c = c ? c : compare(x->l->progress, y->l->progress);
	c = c ? c : compare(x->l->block, y->l->block);
	return c ? c : compare(x->l->line, y->l->line);
}

/* SMs in the order in which they get the blocks of a launch; the caller frees the list. */
static uint16_t *order_sms(struct gpu *g)
{
	uint16_t *sm = xcalloc(g->nsm, sizeof *sm);
	for (unsigned i = 0; i < g->nsm; i++)
		sm[i] = (uint16_t)i;
	if (g->disp.ops->order)
		g->disp.ops->order(&g->disp, sm);
	return sm;
}

/* Bit of the L2 half to which the block's SM sends requests, assuming that later waves run on the
 * same SMs in the same order as the first. */
static unsigned half_of(const struct gpu *g, const uint16_t *sm, uint64_t block, uint64_t wave)
{
	return 1u << memsys_half(g->mem, sm[(wave ? block % wave : block) % g->nsm]);
}

void warm_apply(struct gpu *g, const warm_lines *lines, uint64_t wave)
{
	enum { PART = 4 }; /* bytes of a sector that was not written completely */
	uint16_t *sm = order_sms(g);
	struct access *a = xcalloc(lines->n + 1, sizeof *a);
	for (size_t i = 0; i < lines->n; i++)
		a[i] = (struct access){lines->v[i].block / (wave ? wave : 1), &lines->v[i]};
	qsort(a, lines->n, sizeof *a, by_wave);
	for (size_t i = 0; i < lines->n; i++) {
		const struct warm_line *l = a[i].l;
		unsigned last = half_of(g, sm, l->block, wave),
			 all = l->several ? ~0u : last | half_of(g, sm, l->first, wave);
		access_sectors(g, l->line, l->read, SECTOR, false, all);
		access_sectors(g, l->line, l->whole, SECTOR, true, last);
		access_sectors(g, l->line, l->written & ~l->whole, PART, true, last);
	}
	free(sm);
	free(a);
}

static void place_code(struct gpu *g, const uint16_t *sm, uint64_t addr, uint64_t blocks)
{
	unsigned halves = 0;
	for (unsigned i = 0; i < g->nsm && i < blocks; i++)
		halves |= 1u << memsys_half(g->mem, sm[i]);
	memsys_touch(g->mem, addr, 1, false, halves);
	for (unsigned i = 0; i < g->nsm && i < blocks; i++) {
		struct l1 *l = g->sm[sm[i]]->l1;
		if (l->on[L1I])
			cache_place(&l->cache[L1I], addr, l->cache[L1I].all);
	}
}

void warm_code(struct gpu *g, struct launch *l, const struct prof *prof)
{
	struct arena a = {0};
	struct kern k;
	uint64_t line = g->m->l1i_line, last = 0;
	uint16_t *sm = order_sms(g);
	kern_init(&k, l, g, &a);
	for (uint32_t pc = 0; pc < k.ncode; pc++) {
		uint64_t addr = k.code_base + (uint64_t)k.code[pc].at * g->m->inst_bytes;
		if (!prof[pc].issued || (last && addr / line == last / line))
			continue;
		place_code(g, sm, addr, k.blocks);
		last = addr;
	}
	free(sm);
	arena_free(&a);
}
