/* Textures on sm_90: TEX with float, TLD with integer coordinates, TLD4 for four texels, TXD with gradients, TXQ for sizes.
 *
 * The handle is in a uniform register, with 0 in the one above it. A kernel loads the handles that are its parameters, and those of
 * references, which the loader puts behind the parameters, once, at its beginning. Lanes with other handles may have different ones, so a loop performs the access for the lanes that have
 * the first lane's handle, and goes on with the others:
 *
 * 	    todo = the instruction's guard
 * 	L:  other = true;  @todo R2UR other, UR8, R4;  @!other TEX.LL R6, R4, R2, R0, UR8, ...;  @todo todo = other;
 * 	    @todo BRA.U.ANY L;
 *
 * The sources of an access are in two rows of registers: the coordinates, and in the second level, texel offsets and
 * gradients. A kernel has no derivatives between lanes, so an access without a level has the smallest one. The results go to
 * two pairs, of which the components that no instruction reads are left out. */
#include "back/sm90/sm90.h"

enum {
	LOOP_UR = 8,
	LAYERS = 0xffff,
	OFFSET_BITS = 4,
	GATHER_OFFSET_BITS = 8,
	GRADIENT_OFFSETS = 16
};
#define LOWEST_LEVEL 0xc2000000u /* -32 */

/* ---- handles ---- */

static bool takes_handle(unsigned op)
{
	return op == OP_TEX || op == OP_TLD4 || op == OP_TXQ || op == OP_SULD || op == OP_SUST ||
	       op == OP_SURED || op == OP_SUQ;
}

/* Returns the distance in bytes from the first parameter to the handles of references, one word per
 * handle. */
uint32_t sm90_references_at(const struct func *f) { return (f->param_bytes + 3) & ~3u; }

/* The reference that an operand names; NULL: none. */
static const struct var *reference_of(const struct sel *s, const struct opnd *o)
{
	const struct var *v = o->kind == OPND_SYM ? o->sym : NULL;
	v = v && v->def ? v->def : v;
	return v && (layout_texture(s->lay, v) >= 0 || layout_surface(s->lay, v) >= 0) ? v : NULL;
}

/* True for a handle that is a word of bank 0 in the whole kernel, *at bytes behind the beginning of the parameters: a
 * parameter, or the handle of a reference, which the loader knows. */
static bool find_word(struct sel *s, const struct opnd *o, uint32_t *at)
{
	const struct var *v = reference_of(s, o);
	uint32_t k = 0;
	if (!v)
		return handle_param(s->f, o, at);
	while (k < s->reference.n && s->reference.v[k] != v)
		k++;
	if (k == s->reference.n)
		vec_push(&s->reference, v);
	*at = sm90_references_at(s->f) + 4 * k;
	return true;
}

/* The first uniform register of the handles that are parameters. */
static unsigned first_handle(const struct sel *s)
{
	return s->m.calls ? SM90_KEPT_HANDLES : SM90_HANDLES;
}

void sm90_load_handles(struct sel *s)
{
	unsigned first = first_handle(s), most = (SM90_UNIFORM - first) / 2;
	most = most < SEL_HANDLES ? most : SEL_HANDLES;
	s->handles = 0;
	for (size_t i = 0; i < s->f->code.n; i++) {
		const struct inst *in = &s->f->code.v[i];
		uint32_t at;
		unsigned k = 0;
		if (!takes_handle(in->op) || !find_word(s, inst_src(in, 0), &at))
			continue;
		while (k < s->handles && s->handle[k] != at)
			k++;
		if (k < s->handles || k == most)
			continue;
		s->handle[s->handles++] = at;
		OP(s, "ULDC", 0, mo_text(sel_text(s, "UR%u", first + 2 * k)),
		   mo_const(0, SM90_PARAMS + at));
		OP(s, "UMOV", 0, mo_text(sel_text(s, "UR%u", first + 2 * k + 1)), mo_text("URZ"));
	}
}

static void put_predicate(struct sel *s, uint32_t guard, uint32_t p, struct mo value)
{
	OP(s, "PLOP3.LUT", 2, mo_pred(p), PT, value, PT, PT, mo_imm(0x80), mo_imm(0))->guard =
		guard;
}

