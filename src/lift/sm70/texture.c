/* Lifts texture accesses, gathers and queries.
 *
 * The handle is a constant, a uniform register, or (.B, up to sm_89) a register among the sources.
 * The sources of an access form one list: the layer of an array, coordinates, the handle of .B, the
 * level, texel offsets. The list lies in registers from A on and from B on: with SCR half in each,
 * otherwise the coordinates from A on and the rest from B on. Components of the mask go to D and
 * the register after it, then to a second destination. Surfaces are in surface.c. */
#include "lift/sm70/lift.h"

static const struct dimension {
	uint16_t word;
	uint8_t geom, coords; /* the number of coordinates includes the layer */
	bool layered;
} dimensions[] = {{SM70_W__1D, GEOM_1D, 1, false},         {SM70_W__2D, GEOM_2D, 2, false},
		  {SM70_W__3D, GEOM_3D, 3, false},         {SM70_W_CUBE, GEOM_CUBE, 3, false},
		  {SM70_W_ARRAY_1D, GEOM_A1D, 2, true},    {SM70_W_ARRAY_2D, GEOM_A2D, 3, true},
		  {SM70_W_ARRAY_CUBE, GEOM_ACUBE, 4, true}};

static const struct dimension *dimension_of(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		for (size_t k = 0; k < sizeof dimensions / sizeof *dimensions; k++)
			if (l->in->o[i].kind == SM70_K_WORD &&
			    l->in->o[i].part == dimensions[k].word)
				return &dimensions[k];
	return NULL;
}

static const struct sm70_operand *handle_of(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_UGPR)
			return &l->in->o[i];
	return NULL;
}

/* The handle's lower word: from a uniform register, or from the constant that two numbers name
 * (bank, word). */
static bool read_handle(struct lift *l, struct opnd *low)
{
	const struct sm70_operand *h = handle_of(l), *number[2] = {NULL, NULL};
	unsigned n = 0;
	if (h) {
		*low = val_u(h->reg);
		return true;
	}
	for (unsigned i = 0; i < l->in->nop && n < 2; i++)
		if (l->in->o[i].kind == SM70_K_IMM && l->in->o[i].role == SM70_R_I)
			number[n++] = &l->in->o[i];
	if (n < 2)
		return false;
	*low = lift_const(l, (unsigned)number[0]->imm, 4 * (uint32_t)number[1]->imm, 1);
	return true;
}

/* The handle in a uniform register or a constant, as 64 bits with a zero upper word. */
bool lift_handle(struct lift *l, struct opnd *handle)
{
	const struct sm70_operand *r = opd(l, SM70_R_C);
	struct opnd low;
	if (r && r->kind == SM70_K_GPR)
		low = lift_raw(l, r);
	else if (!read_handle(l, &low))
		return false;
	*handle = gen_d(&l->g);
	gen_pack(&l->g, *handle, lift_reg(l, low), lift_reg(l, imm(0)));
	return true;
}

/* The registers that an access reads, one after the other. */
struct sources {
	unsigned next, first; /* number of the next register; number of registers from A on */
};

static struct opnd next_source(struct lift *l, struct sources *s)
{
	unsigned i = s->next++;
	bool in_a = i < s->first;
	return lift_reg(l,
			lift_word(l, opd(l, in_a ? SM70_R_A : SM70_R_B), in_a ? i : i - s->first));
}

/* The mask of the components that are wanted. */
static unsigned mask_of(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_IMM && l->in->o[i].role == SM70_R_I2)
			return (unsigned)l->in->o[i].imm & 15;
	return 15;
}

/* Writes the components of the mask to the results' registers: two in the first destination, two in
 * the second. */
static void put_components(struct lift *l, const struct opnd t[4], unsigned mask)
{
	const struct sm70_operand *second = opd(l, SM70_R_PD2);
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++) {
		if (!(mask >> i & 1))
			continue;
		struct opnd d = n < 2                              ? lift_dst_word(l, n)
				: second && second->reg != SM70_RZ ? val_r(second->reg + n - 2)
								   : gen_t(&l->g);
		gen(&l->g, OP_MOV, T_U32, d, t[i]);
		n++;
	}
}

/* An access under construction: operands in the order of ir/inst.h. */
struct access_parts {
	struct opnd handle, coord[4], extra[4], offset[3];
	unsigned ncoord, nextra, noffset;
};

