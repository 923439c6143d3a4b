/* Loads, stores and atomics on sm_20. An address of global or generic memory is a pair (.E) if
 * addresses have 64 bits; an address of shared or local memory is a word; an address of a constant
 * or a parameter is an offset in bank 2 or 0. */
#include "back/select/operations.h"

enum { PARAM_BASE = 0x20, CONST_BANK = 2 };

static const char *size_name(unsigned type)
{
	switch (type_bits(type)) {
	case 8: return type_is_signed(type) ? ".S8" : ".U8";
	case 16: return type_is_signed(type) ? ".S16" : ".U16";
	case 64: return ".64";
	case 128: return ".128";
	default: return "";
	}
}

/* The space that the code accesses: a function's parameters are local memory. */
unsigned sel_space(const struct inst *in)
{
	const struct opnd *o = &in->opnd[in->nd];
	const struct var *v = o->kind == OPND_MEM ? o->sym : NULL;
	if (v && in->space == SP_NONE)
		return v->space;
	return in->space == SP_FRAME ? SP_LOCAL : in->space;
}

bool sel_any_space(const struct inst *in)
{
	unsigned space = sel_space(in);
	return space == SP_GENERIC || (space == SP_NONE && !inst_src(in, 0)->sym);
}

static struct mo at_address(uint32_t v, bool wide, int64_t off)
{
	return (struct mo){.kind = MO_MEM, .v = v, .wide = wide, .imm = off};
}

/* The operand [base + off] of source 0, plus `more` bytes. */
static struct mo address_operand(struct sel *s, unsigned space, int64_t more)
{
	const struct opnd *o = inst_src(s->in, 0);
	const struct var *v = o->sym;
	int64_t off = o->imm + more;
	bool far = space == SP_GLOBAL || space == SP_GENERIC || space == SP_NONE,
	     wide = far && !s->lay->address32;
	if (v)
		v = v->def ? v->def : v;
	if (far && v && v->space == SP_GLOBAL && !wide) {
		uint32_t t = sel_temp(s, 1);
		OP(s, "MOV32I", 1, mo_reg(t), mo_text(sel_text(s, "32@lo(%s)", v->name)));
		return at_address(t, false, off);
	}
	if (far && v && v->space == SP_GLOBAL) {
		uint32_t t = sel_temp(s, 2);
		const char *name = v->name;
		OP(s, "MOV32I", 1, mo_word(t, 0), mo_text(sel_text(s, "32@lo(%s)", name)))->fresh =
			true;
		OP(s, "MOV32I", 1, mo_word(t, 1), mo_text(sel_text(s, "32@hi(%s)", name)));
		return at_address(t, true, off);
	}
	if (v) {
		switch (v->space) {
		case SP_SHARED: off += layout_shared(s->lay, s->f, v); break;
		case SP_CONST: off += layout_const(s->lay, v); break;
		case SP_PARAM:
		case SP_LOCAL:
		case SP_FRAME: off += (int64_t)v->addr; break;
		default: sel_refuse(s, "this address"); break;
		}
	}
	if (o->reg == NO_REG || v)
		return at_address(V_NONE, false, off);
	uint32_t base = s->value[o->reg];
	bool pair = s->m.val.v[base].words == 2;
	if (far && !wide) {
		if (off == (int32_t)off)
			return at_address(base, false, off);
		uint32_t t = sel_temp(s, 1);
		OP(s, "IADD", 1, mo_reg(t), mo_word(base, 0), sel_word(s, (uint32_t)off));
		return at_address(t, false, 0);
	}
	if (far && !pair) { /* 32-bit addresses: the upper word is 0 */
		uint32_t t = sel_temp(s, 2);
		OP(s, "MOV", 1, mo_word(t, 0), mo_reg(base))->fresh = true;
		OP(s, "MOV", 1, mo_word(t, 1), mo_zero());
		return at_address(t, true, off);
	}
	if (far ? off != (int32_t)off : off < -0x800000 || off > 0x7fffff) {
		uint32_t t = sel_temp(s, 2);
		struct mo hi = pair ? mo_word(base, 1) : mo_zero();
		sel_add64(s, t, mo_word(base, 0), hi, sel_word(s, (uint32_t)off),
			  sel_word(s, (uint32_t)((uint64_t)off >> 32)), false);
		return at_address(t, far, 0);
	}
	return at_address(base, far, off);
}