static void branch_any(struct sel *s, uint32_t guard, uint32_t label)
{
	struct mo to = {.kind = MO_LABEL, .imm = label};
	struct mi *in = OP(s, guard == V_TRUE ? "BRA" : "BRA.U.ANY", 0, to);
	in->guard = guard;
	in->ends = true;
	in->label = label + 1;
}

bool sm90_begin_handle(struct sel *s, struct sm90_handle *h)
{
	const struct opnd *o = inst_src(s->in, 0);
	uint32_t at;
	*h = (struct sm90_handle){.plain = *s->in, .was = s->in, .ur = LOOP_UR};
	if (o->kind == OPND_SYM && !reference_of(s, o)) {
		sel_refuse(s, "references that are no variables of the module");
		return false;
	}
	for (unsigned k = 0; find_word(s, o, &at) && k < s->handles; k++)
		if (s->handle[k] == at) {
			h->ur = first_handle(s) + 2 * k;
			return true;
		}
	struct mo number = o->kind == OPND_SYM && find_word(s, o, &at)
				   ? sm90_force(s, mo_const(0, SM90_PARAMS + at))
				   : sm90_reg(s, 0, 0),
		  all = PT;
	h->loops = true;
	h->todo = mval_new(&s->m, 0);
	h->other = mval_new(&s->m, 0);
	h->again = sel_label(s);
	h->over = sel_label(s);
	if (s->in->guard != NO_REG) {
		all = mo_pred(s->value[s->in->guard]);
		all.neg = s->in->guard_neg;
	}
	h->plain.guard = NO_REG;
	h->plain.guard_neg = false;
	s->in = &h->plain;
	put_predicate(s, V_TRUE, h->todo, all);
	OP(s, "UMOV", 0, mo_text(sel_text(s, "UR%u", LOOP_UR + 1)), mo_text("URZ"));
	if (h->was->guard != NO_REG) {
		branch_any(s, h->todo, h->again);
		branch_any(s, V_TRUE, h->over);
	}
	sel_place(s, h->again);
	put_predicate(s, V_TRUE, h->other, PT);
	OP(s, "R2UR", 1, mo_pred(h->other), mo_text(sel_text(s, "UR%u", LOOP_UR)), number)->guard =
		h->todo;
	return true;
}

void sm90_end_handle(struct sel *s, struct sm90_handle *h, struct mi *access)
{
	if (!h->loops)
		return;
	access->guard = h->other;
	access->guard_neg = true;
	put_predicate(s, h->todo, h->todo, mo_pred(h->other));
	branch_any(s, h->todo, h->again);
	if (h->was->guard != NO_REG)
		sel_place(s, h->over);
	s->in = h->was;
}

/* ---- rows of registers ---- */

enum { ROW = 4 };
struct row {
	unsigned n;
	struct mo o[ROW];
};

static void row_add(struct row *r, struct mo o)
{
	if (r->n < ROW)
		r->o[r->n++] = o;
}

/* A value for n words. Written in the loop over handles, it holds the results of earlier turns. */
static uint32_t row_new(struct sel *s, unsigned n) { return mval_new(&s->m, n > 2 ? 4 : n); }

static struct mo row_put(struct sel *s, const struct row *r)
{
	if (!r->n)
		return ZERO;
	uint32_t v = sel_temp(s, r->n > 2 ? 4 : r->n);
	for (unsigned i = 0; i < r->n; i++)
		sm90_mov(s, r->n > 1 ? mo_word(v, i) : mo_reg(v), r->o[i])->fresh = !i;
	return r->n > 1 ? mo_wide(v) : mo_reg(v);
}

/* ---- accesses ---- */

static const struct geometry {
	/* coordinates of float instructions; of instructions with integer coordinates */
	const char *name, *fetch;
	bool layered;
	uint8_t nd; /* number of dimensions of offsets and gradients */
} geometry[] = {[GEOM_1D] = {"2D", "1D", false,
			     1}, /* float coordinates have a second one, which is ignored */
		[GEOM_2D] = {"2D", "2D", false, 2},
		[GEOM_3D] = {"3D", "3D", false, 3},
		[GEOM_A1D] = {"ARRAY_1D", "ARRAY_1D", true, 1},
		[GEOM_A2D] = {"ARRAY_2D", "ARRAY_2D", true, 2},
		[GEOM_CUBE] = {"CUBE", "CUBE", false, 0},
		[GEOM_ACUBE] = {"ARRAY_CUBE", "ARRAY_CUBE", true, 0},
		[GEOM_A2DMS] = {NULL, NULL, false, 0}};

