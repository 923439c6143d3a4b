/* Turns operands of native instructions into values. */
#include "lift/sm70/lift.h"

#include <string.h>

bool has(const struct lift *l, unsigned word)
{
	const char *want = sm70_word_text(word);
	size_t n = strlen(want);
	for (unsigned i = 0; i < l->nsaid; i++)
		for (const char *p = l->said[i]; p; p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL)
			if (!strncmp(p, want, n) && (!p[n] || p[n] == '.'))
				return true;
	return false;
}

/* ---- registers ---- */

static bool is_reg_kind(const struct sm70_operand *o)
{
	return o->kind == SM70_K_GPR || o->kind == SM70_K_UGPR;
}

static struct opnd reg_of(const struct sm70_operand *o, unsigned n)
{
	if (o->reg == SM70_RZ)
		return imm(0);
	return o->kind == SM70_K_UGPR ? val_u(o->reg + n) : val_r(o->reg + n);
}

struct opnd lift_reg(struct lift *l, struct opnd s)
{
	if (s.kind == OPND_REG)
		return s;
	bool wide = type_rows(s.type) == 2;
	struct opnd t = wide ? gen_d(&l->g) : gen_t(&l->g);
	gen(&l->g, OP_MOV, wide ? T_B64 : T_U32, t, s);
	return t;
}

struct opnd lift_raw(struct lift *l, const struct sm70_operand *o)
{
	if (!o)
		return imm(0);
	switch (o->kind) {
	case SM70_K_GPR:
	case SM70_K_UGPR: return reg_of(o, 0);
	case SM70_K_IMM: return imm(o->type == SM70_I_F64 ? o->imm >> 32 : o->imm & 0xffffffff);
	case SM70_K_CONST:
		if (is_fixed_const(o))
			return lift_const(l, o->bank, (uint32_t)o->off, 1);
		/* fall through */
	default: lift_refuse(l, "an operand of another kind than expected"); return imm(0);
	}
}

struct opnd lift_word(struct lift *l, const struct sm70_operand *o, unsigned n)
{
	if (!o || (is_reg_kind(o) && o->reg == SM70_RZ))
		return imm(0);
	if (is_reg_kind(o))
		return reg_of(o, n);
	return n ? imm(0) : lift_raw(l, o);
}

struct opnd lift_int(struct lift *l, const struct sm70_operand *o)
{
	struct opnd s = lift_raw(l, o);
	if (!o || (!o->neg && !o->inv && !o->abs))
		return s;
	if (is_imm(s)) {
		uint32_t v = (uint32_t)s.imm;
		v = o->abs && v >> 31 ? 0 - v : v;
		return imm(o->inv ? ~v : o->neg ? 0 - v : v);
	}
	struct opnd t = gen_t(&l->g);
	if (o->abs) {
		gen(&l->g, OP_ABS, T_S32, t, s);
		s = t;
	}
	if (o->inv)
		gen(&l->g, OP_NOT, T_B32, t, s);
	else if (o->neg)
		gen(&l->g, OP_NEG, T_S32, t, s);
	return t;
}

/* Applies sign modifiers as operations on bits: `sign` has the positions of the signs. */
static struct opnd apply_signs(struct lift *l, const struct sm70_operand *o, struct opnd s,
			       uint32_t sign)
{
	if (!o || (!o->neg && !o->abs))
		return s;
	if (is_imm(s)) {
		uint32_t v = (uint32_t)s.imm;
		return imm((o->abs ? v & ~sign : v) ^ (o->neg ? sign : 0));
	}
	struct opnd t = gen_t(&l->g);
	if (o->abs && o->neg) {
		gen(&l->g, OP_OR, T_B32, t, s, imm(sign));
		return t;
	}
	if (o->abs)
		gen(&l->g, OP_AND, T_B32, t, s, imm((uint32_t)~sign));
	else
		gen(&l->g, OP_XOR, T_B32, t, s, imm(sign));
	return t;
}

struct opnd lift_f32(struct lift *l, const struct sm70_operand *o)
{
	return apply_signs(l, o, lift_raw(l, o), 0x80000000);
}

