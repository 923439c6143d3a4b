/* Textures and surfaces as PTX statements. A slot is a reference of the module: the file's symbol
 * of that slot, or one made up (gen_data.c). What the texture's format gives is the result's bits,
 * so the type of the PTX statement does not matter. */
#include "front/lift/gen.h"

#include <string.h>

struct geometry {
	const char *name;
	uint8_t coords;  /* an array's index included */
	uint8_t pad;     /* elements of PTX's coordinate vector */
	uint8_t offsets; /* coordinates that a texel offset or a gradient has; 0: it has none */
};

/* By the code of the geometry field. */
static const struct geometry geometry[8] = {
	{"1d", 1, 1, 1}, {"a1d", 2, 2, 1}, {"2d", 2, 2, 2},   {"a2d", 3, 4, 2},
	{"3d", 3, 4, 3}, {NULL, 0, 0, 0},  {"cube", 3, 4, 0}, {"acube", 4, 4, 0},
};

enum { TESLA_SUB_AUTO, TESLA_SUB_BIAS, TESLA_SUB_LOD, TESLA_SUB_QUERY, TESLA_SUB_GATHER };

static unsigned field(const struct ninst *in, unsigned lo, unsigned n)
{
	return (unsigned)(in->word >> lo & ((1u << n) - 1));
}

/* Registers r, r + 1, ... as a PTX vector of `pad` elements. */
static const char *vector(struct ngen *g, unsigned r, unsigned n, unsigned pad)
{
	char buf[128] = "{";
	for (unsigned i = 0; i < pad; i++) {
		const char *s =
			gen_reg32(g, gen_is_zero(g, r) ? "0" : gen_reg(g, r + (i < n ? i : n - 1)));
		snprintf(buf + strlen(buf), sizeof buf - strlen(buf), "%s%s", i ? ", " : "", s);
	}
	return gen_text(g, "%s}", buf);
}

/* The components of the mask, in consecutive registers from d on. */
static void put_components(struct ngen *g, unsigned d, unsigned mask, const char *const t[4])
{
	for (unsigned k = 0, at = 0; k < 4; k++)
		if (mask >> k & 1 && !gen_is_zero(g, d))
			gen(g, "mov.b32 %%r%u, %s", d + at++, t[k]);
}

static void four(struct ngen *g, const char *t[4])
{
	for (unsigned k = 0; k < 4; k++)
		t[k] = gen_t(g);
}

/* `extra`: what follows the address: ", level", gradients, ", {offsets}", or nothing. */
static void sample(struct ngen *g, const char *op, const char *geom, const char *coord_type,
		   const char *texture, const char *coords, const char *extra, unsigned d,
		   unsigned mask)
{
	const char *t[4];
	four(g, t);
	gen(g, "%s.%s.v4.f32.%s {%s, %s, %s, %s}, [%s, %s]%s", op, geom, coord_type, t[0], t[1],
	    t[2], t[3], texture, coords, extra);
	put_components(g, d, mask, t);
}

/* The handle of the reference whose slot a register has, plus `base`; one that the file does not name is none. */
static const char *by_number(struct ngen *g, const char *number, unsigned base, bool is_surface)
{
	const char *h = gen_d(g), *one = gen_d(g), *q = gen_q(g);
	gen(g, "mov.u64 %s, 0", h);
	for (unsigned slot = base; slot < GEN_SLOTS; slot++) {
		if (!gen_has_texture(g, slot, is_surface))
			continue;
		gen(g, "mov.u64 %s, %s", one, gen_texture(g, slot, is_surface));
		gen(g, "setp.eq.u32 %s, %s, %u", q, number, slot - base);
		gen(g, "selp.b64 %s, %s, %s, %s", h, one, h, q);
	}
	return h;
}

static const char *level_operand(struct ngen *g, const char *level)
{
	return level ? gen_text(g, ", %s", level) : "";
}

/* Texel offsets: n signed fields of `bits` bits of a word, the first lowest. */
static const char *offset_operand(struct ngen *g, const char *word, unsigned n, unsigned bits)
{
	const char *t[4];
	four(g, t);
	for (unsigned k = 0; k < 4; k++)
		if (k < n)
			gen(g, "bfe.s32 %s, %s, %u, %u", t[k], word, k * bits, bits);
		else
			gen(g, "mov.u32 %s, 0", t[k]);
	if (n == 1)
		return gen_text(g, ", {%s}", t[0]);
	if (n == 2)
		return gen_text(g, ", {%s, %s}", t[0], t[1]);
	return gen_text(g, ", {%s, %s, %s, %s}", t[0], t[1], t[2], t[3]);
}

