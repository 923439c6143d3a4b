/* Operands of texture and surface instructions: [handle, {coordinates}] and the values after it.
 * ir/inst.h describes the layout of the operands in the decoded form. */
#include "front/ptx/decode.h"

#include <string.h>

struct geometry {
	/* number of coordinates that the instruction reads, index and sample included */
	uint8_t coords;
	uint8_t ints;    /* number of leading u32 coordinates: array index, sample */
	uint8_t grads;   /* number of elements of a gradient */
	uint8_t offsets; /* number of elements of an offset */
	bool depth;      /* true: the instruction compares depth */
};

static const struct geometry geometry[] = {
	[GEOM_1D] = {1, 0, 1, 1, false},    [GEOM_2D] = {2, 0, 2, 2, true},
	[GEOM_3D] = {3, 0, 3, 3, false},    [GEOM_A1D] = {2, 1, 1, 1, false},
	[GEOM_A2D] = {3, 1, 2, 2, true},    [GEOM_CUBE] = {3, 0, 3, 0, true},
	[GEOM_ACUBE] = {4, 1, 3, 0, true},  [GEOM_2DMS] = {3, 1, 0, 2, false},
	[GEOM_A2DMS] = {4, 2, 0, 2, false},
};

/* Takes a texture, sampler or surface: its variable by name, or a register that holds the
 * handle. */
static bool dec_handle(struct dec *d, const struct ptx_opnd *o)
{
	if (o->kind == PO_REG)
		return dec_src(d, o, T_B64, false);
	if (o->kind == PO_SYM)
		return dec_adr(d, o, T_B64);
	return dec_error(d, o, "'%s' expects a texture, sampler or surface here", dec_mnemonic(d));
}

/* Takes `want` elements from a vector of that length (of length four for three), or from a lone
 * register for one element. Compilers for PTX before 3.0 write four coordinates for every
 * geometry. */
static bool dec_tuple(struct dec *d, const struct ptx_opnd *o, unsigned want, unsigned ints,
		      unsigned type)
{
	unsigned n = o->kind == PO_VEC ? o->n : 1;
	const struct ptx_opnd *item = o->kind == PO_VEC ? o->item : o;
	if (n != want && !(n == 4 && (want == 3 || (want < 4 && d->m->version < 30))))
		return dec_error(d, o, "'%s' expects %u element%s here, not %u", dec_mnemonic(d),
				 want, want == 1 ? "" : "s", n);
	for (unsigned i = 0; i < want; i++)
		if (!dec_src(d, &item[i], i < ints ? (unsigned)T_U32 : type, false))
			return false;
	return true;
}

static bool tex_dst(struct dec *d, const struct ptx_opnd *o)
{
	const struct ptx_opnd *vec = o->kind == PO_PAIR ? &o->item[0] : o;
	if (!dec_dst_vec(d, vec, d->in->vec, d->in->type, false, true))
		return false;
	if (o->kind != PO_PAIR)
		return true;
	d->in->imm |= TEX_RESIDENT;
	return dec_dst(d, &o->item[1], T_PRED, false, true);
}

/* [texture, {coordinates}] or [texture, sampler, {coordinates}] */
static bool tex_address(struct dec *d, const struct ptx_opnd *o, const struct geometry *g)
{
	if (o->kind != PO_MEM || o->n < 2 || o->n > 3)
		return dec_error(
			d, o,
			"'%s' expects [texture, coordinates] or [texture, sampler, coordinates]",
			dec_mnemonic(d));
	d->in->grp[0] = o->n == 3;
	d->in->grp[1] = g->coords;
	return dec_handle(d, &o->item[0]) && (o->n == 2 || dec_handle(d, &o->item[1])) &&
	       dec_tuple(d, &o->item[o->n - 1], g->coords, g->ints, d->in->stype);
}

/* True for the form of PTX before 1.3: texture, {coordinates}, without brackets. */
static bool tex_bare(const struct dec *d)
{
	return d->m->version < 20 && d->s->nopnd == 3 && d->s->opnd[1].kind != PO_MEM;
}

