/* A line of text as a word. The text is read along the items of every form of its mnemonic; what the
 * first form that fits makes of it is decoded and printed again, and must be the text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "isa/sm70/address.h"
#include "isa/sm70/scan.h"

enum { TEXT_MAX = 640 };

/* A word under construction. */
struct draft {
	const struct sm70_form *form;
	unsigned nibble;
	u128 w;
	uint16_t mod[SM70_MOD_COUNT];
	bool any; /* an operand has been read: the next follows a comma */
};

static void put_bits(u128 *w, unsigned lo, unsigned n, uint64_t v)
{
	field_put(&(struct sm70_field){1, {(uint8_t)lo}, {(uint8_t)n}}, w, v);
}

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

static bool put_flexible(const struct sm70_item *it, enum flex fx, const struct sm70_operand *o,
			 struct draft *d)
{
	switch (fx) {
	case FX_GPR32:
	case FX_GPR64:
		put_bits(&d->w, fx == FX_GPR64 ? 64 : 32, 8, o->reg);
		return put_signs(it, fx, o, d) && put_reuse(it, o, d);
	case FX_UGPR: put_bits(&d->w, 32, 8, o->reg); return put_signs(it, fx, o, d);
	case FX_CONST:
		if (o->off < 0 || o->off % 4 || o->off >= 65536 || o->reg != SM70_NOREG ||
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

/* A number into its field: false if it does not fit. */
static bool put_number(const struct sm70_item *it, uint64_t v, struct draft *d)
{
	unsigned width = field_width(&it->f);
	int64_t n = (int64_t)v >> it->shift;
	if (v & ((1ull << it->shift) - 1))
		return false;
	field_put(&it->f, &d->w, (uint64_t)n);
	if (width >= 64)
		return true;
	if (it->flags & IF_SIGNED)
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

/* What the field of an operand holds that the text leaves out. */
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

/* The part behind an operand (.H1_H1), or the operand that is a keyword. */
static bool put_part(struct scan *s, const struct sm70_item *it, enum flex fx,
		     const struct sm70_operand *o, struct draft *d)
{
	if (!it->part.n || o->kind == SM70_K_IMM)
		return true;
	const struct sm70_list *l = &sm70_table()->list[it->list];
	struct sm70_field f = sm70_part_field(it, fx);
	unsigned width = field_width(&f), code;
	if (!scan_word(s, l, width, &code))
		for (code = 0; code < l->n && l->word[code] != SM70_W_NONE; code++)
			;
	field_put(&f, &d->w, code);
	return code >> width == 0 && (code < l->n || width);
}

/* A keyword as an operand has no point before it. */
static bool read_keyword(struct scan *s, const struct sm70_item *it, struct draft *d)
{
	const struct sm70_list *l = &sm70_table()->list[it->list];
	char text[48] = ".";
	size_t n = (size_t)(s->end - s->p);
	scan_blanks(s);
	n = (size_t)(s->end - s->p) < sizeof text - 2 ? (size_t)(s->end - s->p) : sizeof text - 2;
	memcpy(text + 1, s->p, n);
	struct scan t = {text, text + 1 + n, s->sm, 0, NULL, 0};
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
					  : put_flexible(it, fx, &o, d)) &&
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

/* Reads the modifiers and operands along one form. */
static bool read_form(struct scan *s, const struct sm70_form *f, unsigned nibble, struct draft *d)
{
	*d = (struct draft){.form = f, .nibble = nibble};
	d->w = f->code | (f->nibbles ? nibble << 9 : 0);
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it == IT_MATCH)
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
	scan_blanks(s);
	return s->p == s->end;
}

/* [B01----:R-:W2:Y:S04] */
static bool read_control(struct scan *s, u128 *w)
{
	unsigned wait = 0, counter[2];
	int64_t stall;
	uint16_t n;
	if (!scan_text(s, "[B"))
		return false;
	for (unsigned i = 0; i < 6; i++, s->p++) {
		if (s->p >= s->end || (*s->p != '-' && *s->p != (char)('0' + i)))
			return false;
		wait |= (unsigned)(*s->p != '-') << i;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (!scan_text(s, i ? ":W" : ":R") || s->p >= s->end)
			return false;
		n = (uint16_t)(*s->p == '-' ? 7 : *s->p - '0');
		if (n > 7)
			return false;
		counter[i] = n;
		s->p++;
	}
	if (!scan_char(s, ':') || s->p >= s->end || (*s->p != 'Y' && *s->p != '-'))
		return false;
	bool yield = *s->p++ == 'Y';
	if (!scan_text(s, ":S") || !scan_integer(s, &stall) || stall < 0 || stall > 15 ||
	    !scan_char(s, ']'))
		return false;
	put_bits(w, 105, 4, (uint64_t)stall);
	put_bits(w, 109, 1, !yield);
	put_bits(w, 110, 3, counter[1]);
	put_bits(w, 113, 3, counter[0]);
	put_bits(w, 116, 6, wait);
	return true;
}

/* {0x10...}: bits to invert behind the text. */
static bool read_rest(struct scan *s, u128 *rest)
{
	while (s->end > s->p && (s->end[-1] == ' ' || s->end[-1] == ';' || s->end[-1] == '\t'))
		s->end--;
	const char *open = s->end;
	if (s->end == s->p || s->end[-1] != '}')
		return true;
	while (open > s->p && *open != '{')
		open--;
	if (s->end - open < 4 || memcmp(open, "{0x", 3) != 0)
		return true; /* the set of DEPBAR */
	if (s->end - open > 36)
		return false;
	for (const char *p = open + 3; p < s->end - 1; p++) {
		if (!isxdigit((unsigned char)*p))
			return false;
		int c = tolower((unsigned char)*p);
		*rest = *rest << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	s->end = open;
	return true;
}

static bool same_text(const char *a, const char *end, const char *b)
{
	for (;; a++, b++) {
		while (a < end && (*a == ' ' || *a == '\t'))
			a++;
		while (*b == ' ')
			b++;
		if (a == end || !*b || *a != *b)
			return a == end && !*b;
	}
}

static bool refuse(char *err, size_t nerr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool refuse(char *err, size_t nerr, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (nerr)
		vsnprintf(err, nerr, fmt, ap);
	va_end(ap);
	return false;
}

/* True if the word's text is the one that was read; labels and other spellings of numbers are
 * compared by what the operands mean. */
static bool confirm(const struct scan *s, const char *start, u128 w, bool exact,
		    struct sm70_inst *out)
{
	char again[TEXT_MAX], err[8];
	uint64_t word[2] = {(uint64_t)w, (uint64_t)(w >> 64)};
	if (!sm70_decode(s->sm, word, s->pc, out, err, sizeof err))
		return false;
	sm70_print(out, SM70_PLAIN, again, sizeof again);
	return !exact || same_text(start, s->end, again);
}

/* The guard @!P0 before the mnemonic. */
static bool read_guard(struct scan *s, bool *uniform, u128 *w)
{
	uint16_t r = SM70_PT;
	bool neg = false;
	*uniform = false;
	if (scan_char(s, '@')) {
		neg = scan_char(s, '!');
		*uniform = !scan_predicate(s, false, &r);
		if (*uniform && !scan_predicate(s, true, &r))
			return false;
	}
	put_bits(w, 12, 3, r);
	put_bits(w, 15, 1, neg);
	return true;
}

static bool try_forms(struct scan *s, const char *start, const char *mnemonic, size_t n, u128 fixed,
		      bool exact, struct sm70_inst *out, bool *known)
{
	const struct sm70_table *t = sm70_table();
	const char *behind = s->p;
	for (unsigned i = 0; i < t->nform; i++) {
		const struct sm70_form *f = &t->form[i];
		if (strlen(f->name) != n || memcmp(f->name, mnemonic, n) != 0 || s->sm < f->first ||
		    s->sm > f->last)
			continue;
		*known = true;
		for (unsigned nibble = 0; nibble < 8; nibble++) {
			struct draft d;
			if (f->nibbles ? !(f->nibbles >> nibble & 1) : nibble > 0)
				continue;
			s->p = behind;
			if (read_form(s, f, f->nibbles ? nibble : f->code >> 9 & 7u, &d) &&
			    confirm(s, start, d.w | fixed, exact, out))
				return true;
		}
	}
	return false;
}

bool sm70_assemble(unsigned sm, const char *text, size_t len, uint64_t pc,
		   const struct sm70_label *labels, size_t nlabels, struct sm70_inst *out,
		   char *err, size_t nerr)
{
	struct scan s = {text, text + len, sm, pc, labels, nlabels};
	u128 fixed = 0, rest = 0;
	bool uniform, known = false;
	scan_blanks(&s);
	if (s.p < s.end && *s.p == '[') {
		if (!read_control(&s, &fixed))
			return refuse(err, nerr,
				      "control bits are not of the form [B01----:R-:W2:Y:S04]");
	} else {
		fixed = (u128)0xfde << 104 | (u128)1 << 109; /* stall 15, no counters */
		fixed = 0;
		put_bits(&fixed, 105, 11, 0x7ef);
	}
	if (!read_rest(&s, &rest))
		return refuse(err, nerr, "the bits in braces are not a number of 128 bits");
	scan_blanks(&s);
	const char *start = s.p;
	if (!read_guard(&s, &uniform, &fixed))
		return refuse(err, nerr,
			      "a guard predicate P0 to P6, PT or UP0 to UPT expected after @");
	scan_blanks(&s);
	const char *mnemonic = s.p;
	while (s.p < s.end && isalnum((unsigned char)*s.p))
		s.p++;
	while (s.p < s.end && *s.p == '_')
		while (++s.p < s.end && isalnum((unsigned char)*s.p))
			;
	size_t n = (size_t)(s.p - mnemonic);
	if (!n)
		return refuse(err, nerr, "an instruction expected");
	const char *behind = s.p;
	if (!try_forms(&s, start, mnemonic, n, fixed, true, out, &known)) {
		s.p = behind;
		if (!nlabels || !try_forms(&s, start, mnemonic, n, fixed, false, out, &known))
			return known ? refuse(err, nerr,
					      "no form of %.*s on sm_%u has these modifiers and operands: %.*s",
					      (int)n, mnemonic, sm, (int)(s.end - start), start)
				     : refuse(err, nerr, "no instruction %.*s on sm_%u", (int)n,
					      mnemonic, sm);
	}
	u128 w = ((u128)out->word[1] << 64 | out->word[0]) ^ rest;
	return sm70_decode(sm, (uint64_t[2]){(uint64_t)w, (uint64_t)(w >> 64)}, pc, out, err, nerr);
}

void sm70_unshown(const struct sm70_inst *in, uint64_t rest[2])
{
	char text[TEXT_MAX], err[8];
	struct sm70_inst out;
	size_t n = sm70_print(in, SM70_PLAIN, text, sizeof text);
	rest[0] = rest[1] = 0;
	if (!sm70_assemble(in->sm, text, n, in->pc, NULL, 0, &out, err, sizeof err))
		return;
	u128 controls = (((u128)1 << 17) - 1) << 105; /* bits 105-121 stand in brackets */
	u128 w = (u128)in->word[1] << 64 | in->word[0], v = (u128)out.word[1] << 64 | out.word[0];
	w = (w ^ v) & ~controls;
	rest[0] = (uint64_t)w;
	rest[1] = (uint64_t)(w >> 64);
}