static struct mo constant_address(struct mo m, unsigned bank, int64_t base)
{
	return (struct mo){.kind = MO_CONST, .bank = (uint8_t)bank, .v = m.v, .imm = m.imm + base};
}

/* The cache operator for accesses to memory that other agents may change: `strong`; otherwise past
 * the L1 cache, or streaming. */
static const char *operator_name(const struct inst *in, const char *strong)
{
	if (in->mods & M_VOLATILE || in->cop == COP_CV || in->sem > SEM_WEAK)
		return strong;
	return in->cop == COP_CG ? ".CG" : in->cop == COP_CS ? ".CS" : "";
}

/* Loads one value of `type`. */
static void load_one(struct sel *s, unsigned space, unsigned type, uint32_t to, int64_t at)
{
	const char *sz = size_name(type);
	struct mo m = address_operand(s, space, at), d = mo_wide(to);
	switch (space) {
	case SP_SHARED: OP(s, sel_text(s, "LDS%s", sz), 1, d, m); break;
	case SP_LOCAL: OP(s, sel_text(s, "LDL%s", sz), 1, d, m); break;
	case SP_CONST:
		OP(s, sel_text(s, "LDC%s", sz), 1, d, constant_address(m, CONST_BANK, 0));
		break;
	case SP_PARAM:
		OP(s, sel_text(s, "LDC%s", sz), 1, d, constant_address(m, 0, PARAM_BASE));
		break;
	default:
		OP(s, sel_text(s, "LD%s%s%s", m.wide ? ".E" : "", operator_name(s->in, ".CV"), sz),
		   1, d, m);
		break;
	}
	s->m.code.v[s->m.code.n - 1].keep = inst_may_poll(s->in);
}

/* Words of a constant bank at a known place are operands: no load is needed. True: done. */
static bool load_words(struct sel *s, unsigned space)
{
	const struct inst *in = s->in;
	unsigned bytes = type_bytes(in->type);
	if ((space != SP_PARAM && space != SP_CONST) || bytes < 4 || bytes > 8)
		return false;
	struct mo m = address_operand(s, space, 0);
	int64_t at = m.imm + (space == SP_PARAM ? PARAM_BASE : 0);
	if (m.v != V_NONE || at < 0 || at > 0xfff0)
		return false;
	for (unsigned i = 0; i < in->nd; i++) {
		if (inst_dst(in, i)->kind == OPND_SINK)
			continue;
		uint32_t d = sel_dst(s, i);
		if (s->m.val.v[d].words != bytes / 4)
			return false;
	}
	for (unsigned i = 0; i < in->nd; i++)
		for (unsigned w = 0; w < bytes / 4 && inst_dst(in, i)->kind != OPND_SINK; w++)
			OP(s, "MOV", 1, mo_word(sel_dst(s, i), w),
			   mo_const(space == SP_PARAM ? 0 : CONST_BANK,
				    (uint32_t)at + i * bytes + 4 * w))
				->fresh = !w;
	return true;
}

void fermi_load(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned space = sel_space(in), bytes = type_bytes(in->type), n = in->nd, words = bytes / 4;
	bool one = n > 1 && bytes >= 4 && n * bytes <= 16 && (n & (n - 1)) == 0;
	if (bytes > 8) {
		sel_refuse(s, "");
		return;
	}
	if (load_words(s, space))
		return;
	if (one) { /* a vector takes one access */
		uint32_t t = sel_temp(s, n * words);
		load_one(s, space, n * bytes == 16 ? T_B128 : T_B64, t, 0);
		for (unsigned i = 0; i < n; i++) {
			if (inst_dst(in, i)->kind == OPND_SINK)
				continue;
			uint32_t d = sel_dst(s, i);
			for (unsigned w = 0; w < s->m.val.v[d].words; w++)
				if (w >= words && type_is_signed(in->type))
					OP(s, "SHR", 1, mo_word(d, w), mo_word(t, i * words),
					   mo_imm(31));
				else
					OP(s, "MOV", 1, mo_word(d, w),
					   w < words ? mo_word(t, i * words + w) : mo_zero())
						->fresh = !w;
		}
		return;
	}
	uint32_t t[8];
	for (unsigned i = 0; i < n && i < 8; i++) {
		t[i] = sel_temp(s, bytes == 8 ? 2 : 1);
		load_one(s, space, in->type, t[i], (int64_t)i * bytes);
	}
	for (unsigned i = 0; i < n && i < 8; i++)
		sel_put_loaded(s, i, t[i], in->type);
}

