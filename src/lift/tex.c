/* Lifts textures of Tesla and Fermi. A slot is a reference of the module: the file's symbol for
 * that slot, or an invented one (data.c). The texture's format determines the bits of the result,
 * so the type of the operation does not matter. */
#include "lift/gen.h"

struct geometry {
	uint8_t geom;
	uint8_t coords;  /* number of coordinates, an array's index included */
	uint8_t offsets; /* coordinates that a texel offset or a gradient has; 0: no offsets */
};

/* by the code of the geometry field */
static const struct geometry geometry[8] = {
	{GEOM_1D, 1, 1}, {GEOM_A1D, 2, 1},  {GEOM_2D, 2, 2},   {GEOM_A2D, 3, 2},
	{GEOM_3D, 3, 3}, {GEOM_NONE, 0, 0}, {GEOM_CUBE, 3, 0}, {GEOM_ACUBE, 4, 0},
};

enum { TESLA_SUB_AUTO, TESLA_SUB_BIAS, TESLA_SUB_LOD, TESLA_SUB_QUERY, TESLA_SUB_GATHER };

unsigned gen_field(const struct ninst *in, unsigned lo, unsigned n)
{
	return (unsigned)(in->word >> lo & ((1u << n) - 1));
}

void gen_coords(struct ngen *g, unsigned r, unsigned n, struct opnd *out)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = gen_reg32(g, gen_is_zero(g, r) ? imm(0) : gen_reg(g, r + i));
}

/* Writes the components of the mask to consecutive registers from d on. */
void gen_put_components(struct ngen *g, unsigned d, unsigned mask, const struct opnd t[4])
{
	for (unsigned k = 0, at = 0; k < 4; k++)
		if (mask >> k & 1 && !gen_is_zero(g, d))
			gen(g, OP_MOV, T_B32, val_r(d + at++), t[k]);
}

static void four_registers(struct ngen *g, struct opnd t[4])
{
	for (unsigned k = 0; k < 4; k++)
		t[k] = gen_t(g);
}

/* ---- an access ---- */

/* The operands of one access: texture and coordinates, then optional level or gradients, and texel
 * offsets. */
struct sample {
	uint8_t op, mode, geom,
		type; /* TEX: enum texmode, TLD4: the component; type of the coordinates */
	struct opnd texture, coord[4], extra[4], offset[3];
	unsigned ncoord, nextra, noffset;
};

static unsigned append_operands(struct opnd *o, unsigned n, const struct opnd *from, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		o[n + i] = from[i];
	return n + count;
}

static void emit_access(struct ngen *g, const struct sample *s, const struct opnd t[4])
{
	struct opnd o[16];
	unsigned n = append_operands(o, 0, t, 4);
	o[n++] = s->texture;
	n = append_operands(o, n, s->coord, s->ncoord);
	n = append_operands(o, n, s->extra, s->nextra);
	n = append_operands(o, n, s->offset, s->noffset);
	gen_emit(g,
		 (struct inst){
			 .op = s->op,
			 .mode = s->mode,
			 .geom = s->geom,
			 .type = T_F32,
			 .stype = s->type,
			 .vec = 4,
			 .grp = {0, (uint8_t)s->ncoord, (uint8_t)s->nextra, (uint8_t)s->noffset},
			 .nd = 4},
		 o, n);
}

/* Writes the result's components of the mask to the registers from d on. */
static void emit_sample(struct ngen *g, const struct sample *s, unsigned d, unsigned mask)
{
	struct opnd t[4];
	four_registers(g, t);
	emit_access(g, s, t);
	gen_put_components(g, d, mask, t);
}

static void add_level(struct sample *s, struct opnd level)
{
	s->mode = TEX_LEVEL;
	s->extra[s->nextra++] = level;
}

