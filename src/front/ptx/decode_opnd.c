/* Takes single operands: checks that a register, literal or address fits what the operation expects
 * there. */
#include "front/ptx/decode.h"

#include <string.h>

/* True if a register of type `reg` may stand where the operation expects `want`. */
static bool reg_fits(unsigned want, unsigned reg, bool relaxed)
{
	const struct type_info *w = &type_info[want], *r = &type_info[reg];
	if (w->cls == TC_PRED || r->cls == TC_PRED)
		return w->cls == r->cls;
	if (relaxed ? r->bits < w->bits : r->bits != w->bits)
		return false;
	switch (w->cls) {
	case TC_BITS: return true;
	case TC_UNSIGNED:
	case TC_SIGNED: return r->cls != TC_FLOAT;
	case TC_FLOAT: return reg == want || r->cls == TC_BITS;
	}
	return false;
}

static const char *opnd_what(const struct ptx_opnd *o)
{
	/* clang-format off */
	static const char *const what[] = {
		[PO_REG] = "a register", [PO_INT] = "an integer", [PO_F32] = "an f32 literal",
		[PO_F64] = "a floating-point literal", [PO_SREG] = "a special register",
		[PO_SYM] = "a variable", [PO_FUNC] = "a function", [PO_LABEL] = "a label",
		[PO_VEC] = "a vector", [PO_MEM] = "an address", [PO_LIST] = "a list",
		[PO_PAIR] = "a pair of destinations", [PO_SINK] = "'_'",
	};
	/* clang-format on */
	return o->kind < sizeof(what) / sizeof(what[0]) ? what[o->kind] : "something else";
}

static bool reg_check(struct dec *d, const struct ptx_opnd *o, unsigned type, bool relaxed)
{
	if (reg_fits(type, o->type, relaxed))
		return true;
	return dec_error(d, o, "register '%.*s' is .%s, but '%s' expects .%s%s here", (int)o->len,
			 o->name, type_info[o->type].name, dec_mnemonic(d), type_info[type].name,
			 relaxed ? " or wider" : "");
}

static struct opnd *push_dst(struct dec *d)
{
	struct opnd *o = &d->dst[d->nd++];
	memset(o, 0, sizeof(*o));
	return o;
}

static struct opnd *push_src(struct dec *d)
{
	struct opnd *o = &d->src[d->ns++];
	memset(o, 0, sizeof(*o));
	return o;
}

bool dec_dst(struct dec *d, const struct ptx_opnd *o, unsigned type, bool relaxed, bool sink)
{
	if (o->kind == PO_VEC && o->n == 1)
		o = o->item;
	if (o->kind == PO_SINK && sink) {
		struct opnd *x = push_dst(d);
		x->kind = OPND_SINK;
		x->type = (uint8_t)type;
		return true;
	}
	if (o->kind != PO_REG)
		return dec_error(d, o, "the destination of '%s' is a register, not %s",
				 dec_mnemonic(d), opnd_what(o));
	if (o->neg || o->not )
		return dec_error(d, o, "a destination cannot be negated");
	if (o->sel)
		return dec_error(d, o, "'%s' cannot write a part of a register", dec_mnemonic(d));
	if (!reg_check(d, o, type, relaxed))
		return false;
	struct opnd *x = push_dst(d);
	x->kind = o->type == T_PRED ? OPND_PRED : OPND_REG;
	x->type = o->type;
	x->reg = o->reg;
	return true;
}

static uint64_t bits_of_f32(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof(u));
	return u;
}

static uint64_t bits_of_f64(double f)
{
	uint64_t u;
	memcpy(&u, &f, sizeof(u));
	return u;
}

static double literal_value(const struct ptx_opnd *o)
{
	if (o->kind == PO_F32) {
		uint32_t u = (uint32_t)o->imm;
		float f;
		memcpy(&f, &u, sizeof(f));
		return (double)f;
	}
	double f;
	memcpy(&f, &o->imm, sizeof(f));
	return f;
}

/* Converts a literal to the bits of the wanted type; false: the literal cannot stand there.
 * Integers are truncated to the type's width. A NaN's bits survive where no conversion is
 * needed. */
