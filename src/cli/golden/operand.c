/* Generates the operands of golden vectors. operand.h has the interface.
 *
 * A variant's n elements fall into four phases: A, the first half, walks the kind's edge values
 * (and begins with a 16 x 16 cross product of the core values when there is room); B, an eighth,
 * draws near edge values; C, an eighth, draws raw bits; D, the last quarter, draws plausible
 * numbers whose operands are related so that sums cancel, products underflow and so on. Random
 * numbers are random-access: output number (i*4+k)*8+j+1 of splitmix64 for element i, operand k,
 * draw j. */
#include "cli/golden/operand.h"
#include <string.h>

#define EDGES(list, ...) static const uint64_t edge_##list[] = {__VA_ARGS__};
#include "cli/golden/edges.def"
#undef EDGES

enum how {
	HOW_DRAW,    /* one number of the base format */
	HOW_PACKED,  /* several numbers in a word */
	HOW_DIRTY,   /* one number, with random bits above it up to bit 31 */
	HOW_NONZERO, /* one number, 0 replaced by 1 */
	HOW_BITS,    /* the low `width` random bits */
	HOW_BELOW,   /* random below `mod` */
	HOW_OFFSET,  /* random below `mod`, centred on 0, as a 32-bit word */
	/* one value for all lanes of a warp: */
	HOW_MEMBERS,
	HOW_WARP_EDGE,
	HOW_WARP_BELOW,
	HOW_WARP_MAYBE,
	HOW_ZERO,
};

struct kind {
	const char *name;
	enum how how;
	const uint64_t *edge;
	unsigned edges;
	unsigned width, exp_bits, frac_bits; /* format of one number; exp_bits 0: integer */
	unsigned mod;                        /* phase D: upper limit; 0: see draw_d_int() */
	unsigned parts;
};

#define L(list) edge_##list, sizeof edge_##list / sizeof *edge_##list
static const struct kind kinds[] = {
	{"i8", HOW_DIRTY, L(i8), 8, 0, 0, 0, 1},
	{"i16", HOW_DRAW, L(i16), 16, 0, 0, 0, 1},
	{"i32", HOW_DRAW, L(i32), 32, 0, 0, 0, 1},
	{"i64", HOW_DRAW, L(i64), 64, 0, 0, 0, 1},
	{"f16", HOW_DRAW, L(f16), 16, 5, 10, 0, 1},
	{"bf16", HOW_DRAW, L(bf16), 16, 8, 7, 0, 1},
	{"f32", HOW_DRAW, L(f32), 32, 8, 23, 0, 1},
	{"f64", HOW_DRAW, L(f64), 64, 11, 52, 0, 1},
	{"sh", HOW_DRAW, L(sh), 32, 0, 0, 72, 1},
	{"pos", HOW_DRAW, L(pos), 8, 0, 0, 72, 1},
	{"prmt", HOW_DRAW, L(prmt), 32, 0, 0, 65536, 1},
	{"i8x4", HOW_PACKED, L(i8), 8, 0, 0, 0, 4},
	{"i16x2", HOW_PACKED, L(i16), 16, 0, 0, 0, 2},
	{"f16x2", HOW_PACKED, L(f16), 16, 5, 10, 0, 2},
	{"bf16x2", HOW_PACKED, L(bf16), 16, 8, 7, 0, 2},
	{"nz16", HOW_NONZERO, L(i16), 16, 0, 0, 0, 1},
	{"nz32", HOW_NONZERO, L(i32), 32, 0, 0, 0, 1},
	{"nz64", HOW_NONZERO, L(i64), 64, 0, 0, 0, 1},
	{"rand16", HOW_BITS, NULL, 0, 16, 0, 0, 0, 1},
	{"rand32", HOW_BITS, NULL, 0, 32, 0, 0, 0, 1},
	{"rand64", HOW_BITS, NULL, 0, 64, 0, 0, 0, 1},
	{"pred", HOW_BELOW, NULL, 0, 1, 0, 0, 2, 1},
	{"lane", HOW_BELOW, NULL, 0, 32, 0, 0, 32, 1},
	{"small", HOW_BELOW, NULL, 0, 32, 0, 0, 4, 1},
	{"soff", HOW_OFFSET, NULL, 0, 32, 0, 0, 69, 1},
	{"wmask", HOW_MEMBERS, NULL, 0, 32, 0, 0, 0, 1},
	{"shflc", HOW_WARP_EDGE, L(shflc), 32, 0, 0, 0, 1},
	{"wsh", HOW_WARP_BELOW, NULL, 0, 32, 0, 0, 40, 1},
	{"wsmall", HOW_WARP_MAYBE, NULL, 0, 32, 0, 0, 4, 1},
	{"zero", HOW_ZERO, NULL, 0, 32, 0, 0, 0, 1},
};

