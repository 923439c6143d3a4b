/* Lifts Fermi's surface instructions. */
#include "lift/gen.h"

static const uint8_t dim[] = {GEOM_1D, GEOM_2D, GEOM_3D};
static const uint8_t clamp[] = {SU_ZERO, SU_CLAMP, SU_TRAP};

/* Returns one of eight surfaces, given by number or by a register with the number. */
static struct opnd fermi_surface(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->word >> 46 & 1)
		return gen_texture(g, gen_field(in, 26, 3), true);
	return gen_texture_by(g, gen_reg32(g, gen_reg(g, gen_field(in, 26, 6))), 0, true);
}

/* Writes the surface to o[0] and n coordinates after it, the first in bytes. */
static void put_place(struct ngen *g, struct opnd *o, unsigned n)
{
	o[0] = fermi_surface(g);
	gen_coords(g, gen_field(g->in, 20, 6), n, o + 1);
}

/* Loads or stores texels; the data are in registers of the size's width. */
static void gen_access(struct ngen *g)
{
	static const struct access sizes[] = {{T_B8, 1},  {T_B8, 1},  {T_B16, 1}, {T_B16, 1},
					      {T_B32, 1}, {T_B32, 2}, {T_B32, 4}};
	const struct ninst *in = g->in;
	bool load = in->op == NI_SULD;
	unsigned d = gen_field(in, 44, 2), size = in->mod[NM_SIZE], mode = in->mod[NM_CLAMP];
	unsigned parts = load ? 0 : gen_field(in, 49, 4); /* SUST.P: components */
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
	unsigned n = sizes[size].vec, at = load ? n : 0;
	struct opnd o[8], *data = load ? o : o + d + 2;
	put_place(g, o + at, d + 1);
	gen_data_regs(g, gen_field(in, 14, 6), n, load, data);
	gen_emit(g,
		 (struct inst){.op = load ? OP_SULD : OP_SUST,
			       .type = sizes[size].type,
			       .vec = (uint8_t)n,
			       .geom = dim[d],
			       .mode = clamp[mode],
			       .mods = parts ? M_FORMATTED : 0,
			       .grp = {0, (uint8_t)(d + 1)},
			       .nd = load ? (uint8_t)n : 0},
		 o, n + d + 2);
	if (load && (size == 1 || size == 3)) /* S8, S16 */
		gen(g, OP_BFE, T_S32, o[0], o[0], imm(0), imm(size == 1 ? 8 : 16));
}

static void gen_reduction(struct ngen *g)
{
	static const uint8_t name[] = {ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC,
				       ATOM_DEC, ATOM_AND, ATOM_OR,  ATOM_XOR};
	const struct ninst *in = g->in;
	unsigned d = gen_field(in, 44, 2), op = in->mod[NM_MODE], mode = in->mod[NM_CLAMP];
	struct opnd o[5];
	if (d > 2 || mode > 2 || op > 7) {
		gen_refuse(g, "only surfaces of one to three dimensions can be accessed");
		return;
	}
	put_place(g, o, d + 1);
	o[d + 2] = gen_reg32(g, gen_reg(g, gen_field(in, 14, 6)));
	gen_emit(g,
		 (struct inst){.op = OP_SURED,
			       .type = op >= 5 ? T_B32 : T_U32,
			       .geom = dim[d],
			       .mode = clamp[mode],
			       .vsel = {name[op]},
			       .grp = {0, (uint8_t)(d + 1)}},
		 o, d + 3);
}

/* ---- queries ---- */

static void gen_query_value(struct ngen *g, enum query what, struct opnd d, struct opnd surface)
{
	gen_mode(g, OP_SUQ, T_B32, what, d, surface);
}

