/* Encodes text by one form of an instruction: its modifiers and operands fill the fields of a
 * word. */
#include "isa/sm70/encode.h"
#include <stdint.h>
#include <string.h>
#include "isa/sm70/address.h"

static bool put_modifier(struct scan *s, const struct sm70_item *it, struct draft *d)
{
	if (!sm70_item_holds(it, d->mod, s->sm))
		return true;
	const struct sm70_list *l = &sm70_table()->list[it->list];
	unsigned width = field_width(&it->f), code = l->n;
	if (!width) {
		if (!scan_word(s, l, 1, &code) || code)
			return false;
	} else if (!scan_word(s, l, width, &code)) {
		for (code = 0; code < l->n && l->word[code] != SM70_W_NONE; code++)
			;
		if (code == l->n)
			return false;
	}
	unsigned word = code < l->n ? l->word[code] : (unsigned)W_MISSING;
	if (word || !d->mod[l->slot])
		d->mod[l->slot] = (uint16_t)word;
	field_put(&it->f, &d->w, code);
	return code >> width == 0;
}

static bool put_signs(const struct sm70_item *it, enum flex fx, const struct sm70_operand *o,
		      struct draft *d)
{
	struct sign_bits b = sm70_sign_bits(it, fx);
	bool neg = o->neg, inv = o->inv;
	if (it->flags & IF_XINV && d->mod[SM70_MOD_X]) {
		neg = o->inv;
		inv = o->neg;
	}
	if ((neg && !b.neg) || (o->abs && !b.abs) || (inv && !b.inv))
		return false;
	if (b.neg)
		put_bits(&d->w, b.neg, 1, neg);
	if (b.abs)
		put_bits(&d->w, b.abs, 1, o->abs);
	if (b.inv && b.inv != b.neg)
		put_bits(&d->w, b.inv, 1, inv);
	return true;
}

static bool put_reuse(const struct sm70_item *it, const struct sm70_operand *o, struct draft *d)
{
	unsigned lo = it->f.n ? it->f.lo[0] : 0;
	unsigned bit = it->it == IT_B                     ? 123
		       : it->it == IT_C || it->it == IT_S ? 124
		       : lo == 24                         ? 122
		       : lo == 32                         ? 123
		       : lo == 64                         ? 124
							  : 0;
	if (o->reuse && bit)
		put_bits(&d->w, bit, 1, 1);
	return !o->reuse || bit;
}

static bool put_flexible(unsigned sm, const struct sm70_item *it, enum flex fx,
			 const struct sm70_operand *o, struct draft *d)
{
	unsigned reg_mask = (1u << ureg_bits(sm)) - 1;
	switch (fx) {
	case FX_GPR32:
	case FX_GPR64:
		put_bits(&d->w, fx == FX_GPR64 ? 64 : 32, 8,
			 it->kind == SM70_K_UGPR ? o->reg & reg_mask : o->reg);
		return put_signs(it, fx, o, d) && put_reuse(it, o, d);
	case FX_UGPR:
		put_bits(&d->w, 32, 8, o->reg & reg_mask);
		put_bits(&d->w, 91, 1,
			 1); /* the chip needs it, also where its disassembler does not */
		return put_signs(it, fx, o, d);
	case FX_CONST:
		if (o->off < -32768 || o->off % 4 || o->off >= 65536 || o->reg != SM70_NOREG ||
		    o->ureg != SM70_NOREG)
			return false;
		put_bits(&d->w, 40, 14, (uint64_t)o->off / 4);
		if (o->desc != SM70_NOREG) {
			put_bits(&d->w, 91, 1, 1);
			put_bits(&d->w, 32, 6, o->desc);
		} else {
			put_bits(&d->w, 54, 5, o->bank);
		}
		return put_signs(it, fx, o, d);
	default:
		if (it->type == SM70_I_F64) {
			put_bits(&d->w, 32, 32, o->imm >> 32);
			return true;
		}
		put_bits(&d->w, 32, 32, o->imm);
		return (int64_t)o->imm >= INT32_MIN && (int64_t)o->imm <= (int64_t)UINT32_MAX;
	}
}