static uint64_t mix_bits(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static uint64_t random_at(const struct operands *g, uint32_t i, unsigned k, unsigned j)
{
	uint64_t index = ((uint64_t)i * 4 + k) * 8 + j + 1;
	return mix_bits(g->seed + index * 0x9e3779b97f4a7c15ull);
}

static uint64_t low_bits(uint64_t v, unsigned n) { return n >= 64 ? v : v & ((1ull << n) - 1); }

/* A number to be generated: part `s` of operand k of element i. */
struct draw {
	const struct operands *g;
	const struct kind *kind;
	uint32_t i;
	unsigned k, s;
	uint64_t r, r2;
};

static uint64_t draw_number(struct draw d);

static uint64_t near_edge(const struct draw *d)
{
	uint64_t edge = d->kind->edge[d->r % d->kind->edges];
	return low_bits(edge + (d->r >> 32) % 17 - 8, d->kind->width);
}

static uint64_t draw_a(const struct draw *d)
{
	const struct kind *kd = d->kind;
	bool cross = d->g->n >= 1024 && d->g->count >= 2;
	if (cross && d->i < 256) {
		unsigned core = kd->edges < 16 ? kd->edges : 16, row = d->i / 16;
		if (d->s || d->k >= 2)
			return kd->edge[d->r % core];
		return kd->edge[(d->k ? row : (d->i + row) % 16) % core];
	}
	uint32_t p = (d->i - (cross ? 256 : 0)) / 2;
	if (!d->k && !d->s && p < kd->edges)
		return kd->edge[p];
	if (d->g->count == 1 && !d->s)
		return near_edge(d);
	return low_bits(kd->edge[d->r % kd->edges], kd->width);
}

/* Draws the corresponding part of operand a, to which operand b is related. */
static uint64_t first_operand(const struct draw *d)
{
	struct draw a = *d;
	a.k = 0;
	return draw_number(a);
}

/* Returns the operand's role in a relation: 0 for operand a and for operands of another kind. */
static unsigned role_of(const struct draw *d)
{
	return d->g->kind[d->k] == d->g->kind[0] ? d->k : 0;
}

static uint64_t draw_d_int(const struct draw *d, unsigned relation)
{
	unsigned w = d->kind->width;
	if (relation == 5 && role_of(d) == 1)
		return low_bits(first_operand(d) + d->r % 5 - 2, w);
	uint64_t v = low_bits(d->r, (unsigned)(d->r2 % w) + 1);
	return low_bits(d->r2 >> 32 & 1 ? 0 - v : v, w);
}

/* Returns the exponent of an operand whose product or quotient is near a limit of the format. */
static int border_exponent(const struct draw *d, unsigned relation, bool over, int usual)
{
	int m = (int)d->kind->frac_bits, e = (int)d->kind->exp_bits;
	int bias = (1 << (e - 1)) - 1, max = (1 << e) - 2;
	uint64_t r2 = d->r2;
	switch (role_of(d)) {
	case 0: return (over ? bias : 1) + (int)(r2 % (unsigned)bias);
	case 1: {
		int a = (int)low_bits(first_operand(d) >> m, (unsigned)e);
		int below = (r2 >> 53) % 2 ? (int)((r2 >> 54) % 3)
					   : (int)(r2 % (unsigned)(m + 5)) - (m + 2);
		if (over)
			return max + bias - a + (int)(r2 % 5) - 2;
		return relation == 6 ? bias - a + below : a + bias - below;
	}
	default: return relation == 6 ? (int)(r2 % (unsigned)(m + 4)) : usual;
	}
}

static uint64_t draw_d_float(const struct draw *d, unsigned relation, uint64_t q)
{
	const struct kind *kd = d->kind;
	unsigned m = kd->frac_bits, who = role_of(d);
	int bias = (1 << (kd->exp_bits - 1)) - 1, max = (1 << kd->exp_bits) - 2;
	uint64_t r2 = d->r2, frac = low_bits(d->r, m);
	if (relation == 5 && who == 1) {
		uint64_t v = low_bits(first_operand(d) + (r2 >> 8) % 5 - 2, kd->width);
		return v ^ (r2 & 1) << (kd->width - 1);
	}
	int ex = bias - 8 + (int)(r2 % 17);
	if (relation == 2) {
		int span = bias - 1 < 30 ? bias - 1 : 30;
		ex = bias - span + (int)(r2 % (unsigned)(2 * span + 1));
	} else if (relation == 3) {
		frac -= low_bits(frac, m - (unsigned)((r2 >> 32) % 4));
	} else if (relation == 4) {
		ex = who == 0 ? bias + (int)(r2 % 4)
			      : bias - (int)(r2 % (who == 1 ? m + 4 : 2 * m + 4));
		if (r2 >> 40 & 1)
			frac -= low_bits(frac, m - 3);
	} else if (relation >= 6) {
		unsigned shape = (r2 >> 48) % 4;
		if (shape < 2)
			frac = shape ? low_bits(~0ull, m) - (r2 >> 50) % 8 : (r2 >> 50) % 8;
		ex = border_exponent(d, relation, relation == 7 && (q >> 8 & 1), ex);
	}
	ex = ex < 0 ? 0 : ex > max ? max : ex;
	return (d->r >> 63) << (kd->width - 1) | (uint64_t)ex << m | frac;
}

static uint64_t draw_number(struct draw d)
{
	uint32_t n = d.g->n;
	d.r = random_at(d.g, d.i, d.k, d.s);
	d.r2 = d.kind->parts > 1 ? mix_bits(d.r) : random_at(d.g, d.i, d.k, 4);
	if (d.i < n / 2)
		return draw_a(&d);
	if (d.i < n / 2 + n / 8)
		return near_edge(&d);
	if (d.i < n / 2 + n / 4)
		return low_bits(d.r, d.kind->width);
	if (d.kind->mod)
		return d.r % d.kind->mod;
	uint64_t q = random_at(d.g, d.i, 0, 7);
	return d.kind->exp_bits ? draw_d_float(&d, q % 8, q) : draw_d_int(&d, q % 8);
}

static uint64_t word(const struct operands *g, uint32_t i, unsigned k)
{
	const struct kind *kd = g->kind[k];
	uint64_t r = random_at(g, i, k, 0), v = 0;
	uint64_t w = random_at(g, i & ~31u, k, 0), w2 = random_at(g, i & ~31u, k, 1);
	switch (kd->how) {
	case HOW_DRAW:
	case HOW_PACKED:
		for (unsigned s = 0; s < kd->parts; s++)
			v |= draw_number((struct draw){.g = g, .kind = kd, .i = i, .k = k, .s = s})
			     << (kd->width * s);
		return v;
	case HOW_DIRTY:
		return draw_number((struct draw){.g = g, .kind = kd, .i = i, .k = k}) |
		       (random_at(g, i, k, 5) & 0xffffff00u);
	case HOW_NONZERO:
		v = draw_number((struct draw){.g = g, .kind = kd, .i = i, .k = k});
		return v ? v : 1;
	case HOW_BITS: return low_bits(r, kd->width);
	case HOW_BELOW: return r % kd->mod;
	case HOW_OFFSET: return (uint32_t)(r % kd->mod - kd->mod / 2);
	case HOW_MEMBERS: return w % 4 ? (uint32_t)w2 | 1u << (w >> 8) % 32 : 0xffffffffu;
	case HOW_WARP_EDGE: return kd->edge[w % kd->edges];
	case HOW_WARP_BELOW: return w % kd->mod;
	case HOW_WARP_MAYBE: return (w2 % 2 ? w : r) % kd->mod;
	case HOW_ZERO: return 0;
	}
	return 0;
}

bool operands_init(struct operands *g, const char *name, uint32_t n, const char *list)
{
	*g = (struct operands){.seed = 0xcbf29ce484222325ull, .n = n};
	for (const char *s = name; *s; s++)
		g->seed = (g->seed ^ (uint8_t)*s) * 0x100000001b3ull;
	while (*list) {
		size_t len = strcspn(list, ",");
		const struct kind *found = NULL;
		for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (strlen(kinds[i].name) == len && !strncmp(kinds[i].name, list, len))
				found = &kinds[i];
		if (!found || g->count == OPERANDS_MAX)
			return false;
		g->kind[g->count++] = found;
		list += len + (list[len] == ',');
	}
	return true;
}

void operands_fill(const struct operands *g, uint64_t *out)
{
	for (uint32_t i = 0; i < g->n; i++, out += OPERANDS_MAX)
		for (unsigned k = 0; k < OPERANDS_MAX; k++)
			out[k] = k < g->count ? word(g, i, k) : 0;
}

uint64_t operands_hash(const struct operands *g, const uint64_t *words)
{
	uint64_t h = 0xcbf29ce484222325ull;
	for (uint32_t i = 0; i < g->n; i++)
		for (unsigned k = 0; k < g->count; k++)
			h = (h ^ words[OPERANDS_MAX * i + k]) * 0x100000001b3ull;
	return h;
}

struct numformat operands_format(const struct operands *g, unsigned k)
{
	const struct kind *kd = g->kind[k];
	return (struct numformat){kd->width, kd->exp_bits, kd->frac_bits, kd->parts};
}