/* SUQ: the number of dimensions; width, height and depth in consecutive registers. */
static void gen_query(struct ngen *g)
{
	enum { RANK, DIM = 3 };
	static const uint8_t what[] = {Q_WIDTH, Q_HEIGHT, Q_DEPTH};
	const struct ninst *in = g->in;
	struct opnd t[4], s, q = gen_q(g);
	if (in->mod[NM_MODE] != RANK && in->mod[NM_MODE] != DIM) {
		gen_refuse(
			g,
			"only .RANK and .DIM can be asked: the codes of formats are not published");
		return;
	}
	for (unsigned k = 0; k < 4; k++)
		t[k] = gen_t(g);
	s = fermi_surface(g);
	for (unsigned k = 0; k < 3; k++)
		gen_query_value(g, what[k], t[k], s);
	if (in->mod[NM_MODE] == DIM) {
		gen_put_components(g, gen_field(in, 14, 6), 7, t);
		return;
	}
	gen(g, OP_MOV, T_U32, t[3], imm(1));
	for (unsigned k = 1; k < 3; k++) {
		gen_setp(g, CMP_NE, T_U32, q, t[k], imm(0));
		gen(g, OP_SELP, T_B32, t[3], imm(k + 1), t[3], q);
	}
	gen(g, OP_MOV, T_U32, gen_dst(g, 0), t[3]);
}

/* Tests one coordinate of SULEA: `in` stays true if the coordinate is at most `limit`; `clamped`:
 * the coordinate is clamped. */
static struct opnd test_coordinate(struct ngen *g, struct opnd x, struct opnd limit, bool clamped,
				   struct opnd in)
{
	struct compare c = {
		.cmp = CMP_LE, .bop = BOP_AND, .type = T_U32, .a = x, .b = limit, .p = in};
	gen_setp_with(g, &c, in); /* unsigned: a negative coordinate is out of range too */
	struct opnd t = gen_copy(g, x);
	if (clamped) {
		gen(g, OP_MAX, T_S32, t, t, imm(0));
		gen(g, OP_MIN, T_S32, t, t, limit);
	}
	return t;
}

/* SULEA: the address of an element of a surface, stored row by row in global memory, and whether an
 * access of the size lies inside. */
static void gen_lea(struct ngen *g)
{
	enum { IGN, CLAMP, TRAP };
	static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
	static const uint8_t extent[] = {Q_WIDTH, Q_HEIGHT, Q_DEPTH},
			     step[] = {Q_NATIVE_TEXEL, Q_NATIVE_PITCH, Q_NATIVE_SLICE};
	const struct ninst *in = g->in;
	unsigned dims = gen_field(in, 44, 2) + 1, r = gen_field(in, 20, 6),
		 mode = in->mod[NM_CLAMP], size = bytes[in->mod[NM_SIZE] & 7];
	if (dims > 3 || mode > TRAP || !size) {
		gen_refuse(g, "only places in surfaces of one to three dimensions have an address");
		return;
	}
	struct opnd s = fermi_surface(g), q = gen_q(g), at = gen_d(g), lo = gen_t(g), hi = gen_t(g),
		    n = gen_t(g);
	gen_query_value(g, Q_NATIVE_BASE_LO, lo, s);
	gen_query_value(g, Q_NATIVE_BASE_HI, hi, s);
	gen_pack(g, at, lo, hi);
	gen(g, OP_MOV, T_PRED, q, val_pt());
	for (unsigned k = 0; k < dims; k++) {
		struct opnd limit = gen_t(g), x;
		gen_coords(g, gen_is_zero(g, r) ? r : r + k, 1, &x);
		gen_query_value(g, extent[k], limit, s);
		gen_query_value(g, step[k], n, s);
		if (!k)
			gen_mode(g, OP_MUL, T_U32, MUL_LO, limit, limit, n);
		gen(g, OP_SUB, T_U32, limit, limit, imm(k ? 1 : size));
		x = test_coordinate(g, x, limit, mode == CLAMP, q);
		gen_mode(g, OP_MAD, T_U32, MUL_WIDE, at, x, k ? n : imm(1), at);
	}
	if (mode == CLAMP)
		gen(g, OP_MOV, T_PRED, q, val_pt());
	gen(g, OP_SELP, T_B32, n, imm(1), imm(0), q);
	if (mode == TRAP) {
		struct guard was = gen_where(g, CMP_EQ, n);
		gen_plain(g, OP_TRAP);
		gen_guard(g, was);
	}
	gen(g, OP_SELP, T_B64, at, at, imm(0), q);
	gen_put64(g, 0, at);
	gen(g, OP_MOV, T_PRED, gen_pred_dst(g, 1), q);
}

bool gen_surface(struct ngen *g)
{
	switch (g->in->op) {
	case NI_SULD:
	case NI_SUST: gen_access(g); return true;
	case NI_SURED: gen_reduction(g); return true;
	case NI_SUQ: gen_query(g); return true;
	case NI_SULEA: gen_lea(g); return true;
	default: return false;
	}
}