static void unpack_offsets(struct lift *l, struct access_parts *p, struct opnd word, unsigned at,
			   unsigned step, unsigned width, unsigned n)
{
	struct ngen *g = &l->g;
	for (unsigned k = 0; k < n; k++) {
		p->offset[k] = gen_t(g);
		gen(g, OP_BFE, T_S32, p->offset[k], word, imm_as(T_U32, at + k * step),
		    imm_as(T_U32, width));
	}
	p->noffset = n;
}

static void emit_access(struct lift *l, struct inst in, const struct access_parts *p)
{
	struct opnd o[20], t[4];
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++)
		o[n++] = t[i] = gen_t(&l->g);
	o[n++] = p->handle;
	for (unsigned i = 0; i < p->ncoord; i++)
		o[n++] = p->coord[i];
	for (unsigned i = 0; i < p->nextra; i++)
		o[n++] = p->extra[i];
	for (unsigned i = 0; i < p->noffset; i++)
		o[n++] = p->offset[i];
	in.vec = in.nd = 4;
	in.type = T_F32; /* the texture's format determines the bits */
	in.grp[1] = (uint8_t)p->ncoord;
	in.grp[2] = (uint8_t)p->nextra;
	in.grp[3] = (uint8_t)p->noffset;
	gen_emit(&l->g, in, o, n);
	put_components(l, t, mask_of(l));
	const struct sm70_operand *q = opd(l, SM70_R_PD);
	if (q && q->reg != SM70_PT) /* predicate for texels that are not resident: none is */
		gen(&l->g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), val_pf());
}

static struct opnd pack_handle(struct lift *l, struct opnd low)
{
	struct opnd h = gen_d(&l->g);
	gen_pack(&l->g, h, low, lift_reg(l, imm(0)));
	return h;
}

/* True if the handle is a number in the instruction: such forms have numbers for it beside the mask of components. */
static bool has_constant_handle(const struct lift *l)
{
	unsigned n = 0;
	for (unsigned i = 0; i < l->in->nop; i++)
		n += l->in->o[i].role == SM70_R_I;
	return n > 1;
}

static const char *refusal(const struct lift *l)
{
	if (mod(l, SM70_MOD_BINDLESS) != SM70_W_NONE && has_constant_handle(l))
		return "a bindless handle in the instruction";
	if (has(l, SM70_W_DC))
		return "depth comparison";
	if (has(l, SM70_W_MS))
		return "multisample textures";
	if (has(l, SM70_W_LB) || has(l, SM70_W_LC))
		return "a level that is biased or clamped";
	if (has(l, SM70_W_PTP))
		return "an offset for each texel";
	if (mod(l, SM70_MOD_TYPE))
		return "results of 16 bits";
	if (has(l, SM70_W_NDV))
		return "derivatives between lanes";
	return NULL;
}

/* Lifts TEX, TLD, TLD4. */
static void do_access(struct lift *l, const struct dimension *dim)
{
	bool gather = l->in->op == SM70_TLD4, fetch = l->in->op == SM70_TLD,
	     bindless = mod(l, SM70_MOD_BINDLESS) != SM70_W_NONE;
	bool level = !gather && has(l, SM70_W_LL), offsets = has(l, SM70_W_AOFFI);
	struct access_parts p = {.ncoord = dim->coords};
	unsigned all = dim->coords + bindless + level + offsets;
	struct sources s = {0, has(l, SM70_W_SCR) ? (all + 1) / 2 : dim->coords};
	for (unsigned i = 0; i < dim->coords; i++)
		p.coord[i] = next_source(l, &s);
	if (bindless)
		p.handle = pack_handle(l, next_source(l, &s));
	else if (!lift_handle(l, &p.handle)) {
		lift_refuse(l, "it names no texture");
		return;
	}
	if (!gather) {
		p.extra[0] = level ? next_source(l, &s) : lift_reg(l, imm(0));
		p.nextra = 1;
	}
	unsigned n = dim->coords - dim->layered;
	if (offsets)
		unpack_offsets(l, &p, next_source(l, &s), 0, gather ? 8 : 4, gather ? 6 : 4, n);
	unsigned component = has(l, SM70_W_G) ? 1 : has(l, SM70_W_B) ? 2 : has(l, SM70_W_A) ? 3 : 0;
	emit_access(l,
		    (struct inst){.op = gather ? OP_TLD4 : OP_TEX,
				  .stype = fetch ? T_S32 : T_F32,
				  .geom = dim->geom,
				  .mode = gather ? (uint8_t)component : TEX_LEVEL},
		    &p);
}