/* ---- Fermi ---- */

/* The second register operand is a vector: level or bias, texel offsets, gradients, those there are. */
enum { OFFSET_BITS = 4, GATHER_OFFSET_BITS = 8, AOFFI = 1 };

static bool plain(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool gather = in->op == NI_TLD4;
	const char *why = in->mod[NM_DC]                         ? "depth comparison"
			  : in->mod[NM_AOFFI] > AOFFI && !gather ? "an offset for each texel"
			  : in->mod[NM_MS]                       ? "samples"
								 : NULL;
	if (why)
		gen_refuse(g, why);
	return !why;
}

static bool is_layered(unsigned geom) { return geom == 1 || geom == 3 || geom == 7; }

/* Texture and coordinates. `.I` has a register before them, or shares that of the layer: its number in bits 23 to 31,
 * counted from the one named, the sampler's in 16 to 22 (a reference has its own), the layer below. */
static const char *fermi_texture(struct ngen *g, const struct geometry *q, const char **coords)
{
	const struct ninst *in = g->in;
	unsigned r = field(in, 20, 6), slot = field(in, 32, 8);
	*coords = q ? vector(g, r, q->coords, q->pad) : NULL;
	if (!in->mod[NM_IND])
		return gen_texture(g, slot, false);
	const char *t = gen_t(g), *layer = gen_t(g), *first = gen_reg32(g, gen_reg(g, r));
	gen(g, "shr.u32 %s, %s, 23", t, first);
	bool layered = q && is_layered(field(in, 51, 3));
	if (layered) {
		gen(g, "and.b32 %s, %s, 0xffff", layer, first);
		char rest[128] = "";
		for (unsigned k = 1; k < q->pad; k++)
			snprintf(
				rest + strlen(rest), sizeof rest - strlen(rest), ", %s",
				gen_reg32(g, gen_reg(g, r + (k < q->coords ? k : q->coords - 1u))));
		*coords = gen_text(g, "{%s%s}", layer, rest);
	} else if (q) {
		*coords = vector(g, r + 1, q->coords, q->pad);
	}
	return by_number(g, t, slot, false);
}

/* The next register of that vector. */
static const char *extra_reg(struct ngen *g, unsigned *r)
{
	return gen_reg(g, gen_is_zero(g, *r) ? *r : (*r)++);
}

static const char *fermi_offsets(struct ngen *g, const struct geometry *q, unsigned *r)
{
	if (!g->in->mod[NM_AOFFI])
		return "";
	if (!q->offsets) {
		gen_refuse(g, "texel offsets of a cube");
		return "";
	}
	return offset_operand(g, extra_reg(g, r), q->offsets, OFFSET_BITS);
}

static void fermi_sample(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct geometry *q = &geometry[field(in, 51, 3)];
	bool fetch = in->op == NI_TLD;
	unsigned b = field(in, 26, 6), lod = in->mod[NM_LOD];
	if (!plain(g))
		return;
	if (!q->name || (fetch && field(in, 51, 3) >= 6) || (!fetch && lod > 3)) {
		gen_refuse(g, "this geometry or level of detail");
		return;
	}
	const char *level = NULL; /* in compute code there are no neighbours to derive one from */
	if (fetch ? lod == 1 : lod >= 2)
		level = gen_reg32(g, extra_reg(g, &b));
	else if (!fetch && lod == 1)
		level = "0f00000000";
	const char *extra = gen_text(g, "%s%s", level_operand(g, level), fermi_offsets(g, q, &b));
	const char *coords, *texture = fermi_texture(g, q, &coords);
	sample(g, level ? "tex.level" : "tex", q->name, fetch ? "s32" : "f32", texture, coords,
	       extra, field(in, 14, 6), field(in, 46, 4));
}