static const struct geometry *geometry_of(struct sel *s)
{
	const struct inst *in = s->in;
	const struct geometry *g = &geometry[in->geom];
	bool cube = in->geom == GEOM_CUBE || in->geom == GEOM_ACUBE;
	const char *why = !g->name             ? "samples"
			  : in->grp[0]         ? "a sampler of its own"
			  : in->imm & TEX_DREF ? "a comparison of depths"
			  : in->op == OP_TEX && in->mode == TEX_GRAD && (g->nd > 2 || cube)
				  ? "gradients of more than two dimensions"
				  : NULL;
	if (why)
		sel_refuse(s, why);
	return why ? NULL : g;
}

/* The layer, limited to 16 bits. */
static struct mo layer_of(struct sel *s)
{
	uint32_t t = sel_temp(s, 1);
	OP(s, "VIMNMX.U32", 1, mo_reg(t), sm90_reg(s, 1, 0), mo_imm(LAYERS), PT);
	return mo_reg(t);
}

/* The coordinates of a direction, divided by the largest of them, as the machine's tables of faces need them. */
static void add_direction(struct sel *s, unsigned at, struct row *r)
{
	struct mo c[3], most = mo_reg(sel_temp(s, 1)), all = mo_reg(sel_temp(s, 1)),
			by = mo_reg(sel_temp(s, 1));
	for (unsigned k = 0; k < 3; k++)
		c[k] = sm90_reg(s, at + k, 0);
	struct mo a[3] = {c[0], c[1], c[2]};
	for (unsigned k = 0; k < 3; k++)
		a[k].abs = a[k].kind == MO_REG;
	OP(s, "FMNMX", 1, most, a[0], a[1], PF);
	most.abs = false;
	OP(s, "FMNMX", 1, all, a[2], most, PF);
	OP(s, "MUFU.RCP", 1, by, all);
	for (unsigned k = 0; k < 3; k++) {
		struct mo t = mo_reg(sel_temp(s, 1));
		OP(s, "FMUL", 1, t, c[k], by);
		row_add(r, t);
	}
}

static void add_coordinates(struct sel *s, const struct geometry *g, struct row *r)
{
	const struct inst *in = s->in;
	if (g->layered)
		row_add(r, layer_of(s));
	if (in->geom == GEOM_CUBE || in->geom == GEOM_ACUBE) {
		add_direction(s, 1 + g->layered, r);
		return;
	}
	for (unsigned k = g->layered; k < in->grp[1]; k++)
		row_add(r, sm90_src(s, 1 + k, 0));
	if (in->geom == GEOM_1D && in->stype != T_S32)
		row_add(r, ZERO);
}

/* Packs n texel offsets from source `at` on, each into a field of `step` bits of which it has `bits`. */
static struct mo pack_offsets(struct sel *s, unsigned at, unsigned n, unsigned step, unsigned bits)
{
	struct mo sum = ZERO;
	uint32_t word = 0, mask = (1u << bits) - 1;
	for (unsigned i = 0; i < n; i++) {
		const struct opnd *o = inst_src(s->in, at + i);
		if (o->kind == OPND_IMM) {
			word |= ((uint32_t)o->imm & mask) << i * step;
			continue;
		}
		struct mo t = mo_reg(sel_temp(s, 1)), u = mo_reg(sel_temp(s, 1));
		OP(s, "SHF.L.U32", 1, t, sm90_reg(s, at + i, 0), mo_imm(i * step), ZERO);
		sm90_lut(s, u, t, sm90_word(mask << i * step), sum, (LUT_A & LUT_B) | LUT_C);
		sum = u;
	}
	if (!word)
		return sum;
	if (sum.kind == MO_ZERO)
		return sm90_force(s, sm90_word(word));
	struct mo t = mo_reg(sel_temp(s, 1));
	sm90_lut(s, t, sum, sm90_word(word), ZERO, LUT_OR);
	return t;
}

