/* Decodes mov, cvt and the arithmetic instructions that need a small correction after the table. */
#include "front/ptx/decode.h"

#include <string.h>

/* add, sub and mul of floats without a rounding modifier round to nearest. */
bool decode_rn(struct dec *d)
{
	if (!d->in->rnd)
		d->in->rnd = RND_RN;
	return dec_operands(d);
}

/* dp4a and dp2a: the sum is signed if either factor is. */
bool decode_dp(struct dec *d)
{
	struct inst *in = d->in;
	in->type = in->atype == T_S32 || in->btype == T_S32 ? T_S32 : T_U32;
	return dec_operands(d);
}

/* Reports an error if the target is older than sm_100, which `what` requires. */
static bool needs_100(struct dec *d, const char *what)
{
	return !d->m->target || d->m->target >= 100 ||
	       dec_error(d, NULL, "'%s': %s needs .target sm_100 or later, not sm_%u",
			 dec_mnemonic(d), what, d->m->target);
}

bool decode_three(struct dec *d)
{
	return dec_operands(d) && (d->ns < 3 || needs_100(d, "a third operand"));
}

bool decode_cvt_tf32(struct dec *d)
{
	return (!(d->in->mods & M_SATFINITE) || needs_100(d, ".satfinite with this rounding")) &&
	       dec_operands(d);
}

bool decode_istypep(struct dec *d)
{
	return dec_count(d, 2, 2) && dec_dst(d, &d->s->opnd[0], T_PRED, false, false) &&
	       dec_adr(d, &d->s->opnd[1], T_B64);
}

static bool decode_sreg(struct dec *d, const struct ptx_opnd *o, unsigned read_as)
{
	const struct sreg_info *r = &sreg_info[o->reg];
	d->in->op = OP_SREG;
	d->in->stype = (uint8_t)read_as;
	struct opnd *x = &d->src[d->ns++];
	*x = (struct opnd){.kind = OPND_SREG, .type = r->type, .reg = o->reg, .sub = o->sub};
	return true;
}

/* PTX 1.x had 16 bits in these registers, and a program may still read them so. */
static bool sreg_was_short(unsigned r)
{
	return r == SREG_TID || r == SREG_NTID || r == SREG_CTAID || r == SREG_NCTAID ||
	       r == SREG_GRIDID;
}

/* Checks that a special register is read at its own width. %gridid was 32 bits wide in early PTX
 * and has 64 since. */
static bool sreg_width(struct dec *d, const struct ptx_opnd *o, unsigned type)
{
	const struct sreg_info *r = &sreg_info[o->reg];
	unsigned want = type_bits(type), have = type_bits(r->type);
	bool fits = have == want || (want == 16 && sreg_was_short(o->reg)) ||
		    (o->reg == SREG_GRIDID && want == 32);
	if (fits && !type_is_float(type))
		return true;
	return dec_error(d, o, "special register '%%%s' is .%s, but '%s' expects .%s", r->name,
			 type_info[r->type].name, dec_mnemonic(d), type_info[type].name);
}

static unsigned piece_type(unsigned whole, unsigned n)
{
	switch (n ? type_bits(whole) / n : 0) {
	case 8: return T_B8;
	case 16: return T_B16;
	case 32: return T_B32;
	case 64: return T_B64;
	}
	return T_NONE;
}

/* mov.b64 {a, b}, x and mov.b64 x, {a, b} */
static bool decode_pieces(struct dec *d, const struct ptx_opnd *whole, const struct ptx_opnd *vec,
			  bool pack)
{
	unsigned t = d->in->type, piece = piece_type(t, vec->n);
	if (type_info[t].cls != TC_BITS || vec->n < 2 || vec->n > 4 || !piece ||
	    vec->n * type_bits(piece) != type_bits(t))
		return dec_error(d, vec, "'%s' cannot have %u pieces", dec_mnemonic(d), vec->n);
	if (pack) {
		d->in->op = OP_PACK;
		return dec_dst(d, whole, t, false, false) &&
		       dec_src_vec(d, vec, vec->n, piece, false);
	}
	d->in->op = OP_UNPACK;
	return dec_dst_vec(d, vec, vec->n, piece, false, true) && dec_src(d, whole, t, false);
}

static bool decode_address(struct dec *d, const struct ptx_opnd *o)
{
	unsigned t = d->in->type;
	if (type_bits(t) < 32 || type_bits(t) > 64 || type_is_float(t))
		return dec_error(d, o, "'%s' cannot hold an address", dec_mnemonic(d));
	if (o->kind == PO_SYM)
		return dec_adr(d, o, t);
	o->func->addr_taken = true;
	d->src[d->ns++] =
		(struct opnd){.kind = OPND_FUNC, .type = (uint8_t)t, .reg = NO_REG, .sym = o->func};
	return true;
}