static bool literal_bits(const struct ptx_opnd *o, unsigned type, uint64_t *bits)
{
	const struct type_info *t = &type_info[type];
	if (o->kind == PO_INT) {
		if (t->cls == TC_FLOAT || t->bits > 64)
			return false;
		*bits = (uint64_t)o->imm;
		if (t->cls == TC_PRED)
			*bits = o->imm != 0;
		else if (t->bits < 64)
			*bits &= ((uint64_t)1 << t->bits) - 1;
		return true;
	}
	if (o->kind == (type == T_B32 ? PO_F32 : PO_F64) && (type == T_B32 || type == T_B64)) {
		*bits = (uint64_t)o->imm;
		return true;
	}
	if (type == T_F32)
		*bits = o->kind == PO_F32 ? (uint64_t)o->imm : bits_of_f32((float)literal_value(o));
	else if (type == T_F64)
		*bits = o->kind == PO_F64 ? (uint64_t)o->imm : bits_of_f64(literal_value(o));
	else
		return false;
	return true;
}

static bool literal_src(struct dec *d, const struct ptx_opnd *o, unsigned type)
{
	uint64_t bits;
	if (!literal_bits(o, type, &bits))
		return dec_error(d, o, "%s cannot stand where '%s' expects .%s", opnd_what(o),
				 dec_mnemonic(d), type_info[type].name);
	struct opnd *x = push_src(d);
	x->kind = OPND_IMM;
	x->type = (uint8_t)type;
	x->imm = (int64_t)bits;
	return true;
}

bool dec_src(struct dec *d, const struct ptx_opnd *o, unsigned type, bool relaxed)
{
	if (o->kind == PO_VEC && o->n == 1)
		o = o->item;
	switch (o->kind) {
	case PO_INT:
	case PO_F32:
	case PO_F64: return literal_src(d, o, type);
	case PO_REG: break;
	case PO_SREG:
		return dec_error(d, o,
				 "a special register can only be read by mov and cvt, not '%s'",
				 dec_mnemonic(d));
	default:
		return dec_error(d, o, "'%s' expects a register or literal here, not %s",
				 dec_mnemonic(d), opnd_what(o));
	}
	if (!reg_check(d, o, type, relaxed))
		return false;
	if (o->neg)
		return dec_error(d, o, "'%s' cannot negate an operand", dec_mnemonic(d));
	if (o->not &&o->type != T_PRED)
		return dec_error(d, o, "only a predicate can be negated with '!'");
	if (o->sel)
		return dec_error(d, o, "'%s' cannot select a part of a register", dec_mnemonic(d));
	struct opnd *x = push_src(d);
	x->kind = o->type == T_PRED ? OPND_PRED : OPND_REG;
	x->type = o->type;
	x->reg = o->reg;
	x->mod = o->not ? OPND_NOT : 0;
	return true;
}

bool dec_policy(struct dec *d, const struct ptx_opnd *o)
{
	unsigned ns = d->ns;
	bool ok = dec_src(d, o, T_B64, false);
	d->ns = ns;
	return ok;
}

static bool vec_check(struct dec *d, const struct ptx_opnd *o, unsigned n)
{
	if (o->kind == PO_VEC && o->n == n)
		return true;
	if (o->kind == PO_VEC)
		return dec_error(d, o, "'%s' expects %u element%s here, not %u", dec_mnemonic(d), n,
				 n == 1 ? "" : "s", o->n);
	return dec_error(d, o, "'%s' expects a vector of %u here, not %s", dec_mnemonic(d), n,
			 opnd_what(o));
}