/* TXD: derivatives of each coordinate by x and y in turn. Of two dimensions at most: four registers. */
static void fermi_gradients(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct geometry *q = &geometry[field(in, 51, 3)];
	unsigned b = field(in, 26, 6);
	const char *dx[2], *dy[2];
	if (!plain(g))
		return;
	if (!q->offsets || q->offsets > 2) {
		gen_refuse(g, "gradients of more than two dimensions");
		return;
	}
	const char *offsets = fermi_offsets(g, q, &b);
	for (unsigned k = 0; k < q->offsets; k++) {
		dx[k] = gen_reg32(g, extra_reg(g, &b));
		dy[k] = gen_reg32(g, extra_reg(g, &b));
	}
	const char *extra = q->offsets == 1 ? gen_text(g, ", {%s}, {%s}%s", dx[0], dy[0], offsets)
					    : gen_text(g, ", {%s, %s}, {%s, %s}%s", dx[0], dx[1],
						       dy[0], dy[1], offsets);
	const char *coords, *texture = fermi_texture(g, q, &coords);
	sample(g, "tex.grad", q->name, "f32", texture, coords, extra, field(in, 14, 6),
	       field(in, 46, 4));
}

/* .PTP: a pair of offsets for each of the four texels, a byte each, in two registers: four gathers, one texel of each. */
static void gather_apart(struct ngen *g, const char *op, const char *geom, const char *texture,
			 const char *coords)
{
	const struct ninst *in = g->in;
	const char *out[4];
	four(g, out);
	for (unsigned k = 0; k < 4; k++) {
		const char *t[4], *x = gen_t(g), *y = gen_t(g);
		const char *word = gen_reg(g, field(in, 26, 6) + k / 2);
		four(g, t);
		gen(g, "bfe.s32 %s, %s, %u, %u", x, word, k % 2 * 16, GATHER_OFFSET_BITS);
		gen(g, "bfe.s32 %s, %s, %u, %u", y, word, k % 2 * 16 + GATHER_OFFSET_BITS,
		    GATHER_OFFSET_BITS);
		gen(g, "%s.%s.v4.f32.f32 {%s, %s, %s, %s}, [%s, %s], {%s, %s}", op, geom, t[0],
		    t[1], t[2], t[3], texture, coords, x, y);
		gen(g, "mov.b32 %s, %s", out[k], t[k]);
	}
	put_components(g, field(in, 14, 6), field(in, 46, 4), out);
}

static void fermi_gather(struct ngen *g)
{
	static const char component[] = "rgba";
	const struct ninst *in = g->in;
	const struct geometry *q = &geometry[field(in, 51, 3)];
	if (!plain(g))
		return;
	bool cube = field(in, 51, 3) >= 6;
	if (!q->name || (q->offsets != 2 && !cube) || (cube && in->mod[NM_AOFFI])) {
		gen_refuse(
			g,
			"a gather from other than two dimensions and cubes, whose texels have no offsets");
		return;
	}
	const char *coords, *texture = fermi_texture(g, q, &coords), *offsets = "";
	const char *op = gen_text(g, "tld4.%c", component[in->mod[NM_MODE] & 3]);
	if (in->mod[NM_AOFFI] > AOFFI) {
		gather_apart(g, op, q->name, texture, coords);
		return;
	}
	if (in->mod[NM_AOFFI])
		offsets = offset_operand(g, gen_reg(g, field(in, 26, 6)), 2, GATHER_OFFSET_BITS);
	sample(g, op, q->name, "f32", texture, coords, offsets, field(in, 14, 6), field(in, 46, 4));
}

/* Width, height and depth of the level in a register, levels. */
static void query(struct ngen *g, const char *texture, const char *level, unsigned d, unsigned mask)
{
	static const char *const what[] = {"width", "height", "depth", "num_mipmap_levels"};
	const char *t[4];
	four(g, t);
	for (unsigned k = 0; k < 4; k++)
		if (mask >> k & 1 && k < 3)
			gen(g, "txq.level.%s.b32 %s, [%s], %s", what[k], t[k], texture, level);
		else if (mask >> k & 1)
			gen(g, "txq.%s.b32 %s, [%s]", what[k], t[k], texture);
	put_components(g, d, mask, t);
}

/* TXQ.DIM: the level is in the register of coordinates, behind that of .I. */
static void fermi_query(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned r = field(in, 20, 6);
	const char *coords, *texture = fermi_texture(g, NULL, &coords);
	if (in->mod[NM_MODE]) {
		gen_refuse(
			g,
			"only .DIM can be asked: how others give what they know is not published");
		return;
	}
	const char *level = gen_reg32(g, gen_reg(g, gen_is_zero(g, r) ? r : r + in->mod[NM_IND]));
	query(g, texture, level, field(in, 14, 6), field(in, 46, 4));
}