/* TXD: derivatives of each coordinate by x and by y are in registers from B on; the layer and the
 * offsets share a word after the coordinates. */
static void do_gradients(struct lift *l, const struct dimension *dim)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *a = opd(l, SM70_R_A), *b = opd(l, SM70_R_B);
	bool bindless = mod(l, SM70_MOD_BINDLESS) != SM70_W_NONE, offsets = has(l, SM70_W_AOFFI);
	struct access_parts p = {.ncoord = dim->coords};
	unsigned at = 0, n = dim->coords - dim->layered;
	if (dim->geom == GEOM_3D || dim->geom == GEOM_CUBE || dim->geom == GEOM_ACUBE) {
		lift_refuse(l, "gradients of more than two dimensions");
		return;
	}
	if (bindless)
		p.handle = pack_handle(l, lift_reg(l, lift_word(l, a, at++)));
	else if (!lift_handle(l, &p.handle)) {
		lift_refuse(l, "it names no texture");
		return;
	}
	for (unsigned k = 0; k < n; k++)
		p.coord[dim->layered + k] = lift_reg(l, lift_word(l, a, at++));
	if (dim->layered || offsets) {
		struct opnd word = lift_reg(l, lift_word(l, a, at));
		if (dim->layered) {
			p.coord[0] = gen_t(g);
			gen(g, OP_AND, T_B32, p.coord[0], word, imm(0xffff));
		}
		if (offsets)
			unpack_offsets(l, &p, word, 16, 4, 4, n);
	}
	for (unsigned k = 0; k < n; k++) { /* all derivatives by x, then all by y */
		p.extra[k] = lift_reg(l, lift_word(l, b, 2 * k));
		p.extra[n + k] = lift_reg(l, lift_word(l, b, 2 * k + 1));
	}
	p.nextra = 2 * n;
	emit_access(
		l, (struct inst){.op = OP_TEX, .stype = T_F32, .geom = dim->geom, .mode = TEX_GRAD},
		&p);
}

/* TXQ: width, height and depth of a level, and the number of levels. */
static void do_query(struct lift *l)
{
	static const uint8_t what[] = {Q_WIDTH, Q_HEIGHT, Q_DEPTH, Q_NUM_MIPMAP};
	struct ngen *g = &l->g;
	const struct sm70_operand *a = opd(l, SM70_R_A);
	bool bindless = mod(l, SM70_MOD_BINDLESS) != SM70_W_NONE;
	struct opnd handle, t[4], level = lift_reg(l, lift_word(l, a, bindless));
	unsigned mask = mask_of(l);
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_WORD &&
		    l->in->o[i].part != SM70_W_TEX_HEADER_DIMENSION) {
			lift_refuse(l, "how the answer is coded is not published");
			return;
		}
	if (bindless)
		handle = pack_handle(l, lift_reg(l, lift_word(l, a, 0)));
	else if (!lift_handle(l, &handle)) {
		lift_refuse(l, "it names no texture");
		return;
	}
	for (unsigned k = 0; k < 4; k++) {
		t[k] = gen_t(g);
		if (mask >> k & 1 && k < 3)
			gen_mode(g, OP_TXQ, T_B32, what[k], t[k], handle, level);
		else if (mask >> k & 1)
			gen_mode(g, OP_TXQ, T_B32, what[k], t[k], handle);
	}
	put_components(l, t, mask);
}

bool lift_texture(struct lift *l)
{
	unsigned op = l->in->op;
	const char *why;
	if (op == SM70_TXQ) {
		do_query(l);
		return true;
	}
	if (op != SM70_TEX && op != SM70_TLD && op != SM70_TLD4 && op != SM70_TXD)
		return false;
	const struct dimension *dim = dimension_of(l);
	if (!dim)
		lift_refuse(l, "this geometry");
	else if ((why = refusal(l)) != NULL)
		lift_refuse(l, "%s", why);
	else if (op == SM70_TXD)
		do_gradients(l, dim);
	else
		do_access(l, dim);
	return true;
}
