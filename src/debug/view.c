/* The state of warps, registers and memory: see debug.h. */
#include "debug/session.h"

#include "kernel/cta.h"

struct cta *view_block(const struct debug *d, uint64_t index)
{
	if (!d->cta)
		return NULL;
	const struct cluster *c = d->cta->cluster;
	for (uint32_t i = 0; c && i < c->n; i++)
		if (c->block[i] && c->block[i]->index == index)
			return c->block[i];
	return d->cta->index == index ? d->cta : NULL;
}

struct fwarp *view_chosen(struct debug *d)
{
	struct cta *b = view_block(d, d->chosen.block);
	if (!b || d->chosen.warp >= d->l->nwarps || !fblock_of(b)->warp[d->chosen.warp].stack.n) {
		b = d->cta;
		d->chosen = (struct who){b->index, d->warp};
	}
	return &fblock_of(b)->warp[d->chosen.warp];
}

/* The instruction that the user sees at pc: code at a kernel's start that the translation added
 * counts as part of the next instruction. */
static uint32_t shown_at(const struct image *img, uint32_t pc)
{
	while (pc + 1 < img->ncode && !(img->code[pc].flags & UOP_SHOWN))
		pc++;
	return pc;
}

unsigned view_lanes(const struct debug *d, const struct fwarp *fw, struct lanes_at *out,
		    unsigned most)
{
	lanemask above = 0;
	unsigned n = 0;
	bool runs = fw->ws->w.cta == d->cta && fw->ws->w.id == d->warp;
	for (uint32_t k = fw->stack.n; k-- > 0 && n < most;) {
		const struct split *s = &fw->stack.path[k];
		lanemask own = s->mask & ~above;
		above |= s->mask;
		if (own)
			out[n++] = (struct lanes_at){.pc = shown_at(d->l->img, s->pc),
						     .lanes = (uint32_t)own,
						     .state = s->state,
						     .bar = s->bar,
						     .frame = s->frame,
						     .running = runs && k == fw->stack.n - 1};
	}
	return n;
}

bool view_lane(const struct debug *d, const struct fwarp *fw, unsigned lane, struct lanes_at *out)
{
	struct lanes_at all[LANES];
	unsigned n = view_lanes(d, fw, all, LANES);
	for (unsigned i = 0; i < n; i++)
		if (all[i].lanes >> lane & 1) {
			*out = all[i];
			return true;
		}
	return false;
}

/* ---- memory ---- */

/* The byte of a thread's local memory; NULL: beyond its end. */
static uint8_t *local_byte(const struct debug *d, const struct fwarp *fw, uint64_t at)
{
	if (at >= d->l->stack_bytes)
		return NULL;
	return fw->ws->w.local + at / 4 * ROW + d->lane * 4 + at % 4;
}

/* The bytes in host memory, and how many follow; NULL: nothing is mapped. Local memory is returned
 * byte by byte. */
static uint8_t *find_bytes(struct debug *d, uint64_t addr, uint64_t *room)
{
	const struct fwarp *fw = view_chosen(d);
	const struct cta *b = fw->ws->w.cta;
	if (addr >= SHARED_BASE && addr - SHARED_BASE < d->l->shared_bytes) {
		*room = d->l->shared_bytes - (addr - SHARED_BASE);
		return b->shared + (addr - SHARED_BASE);
	}
	if (addr >= LOCAL_BASE && addr < LOCAL_BASE + WINDOW_SPAN) {
		*room = 1;
		return local_byte(d, fw, addr - LOCAL_BASE);
	}
	if (addr >= PARAM_BASE && addr - PARAM_BASE < d->l->param.size) {
		*room = d->l->param.size - (addr - PARAM_BASE);
		return d->l->param.host + (addr - PARAM_BASE);
	}
	struct alloc *a = addr >= HEAP_BASE ? devmem_find(d->gpu->mem, addr) : NULL;
	if (!a || a->freed || !a->host)
		return NULL;
	*room = a->size - (addr - a->lo);
	return a->host + (addr - a->lo);
}

static bool copy_bytes(struct debug *d, uint64_t addr, uint8_t *buf, size_t n, bool write)
{
	for (uint64_t room; n;) {
		uint8_t *p = find_bytes(d, addr, &room);
		if (!p)
			return false;
		size_t k = room < n ? (size_t)room : n;
		if (write)
			memcpy(p, buf, k);
		else
			memcpy(buf, p, k);
		addr += k;
		buf += k;
		n -= k;
	}
	return true;
}

bool view_read(struct debug *d, uint64_t addr, void *out, size_t n)
{
	return copy_bytes(d, addr, out, n, false);
}

bool view_write(struct debug *d, uint64_t addr, const void *data, size_t n)
{
	uint8_t probe;
	for (size_t i = 0; i < n; i++)
		if (!view_read(d, addr + i, &probe, 1))
			return false;
	return copy_bytes(d, addr, (uint8_t *)(uintptr_t)data, n, true);
}

/* ---- registers ---- */

const struct image_func *view_func(const struct image *img, uint32_t pc)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		if (pc >= img->funcs[i].start && pc < img->funcs[i].end)
			return &img->funcs[i];
	return &img->funcs[0];
}

/* Registers of machine code under the machine's names and under those of the decoded program. */
static const struct {
	const char *machine, *own;
} kinds[] = {{"R", "%r"}, {"UR", "%u"}, {"P", "%p"}, {"UP", "%up"},
	     {"B", "%b"}, {"A", "%a"},  {"C", "%c"}};

static bool is_numbered(const char *name, const char *kind)
{
	size_t n = strlen(kind);
	return !strncmp(name, kind, n) && name[n] >= '0' && name[n] <= '9';
}

bool view_name(const struct image_func *f, uint32_t reg, char out[40])
{
	const struct reg *r = &f->f->regs.v[reg];
	if (r->scratch || !r->name || !*r->name)
		return false;
	for (size_t i = 0; f->f->native && i < sizeof kinds / sizeof *kinds; i++)
		if (is_numbered(r->name, kinds[i].own)) {
			snprintf(out, 40, "%s%s", kinds[i].machine, r->name + strlen(kinds[i].own));
			return true;
		}
	snprintf(out, 40, "%s", r->name);
	return !f->f->native;
}

int64_t view_register(const struct image_func *f, const char *name, size_t n)
{
	char own[40];
	for (size_t i = 0; i < f->f->regs.n; i++)
		if (view_name(f, (uint32_t)i, own) && strlen(own) == n && !memcmp(own, name, n))
			return (int64_t)i;
	return n && *name != '%' && !f->f->native && n < 38
		       ? view_register(f, strcat(strcpy(own, "%"), name), n + 1)
		       : -1;
}

unsigned view_value(const struct fwarp *fw, const struct image_func *f, const struct frame *at,
		    uint32_t reg, unsigned lane, uint8_t out[16])
{
	const struct wstate *ws = fw->ws;
	int32_t row = f->row_of ? f->row_of[reg] : -1;
	unsigned type = f->f->regs.v[reg].type, rows = type_rows(type);
	if (row < 0)
		return 0;
	if (!rows) {
		out[0] = ws->preds[at->preds + (uint32_t)row] >> lane & 1;
		return 1;
	}
	for (unsigned k = 0; k < rows && k < 4; k++)
		memcpy(out + 4 * k,
		       ws->rows + (size_t)(at->rows + (uint32_t)row + k) * ROW + lane * 4, 4);
	return rows == 1 ? type_bytes(type) : rows * 4;
}