static struct mo pack_offsets_of(struct sel *s, const struct geometry *g, bool gather)
{
	unsigned at = 1u + s->in->grp[1] + s->in->grp[2];
	return gather ? pack_offsets(s, at, g->nd, GATHER_OFFSET_BITS, 6)
		      : pack_offsets(s, at, g->nd, OFFSET_BITS, 4);
}

/* Level and offsets: the second row of all accesses but those with gradients. Returns the part of the mnemonic that
 * describes it. */
static const char *add_level(struct sel *s, const struct geometry *g, struct row *r)
{
	const struct inst *in = s->in;
	bool fetch = in->stype == T_S32, gather = in->op == OP_TLD4,
	     level = !gather && in->mode == TEX_LEVEL;
	if (level)
		row_add(r, sm90_src(s, 1u + in->grp[1], 0));
	else if (!gather && !fetch)
		row_add(r, mo_imm(LOWEST_LEVEL));
	if (in->grp[3])
		row_add(r, pack_offsets_of(s, g, gather));
	return sel_text(s, "%s%s%s",
			gather            ? ""
			: fetch && !level ? ".LZ"
					  : ".LL",
			in->grp[3] ? ".AOFFI" : "", fetch && level ? ".CL" : "");
}

/* Derivatives of each coordinate by x, then by y; the layer and the offsets share a word after the coordinates. */
static const char *add_gradients(struct sel *s, const struct geometry *g, struct row *c,
				 struct row *r)
{
	const struct inst *in = s->in;
	unsigned at = 1u + in->grp[1];
	bool flat = in->geom == GEOM_1D;
	for (unsigned k = g->layered; k < in->grp[1]; k++)
		row_add(c, sm90_src(s, 1 + k, 0));
	if (flat)
		row_add(c, ZERO);
	struct mo layer = g->layered ? layer_of(s) : ZERO;
	if (in->grp[3]) {
		struct mo t = mo_reg(sel_temp(s, 1)), u = mo_reg(sel_temp(s, 1));
		OP(s, "SHF.L.U32", 1, t, sm90_force(s, pack_offsets_of(s, g, false)),
		   mo_imm(GRADIENT_OFFSETS), ZERO);
		sm90_lut(s, u, t, layer, ZERO, LUT_OR);
		layer = u;
	}
	if (g->layered || in->grp[3])
		row_add(c, layer);
	for (unsigned k = 0; k < g->nd; k++) {
		row_add(r, sm90_src(s, at + k, 0));
		row_add(r, sm90_src(s, at + g->nd + k, 0));
	}
	for (unsigned k = 0; flat && k < 2; k++)
		row_add(r, ZERO);
	return in->grp[3] ? ".AOFFI" : "";
}

/* The components that results need, as a mask. Results of 16 bits are pairs of components. */
static unsigned mask_of(const struct sel *s)
{
	unsigned mask = 0, each = s->in->type == T_F16X2 ? 2 : 1;
	for (unsigned i = 0; i < s->in->vec; i++) {
		const struct opnd *d = inst_dst(s->in, i);
		if (d->kind != OPND_SINK && func_reads(s->f, d->reg))
			mask |= (each == 2 ? 3u : 1u) << i * each;
	}
	return mask & 15;
}

/* The components of an access, in one or two values. */
struct components {
	unsigned mask, n;
	struct mo word[4];       /* [component] */
	struct mo first, second; /* the results */
};

static void make_components(struct sel *s, struct components *c, unsigned mask)
{
	unsigned all = (unsigned)__builtin_popcount(mask), n = 0;
	uint32_t a = row_new(s, all > 1 ? 2 : 1), b = all > 2 ? row_new(s, all - 2) : V_NONE;
	*c = (struct components){.mask = mask, .n = all};
	c->first = all > 1 ? mo_wide(a) : mo_reg(a);
	c->second = all > 3 ? mo_wide(b) : all > 2 ? mo_reg(b) : ZERO;
	for (unsigned i = 0; i < 4; i++) {
		if (!(mask >> i & 1))
			continue;
		c->word[i] = n < 2     ? (all > 1 ? mo_word(a, n) : mo_reg(a))
			     : all > 3 ? mo_word(b, n - 2)
				       : mo_reg(b);
		n++;
	}
}