static void store_one(struct sel *s, unsigned space, unsigned type, struct mo v, int64_t at)
{
	const char *sz = size_name(type_bits(type) >= 32   ? type
				   : type_bits(type) == 16 ? (unsigned)T_U16
							   : (unsigned)T_U8);
	struct mo m = address_operand(s, space, at);
	switch (space) {
	case SP_SHARED: OP(s, sel_text(s, "STS%s", sz), 0, m, v); break;
	case SP_LOCAL: OP(s, sel_text(s, "STL%s", sz), 0, m, v); break;
	case SP_CONST:
	case SP_PARAM: sel_refuse(s, "stores there"); break;
	default:
		OP(s, sel_text(s, "ST%s%s%s", m.wide ? ".E" : "", operator_name(s->in, ".WT"), sz),
		   0, m, v);
		break;
	}
}

void fermi_store(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned space = sel_space(in), bytes = type_bytes(in->type), n = in->ns - 1u,
		 words = bytes / 4;
	if (bytes > 8) {
		sel_refuse(s, "");
		return;
	}
	if (n > 1 && bytes >= 4 && n * bytes <= 16 && (n & (n - 1)) == 0) {
		uint32_t t = sel_temp(s, n * words);
		for (unsigned i = 0; i < n; i++)
			for (unsigned w = 0; w < words; w++) {
				sel_mov(s, mo_word(t, i * words + w), sel_src(s, 1 + i, w));
				s->m.code.v[s->m.code.n - 1].fresh = !i && !w;
			}
		store_one(s, space, n * bytes == 16 ? T_B128 : T_B64, mo_wide(t), 0);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		store_one(s, space, in->type,
			  bytes == 8 ? sel_double(s, 1 + i) : sel_reg(s, 1 + i, 0),
			  (int64_t)i * bytes);
}

/* ---- atomics ---- */

static const char *atom_name(unsigned mode)
{
	static const char *const n[] = {
		[ATOM_AND] = "AND",   [ATOM_OR] = "OR",   [ATOM_XOR] = "XOR", [ATOM_CAS] = "CAS",
		[ATOM_EXCH] = "EXCH", [ATOM_ADD] = "ADD", [ATOM_INC] = "INC", [ATOM_DEC] = "DEC",
		[ATOM_MIN] = "MIN",   [ATOM_MAX] = "MAX"};
	return n[mode];
}

/* Computes the new value n of a shared word from its old value o and operand x; false: unknown
 * operation. */
static bool combine_word(struct sel *s, uint32_t n, struct mo o, struct mo x, struct mo y)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type);
	struct mo d = mo_reg(n), pt = mo_pred(V_TRUE);
	uint32_t p = sel_temp(s, 0), t = sel_temp(s, 1);
	switch (in->mode) {
	case ATOM_ADD: OP(s, in->type == T_F32 ? "FADD" : "IADD", 1, d, o, x); return true;
	case ATOM_AND: OP(s, "LOP.AND", 1, d, o, x); return true;
	case ATOM_OR: OP(s, "LOP.OR", 1, d, o, x); return true;
	case ATOM_XOR: OP(s, "LOP.XOR", 1, d, o, x); return true;
	case ATOM_MIN: OP(s, sg ? "IMNMX" : "IMNMX.U32", 1, d, o, x, pt); return true;
	case ATOM_MAX: OP(s, sg ? "IMNMX" : "IMNMX.U32", 1, d, o, x, mo_not(V_TRUE)); return true;
	case ATOM_CAS:
		OP(s, "ISETP.EQ.AND", 2, mo_pred(p), pt, o, x, pt);
		OP(s, "SEL", 1, d, y, o, mo_pred(p));
		return true;
	case ATOM_INC: /* o >= x ? 0 : o + 1 */
		OP(s, "ISETP.GE.U32.AND", 2, mo_pred(p), pt, o, x, pt);
		OP(s, "IADD", 1, mo_reg(t), o, mo_imm(1));
		OP(s, "SEL", 1, d, mo_zero(), mo_reg(t), mo_pred(p));
		return true;
	case ATOM_DEC: { /* o == 0 || o > x ? x : o - 1 */
		uint32_t q = sel_temp(s, 0);
		OP(s, "ISETP.GT.U32.AND", 2, mo_pred(q), pt, o, x, pt);
		OP(s, "ISETP.EQ.OR", 2, mo_pred(p), pt, o, mo_zero(), mo_pred(q));
		OP(s, "IADD", 1, mo_reg(t), o, mo_imm(-1));
		OP(s, "SEL", 1, d, x, mo_reg(t), mo_pred(p));
		return true;
	}
	default: return false;
	}
}

