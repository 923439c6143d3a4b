/* Textures, by their handles (as kernels' parameters and memory have them) in uniform registers or in constants.
 *
 * Coordinates are in registers from A on, the layer of an array before them; what follows (level, offsets) in registers
 * from B on. With SCR all of that is one list, whose first half is from A on and whose second half is from B on. Components of the mask go to D and the register behind it, then to a second destination. */
#include "lift/sm70/lift.h"

static const struct dimension {
	uint16_t word;
	uint8_t geom, coords; /* with the layer */
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

/* The handle's lower word: of a uniform register, or of the constant that two numbers name (bank, word). */
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

/* Source i of n: coordinates, then the level. */
static struct opnd source(struct lift *l, unsigned i, unsigned n, unsigned coords)
{
	unsigned first = has(l, SM70_W_SCR) ? (n + 1) / 2 : coords;
	const struct sm70_operand *o = opd(l, i < first ? SM70_R_A : SM70_R_B);
	return lift_reg(l, lift_word(l, o, i < first ? i : i - first));
}

/* Components that are wanted. */
static unsigned mask_of(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_IMM && l->in->o[i].role == SM70_R_I2)
			return (unsigned)l->in->o[i].imm & 15;
	return 15;
}

/* The results' registers: components of the mask, two in the first destination, two in the second. */
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

bool lift_texture(struct lift *l)
{
	struct ngen *g = &l->g;
	bool fetch = l->in->op == SM70_TLD;
	if (!fetch && l->in->op != SM70_TEX)
		return false;
	const struct dimension *dim = dimension_of(l);
	const struct sm70_operand *p = opd(l, SM70_R_PD);
	bool level = has(l, SM70_W_LL);
	if (!dim || (p && p->reg != SM70_PT) || has(l, SM70_W_DC) || has(l, SM70_W_MS) ||
	    has(l, SM70_W_AOFFI) || has(l, SM70_W_LB) || has(l, SM70_W_LC) || has(l, SM70_W_CL) ||
	    has(l, SM70_W_F16)) {
		lift_refuse(l, "this form of texture access");
		return true;
	}
	struct opnd o[16], t[4];
	unsigned n = 0, coord = fetch ? T_S32 : T_F32;
	struct inst in = {.op = OP_TEX,
			  .type = T_F32,
			  .stype = (uint8_t)coord,
			  .geom = dim->geom,
			  .vec = 4,
			  .nd = 4,
			  .mode = TEX_LEVEL};
	for (unsigned i = 0; i < 4; i++)
		o[n++] = t[i] = gen_t(g);
	struct opnd zero = lift_reg(l, imm(0)), handle = gen_d(g), low = zero;
	unsigned sources = dim->coords + level;
	if (!read_handle(l, &low)) {
		lift_refuse(l, "it names no texture");
		return true;
	}
	gen_pack(g, handle, low, zero);
	o[n++] = handle;
	for (unsigned i = 0; i < dim->coords; i++)
		o[n++] = source(l, i, sources, dim->coords);
	in.grp[1] = dim->coords;
	o[n++] = level ? source(l, dim->coords, sources, dim->coords) : zero;
	in.grp[2] = 1;
	gen_emit(g, in, o, n);
	put_components(l, t, mask_of(l));
	return true;
}
