/* Bitwise operations, selections, moves and predicates on sm_20, of any width. */
#include "back/select/operations.h"

static const char *logic_name(unsigned op)
{
	return op == OP_AND ? "AND" : op == OP_OR ? "OR" : "XOR";
}

void fermi_predicate_logic(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_pred(sel_dst(s, 0)), a = sel_predicate(s, 0), b = mo_pred(V_TRUE);
	const char *name = "PSETP.AND.AND";
	if (in->op == OP_NOT)
		a.neg = !a.neg;
	else if (in->op != OP_MOV) {
		b = sel_predicate(s, 1);
		name = sel_text(s, "PSETP.%s.AND", logic_name(in->op));
	}
	OP(s, name, 2, d, mo_pred(V_TRUE), a, b, mo_pred(V_TRUE));
}

/* A logic operation on one word. Immediates of 32 bits have a form of their own. */
static void logic_word(struct sel *s, const char *op, struct mo d, struct mo a, unsigned i,
		       unsigned w, bool fresh)
{
	int64_t v;
	struct mi *in;
	if (sel_is_imm(s, i, &v)) {
		uint32_t x = (uint32_t)((uint64_t)v >> 32 * w);
		in = OP(s, sel_text(s, "LOP32I.%s", op), 1, d, a, mo_imm((int64_t)x));
	} else {
		in = OP(s, sel_text(s, "LOP.%s", op), 1, d, a, sel_src(s, i, w));
	}
	in->fresh = fresh;
}

void fermi_logic(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t d = sel_dst(s, 0);
	for (unsigned w = 0; w < n; w++) {
		if (in->op == OP_NOT) {
			struct mo a = sel_reg(s, 0, w);
			a.inv = true;
			OP(s, "LOP.PASS_B", 1, mo_word(d, w), mo_zero(), a)->fresh = !w;
			continue;
		}
		struct mo a = sel_reg(s, 0, w);
		logic_word(s, logic_name(in->op), mo_word(d, w), a, 1, w, !w);
	}
}

struct mo sel_logic2(struct sel *s, unsigned table, struct mo b, struct mo c)
{
	uint32_t t = sel_temp(s, 1);
	struct mo nb = b, nc = c;
	nb.inv = nc.inv = true;
	switch (table & 15) {
	case 0x0: return mo_zero();
	case 0xf: OP(s, "MOV32I", 1, mo_reg(t), mo_imm(0xffffffff)); break;
	case 0xc: OP(s, "MOV", 1, mo_reg(t), b); break;
	case 0xa: OP(s, "MOV", 1, mo_reg(t), c); break;
	case 0x3: OP(s, "LOP.PASS_B", 1, mo_reg(t), mo_zero(), nb); break;
	case 0x5: OP(s, "LOP.PASS_B", 1, mo_reg(t), mo_zero(), nc); break;
	case 0x8: OP(s, "LOP.AND", 1, mo_reg(t), b, c); break;
	case 0x4: OP(s, "LOP.AND", 1, mo_reg(t), b, nc); break;
	case 0x2: OP(s, "LOP.AND", 1, mo_reg(t), nb, c); break;
	case 0x1: OP(s, "LOP.AND", 1, mo_reg(t), nb, nc); break;
	case 0xe: OP(s, "LOP.OR", 1, mo_reg(t), b, c); break;
	case 0xd: OP(s, "LOP.OR", 1, mo_reg(t), b, nc); break;
	case 0xb: OP(s, "LOP.OR", 1, mo_reg(t), nb, c); break;
	case 0x7: OP(s, "LOP.OR", 1, mo_reg(t), nb, nc); break;
	case 0x6: OP(s, "LOP.XOR", 1, mo_reg(t), b, c); break;
	default: OP(s, "LOP.XOR", 1, mo_reg(t), b, nc); break;
	}
	return mo_reg(t);
}

void fermi_selp(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t d = sel_dst(s, 0);
	struct mo p = sel_predicate(s, 2);
	for (unsigned w = 0; w < n; w++) {
		struct mo a = sel_reg(s, 0, w);
		OP(s, "SEL", 1, mo_word(d, w), a, sel_src(s, 1, w), p)->fresh = !w;
	}
}

/* A number as an operand of FCMP, which copies it: as an immediate it is the upper 20 bits of a
 * single, whatever its type in PTX. */
static struct mo number_of_fcmp(struct sel *s, unsigned i, unsigned word)
{
	int64_t v;
	if (!sel_is_imm(s, i, &v))
		return sel_src(s, i, word);
	return sel_float_word(s, (uint32_t)((uint64_t)v >> 32 * word));
}