/* The new value of an exchange of 64 bits: y where o equals x. lib_atom.c builds the other
 * operations from it. */
static void exchange_64(struct sel *s, uint32_t n, uint32_t o, const struct mo x[2],
			const struct mo y[2])
{
	uint32_t p = sel_temp(s, 0), q = sel_temp(s, 0);
	struct mo pt = mo_pred(V_TRUE);
	OP(s, "ISETP.EQ.AND", 2, mo_pred(q), pt, mo_word(o, 0), x[0], pt);
	OP(s, "ISETP.EQ.AND", 2, mo_pred(p), pt, mo_word(o, 1), x[1], mo_pred(q));
	for (unsigned w = 0; w < 2; w++)
		OP(s, "SEL", 1, mo_word(n, w), sel_force(s, y[w]), mo_word(o, w), mo_pred(p))
			->fresh = !w;
}

bool sel_has_shared(const struct inst *in)
{
	unsigned bits = type_bits(in->type);
	if (in->vec > 1 || bits > 64 || (type_is_float(in->type) && in->type != T_F32))
		return false;
	return in->mode == ATOM_EXCH || bits == 32 || (bits == 64 && in->mode == ATOM_CAS);
}

/* Shared memory has locks instead of atomics: the thread that gets the lock operates, the other
 * threads try again. */
static void shared_atomic(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->type) == 64;
	unsigned n = wide ? 2 : 1;
	if (!sel_has_shared(in)) {
		sel_refuse(s, "in shared memory");
		return;
	}
	struct mo x[2], y[2] = {mo_zero(), mo_zero()};
	for (unsigned w = 0; w < n; w++) {
		x[w] = sel_reg(s, 1, w);
		if (in->mode == ATOM_CAS)
			y[w] = sel_reg(s, 2, w);
	}
	const char *sz = size_name(in->type);
	uint32_t again = sel_label(s), done = sel_label(s), got = sel_temp(s, 0),
		 old = sel_temp(s, n), new = sel_temp(s, n);
	struct mo m = address_operand(s, SP_SHARED, 0);
	if (in->guard != NO_REG) { /* threads that the guard excludes wait */
		struct mi *b =
			mi_add(&s->m, "SSY", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = done});
		b->line = in->line;
		b = OP(s, "NOP", 0, mo_text("CC.T"));
		b->pop = true;
		b->guard_neg = !b->guard_neg;
		b->label = done + 1;
		b->ends = true;
	} else {
		mi_add(&s->m, "SSY", 0, 1, &(struct mo){.kind = MO_LABEL, .imm = done});
	}
	const struct inst *was = s->in;
	struct inst bare = *in;
	bare.guard = NO_REG;
	s->in = &bare;
	sel_place(s, again);
	OP(s, sel_text(s, "LDSLK%s", sz), 2, mo_pred(got), mo_wide(old), m)->keep = true;
	bool ok = true;
	struct mo v = in->mode == ATOM_EXCH && !wide ? x[0] : mo_wide(new);
	if (in->mode == ATOM_EXCH)
		for (unsigned w = 0; w < n && wide; w++)
			OP(s, "MOV", 1, mo_word(new, w), x[w])->fresh = !w;
	else if (wide)
		exchange_64(s, new, old, x, y);
	else
		ok = combine_word(s, new, mo_reg(old), x[0], y[0]);
	struct mi *st = OP(s, sel_text(s, "STSUL%s", sz), 0, m, v);
	st->guard = got;
	struct mi *b = OP(s, "BRA", 0, (struct mo){.kind = MO_LABEL, .imm = again});
	b->guard = got;
	b->guard_neg = true;
	b->label = again + 1;
	b->ends = true;
	b = OP(s, "NOP", 0, mo_text("CC.T"));
	b->pop = b->ends = true;
	b->label = done + 1;
	sel_place(s, done);
	s->in = was;
	/* after the loop: the word that a thread loaded last was loaded under the lock */
	for (unsigned w = 0; w < n && was->nd && inst_dst(was, 0)->kind != OPND_SINK; w++)
		OP(s, "MOV", 1, mo_word(sel_dst(s, 0), w), mo_word(old, w));
	if (!ok)
		sel_refuse(s, "in shared memory");
}

