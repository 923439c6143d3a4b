/* A launch's parameter block: see step.h. An argument fills one parameter; a descriptor of Triton
 * fills several. */
#include <stdlib.h>
#include <string.h>
#include "cli/step/step.h"

/* A position among a kernel's parameters. In code that does not list them, they are at their
 * natural alignment. */
struct cursor {
	const struct step *s;
	const struct heddle_kernel *k;
	struct heddle_kernel_info info;
	const char *where; /* file and position of the value, for messages */
	uint8_t *block;
	size_t capacity;
	unsigned next; /* the next parameter */
	size_t at;     /* untyped: bytes so far */
	bool failed;
};

static void report_misfit(struct cursor *c, const char *text)
{
	if (!c->failed)
		cli_error("run", "%s: %s: kernel %s: %s", c->s->name, c->where, c->info.name, text);
	c->failed = true;
}

/* Size of the next parameter; 0: no further parameter, or size unknown. */
static unsigned next_size(const struct cursor *c)
{
	struct heddle_param_info p;
	if (c->info.untyped_params || c->next >= c->info.nparam)
		return 0;
	heddle_param_info(c->k, c->next, &p);
	return p.size;
}

static void put_bytes(struct cursor *c, const void *data, unsigned n)
{
	char text[160];
	size_t offset = (c->at + 7) & ~(size_t)7;
	if (c->info.untyped_params) {
		unsigned align = n % 8 == 0 ? 8 : n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
		offset = (c->at + align - 1) / align * align;
		c->at = offset + n;
	} else if (c->next < c->info.nparam) {
		struct heddle_param_info p;
		heddle_param_info(c->k, c->next, &p);
		offset = p.offset;
		if (p.size != n) {
			snprintf(text, sizeof text,
				 "parameter %u (%s) has %u bytes, the argument %u", c->next, p.name,
				 p.size, n);
			report_misfit(c, text);
		}
		c->next++;
	} else {
		snprintf(text, sizeof text, "it has %u parameters, there are more arguments",
			 c->info.nparam);
		report_misfit(c, text);
	}
	if (!c->failed && offset + n > c->capacity)
		report_misfit(c, "the arguments are longer than its parameters");
	if (!c->failed)
		memcpy(c->block + offset, data, n);
}

static void put_number(struct cursor *c, int64_t v, unsigned size)
{
	if (!size)
		report_misfit(
			c,
			"a number needs a type, as {\"i32\": 5}: the code does not list its parameters");
	else if (size < 8 && (v >> (8 * size - 1)) != 0 && (v >> (8 * size - 1)) != -1 &&
		 (v >> (8 * size)) != 0)
		report_misfit(c, "a number does not fit its parameter");
	else if (size > 8)
		report_misfit(c, "a number is given for a structure; expected {\"bytes\": ...}");
	else
		put_bytes(c, &v, size);
}

static void put_pointer(struct cursor *c, uint64_t addr)
{
	unsigned size = next_size(c);
	put_bytes(c, &addr, size == 4 ? 4 : 8);
}

/* ---- descriptors ---- */

enum { TYPE_TF32 = 11 }; /* float32 rounded to tf32 by the copy, in the driver's tensor maps */

/* Number of an element type in the driver's tensor maps; -1: not available there. */
static int map_type(const struct npy_type *t)
{
	static const struct {
		const char *name;
		int type;
	} rows[] = {{"uint8", 0},       {"int8", 0},    {"bool", 0},    {"float8_e4m3fn", 0},
		    {"float8_e5m2", 0}, {"uint16", 1},  {"int16", 1},   {"uint32", 2},
		    {"int32", 3},       {"uint64", 4},  {"int64", 5},   {"float16", 6},
		    {"float32", 7},     {"float64", 8}, {"bfloat16", 9}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, t->name))
			return rows[i].type;
	return -1;
}

/* The part of a tensor that a descriptor describes: all of it, unless the argument has a shape. */
struct part {
	const struct step_tensor *tensor;
	uint64_t addr;
	unsigned ndim;
	const uint64_t *shape, *stride;
};

static struct part find_part(struct cursor *c, const struct step_arg *a)
{
	const struct step_tensor *t = &c->s->tensor[a->tensor];
	struct part p = {t, t->addr, t->ndim, t->shape, t->stride};
	uint64_t size = t->type->size, last = 0;
	if (!a->ndim)
		return p;
	p = (struct part){t, t->addr + a->offset, a->ndim, a->shape, a->stride};
	for (unsigned i = 0; i < a->ndim; i++) {
		uint64_t steps = a->shape[i] ? a->shape[i] - 1 : 0;
		last = steps && a->stride[i] > (t->extent - last) / steps
			       ? t->extent
			       : last + steps * a->stride[i];
	}
	if (a->offset > t->extent * size || last >= t->extent - a->offset / size)
		report_misfit(c, "\"shape\", \"strides\" and \"offset\" of a descriptor go past "
				 "the end of the tensor");
	return p;
}