/* Texel offsets: n signed fields of `bits` bits of a word, the first lowest. */
static void add_offsets(struct ngen *g, struct sample *s, struct opnd word, unsigned n,
			unsigned bits)
{
	for (unsigned k = 0; k < n; k++) {
		s->offset[k] = gen_t(g);
		gen(g, OP_BFE, T_S32, s->offset[k], word, imm(k * bits), imm(bits));
	}
	s->noffset = n;
}

/* ---- references and objects ---- */

bool gen_texture_is_object(const struct ngen *g, unsigned slot, bool is_surface)
{
	return (g->objects[is_surface] && slot + 1 >= g->objects[is_surface]) ||
	       (!is_surface && g->object_at[slot]);
}

/* A handle of 64 bits, whose upper word is zero. */
static struct opnd widen_handle(struct ngen *g, struct opnd low)
{
	struct opnd h = gen_d(g), zero = gen_t(g);
	gen(g, OP_MOV, T_U32, zero, imm(0));
	gen_pack(g, h, low, zero);
	return h;
}

/* The handle of the device's descriptor of that number. */
static struct opnd object_handle(struct ngen *g, struct opnd number)
{
	struct opnd t = gen_t(g);
	gen(g, OP_SHL, T_B32, t, number, imm(__builtin_ctz(HANDLE_STEP)));
	gen(g, OP_ADD, T_U32, t, t, imm(HANDLE_BASE));
	return widen_handle(g, t);
}

struct opnd gen_texture(struct ngen *g, unsigned slot, bool is_surface)
{
	if (!is_surface && g->object_at[slot])
		return widen_handle(g, gen_param_word(g, g->object_at[slot] - 1));
	if (gen_texture_is_object(g, slot, is_surface))
		return object_handle(g, gen_copy(g, imm(slot + 1 - g->objects[is_surface])));
	return val_var(g->slot[is_surface][slot]);
}

/* The handle of the reference or object whose slot is a register's value plus `base`; 0 for any
 * other number. */
struct opnd gen_texture_by(struct ngen *g, struct opnd number, unsigned base, bool is_surface)
{
	uint32_t objects = g->objects[is_surface], end = objects ? objects - 1 : GEN_SLOTS;
	struct opnd one = gen_d(g), q = gen_q(g), t = gen_t(g), h;
	if (objects) {
		gen(g, OP_ADD, T_U32, t, number, imm((uint32_t)(base - end)));
		h = object_handle(g, t);
	} else {
		h = gen_d(g);
		gen(g, OP_MOV, T_U64, h, imm(0));
	}
	for (unsigned slot = base; slot < end; slot++) {
		if (!g->slot[is_surface][slot])
			continue;
		gen(g, OP_MOV, T_U64, one, gen_texture(g, slot, is_surface));
		gen_setp(g, CMP_EQ, T_U32, q, number, imm(slot - base));
		gen(g, OP_SELP, T_B64, h, one, h, q);
	}
	return h;
}

/* ---- Fermi ---- */

/* Layout of the second register operand, a vector: level or bias, texel offsets, gradients, each if
 * present. */
enum { OFFSET_BITS = 4, GATHER_OFFSET_BITS = 8, AOFFI = 1 };

static bool is_plain(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool gather = in->op == NI_TLD4;
	const char *why = in->mod[NM_DC]                         ? "depth comparison"
			  : in->mod[NM_AOFFI] > AOFFI && !gather ? "an offset for each texel"
			  : in->mod[NM_MS]                       ? "samples"
								 : NULL;
	if (why)
		gen_refuse(g, "%s", why);
	return !why;
}

static bool is_layered(unsigned geom) { return geom == 1 || geom == 3 || geom == 7; }

/* Sets texture and (q not NULL) coordinates. With `.I` a register before the coordinates gives the
 * texture; a layered texture has the layer in that register, too:
 *
 * 	31       23 22      16 15           0
 * 	[ texture  ][ sampler ][   layer     ]     texture: counted from the slot named
 *
 * The sampler is ignored, because a reference has its own. */