void fermi_slct(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	bool by_float = in->stype == T_F32;
	uint32_t t = sel_temp(s, n);
	for (unsigned w = 0; w < n; w++) {
		struct mo a = sel_reg(s, 0, w),
			  b = by_float ? number_of_fcmp(s, 1, w) : sel_src(s, 1, w);
		OP(s,
		   !by_float          ? "ICMP.GE"
		   : in->mods & M_FTZ ? "FCMP.GE.FTZ"
				      : "FCMP.GE",
		   1, mo_word(t, w), a, b, sel_reg(s, 2, 0))
			->fresh = !w;
	}
	sel_move(s, sel_dst(s, 0), t);
}

/* Packs parts of equal size, lowest first, into one value: parts of 8, 16 or 32 bits. */
void fermi_pack(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned part = type_bits(in->type) / in->ns, words = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t t = sel_temp(s, words);
	if (part == 32) {
		for (unsigned w = 0; w < 2; w++)
			sel_mov(s, mo_word(t, w), sel_src(s, w, 0)),
				s->m.code.v[s->m.code.n - 1].fresh = !w;
	} else if (part == 16) {
		for (unsigned w = 0; w < words; w++) {
			struct mo lo = sel_reg(s, 2 * w, 0), hi = sel_reg(s, 2 * w + 1, 0);
			OP(s, "PRMT", 1, mo_word(t, w), lo, mo_imm(0x5410), hi)->fresh = !w;
		}
	} else if (part == 8 && in->ns == 4) {
		uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1);
		struct mo b[4];
		for (unsigned i = 0; i < 4; i++)
			b[i] = sel_reg(s, i, 0);
		OP(s, "PRMT", 1, mo_reg(x), b[0], mo_imm(0x40), b[1]);
		OP(s, "PRMT", 1, mo_reg(y), b[2], mo_imm(0x40), b[3]);
		OP(s, "PRMT", 1, mo_reg(t), mo_reg(x), mo_imm(0x5410), mo_reg(y));
	} else {
		sel_refuse(s, "parts of this size");
		return;
	}
	sel_move(s, sel_dst(s, 0), t);
}

void fermi_unpack(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned bits = type_bits(in->type), part = bits / in->nd;
	if (part != 8 && part != 16 && part != 32) {
		sel_refuse(s, "parts of this size");
		return;
	}
	uint32_t t[8];
	for (unsigned i = 0; i < in->nd; i++) {
		unsigned at = i * part % 32, w = i * part / 32;
		t[i] = sel_temp(s, 1);
		if (inst_dst(in, i)->kind == OPND_SINK)
			continue;
		struct mo a = sel_reg(s, 0, w);
		if (at)
			OP(s, "SHR.U32", 1, mo_reg(t[i]), a, mo_imm(at));
		else
			OP(s, "MOV", 1, mo_reg(t[i]), a);
	}
	for (unsigned i = 0; i < in->nd; i++)
		if (inst_dst(in, i)->kind != OPND_SINK)
			OP(s, "MOV", 1, mo_reg(sel_dst(s, i)), mo_reg(t[i]));
}

void fermi_move(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0);
	const struct opnd *o = inst_src(in, 0);
	if (o->kind == OPND_FUNC) {
		sel_refuse(s, "the address of a function");
		return;
	}
	if (o->kind == OPND_SYM && o->imm) { /* the variable's address plus an offset */
		const struct var *v = o->sym;
		if ((v->def ? v->def : v)->space == SP_GLOBAL) {
			struct opnd *base = ARENA_ARRAY(s->m.a, struct opnd, 2);
			struct inst plain = *in;
			base[0] = in->opnd[0];
			base[1] = *o;
			base[1].imm = 0;
			plain.opnd = base;
			const struct inst *was = s->in;
			s->in = &plain;
			struct mo lo = sel_src(s, 0, 0), hi = sel_src(s, 0, 1);
			s->in = was;
			uint32_t t = sel_temp(s, 2);
			sel_add64(s, t, lo, hi, sel_word(s, (uint32_t)o->imm),
				  sel_word(s, (uint32_t)((uint64_t)o->imm >> 32)), false);
			for (unsigned w = 0; w < s->m.val.v[d].words; w++)
				OP(s, "MOV", 1, mo_word(d, w), mo_word(t, w))->fresh = !w;
			return;
		}
	}
	for (unsigned w = 0; w < s->m.val.v[d].words; w++) {
		int64_t v;
		if (sel_is_imm(s, 0, &v)) {
			uint32_t x = (uint32_t)((uint64_t)v >> 32 * w);
			if ((int32_t)x >= -0x80000 && (int32_t)x < 0x80000)
				OP(s, "MOV", 1, mo_word(d, w), x ? mo_imm((int32_t)x) : mo_zero())
					->fresh = !w;
			else
				OP(s, "MOV32I", 1, mo_word(d, w), mo_imm((int64_t)x))->fresh = !w;
		} else {
			OP(s, "MOV", 1, mo_word(d, w), sel_src(s, 0, w))->fresh = !w;
		}
	}
}