/* Puts a number into its field; false if it does not fit. */
static bool put_number(const struct sm70_item *it, uint64_t v, struct draft *d)
{
	unsigned width = field_width(&it->f);
	int64_t n = (int64_t)v >> it->shift;
	if (v & ((1ull << it->shift) - 1))
		return false;
	field_put(&it->f, &d->w, (uint64_t)n);
	if (width >= 64)
		return true;
	if (it->flags & IF_SIGNED || (it->type == SM70_I_SHEX && n < 0))
		return n >= -((int64_t)1 << (width - 1)) && n < (int64_t)1 << (width - 1);
	return (uint64_t)n >> width == 0;
}

static bool put_constant(const struct sm70_item *it, const struct sm70_operand *o, struct draft *d)
{
	unsigned lo = it->f.lo[0];
	bool wide = lo == 89;
	if (o->off < -32768 || o->off >= (wide ? 131072 : 65536) || o->desc != SM70_NOREG)
		return false;
	put_bits(&d->w, wide ? 37 : 38, wide ? 17 : 16, (uint64_t)o->off);
	put_bits(&d->w, 54, 5, o->bank);
	if (lo == 24)
		put_bits(&d->w, 24, 8, o->reg == SM70_NOREG ? SM70_RZ : o->reg);
	else if (lo >= 88)
		put_bits(&d->w, 24, 8, o->ureg == SM70_NOREG ? SM70_URZ : o->ureg);
	return (lo == 24 || o->reg == SM70_NOREG) && (lo >= 88 || o->ureg == SM70_NOREG);
}

static bool put_operand(struct scan *s, const struct sm70_item *it, const struct sm70_operand *o,
			struct draft *d)
{
	switch (it->kind) {
	case SM70_K_MEM: return sm70_address_put(sm70_address_kind(it->sub), s->sm, &d->w, o);
	case SM70_K_CONST: return put_constant(it, o, d);
	case SM70_K_PR: return true;
	case SM70_K_IMM: return put_number(it, it->type == SM70_I_F64 ? o->imm >> 32 : o->imm, d);
	case SM70_K_SBSET: return put_number(it, o->imm, d);
	case SM70_K_TARGET:
	case SM70_K_OFFSET:
		return put_number(it, o->imm - (it->flags & IF_REL ? s->pc + 16 : 0), d);
	default: break;
	}
	uint64_t v = it->flags & IF_FLIP ? 7u - o->reg : o->reg;
	if (it->kind == SM70_K_UGPR || it->kind == SM70_K_GDESC)
		v &= (1u << ureg_bits(s->sm)) - 1;
	field_put(&it->f, &d->w, v);
	return put_signs(it, FX_NONE, o, d) && put_reuse(it, o, d);
}

/* Fills the field of an operand that the text leaves out. */
static void put_default(struct scan *s, const struct sm70_item *it, struct draft *d)
{
	enum flex fx = it->it == IT_OPERAND ? FX_NONE : flex_of(it->it, d->nibble);
	if (it->it != IT_OPERAND) {
		if (fx == FX_GPR32 || fx == FX_GPR64)
			put_bits(&d->w, fx == FX_GPR64 ? 64 : 32, 8,
				 it->kind == SM70_K_UGPR ? (1u << ureg_bits(s->sm)) - 1 : SM70_RZ);
		return;
	}
	if (it->has_def && it->kind != SM70_K_UGPR) {
		field_put(&it->f, &d->w, it->def);
		if (it->neg && (it->kind == SM70_K_PRED || it->kind == SM70_K_UPRED))
			put_bits(&d->w, it->neg, 1, it->def >> 3);
	} else if (it->kind == SM70_K_PRED || it->kind == SM70_K_UPRED) {
		field_put(&it->f, &d->w, it->flags & IF_FLIP ? 0 : 7);
	} else if (it->kind == SM70_K_GPR) {
		field_put(&it->f, &d->w, SM70_RZ);
	} else if (it->kind == SM70_K_UGPR) {
		field_put(&it->f, &d->w, (1u << ureg_bits(s->sm)) - 1);
	}
}