/* ---- surfaces ---- */

/* One of eight, by number or by a register that has it. */
static const char *fermi_surface(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->word >> 46 & 1)
		return gen_texture(g, field(in, 26, 3), true);
	return by_number(g, gen_reg32(g, gen_reg(g, field(in, 26, 6))), 0, true);
}

/* Coordinates, the first in bytes; data in registers of the size's width. */
static void surface(struct ngen *g)
{
	static const char *const dim[] = {"1d", "2d", "3d"}, *const clamp[] = {"zero", "clamp",
									       "trap"};
	static const char *const type[] = {"b8", "b8", "b16", "b16", "b32", "v2.b32", "v4.b32"};
	static const uint8_t regs[] = {1, 1, 1, 1, 1, 2, 4};
	const struct ninst *in = g->in;
	unsigned d = field(in, 44, 2), size = in->mod[NM_SIZE], data = field(in, 14, 6),
		 mode = in->mod[NM_CLAMP];
	unsigned parts = in->op == NI_SUST ? field(in, 49, 4) : 0; /* SUST.P: components */
	bool order = parts == 0 || parts == 1 || parts == 3 || parts == 15;
	if (d > 2 || size > 6 || mode > 2 || !order) {
		gen_refuse(
			g,
			"only surfaces of one to three dimensions can be accessed, and the first one, "
			"two or four components");
		return;
	}
	if (parts)
		size = parts == 1 ? 4 : parts == 3 ? 5 : 6;
	const char *s = fermi_surface(g),
		   *at = vector(g, field(in, 20, 6), d + 1, d == 2 ? 4 : d + 1);
	char list[64] = "";
	for (unsigned k = 0; k < regs[size]; k++) {
		const char *r = gen_is_zero(g, data) ? gen_t(g) : gen_reg(g, data + k);
		if (gen_is_zero(g, data) && in->op == NI_SUST)
			gen(g, "mov.u32 %s, 0", r);
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", r);
	}
	const char *v = regs[size] > 1 ? gen_text(g, "{%s}", list) : gen_text(g, "%s", list);
	if (in->op == NI_SUST) {
		gen(g, "sust.%s.%s.%s.%s [%s, %s], %s", parts ? "p" : "b", dim[d], type[size],
		    clamp[mode], s, at, v);
		return;
	}
	gen(g, "suld.b.%s.%s.%s %s, [%s, %s]", dim[d], type[size], clamp[mode], v, s, at);
	if (size == 1 || size == 3) /* S8, S16 */
		gen(g, "bfe.s32 %s, %s, 0, %u", v, v, size == 1 ? 8 : 16);
}