static void fermi_texture(struct ngen *g, const struct geometry *q, struct sample *s)
{
	const struct ninst *in = g->in;
	unsigned r = gen_field(in, 20, 6), slot = gen_field(in, 32, 8);
	s->ncoord = q ? q->coords : 0;
	gen_coords(g, r, s->ncoord, s->coord);
	if (!in->mod[NM_IND]) {
		s->texture = gen_texture(g, slot, false);
		return;
	}
	struct opnd t = gen_t(g), layer = gen_t(g), first = gen_reg32(g, gen_reg(g, r));
	gen(g, OP_SHR, T_U32, t, first, imm(23));
	if (q && is_layered(gen_field(in, 51, 3))) {
		gen(g, OP_AND, T_B32, layer, first, imm(0xffff));
		s->coord[0] = layer;
		for (unsigned k = 1; k < s->ncoord; k++)
			s->coord[k] = gen_reg32(g, gen_reg(g, r + k));
	} else if (q) {
		gen_coords(g, r + 1, s->ncoord, s->coord);
	}
	s->texture = gen_texture_by(g, t, slot, false);
}

/* The next register of the vector operand. */
static struct opnd extra_reg(struct ngen *g, unsigned *r)
{
	return gen_reg(g, gen_is_zero(g, *r) ? *r : (*r)++);
}

static void fermi_offsets(struct ngen *g, const struct geometry *q, unsigned *r, struct sample *s)
{
	if (!g->in->mod[NM_AOFFI])
		return;
	if (q->offsets)
		add_offsets(g, s, extra_reg(g, r), q->offsets, OFFSET_BITS);
	else
		gen_refuse(g, "texel offsets of a cube");
}

static void fermi_sample(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct geometry *q = &geometry[gen_field(in, 51, 3)];
	bool fetch = in->op == NI_TLD;
	unsigned b = gen_field(in, 26, 6), lod = in->mod[NM_LOD];
	if (!is_plain(g))
		return;
	if (!q->geom || (fetch && gen_field(in, 51, 3) >= 6) || (!fetch && lod > 3)) {
		gen_refuse(g, "this geometry or level of detail");
		return;
	}
	struct sample s = {.op = OP_TEX, .geom = q->geom, .type = fetch ? T_S32 : T_F32};
	/* compute code has no neighbouring pixels to derive a level from */
	if (fetch ? lod == 1 : lod >= 2)
		add_level(&s, gen_reg32(g, extra_reg(g, &b)));
	else if (!fetch && lod == 1)
		add_level(&s, imm(0));
	fermi_offsets(g, q, &b, &s);
	fermi_texture(g, q, &s);
	emit_sample(g, &s, gen_field(in, 14, 6), gen_field(in, 46, 4));
}

/* TXD: the derivatives of each coordinate by x and y in turn; at most two dimensions, that is, four
 * registers. */
static void fermi_gradients(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct geometry *q = &geometry[gen_field(in, 51, 3)];
	unsigned b = gen_field(in, 26, 6);
	struct sample s = {.op = OP_TEX, .mode = TEX_GRAD, .geom = q->geom, .type = T_F32};
	if (!is_plain(g))
		return;
	if (!q->offsets || q->offsets > 2) {
		gen_refuse(g, "gradients of more than two dimensions");
		return;
	}
	fermi_offsets(g, q, &b, &s);
	for (unsigned k = 0; k < q->offsets; k++) { /* all by x, then all by y */
		s.extra[k] = gen_reg32(g, extra_reg(g, &b));
		s.extra[q->offsets + k] = gen_reg32(g, extra_reg(g, &b));
	}
	s.nextra = 2u * q->offsets;
	fermi_texture(g, q, &s);
	emit_sample(g, &s, gen_field(in, 14, 6), gen_field(in, 46, 4));
}

/* .PTP: a pair of offsets for each of the four texels, one byte each, in two registers: four
 * gathers, of which each gives one texel. */
