/* Textures: TEX with float, TLD with integer coordinates, TLD4 for four texels, TXD with gradients,
 * TXQ for sizes. The operands of an access are in consecutive registers: the coordinates, and in a
 * second row level, texel offsets and gradients. A texture object is a slot whose number, its
 * descriptor's, is in bits 23 to 31 of a register before the coordinates (.I). */
#include "back/select/operations.h"

enum {
	HANDLE_SHIFT = 19
}; /* shifts the handle's number to bits 23 and up: HANDLE_BASE is lost,
    * HANDLE_STEP is 1 << 4 */
enum { LAYERS = 0xffff, OFFSET_BITS = 4, GATHER_OFFSET_BITS = 8 };

static const struct geometry {
	const char *name;
	bool layered;
	uint8_t nd; /* number of dimensions of offsets and gradients */
} geometry[] = {[GEOM_1D] = {"1D", false, 1},           [GEOM_2D] = {"2D", false, 2},
		[GEOM_3D] = {"3D", false, 3},           [GEOM_A1D] = {"ARRAY_1D", true, 1},
		[GEOM_A2D] = {"ARRAY_2D", true, 2},     [GEOM_CUBE] = {"CUBE", false, 0},
		[GEOM_ACUBE] = {"ARRAY_CUBE", true, 0}, [GEOM_A2DMS] = {NULL, false, 0}};

int layout_texture(const struct layout *l, const struct var *v)
{
	for (size_t i = 0; i < l->texture.n; i++)
		if (l->texture.v[i] == v)
			return (int)i;
	return -1;
}

/* ---- rows of registers ---- */

struct row {
	unsigned n;
	struct mo o[8];
};

static void row_add(struct row *r, struct mo o)
{
	if (r->n < sizeof r->o / sizeof *r->o)
		r->o[r->n++] = o;
}

/* Puts the row's words into consecutive registers; RZ: the row is empty. */
static struct mo row_put(struct sel *s, const struct row *r)
{
	if (r->n > 4)
		sel_refuse(s, "more than four words of levels, offsets and gradients");
	if (!r->n || s->bad)
		return mo_zero();
	uint32_t v = sel_temp(s, r->n > 2 ? 4 : r->n);
	for (unsigned i = 0; i < r->n; i++) {
		sel_mov(s, mo_word(v, i), r->o[i]);
		s->m.code.v[s->m.code.n - 1].fresh = !i;
	}
	return mo_wide(v);
}

/* ---- textures ---- */

struct texture {
	int slot;
	bool object;
	struct mo number; /* number of the object, in bits 23 to 31 */
};

static bool texture_of(struct sel *s, struct texture *t)
{
	const struct opnd *h = inst_src(s->in, 0);
	const struct var *v = h->kind == OPND_SYM ? h->sym : NULL;
	*t = (struct texture){.slot = (int)s->lay->texture.n, .object = !v};
	if (v) {
		t->slot = layout_texture(s->lay, v->def ? v->def : v);
		if (t->slot < 0)
			sel_refuse(s, "of such a variable");
		return !s->bad;
	}
	uint32_t n = sel_temp(s, 1);
	s->lay->objects = true;
	OP(s, "SHL", 1, mo_reg(n), sel_reg(s, 0, 0), mo_imm(HANDLE_SHIFT));
	t->number = mo_reg(n);
	return true;
}

/* Adds the coordinates from source `at` on, after an object's number, which shares the register of
 * a layer. */
static void add_coordinates(struct sel *s, const struct texture *t, const struct geometry *g,
			    unsigned at, struct row *r)
{
	unsigned n = s->in->grp[1], k = 0;
	if (t->object && g->layered) {
		uint32_t low = sel_temp(s, 1), both = sel_temp(s, 1);
		OP(s, "IMNMX.U32", 1, mo_reg(low), sel_reg(s, at, 0), mo_imm(LAYERS),
		   mo_pred(V_TRUE));
		OP(s, "LOP.OR", 1, mo_reg(both), mo_reg(low), t->number);
		row_add(r, mo_reg(both));
		k = 1;
	} else if (t->object) {
		row_add(r, t->number);
	}
	for (; k < n; k++)
		row_add(r, sel_src(s, at + k, 0));
}

/* Packs n texel offsets from source `at` on, `bits` bits each, into one word. */
static struct mo pack_offsets(struct sel *s, unsigned at, unsigned n, unsigned bits)
{
	uint32_t word = 0;
	int64_t k;
	struct mo sum = mo_zero();
	for (unsigned i = 0; i < n; i++) {
		if (sel_is_imm(s, at + i, &k)) {
			word |= ((uint32_t)k & ((1u << bits) - 1)) << i * bits;
			continue;
		}
		uint32_t t = sel_temp(s, 1);
		OP(s, "BFI", 1, mo_reg(t), sel_reg(s, at + i, 0),
		   mo_imm((int64_t)(bits << 8 | i * bits)), sum);
		sum = mo_reg(t);
	}
	if (!word)
		return sum;
	uint32_t t = sel_temp(s, 1);
	struct mo low = sel_force(s, sel_word(s, word));
	OP(s, "LOP.OR", 1, mo_reg(t), sum, low);
	return mo_reg(t);
}

