/* Operands in the form that sm_20 takes, and the parts of selection that all machines share: see
 * sel.h. */
#include <stdarg.h>
#include <string.h>
#include "back/select/operations.h"
#include "base/mangled.h"

void sel_refuse(struct sel *s, const char *why)
{
	if (s->bad)
		return;
	s->bad = true;
	struct srcloc at = {.file = s->f->text_name,
			    .text = s->f->text,
			    .end = s->f->text_end,
			    .line = s->in->line,
			    .col = s->in->col};
	diag_at(s->d, DIAG_ERROR, &at, "%s has no '%s'%s%s (kernel %s)", s->m.target->name,
		s->in->text ? s->in->text : "?", *why ? ": " : "", why,
		plain_name(s->f->name).text);
}

struct mi *sel_op(struct sel *s, const char *name, unsigned nd, unsigned n, const struct mo *o)
{
	struct mi *in = mi_add(&s->m, name, nd, n, o);
	in->line = s->in ? s->in->line : 0;
	if (s->in && s->in->guard != NO_REG) {
		in->guard = s->value[s->in->guard];
		in->guard_neg = s->in->guard_neg;
	}
	return in;
}

const char *sel_text(struct sel *s, const char *fmt, ...)
{
	char b[128];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(b, sizeof b, fmt, ap);
	va_end(ap);
	return arena_strdup(s->m.a, b);
}

uint32_t sel_temp(struct sel *s, unsigned words)
{
	uint32_t v = mval_new(&s->m, words);
	s->m.val.v[v].temp = true;
	return v;
}

uint32_t sel_label(struct sel *s) { return s->m.labels++; }

void sel_place(struct sel *s, uint32_t label)
{
	struct mi *in = mi_add(&s->m, NULL, 0, 0, NULL);
	in->label = label;
}

unsigned sel_width(const struct sel *s, uint32_t reg)
{
	unsigned t = s->f->regs.v[reg].type;
	return t == T_PRED ? 0 : type_bits(t) > 64 ? 4 : type_bits(t) > 32 ? 2 : 1;
}

uint32_t sel_dst(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_dst(s->in, i);
	if (i >= s->in->nd) /* the result is absent, and the value is not read */
		return sel_temp(s, 1);
	if (o->kind == OPND_SINK)
		return sel_temp(s, o->type == T_PRED ? 0 : type_bits(s->in->type) > 32 ? 2 : 1);
	return s->value[o->reg];
}

struct mo sel_word(struct sel *s, uint32_t w)
{
	int32_t v = (int32_t)w;
	if (!w)
		return mo_zero();
	if (v >= -0x80000 && v < 0x80000)
		return mo_imm(v);
	uint32_t t = sel_temp(s, 1);
	OP(s, "MOV32I", 1, mo_reg(t), mo_imm((int64_t)w));
	return mo_reg(t);
}

struct mo sel_force(struct sel *s, struct mo o)
{
	if (o.kind == MO_REG || o.kind == MO_ZERO)
		return o;
	uint32_t t = sel_temp(s, 1);
	OP(s, "MOV", 1, mo_reg(t), o);
	return mo_reg(t);
}

bool sel_offset(const struct sel *s, const struct var *v, uint64_t *at)
{
	switch (v->space) {
	case SP_SHARED: *at = layout_shared(s->lay, s->f, v); return true;
	case SP_CONST: *at = layout_const(s->lay, v); return true;
	case SP_LOCAL:
	case SP_FRAME:
	case SP_PARAM: *at = v->addr; return true;
	default: return false;
	}
}

static struct mo symbol_word(struct sel *s, const struct opnd *o, unsigned word)
{
	const struct var *v = o->sym;
	uint64_t at = 0;
	v = v->def ? v->def : v;
	if (v->space == SP_GLOBAL)
		return s->how->global(s, v, o->imm, word);
	if (!sel_offset(s, v, &at))
		sel_refuse(s, "the address of a variable that is not in the kernel's layout");
	at += (uint64_t)o->imm;
	return s->how->number(s, (uint32_t)(at >> 32 * word));
}