/* Returns both halves of an operand, each taken from the half that the operand's part names. */
static struct opnd halves_of(struct lift *l, const struct sm70_operand *o, struct opnd s)
{
	unsigned part = o->part;
	bool lower = part == SM70_W_H0_H0 || part == SM70_W_H0,
	     upper = part == SM70_W_H1_H1 || part == SM70_W_H1;
	if (!lower && !upper)
		return s;
	if (is_imm(s)) {
		uint32_t h = (uint32_t)s.imm >> (upper ? 16 : 0) & 0xffff;
		return imm(h | h << 16);
	}
	struct opnd t = gen_t(&l->g);
	gen(&l->g, OP_PRMT, T_B32, t, s, imm(0), imm(upper ? 0x3232 : 0x1010));
	return t;
}

struct opnd lift_half(struct lift *l, const struct sm70_operand *o, bool bf16)
{
	(void)bf16; /* signs are at equal positions in halves and bfloat16 */
	if (!o)
		return imm(0);
	if (o->part == SM70_W_F32) { /* sm_75: a single, truncated to a half */
		struct opnd h = gen_t(&l->g), both = gen_t(&l->g);
		gen_cvt_as(&l->g, T_F16, T_F32, RND_RZ, 0, h, lift_reg(l, lift_f32(l, o)));
		gen(&l->g, OP_PRMT, T_B32, both, h, imm(0), imm(0x1010));
		return both;
	}
	struct opnd s = apply_signs(l, o, halves_of(l, o, lift_raw(l, o)), 0x80008000);
	if (o->part != SM70_W_H0_NH1)
		return s;
	struct opnd t = gen_t(&l->g);
	gen(&l->g, OP_XOR, T_B32, t, s, imm(0x80000000));
	return t;
}

/* ---- 64 bits ---- */

struct opnd lift_pair(struct lift *l, struct opnd lo, struct opnd hi)
{
	if (is_imm(lo) && is_imm(hi))
		return imm_as(T_B64, (uint32_t)lo.imm | (uint64_t)(uint32_t)hi.imm << 32);
	if (lo.kind == OPND_REG && hi.kind == OPND_REG && hi.reg == lo.reg + 1 &&
	    lo.reg >> 16 == hi.reg >> 16 && lo.reg >> 16 != RC_T) {
		lo.type = T_B64;
		return lo;
	}
	struct opnd d = gen_d(&l->g);
	gen_pack(&l->g, d, lift_reg(l, lo), lift_reg(l, hi));
	return d;
}

struct opnd lift_raw64(struct lift *l, const struct sm70_operand *o)
{
	if (!o)
		return imm_as(T_B64, 0);
	switch (o->kind) {
	case SM70_K_GPR:
	case SM70_K_UGPR:
		return o->reg == SM70_RZ ? imm_as(T_B64, 0)
					 : lift_pair(l, reg_of(o, 0), reg_of(o, 1));
	case SM70_K_IMM: return imm_as(T_B64, o->imm);
	case SM70_K_CONST:
		if (is_fixed_const(o))
			return lift_pair(l, lift_const(l, o->bank, (uint32_t)o->off, 2),
					 lift_const(l, o->bank, (uint32_t)o->off + 4, 1));
		/* fall through */
	default:
		lift_refuse(l, "an operand of another kind than expected");
		return imm_as(T_B64, 0);
	}
}

struct opnd lift_f64(struct lift *l, const struct sm70_operand *o)
{
	struct opnd s = lift_raw64(l, o);
	if (!o || (!o->neg && !o->abs))
		return s;
	uint64_t sign = 1ull << 63;
	if (is_imm(s)) {
		uint64_t v = (uint64_t)s.imm;
		return imm_as(T_B64, (o->abs ? v & ~sign : v) ^ (o->neg ? sign : 0));
	}
	struct opnd d = gen_d(&l->g); /* the sign of a NaN is kept */
	if (o->abs) {
		gen(&l->g, OP_ABS, T_F64, d, s);
		s = d;
	}
	if (o->neg)
		gen(&l->g, OP_NEG, T_F64, d, s);
	return d;
}

