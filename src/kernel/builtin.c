/* Executes functions that the simulator provides to device code: vprintf, __assertfail, malloc, free,
 * launches, the compiler's checks of indices. As for any function, parameters are in the first bytes of
 * the frame and a result replaces them. Names are in ir/builtin.c, launches in kernel/child.h. */
#include "kernel/call.h"

#include <stdio.h>
#include "exec/memory/access.h"
#include "check/check.h"
#include "kernel/child.h"
#include "devmem/heap.h"

struct text {
	char *s;
	size_t n, cap;
};

static void text_add(struct text *t, const char *s, size_t n)
{
	if (t->n + n + 1 > t->cap) {
		t->cap = (t->n + n + 1) * 2;
		t->s = xrealloc(t->s, t->cap);
	}
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = 0;
}

/* A lane's word of the frame at that byte; the lane's next word is LANES words further. */
static uint32_t *frame_word(const struct wstate *ws, uint64_t byte, uint32_t lane)
{
	return (uint32_t *)(ws->w.local + (size_t)(byte / 4) * ROW) + lane;
}

static uint64_t read_param(const struct wstate *ws, const struct func *f, unsigned k,
			   uint32_t frame, uint32_t lane)
{
	const struct var *v = f->proto.param[k];
	const uint32_t *p = frame_word(ws, frame + v->addr, lane);
	return v->size > 4 ? p[0] | (uint64_t)p[LANES] << 32 : p[0];
}

static void set_result(struct wstate *ws, const struct func *f, uint32_t frame, uint32_t lane,
		       uint64_t x)
{
	if (!f->proto.nret)
		return;
	const struct var *v = f->proto.ret[0];
	uint32_t *p = frame_word(ws, frame + v->addr, lane);
	p[0] = (uint32_t)x;
	if (v->size > 4)
		p[LANES] = (uint32_t)(x >> 32);
}

/* Read and write device memory through generic addresses, from a builtin. */
static bool get_bytes(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t a, void *buf,
		      uint32_t n)
{
	struct uop g = *u;
	g.aux = SP_GENERIC;
	g.target = 0; /* memory window 0, which no instruction uses */
	if (mem_load(&ws->w, &g, lane, a, buf, n, 1))
		return true;
	ws->w.cta->x->fault.pc = (uint32_t)(u - ws->w.cta->l->img->code);
	return false;
}

static bool get_string(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t a,
		       struct text *t)
{
	for (char c;; text_add(t, &c, 1)) {
		if (!get_bytes(ws, u, lane, a++, &c, 1))
			return false;
		if (!c) {
			text_add(t, "", 0);
			return true;
		}
	}
}

/* Formats one conversion. spec is "%...": flags, width, precision, length modifier, letter. Arguments are
 * promoted as in C and aligned to their size: 4 bytes for int, 8 for long long, double, pointers. */
static bool format_one(struct wstate *ws, const struct uop *u, uint32_t lane, const char *spec,
		       size_t n, uint64_t *args, struct text *out)
{
	char letter = spec[n - 1], fmt[64], buf[512];
	bool wide = false, real = strchr("fFeEgGaA", letter) != NULL,
	     ptr = letter == 's' || letter == 'p';
	size_t k = 0;
	for (size_t i = 0; i < n - 1 && k < sizeof fmt - 8; i++) {
		if (strchr("hlLqjzt", spec[i])) {
			wide |= spec[i] != 'h' && !real;
			continue;
		}
		if (spec[i] == '*') { /* the width is an argument */
			int32_t v;
			*args = (*args + 3) & ~3ull;
			if (!get_bytes(ws, u, lane, *args, &v, 4))
				return false;
			*args += 4;
			k += (size_t)snprintf(fmt + k, sizeof fmt - k, "%d", v);
			continue;
		}
		fmt[k++] = spec[i];
	}
	uint64_t x = 0;
	uint32_t size = wide || real || ptr ? 8 : 4;
	*args = (*args + size - 1) & ~(uint64_t)(size - 1);
	if (!get_bytes(ws, u, lane, *args, &x, size))
		return false;
	*args += size;
	if (letter == 's') {
		struct text s = {0};
		if (!get_string(ws, u, lane, x, &s)) {
			free(s.s);
			return false;
		}
		memcpy(fmt + k, "s", 2);
		int len = snprintf(NULL, 0, fmt, s.s);
		char *p = xmalloc((size_t)len + 1);
		snprintf(p, (size_t)len + 1, fmt, s.s);
		text_add(out, p, (size_t)len);
		free(p);
		free(s.s);
		return true;
	}
	if (real) {
		double d;
		memcpy(&d, &x, 8);
		fmt[k] = letter, fmt[k + 1] = 0;
		snprintf(buf, sizeof buf, fmt, d);
	} else if (letter == 'p') {
		snprintf(buf, sizeof buf, "0x%llx", (unsigned long long)x);
	} else if (letter == 'c') {
		fmt[k] = 'c', fmt[k + 1] = 0;
		int len = snprintf(buf, sizeof buf, fmt, (int)x);
		text_add(out, buf, (size_t)len);
		return true;
	} else {
		bool is_signed = letter == 'd' || letter == 'i';
		long long v = wide ? (long long)x : is_signed ? (int32_t)x : (long long)(uint32_t)x;
		fmt[k] = 'l', fmt[k + 1] = 'l', fmt[k + 2] = letter, fmt[k + 3] = 0;
		snprintf(buf, sizeof buf, fmt, v);
	}
	text_add(out, buf, strlen(buf));
	return true;
}

