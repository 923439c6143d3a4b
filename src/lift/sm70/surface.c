/* Lifts surface accesses: coordinates are in registers from A on, the layer of an array after
 * them; data from B on. */
#include "lift/sm70/lift.h"

static const struct surface_shape {
	uint16_t word;
	uint8_t geom, coords; /* the number of coordinates includes the layer */
	bool layered;
} shapes[] = {{SM70_W__1D, GEOM_1D, 1, false},
	      {SM70_W__2D, GEOM_2D, 2, false},
	      {SM70_W__3D, GEOM_3D, 3, false},
	      {SM70_W__1D_ARRAY, GEOM_A1D, 2, true},
	      {SM70_W__2D_ARRAY, GEOM_A2D, 3, true}};

/* Reads the operands that all accesses have: handle and coordinates, the layer first. False:
 * refused. */
static bool read_place(struct lift *l, struct opnd *o, unsigned *n, struct inst *in)
{
	const struct surface_shape *s = NULL;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (mod(l, SM70_MOD_DIM) == shapes[i].word)
			s = &shapes[i];
	if (!s) {
		lift_refuse(l, "this geometry");
		return false;
	}
	if (!lift_handle(l, &o[(*n)++])) {
		lift_refuse(l, "it names no surface");
		return false;
	}
	const struct sm70_operand *m = opd(l, SM70_R_M);
	unsigned plain = s->coords - s->layered;
	for (unsigned i = 0; i < s->coords; i++) {
		unsigned at = !s->layered ? i : i ? i - 1 : plain;
		struct opnd x = m->reg == SM70_RZ ? imm(0) : val_r(m->reg + at);
		o[(*n)++] = lift_reg(l, x);
	}
	in->geom = s->geom;
	in->grp[1] = s->coords;
	in->mode = has(l, SM70_W_IGN) ? SU_ZERO : has(l, SM70_W_TRAP) ? SU_TRAP : SU_CLAMP;
	if (mod(l, SM70_MOD_BA) == SM70_W_NONE)
		in->mods |= M_FORMATTED;
	return true;
}

/* The registers of an access, and the type of each. */
static bool data_of(struct lift *l, struct inst *in)
{
	static const struct {
		uint16_t word;
		uint8_t type, vec;
	} rows[] = {{SM70_W_U8, T_B8, 1},    {SM70_W_S8, T_B8, 1},    {SM70_W_U16, T_B16, 1},
		    {SM70_W_S16, T_B16, 1},  {SM70_W_NONE, T_B32, 1}, {SM70_W__64, T_B32, 2},
		    {SM70_W__128, T_B32, 4}, {SM70_W_R, T_B32, 1},    {SM70_W_RG, T_B32, 2},
		    {SM70_W_RGBA, T_B32, 4}};
	bool formatted = has(l, SM70_W_P);
	unsigned word = mod(l, formatted ? SM70_MOD_COMP : SM70_MOD_SIZE);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].word == word) {
			in->type = rows[i].type;
			in->vec = rows[i].vec;
			return true;
		}
	lift_refuse(l, "components of no known order");
	return false;
}

static void do_suld(struct lift *l)
{
	struct inst in = {.op = OP_SULD};
	struct opnd o[12];
	unsigned n = 0;
	if (!data_of(l, &in))
		return;
	for (unsigned i = 0; i < in.vec; i++)
		o[n++] = lift_dst_word(l, i);
	in.nd = in.vec;
	if (!read_place(l, o, &n, &in))
		return;
	gen_emit(&l->g, in, o, n);
	if (has(l, SM70_W_S8) || has(l, SM70_W_S16))
		gen(&l->g, OP_BFE, T_S32, o[0], o[0], imm_as(T_U32, 0),
		    imm_as(T_U32, has(l, SM70_W_S8) ? 8 : 16));
	const struct sm70_operand *q = opd(l, SM70_R_PD);
	if (q && q->reg != SM70_PT) /* predicate for texels that are not resident: false, as all are
	                             * resident */
		gen(&l->g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), val_pf());
}

static void do_sust(struct lift *l)
{
	struct inst in = {.op = OP_SUST};
	struct opnd o[12];
	unsigned n = 0;
	if (!data_of(l, &in) || !read_place(l, o, &n, &in))
		return;
	for (unsigned i = 0; i < in.vec; i++)
		o[n++] = lift_reg(l, lift_word(l, opd(l, SM70_R_B), i));
	gen_emit(&l->g, in, o, n);
}

static void do_sured(struct lift *l)
{
	static const struct {
		uint16_t word;
		uint8_t type;
	} types[] = {{SM70_W_NONE, T_U32}, {SM70_W_S32, T_S32},  {SM70_W_U64, T_U64},
		     {SM70_W_S64, T_S64},  {SM70_W_SD32, T_B32}, {SM70_W_SD64, T_B64}};
	static const struct {
		uint16_t word;
		uint8_t mode;
	} names[] = {{SM70_W_ADD, ATOM_ADD}, {SM70_W_MIN, ATOM_MIN}, {SM70_W_MAX, ATOM_MAX},
		     {SM70_W_INC, ATOM_INC}, {SM70_W_DEC, ATOM_DEC}, {SM70_W_AND, ATOM_AND},
		     {SM70_W_OR, ATOM_OR},   {SM70_W_XOR, ATOM_XOR}};
	struct inst in = {.op = OP_SURED};
	struct opnd o[8];
	unsigned n = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (mod(l, SM70_MOD_AOP) == names[i].word)
			in.vsel[0] = names[i].mode;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (mod(l, SM70_MOD_ATYPE) == types[i].word)
			in.type = types[i].type;
	if (!in.type) {
		lift_refuse(l, "reductions of this type");
		return;
	}
	if (!read_place(l, o, &n, &in))
		return;
	if (in.mods & M_FORMATTED) /* the surface's format says whether values are signed */
		in.type = type_rows(in.type) == 2 ? T_B64 : T_B32;
	const struct sm70_operand *b = opd(l, SM70_R_B);
	o[n++] = lift_reg(l, type_rows(in.type) == 2 ? lift_raw64(l, b) : lift_word(l, b, 0));
	gen_emit(&l->g, in, o, n);
}

bool lift_surface(struct lift *l)
{
	switch (l->in->op) {
	case SM70_SULD: do_suld(l); return true;
	case SM70_SUST: do_sust(l); return true;
	case SM70_SURED: do_sured(l); return true;
	default: return false;
	}
}