static bool tex_bare_address(struct dec *d, const struct ptx_opnd *o, const struct geometry *g)
{
	d->in->grp[0] = 0;
	d->in->grp[1] = g->coords;
	return dec_handle(d, &o[1]) && dec_tuple(d, &o[2], g->coords, g->ints, d->in->stype);
}

/* Takes the level of detail or the two gradients, from operand *k on. */
static bool tex_level(struct dec *d, const struct geometry *g, unsigned *k)
{
	const struct ptx_opnd *o = d->s->opnd;
	unsigned mode = d->in->op == OP_TEX ? d->in->mode : TEX_PLAIN;
	unsigned need = mode == TEX_LEVEL ? 1 : mode == TEX_GRAD ? 2 : 0;
	if (d->s->nopnd < *k + need)
		return dec_error(d, NULL, "'%s' expects %s", dec_mnemonic(d),
				 need == 1 ? "a level of detail" : "two gradients");
	if (mode == TEX_LEVEL) {
		d->in->grp[2] = 1;
		return dec_src(d, &o[(*k)++], d->in->stype == T_S32 ? T_S32 : T_F32, false);
	}
	if (mode != TEX_GRAD)
		return true;
	d->in->grp[2] = (uint8_t)(2 * g->grads);
	*k += 2;
	return dec_tuple(d, &o[*k - 2], g->grads, 0, T_F32) &&
	       dec_tuple(d, &o[*k - 1], g->grads, 0, T_F32);
}

bool decode_tex(struct dec *d)
{
	const struct geometry *g = &geometry[d->in->geom];
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = d->s->nopnd, k = 2;
	if ((d->in->geom == GEOM_CUBE || d->in->geom == GEOM_ACUBE) && d->in->stype != T_F32)
		return dec_error(d, NULL, "'%s': a cube's coordinates are .f32", dec_mnemonic(d));
	if (tex_bare(d))
		return tex_dst(d, &o[0]) && tex_bare_address(d, o, g);
	if (!dec_count(d, 2, 6) || !tex_dst(d, &o[0]) || !tex_address(d, &o[1], g) ||
	    !tex_level(d, g, &k))
		return false;
	if (k < n && g->offsets && (o[k].kind == PO_VEC || !g->depth)) {
		d->in->grp[3] = g->offsets;
		if (!dec_tuple(d, &o[k++], g->offsets, 0, T_S32))
			return false;
	}
	if (k < n && g->depth) {
		d->in->imm |= TEX_DREF;
		if (!dec_src(d, &o[k++], T_F32, false))
			return false;
	}
	return k == n || dec_error(d, &o[k], "unexpected operand of '%s'", dec_mnemonic(d));
}

/* txq, suq: d, [handle]{, level} */
bool decode_query(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = d->form->nspec;
	if (!dec_count(d, n, n) || !dec_dst(d, &o[0], T_B32, false, false))
		return false;
	if (o[1].kind != PO_MEM || o[1].n != 1)
		return dec_error(d, &o[1], "'%s' expects a texture or surface in brackets",
				 dec_mnemonic(d));
	return dec_handle(d, &o[1].item[0]) && (n == 2 || dec_src(d, &o[2], T_B32, false));
}

/* suld d, [s, {c}]; sust [s, {c}], v; sured [s, {c}], v */
bool decode_surf(struct dec *d)
{
	struct inst *in = d->in;
	const struct geometry *g = &geometry[in->geom];
	bool load = in->op == OP_SULD, bytes = !(in->mods & M_FORMATTED);
	if (!dec_count(d, 2, 2))
		return false;
	const struct ptx_opnd *data = &d->s->opnd[load ? 0 : 1], *at = &d->s->opnd[load ? 1 : 0];
	if (load && !dec_dst_vec(d, data, in->vec, in->type, bytes, true))
		return false;
	if (at->kind != PO_MEM || at->n != 2)
		return dec_error(d, at, "'%s' expects [surface, coordinates]", dec_mnemonic(d));
	in->grp[1] = g->coords;
	if (!dec_handle(d, &at->item[0]) || !dec_tuple(d, &at->item[1], g->coords, 0, T_B32))
		return false;
	return load || dec_src_vec(d, data, in->vec, in->type, bytes && in->op == OP_SUST);
}