static bool format_text(struct wstate *ws, const struct uop *u, uint32_t lane, const char *f,
			uint64_t args, struct text *out)
{
	while (*f) {
		const char *p = strchr(f, '%');
		if (!p) {
			text_add(out, f, strlen(f));
			return true;
		}
		text_add(out, f, (size_t)(p - f));
		size_t n = 1 + strspn(p + 1, "-+ #0123456789.*hlLqjzt");
		if (p[n] == '%') {
			text_add(out, "%", 1);
		} else if (p[n] && strchr("diouxXcspfFeEgGaA", p[n])) {
			if (n > 40 || !format_one(ws, u, lane, p, n + 1, &args, out))
				return false;
		} else { /* not a conversion: the text is printed unchanged */
			text_add(out, p, p[n] ? n + 1 : n);
		}
		f = p[n] ? p + n + 1 : p + n;
	}
	return true;
}

static void print_text(const struct launch *l, const struct text *t)
{
	if (!t->n)
		return;
	if (l->output)
		l->output(l->output_arg, t->s, t->n);
	else
		fwrite(t->s, 1, t->n, stdout);
}

static bool do_printf(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		      uint32_t m)
{
	bool ok = true;
	struct text out = {0};
	for (; m && ok; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);
		struct text fmt = {0};
		ok = get_string(ws, u, lane, read_param(ws, f, 0, frame, lane), &fmt) &&
		     format_text(ws, u, lane, fmt.s, read_param(ws, f, 1, frame, lane), &out);
		set_result(ws, f, frame, lane, 0);
		free(fmt.s);
	}
	print_text(ws->w.cta->l, &out);
	free(out.s);
	return ok;
}

/* __assertfail(message, file, line, function, char size): prints like CUDA, then faults. */
static bool do_assert(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		      uint32_t m)
{
	const struct cta *b = ws->w.cta;
	struct text out = {0};
	char where[256];
	for (uint32_t q = m; q; q &= q - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(q);
		struct text s[3] = {{0}};
		static const unsigned arg[3] = {0, 1, 3};
		bool ok = true;
		for (unsigned k = 0; k < 3; k++)
			ok = ok &&
			     get_string(ws, u, lane, read_param(ws, f, arg[k], frame, lane), &s[k]);
		if (ok) {
			text_add(&out, s[1].s, s[1].n);
			snprintf(where, sizeof where,
				 ":%u: ", (unsigned)read_param(ws, f, 2, frame, lane));
			text_add(&out, where, strlen(where));
			text_add(&out, s[2].s, s[2].n);
			snprintf(where, sizeof where,
				 ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", b->ctaid[0],
				 b->ctaid[1], b->ctaid[2], ws->tid[0][lane], ws->tid[1][lane],
				 ws->tid[2][lane]);
			text_add(&out, where, strlen(where));
			text_add(&out, s[0].s, s[0].n);
			text_add(&out, "` failed.\n", 10);
			if (!(q & (q - 1)) || q == m)
				exec_fault(&ws->w, u, lane, HEDDLE_FAULT_ASSERT, 0, 0,
					   "assertion failed: %.400s", s[0].s);
		}
		for (unsigned k = 0; k < 3; k++)
			free(s[k].s);
		if (!ok)
			break;
	}
	print_text(b->l, &out);
	free(out.s);
	return false;
}