bool decode_mov(struct dec *d)
{
	if (!dec_count(d, 2, 2))
		return false;
	const struct ptx_opnd *dst = &d->s->opnd[0], *src = &d->s->opnd[1];
	unsigned t = d->in->type;
	if (dst->kind == PO_VEC)
		return decode_pieces(d, src, dst, false);
	if (src->kind == PO_VEC)
		return decode_pieces(d, dst, src, true);
	if (!dec_dst(d, dst, t, false, false))
		return false;
	switch (src->kind) {
	case PO_SREG: return sreg_width(d, src, t) && decode_sreg(d, src, t);
	case PO_SYM:
	case PO_FUNC: return decode_address(d, src);
	}
	return dec_src(d, src, t, false);
}

/* ---- cvt ---- */

/* True if some value of the source type is outside the destination type. */
static bool can_saturate(unsigned dst, unsigned src)
{
	bool ds = type_is_signed(dst), ss = type_is_signed(src);
	unsigned db = type_bits(dst), sb = type_bits(src);
	if (ds == ss)
		return db < sb;
	return ss || db <= sb;
}

/* Reads the special register into a new register by a separate instruction. */
static bool sreg_to_register(struct dec *d, const struct ptx_opnd *o, unsigned type,
			     struct ptx_opnd *reg)
{
	/* clang-format off */
	struct inst mov = {.op = OP_SREG, .type = (uint8_t)type, .stype = (uint8_t)type, .nd = 1, .ns = 1,
		.vec = 1, .guard = NO_REG, .target = NO_PC, .reconv = NO_PC, .line = d->s->line,
		.col = d->s->col, .text = dec_mnemonic(d)};
	/* clang-format on */
	vec_push(&d->f->regs, (struct reg){"%sreg", (uint8_t)type});
	uint32_t id = (uint32_t)d->f->regs.n - 1;
	mov.opnd = ARENA_ARRAY(&d->m->arena, struct opnd, 2);
	mov.opnd[0] = (struct opnd){.kind = OPND_REG, .type = (uint8_t)type, .reg = id};
	/* clang-format off */
	mov.opnd[1] = (struct opnd){
	        .kind = OPND_SREG, .type = sreg_info[o->reg].type, .reg = o->reg, .sub = o->sub};
	vec_push(&d->f->code, mov);
	*reg = (struct ptx_opnd){.kind = PO_REG, .type = (uint8_t)type, .reg = id, .line = o->line,
		.col = o->col, .name = "%sreg", .len = 5};
	/* clang-format on */
	return true;
}

static bool cvt_from_sreg(struct dec *d, const struct ptx_opnd *dst, const struct ptx_opnd *src)
{
	unsigned t = d->in->type, st = d->in->stype;
	if (!sreg_width(d, src, st))
		return false;
	if (!type_is_float(t) && !(d->in->mods & M_SAT) && type_bits(t) >= 16 &&
	    (!type_is_signed(st) || type_bits(t) <= type_bits(st)))
		return dec_dst(d, dst, t, true, false) && decode_sreg(d, src, st);
	struct ptx_opnd reg;
	return sreg_to_register(d, src, st, &reg) && dec_dst(d, dst, t, true, false) &&
	       dec_src(d, &reg, st, true);
}

/* Checks conversions between bf16 and 8-bit integers: both operands must be 16-bit registers. */
static bool bytes_fit(struct dec *d)
{
	const struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	bool to = in->stype == T_BF16 && type_bits(in->type) == 8;
	bool from = in->type == T_BF16 && type_bits(in->stype) == 8;
	if ((!to && !from) || d->s->nopnd != 2)
		return true;
	const struct ptx_opnd *byte = &o[to ? 0 : 1];
	return byte->kind != PO_REG || type_bits(byte->type) <= 16 ||
	       dec_error(d, byte, "register '%.*s' is .%s, but '%s' expects a 16-bit register here",
			 (int)byte->len, byte->name, type_info[byte->type].name, dec_mnemonic(d));
}

bool decode_cvt(struct dec *d)
{
	struct inst *in = d->in;
	bool ints = !type_is_float(in->type) && !type_is_float(in->stype);
	if (ints && (in->mods & M_SAT) && !can_saturate(in->type, in->stype))
		return dec_error(
			d, NULL, "modifier '.sat' does not apply to '%s': every .%s is a .%s",
			dec_mnemonic(d), type_info[in->stype].name, type_info[in->type].name);
	if (d->s->nopnd == 2 && d->s->opnd[1].kind == PO_SREG)
		return cvt_from_sreg(d, &d->s->opnd[0], &d->s->opnd[1]);
	return bytes_fit(d) && dec_operands(d);
}

/* PTX up to 1.3: a rounding modifier between floats of equal size rounds to an integral value. */
bool decode_cvt_integral(struct dec *d)
{
	d->in->rnd = (uint8_t)(d->in->rnd + RND_RNI - RND_RN);
	return decode_cvt(d);
}