/* The 128 bytes of a tensor map. The tensor's last index runs fastest; a map's first dimension does. */
static void put_map(struct cursor *c, const struct step_arg *a, const struct step_map *m,
		    const struct part *p)
{
	const struct step_tensor *t = p->tensor;
	struct heddle_tensor_map map = {
		.rank = p->ndim, .addr = p->addr, .l2 = 2, .fill = a->nan_fill};
	unsigned nbox = a->nbox ? a->nbox : m ? m->nbox : 0;
	const uint32_t *box = a->nbox ? a->box : m ? m->box : NULL;
	uint8_t bits[128];
	char text[256];
	int type = m && m->element_size ? (int)m->element_type : map_type(t->type);
	if (p->ndim < 1 || p->ndim > 5 || nbox != p->ndim) {
		snprintf(
			text, sizeof text,
			"the descriptor of tensor %s needs a \"box\" of as many sizes as its shape, 1 to 5",
			t->name);
		report_misfit(c, text);
		return;
	}
	if (m && m->unsupported) {
		snprintf(text, sizeof text,
			 "the descriptor of tensor %s is of a kind (%s) that is not supported",
			 t->name, m->unsupported);
		report_misfit(c, text);
		return;
	}
	map.type = a->round_tf32 ? TYPE_TF32 : type < 0 ? 0 : (unsigned)type;
	map.swizzle = a->swizzle >= 0 ? (unsigned)a->swizzle : m ? m->swizzle : 0;
	for (unsigned i = 0; i < p->ndim; i++) {
		unsigned d = p->ndim - 1 - i;
		map.dim[d] = p->shape[i];
		map.box[d] = box[i];
		map.element_stride[d] = 1;
		if (d)
			map.stride[d - 1] = p->stride[i] * t->type->size;
	}
	const char *rule = p->stride[p->ndim - 1] != 1
				   ? "elements of the last dimension must be contiguous"
				   : heddle_tensor_map(&map, bits);
	if (rule) {
		snprintf(text, sizeof text, "the descriptor of tensor %s: %s", t->name, rule);
		report_misfit(c, text);
		return;
	}
	put_bytes(c, bits, 128);
}

/* Shape and strides, outermost first. */
static void put_shape(struct cursor *c, const struct part *p, bool wide)
{
	for (unsigned i = 0; i < p->ndim && !c->failed; i++)
		put_number(c, (int64_t)p->shape[i], wide ? 8 : 4);
	for (unsigned i = 0; i < p->ndim && !c->failed; i++)
		put_number(c, (int64_t)p->stride[i], 8);
}

/* Triton's descriptor: a tensor map or, if the kernel makes its own copies, pointer, shape, strides
 * and, since 3.5 and 3.7, flags for padding and for rounding; then shape and strides again. */
static void put_triton_descriptor(struct cursor *c, const struct step_arg *a,
				  const struct step_map *m, const struct part *p, bool has_shapes)
{
	const uint8_t flag[] = {a->nan_fill, a->round_tf32};
	if (next_size(c) == 8) {
		put_pointer(c, p->addr);
		put_shape(c, p, true);
		for (unsigned i = 0; i < 2 && next_size(c) == 1; i++)
			put_bytes(c, &flag[i], 1);
		has_shapes = true;
	} else {
		put_map(c, a, m, p);
	}
	if (has_shapes)
		put_shape(c, p, false);
}

/* ---- all arguments ---- */

static void put_arg(struct cursor *c, const struct step_launch *l, const struct step_arg *a,
		    unsigned *maps)
{
	const struct step_tensor *t = &c->s->tensor[a->tensor];
	const struct step_map *m;
	struct part part;
	switch (a->kind) {
	case STEP_BYTES:
		if (a->is_number)
			put_number(c, a->number, next_size(c));
		else
			put_bytes(c, a->bytes, a->nbytes);
		break;
	case STEP_TENSOR:
		if (a->offset > t->extent * t->type->size)
			report_misfit(c, "\"offset\" is past the end of the tensor");
		else
			put_pointer(c, t->addr ? t->addr + a->offset : 0);
		break;
	case STEP_DESCRIPTOR:
		m = *maps < l->nmaps ? &l->map[*maps] : NULL;
		++*maps;
		part = find_part(c, a);
		if (!c->failed && a->expands)
			put_triton_descriptor(c, a, m, &part, l->has_shapes);
		else if (!c->failed)
			put_map(c, a, m, &part);
		break;
	}
}

/* Triton's kernels take one or two pointers after the program's arguments, to memory for all blocks
 * and for profiling; NULL if the kernel needs none. */
static void put_scratch(struct cursor *c, const struct step_launch *l, struct heddle *h)
{
	bool untyped = c->info.untyped_params;
	for (unsigned i = 0; i < l->nscratch && !c->failed; i++) {
		if (!untyped && c->next >= c->info.nparam)
			break;
		uint64_t bytes = l->scratch_bytes[i], addr = 0;
		bool fits = true;
		for (unsigned d = 0; d < 3; d++)
			fits = fits && !__builtin_mul_overflow(bytes, l->grid[d], &bytes);
		if (!fits)
			report_misfit(c, "scratch memory for all blocks is larger than any memory");
		else if (bytes && heddle_malloc(h, bytes, &addr))
			report_misfit(c, heddle_message(h));
		else
			put_pointer(c, addr);
	}
}

void *args_pack(const struct step *s, const struct step_launch *l, struct heddle *h,
		const struct heddle_kernel *k, const char *where)
{
	struct cursor c = {.s = s, .k = k, .where = where};
	unsigned maps = 0;
	heddle_kernel_info(k, &c.info);
	c.capacity = c.info.untyped_params ? 4096 : c.info.param_bytes;
	c.block = calloc(1, c.capacity + 1);
	if (!c.block)
		return NULL;
	for (unsigned i = 0; i < l->nargs && !c.failed; i++)
		put_arg(&c, l, &l->arg[i], &maps);
	unsigned given = c.next;
	bool whole = c.info.untyped_params || given + l->nscratch >= c.info.nparam;
	if (!c.failed && whole)
		put_scratch(&c, l, h);
	if (!c.failed && c.next < c.info.nparam) {
		char text[160];
		snprintf(text, sizeof text, "it has %u parameters%s, the arguments fill %u",
			 c.info.nparam - l->nscratch,
			 l->nscratch ? " beside those for scratch memory" : "", given);
		report_misfit(&c, text);
	}
	if (!c.failed)
		return c.block;
	free(c.block);
	return NULL;
}