/* ---- destinations ---- */

struct opnd lift_dst_word(struct lift *l, unsigned n)
{
	const struct sm70_operand *o = opd(l, SM70_R_D);
	return o && is_reg_kind(o) && o->reg != SM70_RZ ? reg_of(o, n) : gen_t(&l->g);
}

struct opnd lift_dst(struct lift *l) { return lift_dst_word(l, 0); }

struct opnd lift_dst64(struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_D);
	if (!o || !is_reg_kind(o) || o->reg == SM70_RZ)
		return gen_d(&l->g);
	struct opnd d = reg_of(o, 0);
	d.type = T_B64;
	return d;
}

/* ---- predicates ---- */

static struct opnd pred_of(const struct sm70_operand *o)
{
	return val_reg(o->kind == SM70_K_UPRED ? RC_UP : RC_P, o->reg, T_PRED);
}

static bool is_pred_kind(const struct sm70_operand *o)
{
	return o && (o->kind == SM70_K_PRED || o->kind == SM70_K_UPRED);
}

struct opnd lift_pred_dst(struct lift *l, unsigned role)
{
	const struct sm70_operand *o = opd(l, role);
	return is_pred_kind(o) && o->reg != SM70_PT ? pred_of(o) : gen_q(&l->g);
}

bool lift_pred_is(const struct lift *l, unsigned role, bool value)
{
	const struct sm70_operand *o = opd(l, role);
	if (!is_pred_kind(o))
		return value;
	return o->reg == SM70_PT && o->neg != value;
}

struct opnd lift_pred(struct lift *l, unsigned role)
{
	const struct sm70_operand *o = opd(l, role);
	if (!is_pred_kind(o))
		return val_pt();
	if (o->reg == SM70_PT)
		return o->neg ? val_pf() : val_pt();
	return o->neg ? val_not(pred_of(o)) : pred_of(o);
}

struct opnd lift_pred_word(struct lift *l, struct opnd pred, uint32_t yes)
{
	struct opnd t = gen_t(&l->g);
	gen(&l->g, OP_SELP, T_B32, t, imm(yes), imm(0), pred);
	return t;
}

void lift_broadcast(struct lift *l, struct opnd d, struct opnd s)
{
	gen_emit(&l->g, (struct inst){.op = OP_NATIVE, .type = T_U32, .mode = NCTL_FIRST, .nd = 1},
		 GEN_LIST(d, lift_reg(l, s)));
}

/* ---- modifiers ---- */

unsigned lift_cmp(const struct lift *l, bool is_float)
{
	static const struct {
		uint16_t word;
		uint8_t cmp;
	} rows[] = {{SM70_W_LT, CMP_LT},   {SM70_W_EQ, CMP_EQ},   {SM70_W_LE, CMP_LE},
		    {SM70_W_GT, CMP_GT},   {SM70_W_NE, CMP_NE},   {SM70_W_GE, CMP_GE},
		    {SM70_W_NUM, CMP_NUM}, {SM70_W_NAN, CMP_NAN}, {SM70_W_LTU, CMP_LTU},
		    {SM70_W_EQU, CMP_EQU}, {SM70_W_LEU, CMP_LEU}, {SM70_W_GTU, CMP_GTU},
		    {SM70_W_NEU, CMP_NEU}, {SM70_W_GEU, CMP_GEU}};
	(void)is_float;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (mod(l, SM70_MOD_CMP) == rows[i].word)
			return rows[i].cmp;
	return CMP_NONE;
}

unsigned lift_bool(const struct lift *l)
{
	unsigned w = mod(l, SM70_MOD_BOOL);
	return w == SM70_W_OR ? BOP_OR : w == SM70_W_XOR ? BOP_XOR : BOP_AND;
}

unsigned lift_rounding(const struct lift *l)
{
	switch (mod(l, SM70_MOD_RND)) {
	case SM70_W_RZ: return RND_RZ;
	case SM70_W_RM: return RND_RM;
	case SM70_W_RP: return RND_RP;
	default: return RND_RN;
	}
}
