/* --check race,init: checks what operations are about to do, and keeps the reports. The files that find
 * errors are listed in check/check.h. */
#include <stdarg.h>
#include <stdio.h>
#include "base/mangled.h"
#include "devmem/heap.h"
#include "check/check.h"

/* ---- reports ---- */

enum { REPORTS_MAX = 100 };

static bool same_place(const struct image *img, uint32_t a, uint32_t b)
{
	return a == b ||
	       (a != NO_PC && b != NO_PC && inst_same_place(img->code[a].in, img->code[b].in));
}

struct report *check_report(struct warp *w, const struct uop *u, unsigned lane,
			    enum heddle_fault_kind kind, uint64_t addr, uint32_t size,
			    uint32_t other_pc, const char *why)
{
	struct launch_check *c = w->cta->l->checks;
	const struct image *img = w->cta->l->img;
	uint32_t pc = w->pc;
	(void)u;
	for (size_t i = 0; i < c->reports.n; i++) {
		/* `why` states whether the other access belongs to this launch */
		struct report *r = &c->reports.v[i];
		if (r->f.kind == kind && r->why == why && same_place(img, r->f.pc, pc) &&
		    (r->other_img ? r->other_pc == other_pc
				  : same_place(img, r->other_pc, other_pc))) {
			r->count++;
			return NULL;
		}
	}
	if (c->reports.n == REPORTS_MAX) {
		c->left_off++;
		return NULL;
	}
	struct report r = {.f = {.kind = kind,
				 .block = w->cta->index,
				 .warp = w->id,
				 .lane = lane,
				 .pc = pc,
				 .addr = addr,
				 .size = size},
			   .other_pc = other_pc,
			   .why = why,
			   .count = 1};
	vec_push(&c->reports, r);
	return &c->reports.v[c->reports.n - 1];
}

void report_text(struct report *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->f.text, sizeof r->f.text, fmt, ap);
	va_end(ap);
}

static const char *file_of(const struct image *img, const struct inst *in)
{
	return in->src_file ? img->kernel->module->files.v[in->src_file - 1] : NULL;
}

static const struct image_func *func_at(const struct image *img, uint32_t pc)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		if (pc >= img->funcs[i].start && pc < img->funcs[i].end)
			return &img->funcs[i];
	return NULL;
}

static bool is_end(const struct image *img, uint32_t pc)
{
	return uop_is(&img->code[pc], OF_RETURNS | OF_EXITS);
}

/* Line 0 marks code that the compiler made up or made of several lines. */
static bool is_at(const struct image *img, uint32_t pc, const char *file)
{
	return img->code[pc].in->src_line && file_of(img, img->code[pc].in) == file;
}

/* "a.h:3, inlined at b.h:7, inlined at x.cu:12" */
static void inlined_place(const struct module *m, const struct inst *in, char *buf, size_t n)
{
	int at = snprintf(buf, n, "%s:%u", m->files.v[in->src_file - 1], in->src_line);
	for (uint32_t i = in->inlined; i && at < (int)n - 1; i = m->inlined.v[i - 1].up) {
		const struct inlined *o = &m->inlined.v[i - 1];
		const char *file = m->files.v[o->at_file - 1];
		at += snprintf(buf + at, n - (size_t)at, ", inlined at %s:%u", file ? file : "?",
			       o->at_line);
	}
}

