/* Decodes a word: finds the first form of its opcode whose fixed bits agree, then reads its
 * modifiers and its operands. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "isa/sm70/address.h"
#include "isa/sm70/table.h"

unsigned sm70_chip(const char *name)
{
	static const uint8_t chips[] = {75, 80, 86, 87, 89, 90, 100, 120};
	if (!strncmp(name, "sm_", 3))
		name += 3;
	char *e;
	unsigned long n = *name >= '0' && *name <= '9' ? strtoul(name, &e, 10) : 0;
	if (!n || (*e && strcmp(e, "a") && strcmp(e, "f")))
		return 0;
	for (unsigned i = 0; i < sizeof chips; i++)
		if (chips[i] == n)
			return (unsigned)n;
	return 0;
}

bool sm70_item_holds(const struct sm70_item *it, const uint16_t *mod, unsigned sm)
{
	for (unsigned i = 0; i < ITEM_CONDS && it->cond[i].kind; i++) {
		const struct sm70_cond *c = &it->cond[i];
		unsigned have = mod[c->slot];
		bool ok = c->kind == CD_SET     ? have != SM70_W_NONE
			  : c->kind == CD_CLEAR ? have == SM70_W_NONE
			  : c->kind == CD_IS    ? have == c->word
			  : c->kind == CD_ISNT  ? have != c->word
			  : c->kind == CD_FROM  ? sm >= c->word
						: sm < c->word;
		if (!ok)
			return false;
	}
	return true;
}

struct sign_bits sm70_sign_bits(const struct sm70_item *it, enum flex fx)
{
	uint8_t neg = it->neg, abs = it->abs, inv = it->inv, n = 0, a = 0;
	if (it->it != IT_OPERAND) {
		if (fx == FX_IMM)
			return (struct sign_bits){0};
		bool high = it->flags & IF_HALVES && fx == FX_GPR64;
		n = high ? 84 : fx == FX_GPR64 ? 75 : 63;
		a = high ? 83 : fx == FX_GPR64 ? 74 : 62;
	} else if (it->f.n && it->f.lo[0] == 24) {
		n = 72;
		a = 73;
	} else if (it->f.n && it->f.lo[0] == 32) {
		n = 63;
		a = 62;
	} else {
		n = 75;
		a = 74;
	}
	return (struct sign_bits){neg == 255 ? n : neg, abs == 255 ? a : abs, inv == 255 ? n : inv};
}

struct sm70_field sm70_part_field(const struct sm70_item *it, enum flex fx)
{
	struct sm70_field f = it->part;
	if (it->flags & IF_HALVES && fx == FX_GPR64)
		f.lo[0] = 81;
	return f;
}

bool sm70_reads_uniform(const struct sm70_form *f, unsigned nibble)
{
	for (unsigned i = 0; i < f->nitem; i++) {
		const struct sm70_item *it = &f->item[i];
		if (it->it == IT_B || it->it == IT_C || it->it == IT_S) {
			if (it->flags & IF_UNIFORM || flex_of(it->it, nibble) == FX_UGPR)
				return true;
		} else if (it->it == IT_OPERAND) {
			if (it->kind == SM70_K_UGPR && it->role != SM70_R_D)
				return true;
			if (it->kind == SM70_K_GDESC)
				return true;
			if (it->kind == SM70_K_CONST && it->f.lo[0] >= 88)
				return true;
			if (it->kind == SM70_K_UPRED && it->role == SM70_R_T)
				return true;
			if (it->kind == SM70_K_MEM && sm70_address_kind(it->sub)->ureg)
				return true;
		}
	}
	return false;
}

static uint8_t canonical_ureg(unsigned sm, uint64_t v)
{
	unsigned top = (1u << ureg_bits(sm)) - 1;
	return (v & top) == top ? SM70_URZ : (uint8_t)(v & top);
}

static uint64_t immediate_value(unsigned type, uint64_t v)
{
	return type == SM70_I_F64 ? v << 32 : v;
}

static void read_sign(const struct sm70_item *it, enum flex fx, u128 w, const uint16_t *mod,
		      struct sm70_operand *o)
{
	struct sign_bits b = sm70_sign_bits(it, fx);
	o->neg = b.neg && (w >> b.neg & 1);
	o->abs = b.abs && (w >> b.abs & 1);
	o->inv = b.inv && (w >> b.inv & 1);
	if (it->flags & IF_XINV && mod[SM70_MOD_X]) {
		o->inv |= o->neg;
		o->neg = false;
	}
}

/* Reuse bits 122 to 124 belong to the operands A, B and C, wherever the form has them. Texture instructions have
 * none: NVIDIA's compiler sets bits there, and its disassembler does not print them. */