static void gather_apart(struct ngen *g, struct sample *s)
{
	const struct ninst *in = g->in;
	struct opnd out[4];
	four_registers(g, out);
	for (unsigned k = 0; k < 4; k++) {
		struct opnd t[4], x = gen_t(g), y = gen_t(g);
		struct opnd word = gen_reg(g, gen_field(in, 26, 6) + k / 2);
		four_registers(g, t);
		gen(g, OP_BFE, T_S32, x, word, imm(k % 2 * 16), imm(GATHER_OFFSET_BITS));
		gen(g, OP_BFE, T_S32, y, word, imm(k % 2 * 16 + GATHER_OFFSET_BITS),
		    imm(GATHER_OFFSET_BITS));
		s->offset[0] = x, s->offset[1] = y;
		s->noffset = 2;
		emit_access(g, s, t);
		gen(g, OP_MOV, T_B32, out[k], t[k]);
	}
	gen_put_components(g, gen_field(in, 14, 6), gen_field(in, 46, 4), out);
}

static void fermi_gather(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct geometry *q = &geometry[gen_field(in, 51, 3)];
	if (!is_plain(g))
		return;
	bool cube = gen_field(in, 51, 3) >= 6;
	if (!q->geom || (q->offsets != 2 && !cube) || (cube && in->mod[NM_AOFFI])) {
		gen_refuse(
			g,
			"a gather from other than two dimensions and cubes, whose texels have no offsets");
		return;
	}
	struct sample s = {
		.op = OP_TLD4, .mode = in->mod[NM_MODE] & 3, .geom = q->geom, .type = T_F32};
	fermi_texture(g, q, &s);
	if (in->mod[NM_AOFFI] > AOFFI) {
		gather_apart(g, &s);
		return;
	}
	if (in->mod[NM_AOFFI])
		add_offsets(g, &s, gen_reg(g, gen_field(in, 26, 6)), 2, GATHER_OFFSET_BITS);
	emit_sample(g, &s, gen_field(in, 14, 6), gen_field(in, 46, 4));
}

/* Writes width, height and depth of the level in a register, and the number of levels. */
static void emit_query(struct ngen *g, struct opnd texture, struct opnd level, unsigned d,
		       unsigned mask)
{
	static const uint8_t what[] = {Q_WIDTH, Q_HEIGHT, Q_DEPTH, Q_NUM_MIPMAP};
	struct opnd t[4];
	four_registers(g, t);
	for (unsigned k = 0; k < 4; k++)
		if (mask >> k & 1 && k < 3)
			gen_mode(g, OP_TXQ, T_B32, what[k], t[k], texture, level);
		else if (mask >> k & 1)
			gen_mode(g, OP_TXQ, T_B32, what[k], t[k], texture);
	gen_put_components(g, d, mask, t);
}

/* TXQ.DIM: the level is in the register of coordinates, after the register of .I. */
static void fermi_query(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned r = gen_field(in, 20, 6);
	struct sample s = {0};
	fermi_texture(g, NULL, &s);
	if (in->mod[NM_MODE]) {
		gen_refuse(
			g,
			"only .DIM can be asked: how others give what they know is not published");
		return;
	}
	struct opnd level = gen_reg32(g, gen_reg(g, gen_is_zero(g, r) ? r : r + in->mod[NM_IND]));
	emit_query(g, s.texture, level, gen_field(in, 14, 6), gen_field(in, 46, 4));
}

/* ---- Tesla ---- */

/* Adds texel offsets of four bits each, z lowest. */
static void tesla_offsets(struct ngen *g, struct sample *s, unsigned packed, unsigned n)
{
	unsigned xyz = packed >> 8 | (packed & 0xf0) | (packed & 15) << 8;
	add_offsets(g, s, imm(xyz), n, OFFSET_BITS);
}

/* Queries the size of the level in the first register. The field of texel offsets selects the
 * query. */
