/* Lifts control instructions and condition codes of Tesla and Fermi. */
#include "lift/tesla/tesla.h"

/* ---- control ---- */

/* The number of the instruction at an address of the kernel's program; the end of the kernel's own
 * code is also a valid target. */
static bool target_of(struct ngen *g, uint32_t addr, uint32_t *inst)
{
	const struct nkernel *p;
	uint32_t first = 0;
	for (size_t i = 0; (p = native_part(g->m, g->k, i)); first += (uint32_t)p->ninst, i++) {
		if (addr < p->base || addr - p->base > p->size)
			continue;
		size_t lo = 0, hi = p->ninst;
		while (lo < hi) {
			size_t mid = (lo + hi) / 2;
			if (p->inst[mid].pc < addr - p->base)
				lo = mid + 1;
			else
				hi = mid;
		}
		bool end = lo == p->ninst && !i;
		if (!end && (lo == p->ninst || p->inst[lo].pc != addr - p->base))
			continue;
		*inst = end ? GEN_END : first + (uint32_t)lo;
		return true;
	}
	gen_refuse(g, "its target is not an instruction");
	return false;
}

static const struct nop *target_opnd(const struct ninst *in)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == NO_TARGET)
			return &in->o[i];
	return NULL;
}

/* ---- condition codes ---- */

/* Flags Z S C O are bits 0 to 3 of a value; a test is the set of values for which the test is
 * true. */
static bool cc_holds(unsigned isa, unsigned test, unsigned v)
{
	bool z = v & 1, s = v & 2, c = v & 4, o = v & 8;
	switch (test) {
	case 0: return false;
	case 1: return (s && !z) != o;
	case 2: return z && !s;
	case 3: return s != (z || o);
	case 4: return !z && s == o;
	case 5: return !z;
	case 6: return s == o;
	case 7: return !z || !s;
	case 8: return z && s;
	case 9: return s != o;
	case 10: return z;
	case 11: return z || s != o;
	case 12: return !s != (z || o);
	case 13: return !z || s;
	case 14: return (!s || z) != o;
	case 15: return true;
	}
	if (isa == NATIVE_FERMI)
		switch (test) {
		case 16: return !o;
		case 17: return !c;
		case 18: return !s;
		case 19: return z || !c;
		case 20: return !z && c;
		case 21: return s;
		case 22: return c;
		default: return o;
		}
	switch (test) {
	case 0x10: return o;
	case 0x11: return c;
	case 0x12: return !z && c;
	case 0x13: return s;
	case 0x1c: return !s;
	case 0x1d: return z || !c;
	case 0x1e: return !c;
	default: return !o;
	}
}

unsigned gen_cc_table(struct ngen *g, unsigned test)
{
	unsigned table = 0;
	for (unsigned v = 0; v < 16; v++)
		table |= (unsigned)cc_holds(g->m->isa, test, v) << v;
	return table;
}

struct opnd gen_cc_bit(struct ngen *g, struct opnd flags, unsigned test)
{
	unsigned table = gen_cc_table(g, test);
	struct opnd t = gen_t(g);
	if (g->m->isa == NATIVE_FERMI && test > 23)
		gen_refuse(g, "a clip-state test");
	gen(g, OP_SHR, T_U32, t, imm(table), flags);
	gen(g, OP_AND, T_B32, t, t, imm(1));
	return t;
}

struct opnd gen_cc(struct ngen *g)
{
	struct opnd t = gen_t(g);
	gen(g, OP_MOV, T_U32, t, sreg(SREG_NATIVE_CC, 0));
	return t;
}

/* ---- control ---- */

/* Makes the CC test of a control instruction part of its guard. */
static void control_test(struct ngen *g)
{
	const struct ninst *in = g->in;
	for (unsigned i = 0; i < in->nop; i++) {
		if (in->o[i].kind != NO_CC || !in->o[i].sel || in->o[i].reg == 15)
			continue;
		g->guard = (struct guard){0};
		gen_setp(g, CMP_NE, T_U32, val_pg(), gen_cc_bit(g, gen_cc(g), in->o[i].reg),
			 imm(0));
		if (in->guard != 7 && in->guard_neg) {
			struct opnd q = gen_q(g);
			gen(g, OP_NOT, T_PRED, q, val_p(in->guard));
			gen(g, OP_AND, T_PRED, val_pg(), val_pg(), q);
		} else if (in->guard != 7) {
			gen(g, OP_AND, T_PRED, val_pg(), val_pg(), val_p(in->guard));
		}
		g->guard = (struct guard){.pred = val_pg()};
	}
}