bool check_place(const struct image *img, uint32_t pc, char *buf, size_t n)
{
	const struct image_func *f = func_at(img, pc);
	const char *file = f ? file_of(img, img->code[pc].in) : NULL, *own = NULL;
	if (!file)
		return false;
	if (img->code[pc].in->inlined) {
		inlined_place(img->kernel->module, img->code[pc].in, buf, n);
		return true;
	}
	for (uint32_t i = f->end;
	     i-- > f->start && !own;) /* the call chain ends in the function's own file */
		if (is_end(img, i))
			own = file_of(img, img->code[i].in);
	own = own ? own : file;
	const struct inst *here = img->code[pc].in, *in = NULL;
	for (uint32_t d = 0; d < f->end - f->start && !in; d++) {
		if (pc - f->start >= d && is_at(img, pc - d, own))
			in = img->code[pc - d].in;
		else if (pc + d < f->end && is_at(img, pc + d, own) &&
			 (here->src_line || !is_end(img, pc + d)))
			in = img->code[pc + d]
				     .in; /* the function's end is not used as the position of
					   * code without a line */
	}
	if (!in || in == here)
		snprintf(buf, n, "%s:%u", file, here->src_line);
	else if (!here->src_line)
		snprintf(buf, n, "near %s:%u", own, in->src_line);
	else
		snprintf(buf, n, "near %s:%u, in %s:%u", own, in->src_line, file, here->src_line);
	return true;
}

void check_where(const struct image *img, uint32_t pc, char *buf, size_t n)
{
	const struct inst *in = img->code[pc].in;
	if (check_place(img, pc, buf, n))
		return;
	if (in->native)
		snprintf(buf, n, "0x%x: %s", in->native_pc, in->native);
	else
		snprintf(buf, n, "line %u", in->line);
}

static void whose_shared(char *buf, size_t n, const struct image *img, uint64_t addr)
{
	for (uint32_t i = 0; i < img->nshared; i++) {
		const struct shared_var *v = &img->shared_var[i];
		if (addr >= v->at && addr - v->at < v->size)
			snprintf(buf, n, " (%s, byte %llu of %u)", plain_name(v->name).text,
				 (unsigned long long)(addr - v->at), v->size);
	}
}

const char *check_whose(char *buf, size_t n, const struct warp *w, bool shared, uint64_t addr)
{
	const struct launch *l = w->cta->l;
	const struct alloc *al = shared ? NULL : devmem_find(l->mem, addr);
	buf[0] = 0;
	if (shared)
		whose_shared(buf, n, l->img, addr);
	else if (al && al->kind == ALLOC_HEAP) {
		struct heap_block b = heap_block_at(l->heap, addr);
		snprintf(buf, n, " (byte %llu of %llu of malloc)",
			 (unsigned long long)(addr - b.off), (unsigned long long)b.asked);
	} else if (al && al->name)
		snprintf(buf, n, " (%s, byte %llu of %llu)", plain_name(al->name).text,
			 (unsigned long long)(addr - al->lo), (unsigned long long)al->size);
	else if (al) {
		char site[PLACE_TEXT - 100];
		snprintf(buf, n, " (byte %llu of an allocation of %llu%s)",
			 (unsigned long long)(addr - al->lo), (unsigned long long)al->size,
			 devmem_site(l->mem, al, site, sizeof site));
	}
	return buf;
}

const char *check_block(char *buf, size_t n, const struct warp *w, const struct cta *owner)
{
	buf[0] = 0;
	if (!owner || owner == w->cta)
		return buf;
	const struct launch *l = w->cta->l;
	if (l->block[1] * l->block[2] == 1 && l->grid[1] * l->grid[2] == 1)
		snprintf(buf, n, " of block %llu", (unsigned long long)owner->index);
	else
		snprintf(buf, n, " of block (%u,%u,%u)", owner->ctaid[0], owner->ctaid[1],
			 owner->ctaid[2]);
	return buf;
}

const char *check_who(char *buf, size_t n, const uint32_t grid[3], const uint32_t block[3],
		      uint32_t thread, uint64_t index)
{
	if (block[1] * block[2] == 1 && grid[1] * grid[2] == 1)
		snprintf(buf, n, "thread %u of block %llu", thread, (unsigned long long)index);
	else
		snprintf(buf, n, "thread (%u,%u,%u) of block (%u,%u,%u)", thread % block[0],
			 thread / block[0] % block[1], thread / block[0] / block[1],
			 (unsigned)(index % grid[0]), (unsigned)(index / grid[0] % grid[1]),
			 (unsigned)(index / grid[0] / grid[1]));
	return buf;
}