bool dec_dst_vec(struct dec *d, const struct ptx_opnd *o, unsigned n, unsigned type, bool relaxed,
		 bool sink)
{
	if (n == 1 && o->kind != PO_VEC)
		return dec_dst(d, o, type, relaxed, sink);
	if (n > 1 && o->kind == PO_SINK && sink) { /* atom: `_` in place of the whole result */
		for (unsigned i = 0; i < n; i++)
			if (!dec_dst(d, o, type, relaxed, sink))
				return false;
		return true;
	}
	if (!vec_check(d, o, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!dec_dst(d, &o->item[i], type, relaxed, sink))
			return false;
	return true;
}

bool dec_src_vec(struct dec *d, const struct ptx_opnd *o, unsigned n, unsigned type, bool relaxed)
{
	if (n == 1 && o->kind != PO_VEC)
		return dec_src(d, o, type, relaxed);
	if (!vec_check(d, o, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!dec_src(d, &o->item[i], type, relaxed))
			return false;
	return true;
}

bool dec_imm(struct dec *d, const struct ptx_opnd *o, uint64_t *out)
{
	if (o->kind != PO_INT)
		return dec_error(d, o, "'%s' expects a constant here, not %s", dec_mnemonic(d),
				 opnd_what(o));
	*out = (uint64_t)o->imm;
	return true;
}

/* ---- addresses ---- */

static const char *space_name(unsigned space)
{
	static const char *const name[SP_COUNT] = {
		[SP_GLOBAL] = ".global", [SP_SHARED] = ".shared",         [SP_LOCAL] = ".local",
		[SP_CONST] = ".const",   [SP_GENERIC] = "generic memory", [SP_PARAM] = ".param",
		[SP_FRAME] = ".param",
	};
	return space < SP_COUNT && name[space] ? name[space] : "another space";
}

static bool is_param(unsigned space) { return space == SP_PARAM || space == SP_FRAME; }

/* Replaces the instruction's space by the space of the variable that the operand names: .param may
 * mean a kernel's or a function's parameters, and a generic access becomes a specific one. */
static bool space_of_var(struct dec *d, const struct ptx_opnd *o, const struct var *v)
{
	unsigned s = d->in->space;
	if (d->in->op == OP_ST && v->space == SP_PARAM)
		return dec_error(d, o, "'%s' is a kernel's parameter: it cannot be written",
				 v->name);
	if (s == v->space ||
	    (is_param(s) ? is_param(v->space) : s == SP_GENERIC && !is_param(v->space))) {
		d->in->space = v->space;
		return true;
	}
	return dec_error(d, o, "'%s' is in %s, '%s' accesses %s", v->name, space_name(v->space),
			 dec_mnemonic(d), space_name(s));
}

static bool addr_reg(struct dec *d, const struct ptx_opnd *o)
{
	if (type_bits(o->type) >= 32 && type_bits(o->type) <= 64 && !type_is_float(o->type) &&
	    !o->sel)
		return true;
	return dec_error(d, o, "register '%.*s' is .%s: an address is a 32- or 64-bit integer",
			 (int)o->len, o->name, type_info[o->type].name);
}

/* `space` SP_NONE: takes the instruction's space, which a variable may make more precise. */
bool dec_mem(struct dec *d, const struct ptx_opnd *o, unsigned space)
{
	if (o->kind != PO_MEM || o->n != 1)
		return dec_error(d, o, "'%s' expects an address in brackets here, not %s",
				 dec_mnemonic(d),
				 o->kind == PO_MEM ? "a texture or surface" : opnd_what(o));
	const struct ptx_opnd *base = &o->item[0];
	struct opnd x = {.kind = OPND_MEM, .reg = NO_REG, .imm = o->imm};
	if (space == SP_NONE && d->in->space == SP_NONE)
		d->in->space = SP_GENERIC;
	switch (base->kind) {
	case PO_REG:
		if (!addr_reg(d, base))
			return false;
		x.reg = base->reg;
		x.type = base->type;
		if (space == SP_NONE && d->in->space == SP_PARAM && d->f && !d->f->entry)
			d->in->space = SP_FRAME;
		break;
	case PO_SYM:
		x.sym = base->var;
		x.imm += base->imm;
		x.type = T_U64;
		if (space == SP_NONE ? !space_of_var(d, base, base->var)
				     : base->var->space != space)
			return space == SP_NONE
				       ? false
				       : dec_error(d, base,
						   "'%s' is in %s, but '%s' expects %s here",
						   base->var->name, space_name(base->var->space),
						   dec_mnemonic(d), space_name(space));
		break;
	case PO_INT:
		x.imm += base->imm;
		x.type = T_U64;
		break;
	default: return dec_error(d, base, "%s is not an address", opnd_what(base));
	}
	*push_src(d) = x;
	return true;
}

bool dec_mem_in(struct dec *d, const struct ptx_opnd *o, unsigned space)
{
	return dec_mem(d, o, space == SP_GENERIC ? SP_NONE : space);
}

/* Takes an address as a value: a register, or a variable by name. `type` T_NONE: either width. */
bool dec_adr(struct dec *d, const struct ptx_opnd *o, unsigned type)
{
	if (o->kind == PO_SYM) {
		struct opnd *x = push_src(d);
		x->kind = OPND_SYM;
		x->type = T_U64;
		x->reg = NO_REG;
		x->sym = o->var;
		x->imm = o->imm;
		return true;
	}
	if (o->kind == PO_REG && type == T_NONE)
		return addr_reg(d, o) && dec_src(d, o, o->type, false);
	return dec_src(d, o, type ? type : (unsigned)T_U64, false);
}