static void gen_indirect(struct ngen *g)
{
	const struct ninst *in = g->in;
	int64_t base = in->op == NI_BRX ? (int64_t)in->pc + in->size + g->code->base : 0;
	for (unsigned i = 0; i < in->nop; i++) {
		const struct nop *o = &in->o[i];
		if (o->kind == NO_GPR) {
			int64_t off = i + 1u < in->nop && in->o[i + 1].kind == NO_IMM
					      ? (int64_t)in->o[i + 1].imm
					      : 0;
			gen_ctl_reg(g, NCTL_BRX, gen_reg(g, o->reg), base + off);
			return;
		}
		if (o->kind == NO_CONST) { /* a table of addresses */
			gen_ctl_reg(g, NCTL_BRX,
				    in->isa == NATIVE_TESLA ? tesla_raw(g, i, false)
							    : gen_raw(g, i),
				    in->isa == NATIVE_TESLA ? 0 : base);
			return;
		}
	}
	gen_refuse(g, "no target");
}

/* Reads a target from constant memory, which no program writes. Tables of targets belong to BRX. */
static bool constant_word(struct ngen *g, const struct nop *o, uint32_t *v)
{
	const uint8_t *p = o->bank ? gen_bank_bytes(g, o->bank, (uint32_t)o->off, 4)
				   : NULL; /* 0: the launch's */
	if (!p)
		gen_refuse(g, "its target is not in the file");
	else
		*v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return p != NULL;
}

bool gen_control(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *t = target_opnd(in);
	bool tesla = in->isa == NATIVE_TESLA;
	uint32_t to = 0;
	static const struct {
		uint16_t op;
		uint8_t kind;
		bool target, unguarded;
	} rows[] = {
		{NI_SSY, NCTL_SSY, true, true},           {NI_PBK, NCTL_PBK, true, true},
		{NI_PCNT, NCTL_PCNT, true, true},         {NI_PRET, NCTL_PRET, true, true},
		{NI_PLONGJMP, NCTL_PLONGJMP, true, true}, {NI_CAL, NCTL_CAL, true, true},
		{NI_JCAL, NCTL_CAL, true, true},          {NI_BRA, NCTL_BRA, true, false},
		{NI_JMP, NCTL_BRA, true, false},          {NI_BRK, NCTL_BRK, false, false},
		{NI_CONT, NCTL_CONT, false, false},       {NI_LONGJMP, NCTL_LONGJMP, false, false},
		{NI_RET, NCTL_RET, false, false},         {NI_EXIT, NCTL_EXIT, false, false},
		{NI_KIL, NCTL_EXIT, false, false}, /* a thread that kills its fragment ends */
	};
	if (in->op == NI_BRX || in->op == NI_JMX) {
		control_test(g);
		gen_indirect(g);
		return true;
	}
	if (in->op == NI_SAM || in->op == NI_RAM) { /* helper threads of quads, which compute code
	                                             * does not have */
		g->guard = (struct guard){0};
		gen_plain(g, OP_PMEVENT);
		return true;
	}
	if (in->op == NI_BPT || in->op == NI_RTT) { /* there is no trap handler to return from */
		bool trap = tesla || in->op == NI_RTT || in->mod[NM_MODE] == 3;
		g->guard = (struct guard){0};
		gen_plain(g, trap ? OP_TRAP : OP_PMEVENT);
		return true;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].op != in->op)
			continue;
		bool absolute = in->op == NI_JMP || in->op == NI_JCAL;
		if (rows[i].unguarded)
			g->guard = (struct guard){0};
		if (g->reloc && in->op == NI_JCAL) {
			if (!gen_builtin(g, g->reloc->symbol))
				gen_refuse(g, "there is no function %s", g->reloc->symbol);
			return true;
		}
		uint32_t base = absolute ? 0 : g->code->base, at = t ? (uint32_t)t->imm : 0;
		if (rows[i].target && !t) {
			base += absolute ? 0 : in->pc + in->size;
			if (!constant_word(g, &in->o[in->nop - 1], &at))
				return true;
		}
		if (rows[i].target && !target_of(g, at + base, &to))
			return true;
		if (!rows[i].unguarded && !tesla)
			control_test(g);
		unsigned kind =
			rows[i].kind == NCTL_BRA && in->mod[NM_U] ? NCTL_BRA_U : rows[i].kind;
		gen_ctl(g, kind == NCTL_RET && tesla ? NCTL_TRET : kind, to, 0);
		return true;
	}
	return false;
}