/* __ubsan_handle_out_of_bounds(place, index): clang's check of an index against the type of its
 * array, which knows members of structures and arrays inside others (`heddle cc -G`). *place: name
 * of the file, line and column, the types of array and index, each two 16-bit words and the name in
 * quotes. Reported in checked launches only; the program continues with the index it has. */
enum { PLACE_ARRAY = 16, PLACE_INDEX = 24, TYPE_INFO = 2, TYPE_NAME = 4 };

static bool get_word(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t a, uint64_t *x)
{
	return get_bytes(ws, u, lane, a, x, 8);
}

/* The value of an index of a signed type, whose width is 2 to the power of info / 2. */
static int64_t signed_index(uint64_t x, uint16_t info)
{
	unsigned bits = 1u << (info / 2 & 7);
	return info & 1 && bits < 64 ? (int64_t)(x << (64 - bits)) >> (64 - bits) : (int64_t)x;
}

static bool report_index(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t place,
			 uint64_t index)
{
	struct warp *w = &ws->w;
	struct text name = {0};
	uint64_t array = 0, type = 0;
	uint16_t info = 0;
	w->pc = (uint32_t)(u - w->cta->l->img->code);
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_BOUNDS, 0, 0, NO_PC, "index");
	bool ok = !r || (get_word(ws, u, lane, place + PLACE_ARRAY, &array) &&
			 get_word(ws, u, lane, place + PLACE_INDEX, &type) &&
			 get_bytes(ws, u, lane, type + TYPE_INFO, &info, sizeof info) &&
			 get_string(ws, u, lane, array + TYPE_NAME, &name));
	if (r && ok)
		report_text(r, "index %lld is outside the array, which is %.200s",
			    (long long)signed_index(index, info), name.s);
	free(name.s);
	return ok;
}

/* __heddle_index_end(index, size): reports a reference to the element past the end of an array. */
static bool report_end(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t index,
		       uint64_t size)
{
	struct warp *w = &ws->w;
	w->pc = (uint32_t)(u - w->cta->l->img->code);
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_BOUNDS, 0, 0, NO_PC, "index");
	if (r)
		report_text(r, "index %llu is outside the array, which has %llu elements",
			    (unsigned long long)index, (unsigned long long)size);
	return true;
}

static bool do_index(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		     uint32_t m)
{
	bool ok = true;
	for (; m && ok && ws->w.cta->l->checks && f->proto.nparam == 2; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);
		ok = (f->builtin == BI_INDEX_END ? report_end : report_index)(
			ws, u, lane, read_param(ws, f, 0, frame, lane),
			read_param(ws, f, 1, frame, lane));
	}
	return ok;
}

/* ---- launches ---- */

static void param_dim3(const struct wstate *ws, const struct func *f, unsigned k, uint32_t frame,
		       uint32_t lane, uint32_t *to)
{
	const uint32_t *p = frame_word(ws, frame + f->proto.param[k]->addr, lane);
	for (unsigned i = 0; i < 3; i++)
		to[i] = p[i * LANES];
}

/* Reads a launch's shape from parameter k on: grid, block, bytes of shared memory. */
static void param_shape(const struct wstate *ws, const struct func *f, unsigned k, uint32_t frame,
			uint32_t lane, struct child_launch *c)
{
	param_dim3(ws, f, k, frame, lane, c->grid);
	param_dim3(ws, f, k + 1, frame, lane, c->block);
	c->shared = (uint32_t)read_param(ws, f, k + 2, frame, lane);
}

/* Performs one lane's call, result in *x; false: a fault. */
static bool launch_call(struct wstate *ws, const struct uop *u, const struct func *f,
			uint32_t frame, uint32_t lane, uint64_t *x)
{
	struct child_launch c = {0};
	*x = 0;
	switch (f->builtin) {
	case BI_PARAM_BUFFER: /* (alignment, size) */
		*x = heap_malloc(ws->w.cta->l->heap, read_param(ws, f, 1, frame, lane));
		return true;
	case BI_PARAM_BUFFER_V2: /* (kernel, grid, block, shared) */
		c.kernel = read_param(ws, f, 0, frame, lane);
		param_shape(ws, f, 1, frame, lane, &c);
		return child_buffer(ws, u, lane, &c, x);
	case BI_LAUNCH: /* (kernel, parameters, grid, block, shared, stream) */
		c.kernel = read_param(ws, f, 0, frame, lane);
		c.params = read_param(ws, f, 1, frame, lane);
		param_shape(ws, f, 2, frame, lane, &c);
		c.stream = read_param(ws, f, 5, frame, lane);
		return child_launch(ws, u, lane, &c, false);
	default: /* (parameters, stream) */
		c.params = read_param(ws, f, 0, frame, lane);
		c.stream = read_param(ws, f, 1, frame, lane);
		return child_launch(ws, u, lane, &c, true);
	}
}