static void global_atomic(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->type) == 64, red = in->op == OP_RED, cas = in->mode == ATOM_CAS;
	bool moves = in->mode == ATOM_ADD || in->mode == ATOM_EXCH || cas;
	bool flt = in->type == T_F32;
	if (in->vec > 1 || type_bits(in->type) < 32 || in->type == T_F64 || (wide && !moves) ||
	    (flt && in->mode != ATOM_ADD && in->mode != ATOM_EXCH) ||
	    (type_is_float(in->type) && !flt)) {
		sel_refuse(s, "");
		return;
	}
	bool bits = in->mode <= ATOM_EXCH;
	const char *type =
		wide           ? ".U64"
		: flt && !bits ? ".F32.FTZ.RN"
		: type_is_signed(in->type) && (in->mode == ATOM_MIN || in->mode == ATOM_MAX)
			? ".S32"
			: "";
	struct mo m = address_operand(s, SP_GLOBAL, 0), x, y;
	if (m.imm < -0x80000 || m.imm >= 0x80000) {
		uint32_t t = sel_temp(s, 2);
		struct mo hi = m.wide ? mo_word(m.v, 1) : mo_zero();
		sel_add64(s, t, mo_word(m.v, 0), hi, sel_word(s, (uint32_t)m.imm),
			  m.imm < 0 ? mo_imm(-1) : mo_zero(), false);
		m = at_address(t, m.wide, 0);
	}
	const char *e = m.wide ? ".E" : "";
	x = wide ? sel_double(s, 1) : sel_reg(s, 1, 0);
	if (cas) { /* the comparison value and the new value are in consecutive registers */
		y = wide ? sel_double(s, 2) : sel_reg(s, 2, 0);
	}
	uint32_t t = sel_temp(s, wide ? 2 : 1);
	if (red && !cas && in->mode != ATOM_EXCH) {
		OP(s, sel_text(s, "RED%s.%s%s", e, atom_name(in->mode), type), 0, m, x);
		return;
	}
	if (cas)
		OP(s, sel_text(s, "ATOM%s.CAS%s", e, type), 1, mo_wide(t), m, x, y)->keep = true;
	else
		OP(s, sel_text(s, "ATOM%s.%s%s", e, atom_name(in->mode), type), 1, mo_wide(t), m, x)
			->keep = true;
	if (in->nd && inst_dst(in, 0)->kind != OPND_SINK)
		sel_move(s, sel_dst(s, 0), t);
}

void fermi_atomic(struct sel *s)
{
	(sel_space(s->in) == SP_SHARED ? shared_atomic : global_atomic)(s);
}

void fermi_fence(struct sel *s)
{
	unsigned scope = s->in->scope;
	OP(s,
	   scope == SCOPE_CTA   ? "MEMBAR.CTA"
	   : scope == SCOPE_SYS ? "MEMBAR.SYS"
				: "MEMBAR.GL",
	   0);
}