/* Reads the part after an operand (.H1_H1), or an operand that is a keyword. */
static bool put_part(struct scan *s, const struct sm70_item *it, enum flex fx,
		     const struct sm70_operand *o, struct draft *d)
{
	bool barred = o->kind != SM70_K_GPR && s->part;
	if (!it->part.n || o->kind == SM70_K_IMM)
		return !barred;
	const struct sm70_list *l = &sm70_table()->list[it->list];
	struct sm70_field f = sm70_part_field(it, fx);
	unsigned width = field_width(&f), code;
	struct scan inner = *s;
	if (barred) {
		inner.p = s->part;
		inner.end = s->part_end;
		if (!scan_word(&inner, l, width, &code) || inner.p != inner.end)
			return false;
	} else if (!scan_word(s, l, width, &code))
		for (code = 0; code < l->n && l->word[code] != SM70_W_NONE; code++)
			;
	field_put(&f, &d->w, code);
	return code >> width == 0 && (code < l->n || width);
}

/* Reads a keyword operand, which has no point before it. */
static bool read_keyword(struct scan *s, const struct sm70_item *it, struct draft *d)
{
	const struct sm70_list *l = &sm70_table()->list[it->list];
	char text[48] = ".";
	size_t n = (size_t)(s->end - s->p);
	scan_blanks(s);
	n = (size_t)(s->end - s->p) < sizeof text - 2 ? (size_t)(s->end - s->p) : sizeof text - 2;
	memcpy(text + 1, s->p, n);
	struct scan t = {.p = text, .end = text + 1 + n, .sm = s->sm};
	unsigned code;
	if (!scan_word(&t, l, field_width(&it->part), &code))
		return false;
	s->p += t.p - text - 1;
	field_put(&it->part, &d->w, code);
	return true;
}

static bool read_item(struct scan *s, const struct sm70_item *it, struct draft *d)
{
	enum flex fx = it->it == IT_OPERAND ? FX_NONE : flex_of(it->it, d->nibble);
	const char *start = s->p;
	struct sm70_operand o;
	bool optional = it->flags & (IF_HIDE | IF_HIDE_OLD) || it->kind == SM70_K_WORD ||
			(it->kind == SM70_K_MEM && sm70_address_kind(it->sub)->flags & ADF_BARE);
	if (!sm70_item_holds(it, d->mod, s->sm)) {
		if (it->it != IT_OPERAND || it->has_def)
			put_default(s, it, d);
		return true;
	}
	bool sep = !d->any || it->flags & IF_BLANK || scan_char(s, ',');
	if (sep && it->kind == SM70_K_WORD) {
		if (read_keyword(s, it, d))
			return d->any = true;
	} else if (sep && scan_operand(s, it, fx, d->mod, &o)) {
		u128 before = d->w;
		if ((it->it == IT_OPERAND ? put_operand(s, it, &o, d)
					  : put_flexible(s->sm, it, fx, &o, d)) &&
		    put_part(s, it, fx, &o, d))
			return d->any = true;
		d->w = before;
	}
	s->p = start;
	if (!optional)
		return false;
	if (it->kind == SM70_K_WORD) {
		const struct sm70_list *l = &sm70_table()->list[it->list];
		for (unsigned i = 0; i < l->n; i++)
			if (l->word[i] == SM70_W_NONE)
				field_put(&it->part, &d->w, i);
	} else {
		put_default(s, it, d);
	}
	return true;
}

bool sm70_encode(struct scan *s, const struct sm70_form *f, unsigned nibble, struct draft *d)
{
	*d = (struct draft){.form = f, .nibble = nibble};
	d->w = f->code | (f->nibbles ? nibble << 9 : 0);
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it == IT_MATCH || f->item[i].it == IT_SET)
			field_put(&f->item[i].f, &d->w, f->item[i].def);
	if (!f->no91 && sm70_reads_uniform(f, nibble))
		put_bits(&d->w, 91, 1, 1);
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it == IT_MOD && !put_modifier(s, &f->item[i], d))
			return false;
	if (s->p < s->end && *s->p == '.')
		return false;
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it >= IT_B && !read_item(s, &f->item[i], d))
			return false;
	for (unsigned i = 0; i < f->nitem; i++)
		if ((f->item[i].it == IT_MATCH &&
		     field_get(&f->item[i].f, d->w) != f->item[i].def) ||
		    (f->item[i].it == IT_AMONG &&
		     !(f->item[i].among >> field_get(&f->item[i].f, d->w) & 1)))
			return false;
	scan_blanks(s);
	return s->p == s->end;
}