static void surface_reduce(struct ngen *g)
{
	static const char *const dim[] = {"1d", "2d", "3d"}, *const clamp[] = {"zero", "clamp",
									       "trap"};
	static const char *const name[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
	const struct ninst *in = g->in;
	unsigned d = field(in, 44, 2), op = in->mod[NM_MODE], mode = in->mod[NM_CLAMP];
	if (d > 2 || mode > 2 || op > 7) {
		gen_refuse(g, "only surfaces of one to three dimensions can be accessed");
		return;
	}
	gen(g, "sured.b.%s.%s.%s.%s [%s, %s], %s", name[op], dim[d], op >= 5 ? "b32" : "u32",
	    clamp[mode], fermi_surface(g), vector(g, field(in, 20, 6), d + 1, d == 2 ? 4 : d + 1),
	    gen_reg32(g, gen_reg(g, field(in, 14, 6))));
}

/* SUQ: the number of dimensions; width, height and depth in consecutive registers. */
static void surface_query(struct ngen *g)
{
	enum { RANK, DIM = 3 };
	static const char *const what[] = {"width", "height", "depth"};
	const struct ninst *in = g->in;
	const char *t[4], *s, *q = gen_q(g);
	unsigned d = field(in, 14, 6);
	if (in->mod[NM_MODE] != RANK && in->mod[NM_MODE] != DIM) {
		gen_refuse(
			g,
			"only .RANK and .DIM can be asked: the codes of formats are not published");
		return;
	}
	four(g, t);
	s = fermi_surface(g);
	for (unsigned k = 0; k < 3; k++)
		gen(g, "suq.%s.b32 %s, [%s]", what[k], t[k], s);
	if (in->mod[NM_MODE] == DIM) {
		put_components(g, d, 7, t);
		return;
	}
	gen(g, "mov.u32 %s, 1", t[3]);
	for (unsigned k = 1; k < 3; k++) {
		gen(g, "setp.ne.u32 %s, %s, 0", q, t[k]);
		gen(g, "selp.b32 %s, %u, %s, %s", t[3], k + 1, t[3], q);
	}
	gen(g, "mov.u32 %s, %s", gen_dst(g, 0), t[3]);
}

/* One coordinate of SULEA: `in` becomes whether it and those before it are at most `limit`; clamped to that if asked. */
static const char *within(struct ngen *g, const char *x, const char *limit, bool clamp,
			  const char *in)
{
	const char *t = gen_t(g);
	gen(g, "setp.le.and.u32 %s, %s, %s, %s", in, x, limit,
	    in); /* what is negative is greater */
	gen(g, "mov.u32 %s, %s", t, x);
	if (clamp) {
		gen(g, "max.s32 %s, %s, 0", t, t);
		gen(g, "min.s32 %s, %s, %s", t, t, limit);
	}
	return t;
}

/* SULEA: the address of a place in a surface, which lies in global memory row by row, and whether an access of the size
 * is inside. */
static void surface_lea(struct ngen *g)
{
	enum { IGN, CLAMP, TRAP };
	static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
	static const char *const extent[] = {"width", "height", "depth"}, *const step[] = {
										  NULL,
										  "native_pitch",
										  "native_slice"};
	const struct ninst *in = g->in;
	unsigned dims = field(in, 44, 2) + 1, r = field(in, 20, 6), mode = in->mod[NM_CLAMP],
		 size = bytes[in->mod[NM_SIZE] & 7];
	if (dims > 3 || mode > TRAP || !size) {
		gen_refuse(g, "only places in surfaces of one to three dimensions have an address");
		return;
	}
	const char *s = fermi_surface(g), *q = gen_q(g), *at = gen_d(g), *lo = gen_t(g),
		   *hi = gen_t(g), *n = gen_t(g);
	gen(g, "suq.native_base_lo.b32 %s, [%s]", lo, s);
	gen(g, "suq.native_base_hi.b32 %s, [%s]", hi, s);
	gen(g, "mov.b64 %s, {%s, %s}", at, lo, hi);
	gen(g, "mov.pred %s, %%pt", q);
	for (unsigned k = 0; k < dims; k++) {
		const char *limit = gen_t(g),
			   *x = gen_reg32(g, gen_is_zero(g, r) ? "0" : gen_reg(g, r + k));
		gen(g, "suq.%s.b32 %s, [%s]", extent[k], limit, s);
		gen(g, "suq.%s.b32 %s, [%s]", k ? step[k] : "native_texel", n, s);
		if (!k)
			gen(g, "mul.lo.u32 %s, %s, %s", limit, limit, n);
		gen(g, "sub.u32 %s, %s, %u", limit, limit, k ? 1 : size);
		x = within(g, x, limit, mode == CLAMP, q);
		gen(g, "mad.wide.u32 %s, %s, %s, %s", at, x, k ? n : "1", at);
	}
	if (mode == CLAMP)
		gen(g, "mov.pred %s, %%pt", q);
	gen(g, "selp.b32 %s, 1, 0, %s", n, q);
	if (mode == TRAP)
		gen_where(g, "eq", n, "trap");
	gen(g, "selp.b64 %s, %s, 0, %s", at, at, q);
	gen_put64(g, 0, at);
	gen(g, "mov.pred %s, %s", gen_pred_dst(g, 1), q);
}

/* ---- Tesla ---- */

/* Four bits each, z lowest. */
static const char *tesla_offsets(struct ngen *g, unsigned packed, unsigned n)
{
	unsigned xyz = packed >> 8 | (packed & 0xf0) | (packed & 15) << 8;
	return offset_operand(g, gen_text(g, "0x%x", xyz), n, OFFSET_BITS);
}

/* The size of the level in the first register; where the offsets would be stands what else can be asked. */
static void tesla_query(struct ngen *g, unsigned d, unsigned mask)
{
	const char *level = gen_t(g);
	if (field(g->in, 48, 4)) {
		gen_refuse(
			g,
			"only the size can be asked: levels and faces are those of a picture's neighbours");
		return;
	}
	gen(g, "mov.u32 %s, %s", level, gen_reg(g, d)); /* the result takes its place */
	query(g, gen_texture(g, field(g->in, 9, 8), false), level, d, mask);
}

/* Coordinates are in the registers that the result goes to. */
static void tesla_tex(struct ngen *g)
{
	static const char *const dim[] = {"1d", "2d", "3d"};
	const struct ninst *in = g->in;
	bool wide = in->size == 8, cube = in->word >> 27 & 1, fetch = in->word >> 24 & 1;
	unsigned sub = wide ? (unsigned)(in->word >> 61) : 0, d = field(in, 2, wide ? 7 : 6),
		 n = field(in, 22, 2) + 1;
	unsigned mask = wide ? field(in, 25, 2) | (unsigned)(in->word >> 46 & 3) << 2 : 15;
	unsigned packed = wide ? field(in, 48, 12) : 0; /* texel offsets: z lowest */
	if (sub == TESLA_SUB_QUERY) {
		tesla_query(g, d, mask);
		return;
	}
	if (sub == TESLA_SUB_GATHER && fetch && n == (cube ? 3 : 2) && !(cube && packed)) {
		/* of the first component; without .FETCH it is one of samples */
		sample(g, "tld4.r", cube ? "cube" : "2d", "f32",
		       gen_texture(g, field(in, 9, 8), false), vector(g, d, n, cube ? 4 : 2),
		       packed ? tesla_offsets(g, packed, n) : "", d, mask);
		return;
	}
	if (sub > TESLA_SUB_LOD || n > 3 || (cube && (fetch || n != 3 || packed))) {
		gen_refuse(g, "this form of texture access");
		return;
	}
	const char *level = sub == TESLA_SUB_AUTO ? NULL : gen_reg32(g, gen_reg(g, d + n));
	if (level) { /* the result may overwrite it */
		const char *t = gen_t(g);
		gen(g, "mov.u32 %s, %s", t, level);
		level = t;
	}
	const char *extra = level_operand(g, level);
	if (packed)
		extra = gen_text(g, "%s%s", extra, tesla_offsets(g, packed, n));
	sample(g, level ? "tex.level" : "tex", cube ? "cube" : dim[n - 1], fetch ? "s32" : "f32",
	       gen_texture(g, field(in, 9, 8), false), vector(g, d, n, n == 3 ? 4 : n), extra, d,
	       mask);
}

/* The slot an instruction names; -1: none. */
int gen_texture_slot(const struct ninst *in, bool *is_surface)
{
	*is_surface = in->op == NI_SULD || in->op == NI_SUST || in->op == NI_SURED ||
		      in->op == NI_SUQ || in->op == NI_SULEA;
	if (in->isa == NATIVE_TESLA)
		return in->op == NI_TEX || in->op == NI_TXQ || in->op == NI_TLD4
			       ? (int)field(in, 9, 8)
			       : -1;
	if (*is_surface)
		return in->word >> 46 & 1 ? (int)field(in, 26, 3) : -1;
	return in->op == NI_TEX || in->op == NI_TLD || in->op == NI_TLD4 || in->op == NI_TXQ ||
			       in->op == NI_TXD
		       ? (int)field(in, 32, 8)
		       : -1;
}

bool gen_tex(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool tesla = in->isa == NATIVE_TESLA;
	switch (in->op) {
	case NI_TEX:
	case NI_TLD4:
	case NI_TLD:
	case NI_TXQ:
	case NI_TXD: break;
	case NI_SULD:
	case NI_SUST: surface(g); return true;
	case NI_SURED: surface_reduce(g); return true;
	case NI_SUQ: surface_query(g); return true;
	case NI_SULEA: surface_lea(g); return true;
	default: return false;
	}
	if (tesla)
		tesla_tex(g);
	else if (in->op == NI_TLD4)
		fermi_gather(g);
	else if (in->op == NI_TXD)
		fermi_gradients(g);
	else if (in->op != NI_TXQ)
		fermi_sample(g);
	else
		fermi_query(g);
	return true;
}