struct mo sel_src(struct sel *s, unsigned i, unsigned word)
{
	const struct opnd *o = inst_src(s->in, i);
	switch (o->kind) {
	case OPND_REG:
		if (word && sel_width(s, o->reg) < 2)
			return mo_zero();
		return mo_word(s->value[o->reg], word);
	case OPND_IMM: return s->how->number(s, (uint32_t)((uint64_t)o->imm >> 32 * word));
	case OPND_SYM: return symbol_word(s, o, word);
	default: break;
	}
	sel_refuse(s, "an operand of this kind");
	return mo_zero();
}

struct mo sel_reg(struct sel *s, unsigned i, unsigned word)
{
	return sel_force(s, sel_src(s, i, word));
}

/* a ? f1(b, c) : f0(b, c), bit by bit: f0 ^ (a & (f0 ^ f1)). */
void sel_lop3(struct sel *s)
{
	const struct selector *h = s->how;
	unsigned table = (unsigned)s->in->imm;
	if (s->in->nd != 1) {
		sel_refuse(s, "");
		return;
	}
	struct mo a = h->reg(s, 0, 0), b = h->reg(s, 1, 0), c = h->reg(s, 2, 0);
	struct mo f0 = h->logic(s, table, b, c), f1 = h->logic(s, table >> 4, b, c);
	struct mo t = mo_reg(sel_temp(s, 1));
	h->op(s, "LOP.XOR", 1, 3, (struct mo[]){t, f0, f1});
	h->op(s, "LOP.AND", 1, 3, (struct mo[]){t, t, a});
	h->op(s, "LOP.XOR", 1, 3, (struct mo[]){mo_reg(sel_dst(s, 0)), t, f0});
}

bool sel_is_imm(const struct sel *s, unsigned i, int64_t *v)
{
	const struct opnd *o = inst_src(s->in, i);
	*v = o->imm;
	return o->kind == OPND_IMM;
}

struct mo sel_ext(struct sel *s, unsigned i, unsigned type)
{
	struct mo o = sel_src(s, i, 0);
	if (type_bits(type) >= 32)
		return o;
	if (o.kind == MO_ZERO)
		return o;
	const char *name = type_bits(type) == 16
				   ? (type_is_signed(type) ? "I2I.S32.S16" : "I2I.U32.U16")
				   : (type_is_signed(type) ? "I2I.S32.S8" : "I2I.U32.U8");
	uint32_t t = sel_temp(s, 1);
	OP(s, name, 1, mo_reg(t), sel_force(s, o));
	return mo_reg(t);
}

struct mo sel_float(struct sel *s, unsigned i)
{
	int64_t v;
	return sel_is_imm(s, i, &v) ? sel_float_word(s, (uint32_t)v) : sel_src(s, i, 0);
}

struct mo sel_float_word(struct sel *s, uint32_t w)
{
	if (!w)
		return mo_zero();
	if (!(w & 0xfff))
		return mo_imm(w >> 12);
	uint32_t t = sel_temp(s, 1);
	OP(s, "MOV32I", 1, mo_reg(t), mo_imm((int64_t)w));
	return mo_reg(t);
}

struct mo sel_double(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	if (o->kind == OPND_REG)
		return mo_wide(s->value[o->reg]);
	uint64_t w = (uint64_t)o->imm;
	if (!w)
		return mo_zero();
	uint32_t t = sel_temp(s, 2);
	OP(s, "MOV32I", 1, mo_word(t, 0), mo_imm((int64_t)(uint32_t)w))->fresh = true;
	OP(s, "MOV32I", 1, mo_word(t, 1), mo_imm((int64_t)(w >> 32)));
	return mo_wide(t);
}

struct mo sel_predicate(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	if (o->kind == OPND_IMM)
		return o->imm ? mo_pred(V_TRUE) : mo_not(V_TRUE);
	struct mo p = mo_pred(s->value[o->reg]);
	p.neg = o->mod & OPND_NOT;
	return p;
}

void sel_mov(struct sel *s, struct mo dst, struct mo src)
{
	if (src.kind == MO_IMM && (src.imm < -0x80000 || src.imm >= 0x80000))
		OP(s, "MOV32I", 1, dst, src);
	else
		OP(s, "MOV", 1, dst, src);
}