static bool read_reuse(const struct sm70_item *it, unsigned lo, u128 w, unsigned op)
{
	if (op == SM70_TEX || op == SM70_TLD || op == SM70_TLD4 || op == SM70_TXD || op == SM70_TXQ)
		return false;
	unsigned bit = it->it == IT_B                     ? 123
		       : it->it == IT_C || it->it == IT_S ? 124
		       : lo == 24                         ? 122
		       : lo == 32                         ? 123
		       : lo == 64                         ? 124
							  : 0;
	return bit && (w >> bit & 1);
}

static void read_flexible(const struct sm70_item *it, unsigned nibble, u128 w, struct sm70_inst *in,
			  struct sm70_operand *o)
{
	enum flex fx = flex_of(it->it, nibble);
	unsigned lo = fx == FX_GPR64 ? 64 : 32;
	switch (fx) {
	case FX_GPR32:
	case FX_GPR64:
		o->kind = it->kind;
		o->reg = (uint8_t)bits128(w, lo, 8);
		if (it->kind == SM70_K_UGPR)
			o->reg = canonical_ureg(in->sm, o->reg);
		else
			o->reuse = read_reuse(it, lo, w, in->op);
		break;
	case FX_UGPR:
		o->kind = SM70_K_UGPR;
		o->reg = canonical_ureg(in->sm, (uint64_t)bits128(w, 32, 8));
		break;
	case FX_CONST:
		o->kind = SM70_K_CONST;
		o->bank = (uint8_t)bits128(w, 54, 5);
		o->off = (int64_t)bits128(w, 40, 14) * 4;
		o->reg = o->ureg = o->desc = SM70_NOREG;
		if (w >> 91 & 1) {
			o->bank = 0;
			o->desc = (uint16_t)bits128(w, 32, 6);
		}
		break;
	default:
		o->kind = SM70_K_IMM;
		o->type = it->type;
		if (it->type == SM70_I_F16X2 && in->mod[SM70_MOD_TYPE] == SM70_W_BF16_V2)
			o->type = SM70_I_BF16X2;
		o->imm = immediate_value(it->type, (uint64_t)bits128(w, 32, 32));
	}
	read_sign(it, fx, w, in->mod, o);
}

static bool is_default(const struct sm70_item *it, const struct sm70_operand *o, uint64_t v)
{
	if (it->has_def && o->kind != SM70_K_UGPR)
		return v == it->def;
	if (o->kind == SM70_K_UGPR)
		return o->reg == SM70_URZ;
	return o->reg == SM70_PT && !o->neg;
}

/* The value of a predicate's field, with the negation bit above it. */
static uint64_t field_value(const struct sm70_item *it, u128 w)
{
	uint64_t v = field_get(&it->f, w);
	if (it->neg && (it->kind == SM70_K_PRED || it->kind == SM70_K_UPRED))
		v |= (uint64_t)(w >> it->neg & 1) << 3;
	return v;
}

/* Constant memory of a load: the offset is in bytes, the index in bits 24-31. */
static void read_constant(const struct sm70_item *it, u128 w, unsigned sm, struct sm70_operand *o)
{
	o->bank = (uint8_t)bits128(w, 54, 5);
	o->off = it->f.lo[0] == 89 ? (int32_t)bits128(w, 37, 17) : (int16_t)bits128(w, 38, 16);
	o->reg = it->f.lo[0] == 24 ? (uint16_t)bits128(w, 24, 8) : SM70_NOREG;
	o->ureg = it->f.lo[0] >= 88 ? canonical_ureg(sm, (uint64_t)bits128(w, 24, 8)) : SM70_NOREG;
	o->desc = SM70_NOREG;
}