static void put_results(struct sel *s, uint32_t d)
{
	for (unsigned i = 0; i < 4; i++)
		if (inst_dst(s->in, i)->kind != OPND_SINK)
			OP(s, "MOV", 1, mo_reg(sel_dst(s, i)), mo_word(d, i));
}

static const struct geometry *geometry_of(struct sel *s)
{
	const struct inst *in = s->in;
	const struct geometry *g = &geometry[in->geom];
	const char *why = !g->name                 ? "samples"
			  : in->grp[0]             ? "a sampler of its own"
			  : in->imm & TEX_DREF     ? "a comparison of depths"
			  : in->imm & TEX_RESIDENT ? "a predicate"
			  : in->vec != 4           ? "half precision"
						   : NULL;
	if (why)
		sel_refuse(s, why);
	return why ? NULL : g;
}

/* Fills the second row and returns the part of the mnemonic that describes it. */
static const char *add_extras(struct sel *s, const struct geometry *g, bool gather, struct row *r)
{
	const struct inst *in = s->in;
	unsigned at = 1u + in->grp[1], noff = in->grp[3], bits = OFFSET_BITS;
	bool fetch = in->stype == T_S32, grad = !gather && in->mode == TEX_GRAD;
	const char *level = gather || grad ? "" : fetch ? ".LZ" : "";
	if (!gather && in->mode == TEX_LEVEL) {
		row_add(r, sel_src(s, at, 0));
		level = ".LL";
	}
	if (gather)
		bits = GATHER_OFFSET_BITS;
	if (noff)
		row_add(r, pack_offsets(s, at + in->grp[2], g->nd, bits));
	if (grad && (g->nd < 1 || g->nd > 2))
		sel_refuse(s, "gradients of more than two dimensions");
	for (unsigned k = 0; grad && k < g->nd; k++) { /* for each coordinate the derivative by x,
	                                                * then by y */
		row_add(r, sel_src(s, at + k, 0));
		row_add(r, sel_src(s, at + g->nd + k, 0));
	}
	return sel_text(s, "%s%s", level, noff ? ".AOFFI" : "");
}

void fermi_tex(struct sel *s)
{
	static const char *const component[] = {".R", ".G", ".B", ".A"};
	const struct inst *in = s->in;
	const struct geometry *g = geometry_of(s);
	bool gather = in->op == OP_TLD4, fetch = in->stype == T_S32;
	struct texture t;
	struct row c = {0}, x = {0};
	if (!g || !texture_of(s, &t))
		return;
	add_coordinates(s, &t, g, 1, &c);
	const char *mods = add_extras(s, g, gather, &x);
	const char *name =
		sel_text(s, "%s%s%s%s",
			 gather                 ? "TLD4"
			 : in->mode == TEX_GRAD ? "TXD"
			 : fetch                ? "TLD"
						: "TEX",
			 t.object ? ".I" : "", gather ? component[in->mode & 3] : "", mods);
	struct mo coords = row_put(s, &c), more = row_put(s, &x);
	if (s->bad)
		return;
	uint32_t d = sel_temp(s, 4);
	const char *tail = fetch ? sel_text(s, "0x%x, %s, 0xf", (unsigned)t.slot, g->name)
				 : sel_text(s, "0x%x, 0x0, %s, 0xf", (unsigned)t.slot, g->name);
	if (x.n)
		OP(s, name, 1, mo_wide(d), coords, more, mo_text(tail));
	else
		OP(s, name, 1, mo_wide(d), coords, mo_text(tail));
	put_results(s, d);
}

/* TXQ: width, height, depth of a level, or the number of levels. */
void fermi_txq(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned part = in->mode <= Q_DEPTH ? in->mode : 3;
	struct texture t;
	struct row c = {0};
	if (in->mode > Q_DEPTH && in->mode != Q_NUM_MIPMAP)
		sel_refuse(s, "only sizes and the number of levels can be asked");
	if (s->bad || !texture_of(s, &t))
		return;
	if (t.object)
		row_add(&c, t.number);
	row_add(&c, in->ns > 1 ? sel_src(s, 1, 0) : mo_zero());
	struct mo coords = row_put(s, &c);
	uint32_t d = sel_temp(s, 1);
	OP(s, sel_text(s, "TXQ%s.DIM", t.object ? ".I" : ""), 1, mo_reg(d), coords,
	   mo_text(sel_text(s, "0x%x, 0x%x", (unsigned)t.slot, 1u << part)));
	OP(s, "MOV", 1, mo_reg(sel_dst(s, 0)), mo_reg(d));
}