void sel_move(struct sel *s, uint32_t dst, uint32_t src)
{
	unsigned n = s->m.val.v[dst].words;
	for (unsigned w = 0; w < n; w++)
		s->how->op(s, "MOV", 1, 2, (struct mo[]){mo_word(dst, w), mo_word(src, w)})->fresh =
			!w;
}

void sel_extend(struct sel *s, uint32_t d, struct mo w, bool is_signed)
{
	const struct selector *h = s->how;
	struct mo hi = mo_word(d, 1);
	h->op(s, "MOV", 1, 2, (struct mo[]){mo_word(d, 0), w})->fresh = true;
	if (is_signed)
		h->op(s, h->right, 1, 3, (struct mo[]){hi, w, mo_imm(31)});
	else
		h->op(s, "MOV", 1, 2, (struct mo[]){hi, mo_zero()});
}

void sel_put_word(struct sel *s, struct mo w, bool is_signed)
{
	uint32_t d = sel_dst(s, 0), t;
	if (s->m.val.v[d].words == 1) {
		s->how->op(s, "MOV", 1, 2, (struct mo[]){mo_reg(d), w});
		return;
	}
	t = sel_temp(s, 2);
	sel_extend(s, t, w, is_signed);
	sel_move(s, d, t);
}

void sel_put_loaded(struct sel *s, unsigned i, uint32_t from, unsigned type)
{
	if (inst_dst(s->in, i)->kind == OPND_SINK)
		return;
	uint32_t d = sel_dst(s, i);
	if (s->m.val.v[d].words == s->m.val.v[from].words)
		sel_move(s, d, from);
	else
		sel_extend(s, d, mo_reg(from), type_is_signed(type));
}

uint32_t sel_lowest(unsigned type)
{
	unsigned bits = type_bits(type);
	uint32_t top = bits >= 32 ? 1u << 31 : 1u << (bits - 1);
	return type_is_signed(type) ? 0 - top : top;
}

uint32_t sel_truth(unsigned type)
{
	return type == T_F32 ? 0x3f800000 : type == T_F16 ? 0x3c00 : type == T_BF16 ? 0x3f80 : ~0u;
}

const char *sel_int_name(unsigned type)
{
	bool sg = type_is_signed(type);
	switch (type_bits(type)) {
	case 8: return sg ? "S8" : "U8";
	case 16: return sg ? "S16" : "U16";
	case 64: return sg ? "S64" : "U64";
	default: return sg ? "S32" : "U32";
	}
}

const char *sel_float_name(unsigned type)
{
	return type == T_F16 ? "F16" : type == T_F64 ? "F64" : "F32";
}

const char *sel_cmp(struct sel *s, unsigned cmp, bool is_float)
{
	static const char *const name[] = {
		[CMP_EQ] = "EQ",   [CMP_NE] = "NE",   [CMP_LT] = "LT",   [CMP_LE] = "LE",
		[CMP_GT] = "GT",   [CMP_GE] = "GE",   [CMP_LO] = "LT",   [CMP_LS] = "LE",
		[CMP_HI] = "GT",   [CMP_HS] = "GE",   [CMP_EQU] = "EQU", [CMP_NEU] = "NEU",
		[CMP_LTU] = "LTU", [CMP_LEU] = "LEU", [CMP_GTU] = "GTU", [CMP_GEU] = "GEU",
		[CMP_NUM] = "NUM", [CMP_NAN] = "NAN"};
	(void)is_float;
	if (cmp == CMP_NONE || cmp > CMP_NAN) {
		sel_refuse(s, "this comparison");
		return "EQ";
	}
	return name[cmp];
}

static bool is_known_type(unsigned t)
{
	return !type_is_float(t) || t == T_F16 || t == T_F32 || t == T_F64;
}

void sel_convert(struct sel *s, const struct conversions *by)
{
	const struct inst *in = s->in;
	bool df = type_is_float(in->type), sf = type_is_float(in->stype);
	if (!is_known_type(in->type) || !is_known_type(in->stype))
		sel_refuse(s, "");
	else if (df && sf)
		by->float_to_float(s);
	else if (df)
		by->int_to_float(s);
	else if (sf)
		by->float_to_int(s);
	else
		by->int_to_int(s);
}