static void read_operand(const struct sm70_item *it, u128 w, struct sm70_inst *in,
			 struct sm70_operand *o)
{
	uint64_t v = field_get(&it->f, w);
	unsigned up = 64 - field_width(&it->f);
	o->kind = it->kind;
	o->type = it->type;
	if (it->flags & IF_SIGNED && up < 64)
		v = (uint64_t)((int64_t)(v << up) >> up);
	v <<= it->shift;
	switch (it->kind) {
	case SM70_K_IMM: o->imm = immediate_value(it->type, v); break;
	case SM70_K_TARGET:
	case SM70_K_OFFSET: o->imm = v + (it->flags & IF_REL ? in->pc + 16 : 0); break;
	case SM70_K_SBSET: o->imm = v; break;
	case SM70_K_UGPR:
	case SM70_K_GDESC: o->reg = canonical_ureg(in->sm, v); break;
	case SM70_K_MEM: sm70_address_get(sm70_address_kind(it->sub), in->sm, w, o); break;
	case SM70_K_PR: o->reg = it->flags & IF_UNIFORM; break;
	case SM70_K_CONST: read_constant(it, w, in->sm, o); break;
	default: o->reg = (uint8_t)(it->flags & IF_FLIP ? 7 - v : v);
	}
	if (it->kind == SM70_K_GPR && it->f.n)
		o->reuse = read_reuse(it, it->f.lo[0], w, in->op);
	if (it->kind != SM70_K_MEM && it->kind != SM70_K_CONST && it->kind != SM70_K_PR &&
	    it->kind != SM70_K_IMM)
		read_sign(it, FX_NONE, w, in->mod, o);
}

static bool hides_default(const struct sm70_item *it, unsigned sm)
{
	return it->flags & IF_HIDE || (it->flags & IF_HIDE_OLD && sm < 100);
}

static bool read_item(const struct sm70_item *it, unsigned nibble, u128 w, struct sm70_inst *in)
{
	struct sm70_operand *o = &in->o[in->nop];
	memset(o, 0, sizeof *o);
	if (it->it == IT_OPERAND)
		read_operand(it, w, in, o);
	else
		read_flexible(it, nibble, w, in, o);
	o->role = it->role;
	if (it->part.n && o->kind != SM70_K_IMM) {
		const struct sm70_list *l = &sm70_table()->list[it->list];
		struct sm70_field part = sm70_part_field(it, flex_of(it->it, nibble));
		uint64_t code = field_get(&part, w);
		o->part = code < l->n ? l->word[code] : (uint16_t)W_MISSING;
		if (o->part == W_BAD)
			return false;
		in->invalid |= o->part == W_MISSING;
	}
	bool absent = (o->kind == SM70_K_WORD && !o->part) ||
		      (o->kind == SM70_K_MEM && o->reg == SM70_NOREG && o->ureg == SM70_NOREG &&
		       o->desc == SM70_NOREG);
	o->hidden = absent || !sm70_item_holds(it, in->mod, in->sm) ||
		    (hides_default(it, in->sm) && is_default(it, o, field_value(it, w)));
	in->nop++;
	return true;
}

static bool read_modifier(const struct sm70_item *it, u128 w, struct sm70_inst *in)
{
	if (!sm70_item_holds(it, in->mod, in->sm))
		return true;
	uint64_t code = field_get(&it->f, w);
	const struct sm70_list *l = &sm70_table()->list[it->list];
	unsigned word = code < l->n ? l->word[code] : (unsigned)W_MISSING;
	if (word == W_BAD)
		return false;
	in->invalid |= word == W_MISSING;
	if (word || !in->mod[l->slot])
		in->mod[l->slot] = (uint16_t)word;
	unsigned n;
	if (l->slot == SM70_MOD_SHAPE && sscanf(sm70_word_text(word), "64x%ux", &n) == 1)
		in->mod[SM70_MOD_N] = (uint16_t)n;
	return true;
}

