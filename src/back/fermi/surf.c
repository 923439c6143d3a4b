/* Surfaces of sm_20: SULD.B, SUST.B, SUST.P, SURED, SUQ. Coordinates are in consecutive registers,
 * x in bytes except for SUST.P; layers are the third dimension. References are numbered first, then
 * the descriptors of surface objects. */
#include "back/select/operations.h"

int layout_surface(const struct layout *l, const struct var *v)
{
	for (size_t i = 0; i < l->surface.n; i++)
		if (l->surface.v[i] == v)
			return (int)i;
	return -1;
}

enum { NUMBERS = 8 }; /* references that the instruction itself can name */

static struct mo surface_operand(struct sel *s)
{
	const struct opnd *h = inst_src(s->in, 0);
	const struct var *v = h->kind == OPND_SYM ? h->sym : NULL;
	uint32_t t = sel_temp(s, 1);
	if (v) {
		int n = layout_surface(s->lay, v->def ? v->def : v);
		if (n < 0)
			sel_refuse(s, "of such a variable");
		return n < NUMBERS ? mo_imm(n) : sel_force(s, mo_imm(n));
	}
	s->lay->surface_objects = true;
	/* the bits between HANDLE_STEP and HANDLE_BASE */
	OP(s, "BFE.U32", 1, mo_reg(t), sel_reg(s, 0, 0), mo_imm(0x1304));
	if (s->lay->surface.n)
		OP(s, "IADD", 1, mo_reg(t), mo_reg(t), mo_imm((int64_t)s->lay->surface.n));
	return mo_reg(t);
}

/* Puts the coordinates at *at and returns the name of the machine's dimensions; the layer comes
 * last. */
static const char *put_coordinates(struct sel *s, struct mo *at)
{
	static const char *const name[] = {"1D", "2D", "3D"};
	unsigned geom = s->in->geom, n = s->in->grp[1];
	bool layered = geom == GEOM_A1D || geom == GEOM_A2D;
	unsigned dims = layered ? 3 : n;
	uint32_t v = sel_temp(s, dims > 2 ? 4 : dims);
	for (unsigned k = 0; k < dims; k++) {
		struct mo c = !layered    ? sel_src(s, 1 + k, 0)
			      : k == 2    ? sel_src(s, 1, 0)
			      : k < n - 1 ? sel_src(s, 2 + k, 0)
					  : mo_zero();
		sel_mov(s, mo_word(v, k), c);
		s->m.code.v[s->m.code.n - 1].fresh = !k;
	}
	*at = (struct mo){.kind = MO_MEM, .v = v, .wide = true};
	return name[dims - 1];
}

static const char *outside_name(const struct inst *in)
{
	return in->mode == SU_TRAP ? ".TRAP" : in->mode == SU_ZERO ? ".IGN" : "";
}

static const char *size_name(unsigned bytes)
{
	return bytes == 1   ? ".U8"
	       : bytes == 2 ? ".U16"
	       : bytes == 4 ? ""
	       : bytes == 8 ? ".64"
			    : ".128";
}

/* ---- elements of any width in words ---- */

static struct mo pack_word(struct sel *s, unsigned first, unsigned bits, unsigned word)
{
	unsigned each = bits < 32 ? 32 / bits : 1, n = s->in->vec;
	if (bits == 64)
		return sel_src(s, first + word / 2, word % 2);
	if (bits == 32)
		return sel_src(s, first + word, 0);
	struct mo sum = mo_zero();
	for (unsigned k = 0; k < each && word * each + k < n; k++) {
		uint32_t t = sel_temp(s, 1);
		OP(s, "BFI", 1, mo_reg(t), sel_reg(s, first + word * each + k, 0),
		   mo_imm((int64_t)(bits << 8 | k * bits)), sum);
		sum = mo_reg(t);
	}
	return sum;
}