static void put_results(struct sel *s, const struct components *c)
{
	for (unsigned i = 0; i < s->in->vec; i++) {
		if (inst_dst(s->in, i)->kind == OPND_SINK)
			continue;
		if (s->in->type == T_F16X2 && c->mask >> 2 * i & 1)
			OP(s, "F2FP.F16.F32.PACK_AB", 1, mo_reg(sel_dst(s, i)), c->word[2 * i + 1],
			   c->word[2 * i]);
		else if (s->in->type != T_F16X2 && c->mask >> i & 1)
			sm90_mov(s, mo_reg(sel_dst(s, i)), c->word[i]);
	}
}

/* The predicate for texels that are resident, where the machine's says that one is not. */
static void put_resident(struct sel *s, uint32_t missing)
{
	uint32_t d = sel_dst(s, s->in->vec);
	OP(s, "PLOP3.LUT", 2, mo_pred(d), PT, mo_not(missing), PT, PT, mo_imm(0x80), mo_imm(0));
}

void sm90_texture(struct sel *s)
{
	static const char *const component[] = {".R", ".G", ".B", ".A"};
	const struct inst *in = s->in;
	const struct geometry *g = geometry_of(s);
	bool gather = in->op == OP_TLD4, fetch = in->stype == T_S32,
	     grad = !gather && in->mode == TEX_GRAD;
	bool resident = in->imm & TEX_RESIDENT && inst_dst(in, in->vec)->kind != OPND_SINK;
	unsigned mask = mask_of(s);
	struct row c = {0}, x = {0};
	struct sm90_handle h;
	struct components d;
	if (!g || (!mask && !resident))
		return;
	if (!grad)
		add_coordinates(s, g, &c);
	const char *mods = grad ? add_gradients(s, g, &c, &x) : add_level(s, g, &x);
	const char *name = sel_text(s, "%s%s%s",
				    gather  ? "TLD4"
				    : grad  ? "TXD"
				    : fetch ? "TLD"
					    : "TEX",
				    gather ? component[in->mode & 3] : "", mods);
	struct mo coords = row_put(s, &c), more = row_put(s, &x), o[MI_OPS];
	uint32_t missing = resident ? mval_new(&s->m, 0) : V_NONE;
	unsigned n = 0, nd;
	make_components(s, &d, mask ? mask : 1);
	if (s->bad || !sm90_begin_handle(s, &h))
		return;
	if (resident)
		o[n++] = mo_pred(missing);
	o[n++] = d.second;
	o[n++] = d.first;
	nd = n;
	o[n++] = coords;
	if (x.n)
		o[n++] = more;
	o[n++] = mo_text(
		sel_text(s, "UR%u, 0x0, %s, 0x%x", h.ur, fetch ? g->fetch : g->name, d.mask));
	sm90_end_handle(s, &h, sel_op(s, name, nd, n, o));
	put_results(s, &d);
	if (resident)
		put_resident(s, missing);
}

/* TXQ: width, height, depth of a level, or the number of levels. Surfaces are asked for with level 0. */
void sm90_query(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned part = in->mode <= Q_DEPTH ? in->mode : 3;
	struct sm90_handle h;
	if (in->mode > Q_DEPTH && (in->mode != Q_NUM_MIPMAP || in->op != OP_TXQ)) {
		sel_refuse(s, "only sizes and the number of levels can be asked");
		return;
	}
	struct mo level = mo_reg(sel_temp(s, 1)), d = mo_reg(row_new(s, 1));
	if (in->ns > 1)
		sm90_mov(s, level, sm90_src(s, 1, 0));
	else /* a register: the instruction does not take RZ */
		OP(s, "IADD3", 1, level, ZERO, ZERO, ZERO);
	if (s->bad || !sm90_begin_handle(s, &h))
		return;
	struct mi *query = OP(s, "TXQ", 2, ZERO, d, level, mo_text("TEX_HEADER_DIMENSION"),
			      mo_text(sel_text(s, "UR%u, 0x0, 0x%x", h.ur, 1u << part)));
	sm90_end_handle(s, &h, query);
	sm90_mov(s, mo_reg(sel_dst(s, 0)), d);
}