const char *check_lanes(char *buf, size_t n, uint32_t lanes)
{
	size_t at = 0;
	buf[0] = 0;
	for (uint32_t m = lanes; m && at < n - 12;) {
		unsigned from = (unsigned)__builtin_ctz(m), to = from;
		while (to < 31 && m >> (to + 1) & 1)
			to++;
		at += (size_t)snprintf(buf + at, n - at, from == to ? "%s%u" : "%s%u-%u",
				       at ? "," : "", from, to);
		m &= to == 31 ? 0 : ~0u << (to + 1);
	}
	return buf;
}

/* ---- the wrapper ---- */

static void plain(const struct uop *u, exec_fn *fn[2])
{
	memcpy(fn, u->v + u->in->nd + u->in->ns + 1, 2 * sizeof *fn);
}

/* True if any of n bytes at a is in a row of o. n is less than a row's pitch, so they touch one row
 * or the next. */
static bool in_rows(const struct heddle_other *o, uint64_t a, uint32_t n)
{
	uint64_t end = o->addr + (o->rows - 1) * o->pitch + o->bytes;
	if (a + n <= o->addr || a >= end)
		return false;
	uint64_t at = a < o->addr || o->rows == 1 ? 0 : (a - o->addr) % o->pitch;
	return o->rows == 1 || at < o->bytes || at + n > o->pitch;
}

/* True if the host can access this memory concurrently by host atomics. */
static bool host_sees(const struct inst *in)
{
	return (in->mods & (M_VOLATILE | M_MMIO)) ||
	       (in->scope == SCOPE_SYS && (inst_is_atomic(in) || inst_is_strong(in)));
}

void check_others(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		  enum access acc)
{
	const struct launch_check *c = w->cta->l->checks;
	char whose[PLACE_TEXT];
	for (uint32_t i = 0; i < c->nothers; i++) {
		const struct heddle_other *o = &c->others[i];
		if ((acc == ACC_READ && !o->writes) || !in_rows(o, a, n) ||
		    (o->host && host_sees(u->in)))
			continue;
		struct report *r =
			check_report(w, u, lane, HEDDLE_FAULT_RACE, a, n, NO_PC, o->what);
		if (r)
			report_text(
				r,
				"data race in %s memory at 0x%llx%s: %s here, %s by %s, nothing orders the two",
				(u->aux & AUX_SPACE) == SP_CONST ? "constant" : "global",
				(unsigned long long)a,
				check_whose(whose, sizeof whose, w, false, a),
				acc == ACC_READ ? "read" : "written",
				o->does     ? o->does
				: o->writes ? "written"
					    : "read",
				o->what);
	}
}

/* Stores of the executing lanes to the block's own shared memory. */
static void proxy_stores(struct warp *w, const struct uop *u, uint32_t n)
{
	unsigned space = u->aux & AUX_SPACE;
	if (!w->cta->l->img->proxies || (space != SP_SHARED && space != SP_GENERIC))
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint32_t at;
		if (!shared_offset(w, u, lane_addr(w, u, (int)lane), n, &at))
			continue;
		proxies_store(w, lane, at, n);
		products_overwrite(w, u, lane, w->cta, at, n);
	}
}

static void record_accesses(struct warp *w, const struct uop *u, uint32_t n, enum access acc)
{
	if (w->cta->check && w->cta->check->w[w->id].awaited)
		w->cta->check->w[w->id].passed |= w->mask;
	if (w->cta->check && w->cta->check->copies.v.n)
		copies_look(w, u, n, acc);
	if (acc != ACC_READ && w->cta->check && w->cta->l->check_race)
		proxy_stores(w, u, n);
	if (acc != ACC_READ && w->cta->check && w->cta->check->mbarriers.n)
		mbarriers_look(w, u, n);
	unsigned space = u->aux & AUX_SPACE;
	if (w->cta->l->checks->nothers && w->cta->l->check_race &&
	    (space == SP_GLOBAL || space == SP_GENERIC || space == SP_CONST))
		for (uint32_t m = w->mask; m; m &= m - 1)
			check_others(w, u, (unsigned)__builtin_ctz(m),
				     lane_addr(w, u, __builtin_ctz(m)), n, acc);
	if (space == SP_CONST) /* no kernel writes constant memory */
		return;
	uint32_t local = frames_look(w, u, n, acc);
	if (local == w->mask)
		return;
	if (acc == ACC_READ)
		escapes_load(w, u, n);
	else
		escapes_store(w, u, n);
	shadow_lanes(w, u, n, acc);
}