static void unpack_word(struct sel *s, uint32_t v, unsigned bits)
{
	for (unsigned i = 0; i < s->in->vec; i++) {
		if (inst_dst(s->in, i)->kind == OPND_SINK)
			continue;
		uint32_t d = sel_dst(s, i);
		unsigned at = i * bits;
		if (bits < 32)
			OP(s, "BFE.U32", 1, mo_word(d, 0), mo_word(v, at / 32),
			   mo_imm((int64_t)(bits << 8 | at % 32)));
		for (unsigned w = 0; bits >= 32 && w < s->m.val.v[d].words; w++)
			OP(s, "MOV", 1, mo_word(d, w),
			   w < bits / 32 ? mo_word(v, at / 32 + w) : mo_zero())
				->fresh = !w;
	}
}

/* ---- accesses ---- */

static unsigned words_of(struct sel *s, unsigned *bytes)
{
	*bytes = s->in->vec * type_bytes(s->in->type);
	if (*bytes > 16)
		sel_refuse(s, "more than 16 bytes at once");
	return *bytes > 8 ? 4 : *bytes > 4 ? 2 : 1;
}

void fermi_suld(struct sel *s)
{
	unsigned bytes, n = words_of(s, &bytes);
	struct mo at;
	if (s->in->mods & M_FORMATTED)
		sel_refuse(s, "the machine reads no formatted surfaces");
	if (s->bad)
		return;
	const char *dim = put_coordinates(s, &at);
	uint32_t v = sel_temp(s, n);
	struct mo from = surface_operand(s);
	OP(s, sel_text(s, "SULD.B.%s%s%s", dim, size_name(bytes), outside_name(s->in)), 1,
	   mo_wide(v), at, from);
	unpack_word(s, v, type_bits(s->in->type));
}

void fermi_sust(struct sel *s)
{
	const struct inst *in = s->in;
	bool formatted = in->mods & M_FORMATTED;
	unsigned bytes, n = words_of(s, &bytes);
	struct mo at;
	if (s->bad)
		return;
	const char *dim = put_coordinates(s, &at);
	uint32_t v = sel_temp(s, n);
	for (unsigned w = 0; w < n; w++) {
		sel_mov(s, mo_word(v, w), pack_word(s, 1 + in->grp[1], type_bits(in->type), w));
		s->m.code.v[s->m.code.n - 1].fresh = !w;
	}
	struct mo to = surface_operand(s);
	if (formatted)
		OP(s, sel_text(s, "SUST.P.%s%s", dim, outside_name(in)), 0, at, to, mo_wide(v),
		   mo_imm((1 << in->vec) - 1));
	else
		OP(s, sel_text(s, "SUST.B.%s%s%s", dim, size_name(bytes), outside_name(in)), 0, at,
		   to, mo_wide(v));
}

void fermi_sured(struct sel *s)
{
	static const char *const name[] = {
		[ATOM_ADD] = "ADD", [ATOM_MIN] = "MIN", [ATOM_MAX] = "MAX", [ATOM_INC] = "INC",
		[ATOM_DEC] = "DEC", [ATOM_AND] = "AND", [ATOM_OR] = "OR",   [ATOM_XOR] = "XOR"};
	const struct inst *in = s->in;
	unsigned op = in->vsel[0];
	bool order = op == ATOM_MIN || op == ATOM_MAX;
	struct mo at;
	if (in->mods & M_FORMATTED || type_bits(in->type) != 32 ||
	    (order && type_is_signed(in->type)))
		sel_refuse(s, "only unsigned words of 32 bits are reduced");
	if (s->bad)
		return;
	const char *dim = put_coordinates(s, &at);
	struct mo x = sel_reg(s, 1 + in->grp[1], 0), to = surface_operand(s);
	OP(s, sel_text(s, "SURED.%s.%s%s", dim, name[op], outside_name(in)), 0, at, to, x);
}

/* SUQ.DIM gives all three sizes. */
void fermi_suq(struct sel *s)
{
	uint32_t v = sel_temp(s, 4);
	if (s->in->mode > Q_DEPTH) {
		sel_refuse(s, "only sizes can be asked");
		return;
	}
	struct mo of = surface_operand(s);
	OP(s, "SUQ.DIM", 1, mo_wide(v), of);
	OP(s, "MOV", 1, mo_reg(sel_dst(s, 0)), mo_word(v, s->in->mode));
}
