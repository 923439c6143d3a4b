/* Facts about registers before selection: the most bits they have, so that one 16-bit
 * multiplication may be enough, and the space that a generic address belongs to. Both hold for
 * every read of the register: all instructions that write it are examined. */
#include "back/tesla/tesla.h"

enum { ALL = 32 };

static unsigned opnd_bits(const struct sel *s, const struct opnd *o)
{
	if (o->kind == OPND_REG)
		return type_bits(s->f->regs.v[o->reg].type) <= 32 ? s->bits[o->reg] : 64;
	if (o->kind != OPND_IMM)
		return ALL;
	uint64_t k = (uint64_t)o->imm;
	return k ? 64 - (unsigned)__builtin_clzll(k) : 0;
}

static unsigned smaller_of(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned larger_of(unsigned a, unsigned b) { return a > b ? a : b; }

static unsigned sreg_bits(const struct opnd *o)
{
	switch (o->reg) {
	case SREG_TID: return o->sub == 0 ? 10 : o->sub == 1 ? 10 : 6;
	case SREG_NTID:
	case SREG_CTAID:
	case SREG_NCTAID: return 16;
	case SREG_LANEID: return 5;
	default: return ALL;
	}
}

/* The most bits of the result, as an unsigned number of 32 bits. */
static unsigned result_bits(const struct sel *s, const struct inst *in)
{
	unsigned a = in->ns > 0 ? opnd_bits(s, inst_src(in, 0)) : ALL,
		 b = in->ns > 1 ? opnd_bits(s, inst_src(in, 1)) : ALL, n = ALL;
	const struct opnd *k = in->ns > 1 ? inst_src(in, 1) : NULL;
	bool plain = type_bits(in->type) == 32 && !type_is_float(in->type);
	switch (in->op) {
	case OP_SREG: n = sreg_bits(inst_src(in, 0)); break;
	case OP_MOV: n = type_bits(in->type) <= 32 ? a : ALL; break;
	case OP_CVT:
		if (!type_is_float(in->stype) && !type_is_float(in->type) &&
		    !type_is_signed(in->stype) && type_bits(in->stype) < 32)
			n = type_bits(in->stype);
		else if (!type_is_float(in->stype) && type_bits(in->stype) == 32 &&
			 type_bits(in->type) >= 32)
			n = a;
		break;
	case OP_LD:
		if (!type_is_signed(in->type) && type_bits(in->type) < 32)
			n = type_bits(in->type);
		break;
	case OP_AND: n = plain ? smaller_of(a, b) : ALL; break;
	case OP_OR:
	case OP_XOR: n = plain ? larger_of(a, b) : ALL; break;
	case OP_SHR:
		if (plain && k->kind == OPND_IMM && !type_is_signed(in->type))
			n = a > (uint32_t)k->imm ? a - (unsigned)k->imm : 0;
		else if (plain && a < ALL)
			n = a;
		break;
	case OP_SHL:
		if (plain && k->kind == OPND_IMM && (uint64_t)k->imm < ALL)
			n = a + (unsigned)k->imm;
		break;
	case OP_ADD: n = plain && !(in->mods & M_CC) ? larger_of(a, b) + 1 : ALL; break;
	case OP_MUL: n = plain && in->mode == MUL_LO ? a + b : ALL; break;
	case OP_MAD:
		if (plain && in->mode == MUL_LO)
			n = larger_of(a + b, opnd_bits(s, inst_src(in, 2))) + 1;
		break;
	case OP_MIN: n = plain && a < ALL && b < ALL ? larger_of(a, b) : ALL; break;
	case OP_MAX: n = plain && a < ALL && b < ALL ? larger_of(a, b) : ALL; break;
	case OP_SELP: n = plain ? larger_of(a, b) : ALL; break;
	}
	return smaller_of(n, ALL);
}

/* Finds a fixed point from below; a register that keeps growing in a loop has all bits. */
static void find_bits(struct sel *s)
{
	enum { ROUNDS = 8 };
	for (unsigned round = 0, change = 1; change; round++) {
		change = 0;
		for (size_t i = 0; i < s->f->code.n; i++) {
			const struct inst *in = &s->f->code.v[i];
			for (unsigned k = 0; k < in->nd; k++) {
				const struct opnd *d = inst_dst(in, k);
				if (d->kind != OPND_REG)
					continue;
				unsigned n = k || in->nd > 1 ? (unsigned)ALL : result_bits(s, in);
				if (in->op == OP_LD)
					n = result_bits(s, in);
				if (n <= s->bits[d->reg])
					continue;
				s->bits[d->reg] = (uint8_t)(round < ROUNDS ? n : (unsigned)ALL);
				change = 1;
			}
		}
	}
}

/* ---- spaces ---- */

static unsigned join_spaces(unsigned a, unsigned b)
{
	return a == SP_NONE ? b : b == SP_NONE || a == b ? a : (unsigned)SP_GENERIC;
}

static unsigned opnd_space(const struct sel *s, const struct opnd *o)
{
	return o->kind == OPND_REG ? s->space[o->reg] : (unsigned)SP_NONE;
}

/* A loaded pointer is global if it is a kernel's parameter, or if no other addresses are stored in
 * memory. */
static unsigned loaded_space(const struct sel *s, const struct inst *in)
{
	if (type_bits(in->type) != 64)
		return SP_NONE;
	return s->mixed && sel_space(in) != SP_PARAM ? SP_GENERIC : SP_GLOBAL;
}

static unsigned result_space(const struct sel *s, const struct inst *in)
{
	unsigned sp = SP_NONE;
	switch (in->op) {
	case OP_LD:
	case OP_LDU:
	case OP_ATOM: return loaded_space(s, in);
	case OP_CVTA:
		return in->mods & M_TO         ? (unsigned)SP_NONE
		       : in->space == SP_CONST ? (unsigned)SP_GLOBAL
					       : in->space;
	case OP_MOV:
	case OP_ADD:
	case OP_SUB:
	case OP_SELP:
	case OP_OR:
	case OP_AND:
	case OP_CVT:
		for (unsigned k = 0; k < in->ns; k++)
			sp = join_spaces(sp, opnd_space(s, inst_src(in, k)));
		return sp;
	default: return SP_NONE;
	}
}

static void find_spaces(struct sel *s)
{
	for (bool change = true; change;) {
		change = false;
		for (size_t i = 0; i < s->f->code.n; i++) {
			const struct inst *in = &s->f->code.v[i];
			for (unsigned k = 0; k < in->nd; k++) {
				const struct opnd *d = inst_dst(in, k);
				if (d->kind != OPND_REG)
					continue;
				unsigned sp = join_spaces(s->space[d->reg], result_space(s, in));
				change |= sp != s->space[d->reg];
				s->space[d->reg] = (uint8_t)sp;
			}
		}
	}
}

/* True if an address of shared or local memory is stored somewhere. Then a loaded address may be of
 * any space. */
static bool space_escapes(const struct sel *s)
{
	for (size_t i = 0; i < s->f->code.n; i++) {
		const struct inst *in = &s->f->code.v[i];
		bool moves = in->op == OP_CVTA || in->op == OP_MOV || in->op == OP_ADD ||
			     in->op == OP_SUB || in->op == OP_SELP || in->op == OP_CVT ||
			     in->op == OP_SETP || in->op == OP_SET || in->op == OP_OR ||
			     in->op == OP_AND;
		for (unsigned k = 0; k < in->ns && !moves; k++) {
			const struct opnd *o = inst_src(in, k);
			if (o->kind == OPND_REG && s->space[o->reg] != SP_NONE &&
			    s->space[o->reg] != SP_GLOBAL)
				return true;
		}
	}
	return false;
}

unsigned t_bits(const struct sel *s, unsigned i) { return opnd_bits(s, inst_src(s->in, i)); }

void tesla_ranges(struct sel *s)
{
	s->bits = ARENA_ARRAY(s->m.a, uint8_t, s->f->regs.n + 1);
	s->space = ARENA_ARRAY(s->m.a, uint8_t, s->f->regs.n + 1);
	for (size_t r = 0; r < s->f->regs.n; r++) {
		s->bits[r] = 0;
		s->space[r] = SP_NONE;
	}
	find_bits(s);
	find_spaces(s);
	s->mixed = space_escapes(s);
	if (s->mixed)
		find_spaces(s); /* spaces only join: earlier findings stay valid */
}