/* A fence of all executing lanes. Proxy fences order nothing between threads. */
static void check_fences(struct warp *w, const struct inst *in)
{
	for (uint32_t m = in->sem ? w->mask : 0; m; m &= m - 1)
		check_fence(w, (unsigned)__builtin_ctz(m), in->scope == SCOPE_CTA);
}

/* A fence between the generic and the async proxy. In machine code it has no effect on execution. */
static bool is_proxy_fence(const struct inst *in)
{
	return in->native ? strstr(in->native, "FENCE.VIEW.ASYNC") != NULL
			  : inst_is(in, OF_FENCE) && in->text && strstr(in->text, ".proxy.async");
}

/* True if executing the operation requires any check. */
static bool is_checked(const struct uop *u)
{
	unsigned space = u->aux & AUX_SPACE;
	if (uop_is(u, OF_LOAD | OF_STORE))
		return ((u->flags & UOP_FAULTS) || space == SP_CONST) && space != SP_PARAM;
	return inst_is_atomic(u->in) || uop_is(u, OF_FENCE | OF_LANE_COPY | OF_COPY_WAIT) ||
	       (u->flags & UOP_CROSS) || is_proxy_fence(u->in) || inst_copies_map(u->in);
}

static void check_access(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	const struct launch *l = w->cta->l;
	if (l->img->products && l->check_race && w->cta->check)
		products_look(w, u);
	if (!is_checked(u))
		return;
	if (inst_copies_map(in) && l->check_race)
		check_warp_sync(w, w->mask);
	else if (inst_is(in, OF_LOAD))
		record_accesses(w, u, type_bytes(in->type) * in->nd, ACC_READ);
	else if (inst_is(in, OF_STORE))
		record_accesses(w, u, type_bytes(in->type) * (in->ns - 1u), ACC_WRITE);
	else if (inst_is_atomic(in))
		record_accesses(w, u, type_bytes(in->type) * (in->vec ? in->vec : 1u), ACC_ATOMIC);
	else if (!l->check_race)
		return;
	else if (inst_is(in, OF_LANE_COPY))
		copies_begin(w, u);
	else if (inst_is(in, OF_COPY_WAIT) && in->text && strstr(in->text, ".bulk"))
		copies_stores_wait(w, u);
	else if (inst_is(in, OF_COPY_WAIT))
		copies_wait(w, u);
	else if (inst_is(in, OF_FENCE) || is_proxy_fence(in)) {
		if (is_proxy_fence(in))
			proxies_fence(w);
		check_fences(w, in);
	} else if (in->mods & M_SYNC)
		arrivals_members(w, u);
}

static void checked_part(struct warp *w, const struct uop *u)
{
	exec_fn *fn[2];
	plain(u, fn);
	if (w->mask)
		check_access(w, u);
	fn[1](w, u);
}

static void checked_full(struct warp *w, const struct uop *u)
{
	exec_fn *fn[2];
	plain(u, fn);
	w->mask = ~0u;
	check_access(w, u);
	fn[0](w, u);
}

void checked_bind(struct uop *u, int32_t *room, bool products)
{
	bool watched = products && !(u->flags & UOP_CTL) && products_watch(u->in);
	if (!is_checked(u) && !watched)
		return;
	exec_fn *fn[2] = {u->full, u->part};
	memcpy(room, fn, sizeof fn);
	u->full = checked_full;
	u->part = checked_part;
	u->flags |= UOP_FAULTS; /* makes the run loop set the warp's pc before the operation */
}