static const uint8_t launch_nparam[] = {
	[BI_PARAM_BUFFER] = 2, [BI_PARAM_BUFFER_V2] = 4, [BI_LAUNCH] = 6,
	[BI_LAUNCH_V2] = 2,    [BI_WAIT_CHILDREN] = 0,   [BI_WAIT_IF_ANY] = 0};

static bool do_launch(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		      uint32_t m)
{
	if (f->proto.nparam != launch_nparam[f->builtin]) {
		exec_fault(&ws->w, u, (uint32_t)__builtin_ctz(m), HEDDLE_FAULT_BAD_CALL, 0, 0,
			   "%s is declared with %u parameters instead of %u", f->name,
			   f->proto.nparam, launch_nparam[f->builtin]);
		return false;
	}
	for (; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);
		uint64_t x = 0;
		bool ok = f->builtin == BI_WAIT_CHILDREN ? child_wait(ws, u, lane, CHILD_WAIT)
			  : f->builtin == BI_WAIT_IF_ANY
				  ? child_wait(ws, u, lane, CHILD_WAIT_IF_ANY)
				  : launch_call(ws, u, f, frame, lane, &x);
		if (!ok)
			return false;
		set_result(ws, f, frame, lane, x);
	}
	return true;
}

/* parameters: kernel, query, x, y */
static bool do_ask(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		   uint32_t m)
{
	for (; m && f->proto.nparam == 4; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);
		int64_t q[3], x;
		for (unsigned k = 0; k < 3; k++)
			q[k] = (int64_t)read_param(ws, f, k + 1, frame, lane);
		if (!child_ask(ws, u, lane, read_param(ws, f, 0, frame, lane), q, &x))
			return false;
		set_result(ws, f, frame, lane, (uint64_t)x);
	}
	return true;
}

/* Checks a free: for the checks, freeing a block is a write of its bytes, because it ends all use of the
 * block. */
static void check_free(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t p)
{
	struct launch *l = ws->w.cta->l;
	if (!l->check_race || !heap_has(l->heap, p))
		return;
	struct heap_block b = heap_block_at(l->heap, p);
	if (b.used && b.off == p)
		shadow_access(&ws->w, u, lane, p, (uint32_t)b.asked, ACC_WRITE, SP_GLOBAL,
			      l->heap->region);
}

/* Frees a block. Kernels that the thread block has launched may use the memory, so they run first where
 * possible. */
static bool do_free(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		    uint32_t m)
{
	struct launch *l = ws->w.cta->l;
	if (l->child && !child_wait(ws, u, (uint32_t)__builtin_ctz(m), CHILD_WAIT_IF_POSSIBLE))
		return false;
	for (; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(m);
		uint64_t p = read_param(ws, f, 0, frame, lane);
		check_free(ws, u, lane, p);
		if (p && !heap_free(l->heap, p)) {
			exec_fault(
				&ws->w, u, lane, HEDDLE_FAULT_BOUNDS, p, 0,
				"free of 0x%llx, which malloc did not return or which is freed already",
				(unsigned long long)p);
			return false;
		}
	}
	return true;
}

bool builtin_call(struct wstate *ws, const struct uop *u, const struct func *f, uint32_t frame,
		  uint32_t m)
{
	if (f->builtin >= BI_PARAM_BUFFER)
		return do_launch(ws, u, f, frame, m);
	struct launch *l = ws->w.cta->l;
	switch (f->builtin) {
	case BI_VPRINTF: return do_printf(ws, u, f, frame, m);
	case BI_ASSERTFAIL: return do_assert(ws, u, f, frame, m);
	case BI_OUT_OF_BOUNDS:
	case BI_INDEX_END: return do_index(ws, u, f, frame, m);
	case BI_ASK: return do_ask(ws, u, f, frame, m);
	case BI_MALLOC:
		for (; m; m &= m - 1) {
			uint32_t lane = (uint32_t)__builtin_ctz(m);
			set_result(ws, f, frame, lane,
				   heap_malloc(l->heap, read_param(ws, f, 0, frame, lane)));
		}
		return true;
	default: return do_free(ws, u, f, frame, m);
	}
}