static void tesla_query(struct ngen *g, unsigned d, unsigned mask)
{
	if (gen_field(g->in, 48, 4)) {
		gen_refuse(g, "only the size can be queried, not levels or faces");
		return;
	}
	struct opnd level = gen_copy(g, gen_reg(g, d)); /* copied, because the result takes its
	                                                 * register */
	emit_query(g, gen_texture(g, gen_field(g->in, 9, 8), false), level, d, mask);
}

/* TEX: the coordinates are in the registers that the result goes to. */
static void tesla_tex(struct ngen *g)
{
	static const uint8_t dim[] = {GEOM_1D, GEOM_2D, GEOM_3D};
	const struct ninst *in = g->in;
	bool wide = in->size == 8, cube = in->word >> 27 & 1, fetch = in->word >> 24 & 1;
	unsigned sub = wide ? (unsigned)(in->word >> 61) : 0, d = gen_field(in, 2, wide ? 7 : 6),
		 n = gen_field(in, 22, 2) + 1;
	unsigned mask = wide ? gen_field(in, 25, 2) | (unsigned)(in->word >> 46 & 3) << 2 : 15;
	unsigned packed = wide ? gen_field(in, 48, 12) : 0; /* texel offsets: z lowest */
	struct sample s = {
		.op = OP_TEX, .geom = cube ? GEOM_CUBE : dim[n < 4 ? n - 1 : 0], .ncoord = n};
	if (sub == TESLA_SUB_QUERY) {
		tesla_query(g, d, mask);
		return;
	}
	/* a gather returns the first component; without .FETCH it is a gather of samples */
	bool gather = sub == TESLA_SUB_GATHER && fetch && n == (cube ? 3 : 2) && !(cube && packed);
	if (!gather && (sub > TESLA_SUB_LOD || n > 3 || (cube && (fetch || n != 3 || packed)))) {
		gen_refuse(g, "this form of texture access");
		return;
	}
	s.type = fetch && !gather ? T_S32 : T_F32;
	if (gather)
		s.op = OP_TLD4;
	else if (sub != TESLA_SUB_AUTO) /* the result may overwrite the coordinate */
		add_level(&s, gen_copy(g, gen_reg32(g, gen_reg(g, d + n))));
	if (packed)
		tesla_offsets(g, &s, packed, n);
	s.texture = gen_texture(g, gen_field(in, 9, 8), false);
	gen_coords(g, d, n, s.coord);
	emit_sample(g, &s, d, mask);
}

/* The slot that an instruction names; -1: none. */
int gen_texture_slot(const struct ninst *in, bool *is_surface)
{
	*is_surface = in->op == NI_SULD || in->op == NI_SUST || in->op == NI_SURED ||
		      in->op == NI_SUQ || in->op == NI_SULEA;
	if (in->isa == NATIVE_TESLA)
		return in->op == NI_TEX || in->op == NI_TXQ || in->op == NI_TLD4
			       ? (int)gen_field(in, 9, 8)
			       : -1;
	if (*is_surface)
		return in->word >> 46 & 1 ? (int)gen_field(in, 26, 3) : -1;
	return in->op == NI_TEX || in->op == NI_TLD || in->op == NI_TLD4 || in->op == NI_TXQ ||
			       in->op == NI_TXD
		       ? (int)gen_field(in, 32, 8)
		       : -1;
}

bool gen_tex(struct ngen *g)
{
	unsigned op = g->in->op;
	if (op != NI_TEX && op != NI_TLD4 && op != NI_TLD && op != NI_TXQ && op != NI_TXD)
		return false;
	if (g->in->isa == NATIVE_TESLA)
		tesla_tex(g);
	else if (op == NI_TLD4)
		fermi_gather(g);
	else if (op == NI_TXD)
		fermi_gradients(g);
	else if (op != NI_TXQ)
		fermi_sample(g);
	else
		fermi_query(g);
	return true;
}