static bool nibble_has_constant(const struct sm70_form *f, unsigned nibble)
{
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it >= IT_B && f->item[i].it <= IT_S &&
		    flex_of(f->item[i].it, nibble) == FX_CONST)
			return true;
	return false;
}

static bool matches_form(const struct sm70_form *f, u128 w, unsigned sm)
{
	if (sm < f->first || sm > f->last)
		return false;
	for (unsigned i = 0; i < f->nitem; i++) {
		uint64_t v = f->item[i].it >= IT_MATCH && f->item[i].it <= IT_AMONG
				     ? field_get(&f->item[i].f, w)
				     : 0;
		if (f->item[i].it == IT_MATCH && v != f->item[i].def)
			return false;
		if (f->item[i].it == IT_AMONG && !(f->item[i].among >> v & 1))
			return false;
		if (f->item[i].it == IT_POW2 && (v < 2 || v & (v - 1) || v == 0x10000))
			return false;
	}
	/* Bit 91: the bank is in a uniform register. Blackwell's operands are not in constant banks. */
	if (nibble_has_constant(f, (unsigned)bits128(w, 9, 3)))
		return sm < 100;
	return f->no91 || (bool)(w >> 91 & 1) == sm70_reads_uniform(f, (unsigned)bits128(w, 9, 3));
}

static bool read_form(const struct sm70_form *f, u128 w, struct sm70_inst *in)
{
	unsigned nibble = (unsigned)bits128(w, 9, 3);
	in->form = f;
	in->op = f->op;
	in->guard_uniform = f->uniform;
	in->invalid = false;
	in->nop = 0;
	memset(in->mod, 0, sizeof in->mod);
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it == IT_MOD && !read_modifier(&f->item[i], w, in))
			return false;
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it >= IT_B && in->nop < SM70_MAX_OPS &&
		    !read_item(&f->item[i], nibble, w, in))
			return false;
	return true;
}

static void read_control(u128 w, struct sm70_inst *in)
{
	in->guard = (uint8_t)bits128(w, 12, 3);
	in->guard_neg = (bool)(w >> 15 & 1);
	in->control = (struct sm70_control){
		.stall = (uint8_t)bits128(w, 105, 4),
		.yield = !(w >> 109 & 1),
		.write = (uint8_t)bits128(w, 110, 3),
		.read = (uint8_t)bits128(w, 113, 3),
		.wait = (uint8_t)bits128(w, 116, 6),
		.reuse = (uint8_t)bits128(w, 122, 4),
	};
}

static bool refuse_word(char *err, size_t nerr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool refuse_word(char *err, size_t nerr, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (nerr)
		vsnprintf(err, nerr, fmt, ap);
	va_end(ap);
	return false;
}

bool sm70_decode(unsigned sm, const uint64_t word[2], uint64_t pc, struct sm70_inst *out, char *err,
		 size_t nerr)
{
	const struct sm70_table *t = sm70_table();
	u128 w = (u128)word[1] << 64 | word[0];
	unsigned code = word[0] & 0xfff;
	const struct sm70_form *near = NULL;
	memset(out, 0, sizeof *out);
	out->word[0] = word[0];
	out->word[1] = word[1];
	out->pc = pc;
	out->sm = (uint8_t)sm;
	read_control(w, out);
	for (unsigned i = t->first[code]; i != UINT16_MAX; i = t->next[i]) {
		const struct sm70_form *f = &t->form[t->which[i]];
		if (matches_form(f, w, sm) && read_form(f, w, out))
			return true;
		near = f;
	}
	out->form = NULL;
	if (near)
		return refuse_word(
			err, nerr,
			"no instruction of sm_%u: the opcode is that of %s, but a modifier or fixed bit is not",
			sm, near->name);
	return refuse_word(err, nerr, "no instruction of sm_%u: opcode 0x%03x is not in use", sm,
			   code);
}
