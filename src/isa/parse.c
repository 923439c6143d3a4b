/* Splits one instruction's text into guard, mnemonic and operands. The parser knows the syntax of
 * operands, not which instruction takes which operands. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "isa/table.h"

struct cur {
	const char *p, *end;
	enum native_isa isa;
};

static void skip_blanks(struct cur *c)
{
	while (c->p < c->end && isspace((unsigned char)*c->p))
		c->p++;
}

static bool eat_char(struct cur *c, char ch)
{
	skip_blanks(c);
	if (c->p < c->end && *c->p == ch) {
		c->p++;
		return true;
	}
	return false;
}

/* Takes a word if the text continues with it and it ends there. */
static bool eat_word(struct cur *c, const char *w)
{
	size_t n = strlen(w);
	if ((size_t)(c->end - c->p) < n || strncasecmp(c->p, w, n))
		return false;
	if (c->p + n < c->end && (isalnum((unsigned char)c->p[n]) || c->p[n] == '_'))
		return false;
	c->p += n;
	return true;
}

/* A decimal number directly after a letter: register numbers. */
static bool eat_index(struct cur *c, char letter, unsigned max, unsigned *v)
{
	const char *p = c->p;
	if (p >= c->end || *p != letter || p + 1 >= c->end || !isdigit((unsigned char)p[1]))
		return false;
	unsigned x = 0;
	for (p++; p < c->end && isdigit((unsigned char)*p); p++)
		if ((x = x * 10 + (unsigned)(*p - '0')) > 9999)
			return false;
	if (x > max)
		return false;
	c->p = p;
	*v = x;
	return true;
}

static bool eat_hex(struct cur *c, uint64_t *v)
{
	skip_blanks(c);
	const char *p = c->p;
	if (c->end - p < 3 || p[0] != '0' || (p[1] | 32) != 'x' || !isxdigit((unsigned char)p[2]))
		return false;
	uint64_t x = 0;
	unsigned n = 0;
	for (p += 2; p < c->end && isxdigit((unsigned char)*p); p++) {
		if (++n > 16)
			return false;
		x = x << 4 |
		    (unsigned)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
	}
	c->p = p;
	*v = x;
	return true;
}

/* Hex or plain decimal integer. */
static bool eat_int(struct cur *c, uint64_t *v)
{
	if (eat_hex(c, v))
		return true;
	const char *p = c->p;
	uint64_t x = 0;
	while (p < c->end && isdigit((unsigned char)*p) && x < 1ull << 60)
		x = x * 10 + (unsigned)(*p++ - '0');
	if (p == c->p)
		return false;
	c->p = p;
	*v = x;
	return true;
}

/* Takes a decimal number, INF or QNAN, without its sign. A point belongs to the number only if a
 * digit follows, because a suffix may come next. *plain: the number has digits only. */
static bool eat_decimal(struct cur *c, double *d, bool *plain)
{
	char buf[64];
	size_t n = 0;
	const char *p = c->p;
	*plain = false;
	if (eat_word(c, "+INF") || eat_word(c, "INF")) {
		*d = __builtin_inf();
		return true;
	}
	if (eat_word(c, "+QNAN") || eat_word(c, "QNAN")) {
		*d = __builtin_nan("");
		return true;
	}
	*plain = true;
	for (; p < c->end && n + 1 < sizeof(buf); p++) {
		bool exponent = n && (buf[n - 1] | 32) == 'e';
		bool digit_next = p + 1 < c->end && isdigit((unsigned char)p[1]);
		if (!isdigit((unsigned char)*p) && !(*p == '.' && digit_next) &&
		    !((*p | 32) == 'e' && n) && !((*p == '+' || *p == '-') && exponent))
			break;
		*plain &= isdigit((unsigned char)*p) != 0;
		buf[n++] = *p;
	}
	buf[n] = 0;
	char *e;
	*d = strtod(buf, &e);
	if (!n || e == buf || *e)
		return false;
	c->p = p;
	return true;
}

/* The contents of brackets: optional register, address register and offset. */
static bool parse_inside(struct cur *c, struct nop *o)
{
	unsigned r;
	bool neg = false, base = true;
	uint64_t v = 0;
	o->index = NREG_NONE;
	o->unit = 1;
	if (!eat_char(c, '['))
		return false;
	skip_blanks(c);
	o->reg = c->isa == NATIVE_FERMI ? 63 : NREG_NONE;
	if (eat_word(c, "RZ"))
		;
	else if (eat_index(c, 'R', 127, &r))
		o->reg = (uint8_t)r;
	else if (eat_index(c, 'A', 7, &r))
		o->index = (uint8_t)r;
	else
		base = false;
	if (base) {
		if (!eat_char(c, '+'))
			return eat_char(c, ']');
		if (eat_char(c, '+')) { /* A1+++0x1 */
			if (!eat_char(c, '+'))
				return false;
			o->postinc = true;
		}
	}
	if (eat_char(c, '-'))
		neg = true;
	skip_blanks(c);
	if (!eat_int(c, &v) || v > 0xffffffffull)
		return false;
	o->off = (int32_t)(uint32_t)(neg ? 0 - v : v);
	return eat_char(c, ']');
}

/* Parses an access type after a memory operand, such as .U8. */
static void parse_access(struct cur *c, struct nop *o)
{
	static const char *const t[] = {".U8", ".U16", ".S16", ".U32", ".S8"};
	o->sel = 0;
	for (unsigned i = 0; i < 5; i++)
		if (eat_word(c, t[i]))
			o->sel = (uint8_t)(i + 1);
}

static void parse_part(struct cur *c, struct nop *o)
{
	static const char *const part[] = {".B0", ".B1", ".B2", ".B3", ".H0", ".H1"};
	for (unsigned i = 0; i < 6; i++)
		if (eat_word(c, part[i]))
			o->sel = (uint8_t)(i + 1);
}

static bool parse_const(struct cur *c, struct nop *o)
{
	struct cur save = *c;
	uint64_t bank;
	c->p++;
	if (!eat_char(c, '[') || !eat_int(c, &bank) || bank > 31 || !eat_char(c, ']')) {
		*c = save;
		return false;
	}
	o->kind = NO_CONST;
	o->bank = (uint8_t)bank;
	skip_blanks(c);
	if (!parse_inside(c, o))
		return false;
	if (c->isa == NATIVE_FERMI) {
		o->index = o->reg == 63 ? NREG_NONE : o->reg;
		o->reg = 0;
		parse_part(c, o);
	} else {
		parse_access(c, o);
	}
	return true;
}

static bool parse_reg(struct cur *c, struct nop *o)
{
	unsigned r;
	if (c->isa == NATIVE_FERMI && (eat_word(c, "RZ") || eat_word(c, "RO"))) {
		r = c->p[-1] == 'O' ? 0 : 63; /* scanned listings print R0 as RO */
	} else if (!eat_index(c, 'R', 127, &r)) {
		return false;
	}
	o->kind = NO_GPR;
	o->width = 1;
	if (c->isa == NATIVE_TESLA && c->p < c->end && (*c->p == 'L' || *c->p == 'H')) {
		o->kind = NO_HALF;
		if (r > 63)
			return false;
		r = r * 2 + (*c->p++ == 'H');
	}
	o->reg = (uint8_t)r;
	parse_part(c, o);
	o->cc = eat_word(c, ".CC");
	return true;
}

static bool parse_cc(struct cur *c, struct nop *o)
{
	char name[16];
	unsigned n = 0;
	o->kind = NO_CC;
	if (c->p >= c->end || *c->p != '.')
		return true;
	for (c->p++; c->p < c->end && n + 1 < sizeof(name) &&
		     (isalnum((unsigned char)*c->p) || *c->p == '_');)
		name[n++] = *c->p++;
	name[n] = 0;
	o->sel = 1;
	for (unsigned i = 0; i < 32; i++)
		if (native_cc_name(NATIVE_FERMI, i) &&
		    !strcmp(name, native_cc_name(NATIVE_FERMI, i))) {
			o->reg = (uint8_t)i;
			return true;
		}
	return false;
}

/* Tesla Cn or Cn.test */
static bool parse_ccreg(struct cur *c, struct nop *o)
{
	unsigned r;
	if (!eat_index(c, 'C', 3, &r))
		return false;
	o->kind = NO_CCREG;
	o->reg = (uint8_t)r;
	if (c->p >= c->end || *c->p != '.')
		return true;
	for (unsigned i = 0; i < 32; i++) {
		struct cur s = {c->p + 1, c->end, c->isa};
		if (native_cc_name(NATIVE_TESLA, i) &&
		    eat_word(&s, native_cc_name(NATIVE_TESLA, i))) {
			c->p = s.p;
			o->sel = 1;
			o->off = (int32_t)i;
			return true;
		}
	}
	return false;
}

static bool parse_sreg(struct cur *c, struct nop *o)
{
	char name[40];
	unsigned n = 0, r;
	const char *p = c->p;
	if (c->end - p < 3 || p[0] != 'S' || p[1] != 'R')
		return false;
	o->kind = NO_SREG;
	if (isdigit((unsigned char)p[2])) {
		c->p++;
		if (!eat_index(c, 'R', 255, &r))
			return false;
		o->reg = (uint8_t)r;
		return true;
	}
	/* Scanned listings lose the underscores. */
	while (p < c->end && n + 1 < sizeof(name) &&
	       (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == ' ')) {
		name[n++] = *p == ' ' ? '_' : *p;
		p++;
	}
	while (n && name[n - 1] == '_')
		n--;
	name[n] = 0;
	for (unsigned i = 0; i < 256; i++)
		for (enum native_style s = NSTYLE_CUDA4; s <= NSTYLE_CUDA5; s++) {
			const char *k = fermi_tab.sreg(i, s);
			if (k && !strcmp(k, name)) {
				o->reg = (uint8_t)i;
				c->p = p;
				return true;
			}
		}
	return false;
}

/* Parses a number: hexadecimal, or decimal, which the field makes an integer or a float. */
static bool parse_number(struct cur *c, bool neg, struct nop *o)
{
	double d;
	o->kind = NO_IMM;
	o->imm_type = IMM_S;
	o->minus = neg;
	if (eat_hex(c, &o->imm)) {
		if (neg && !o->imm && c->isa == NATIVE_TESLA)
			o->neg = true; /* -0x0 is how a difference of a word with itself is
			                * printed */
		if (neg)
			o->imm = 0 - o->imm;
	} else {
		if (!eat_decimal(c, &d, &o->whole))
			return false;
		d = neg ? -d : d;
		memcpy(&o->imm, &d, 8);
		o->imm_type = IMM_DEC;
	}
	for (skip_blanks(c);;)
		if (eat_word(c, ".NEG"))
			o->neg = true;
		else if (eat_word(c, ".ABS"))
			o->abs = true;
		else if (eat_word(c, ".INV"))
			o->inv = true;
		else
			return true;
}

bool nop_whole(struct nop *o)
{
	double d;
	if (o->kind != NO_IMM || o->imm_type != IMM_DEC)
		return true;
	memcpy(&d, &o->imm, 8);
	if (!o->whole || d < -9007199254740992.0 || d > 9007199254740992.0)
		return false;
	o->imm = (uint64_t)(int64_t)d;
	o->imm_type = IMM_S;
	return true;
}

/* Parses a memory by its name: g, local, globalN, o. */
static bool parse_space(struct cur *c, struct nop *o)
{
	unsigned n;
	o->kind = NO_MEM;
	if (eat_word(c, "g")) {
		o->space = NS_SHARED;
		o->abs |= eat_char(c, '|');
	} else if (eat_word(c, "local")) {
		o->space = NS_LOCAL;
	} else if (c->end - c->p > 6 && !memcmp(c->p, "global", 6)) {
		c->p += 5;
		if (!eat_index(c, 'l', 15, &n))
			return false;
		o->space = NS_GLOBAL;
		o->bank = (uint8_t)n;
	} else if (eat_word(c, "o")) {
		o->kind = NO_DISCARD;
	} else {
		return false;
	}
	skip_blanks(c);
	if (!parse_inside(c, o))
		return false;
	parse_access(c, o);
	return true;
}

static bool parse_keyword(struct cur *c, struct nop *o)
{
	const char *p = c->p;
	while (p < c->end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == '$'))
		p++;
	if (p == c->p)
		return false;
	o->word = c->p;
	o->len = (uint32_t)(p - c->p);
	o->kind = NO_WORD;
	c->p = p;
	return true;
}

static bool geometry_ahead(const struct cur *c)
{
	return c->end - c->p >= 2 && isdigit((unsigned char)c->p[0]) && c->p[1] == 'D';
}

/* True if the text continues with `word`, `at` bytes from here. */
static bool is_ahead(const struct cur *c, size_t at, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(c->end - c->p) >= at + n && !memcmp(c->p + at, word, n);
}

/* Tries one form of operand; if the form does not fit, no text is consumed. */
static bool try_form(struct cur *c, struct nop *o, bool (*form)(struct cur *, struct nop *))
{
	struct cur at = *c;
	struct nop was = *o;
	if (form(c, o))
		return true;
	*c = at;
	*o = was;
	return false;
}

static bool parse_operand(struct cur *c, struct nop *o)
{
	unsigned r;
	memset(o, 0, sizeof(*o));
	o->index = NREG_NONE;
	skip_blanks(c);
	bool bang = eat_char(c, '!');
	skip_blanks(c);
	if (c->p + 1 < c->end && *c->p == '-' &&
	    (isdigit((unsigned char)c->p[1]) || is_ahead(c, 1, "INF") || is_ahead(c, 1, "QNAN"))) {
		c->p++;
		return parse_number(c, true, o);
	}
	if (eat_char(c, '-'))
		o->neg = true;
	if (eat_char(c, '~'))
		o->inv = true;
	bool bar = eat_char(c, '|');
	o->abs = bar;
	skip_blanks(c);
	if (c->p >= c->end)
		return false;
	bool ok;
	if (eat_word(c, "pt")) {
		o->kind = NO_PRED;
		o->reg = 7;
		ok = true;
	} else if (eat_word(c, "PR")) {
		o->kind = NO_PR;
		ok = true;
	} else if (eat_index(c, 'P', 7, &r)) {
		o->kind = NO_PRED;
		o->reg = (uint8_t)r;
		ok = true;
	} else if (c->p[0] == 'C' && c->end - c->p >= 2 && c->p[1] == 'C') {
		c->p += 2;
		ok = parse_cc(c, o);
	} else if (c->isa == NATIVE_TESLA && c->p[0] == 'C' && c->end - c->p >= 2 &&
		   isdigit((unsigned char)c->p[1])) {
		ok = parse_ccreg(c, o);
	} else if (c->isa == NATIVE_TESLA && eat_index(c, 'A', 7, &r)) {
		o->kind = NO_ADDR;
		o->reg = (uint8_t)r;
		ok = true;
	} else if (c->isa == NATIVE_TESLA && eat_index(c, 'b', 15, &r)) {
		o->kind = NO_BAR;
		o->reg = (uint8_t)r;
		ok = true;
	} else if (*c->p == '[') {
		o->kind = NO_MEM;
		ok = parse_inside(c, o);
	} else if (*c->p == 'c' && try_form(c, o, parse_const)) {
		ok = true;
	} else if (try_form(c, o, parse_sreg) || try_form(c, o, parse_reg) ||
		   try_form(c, o, parse_space)) {
		ok = true;
	} else if (geometry_ahead(c)) {
		ok = parse_keyword(c, o);
	} else if (isdigit((unsigned char)*c->p) || *c->p == '+') {
		ok = parse_number(c, false, o);
	} else {
		ok = parse_keyword(c, o);
	}
	if (ok && bar && !(o->kind == NO_MEM && o->space == NS_SHARED))
		ok = eat_char(c, '|');
	if (bang) {
		if (o->kind != NO_PRED)
			return false;
		o->neg = true;
	}
	return ok;
}

static bool parse_guard(struct cur *c, struct ntext *t)
{
	unsigned r;
	skip_blanks(c);
	if (!eat_char(c, '@'))
		return true;
	t->guard = true;
	t->guard_neg = eat_char(c, '!');
	if (eat_word(c, "pt"))
		r = 7;
	else if (eat_word(c, "PO"))
		r = 0;
	else if (!eat_index(c, 'P', 7, &r))
		return false;
	t->guard_reg = (uint8_t)r;
	return true;
}

/* Tesla's (Cn.test) */
static bool parse_test(struct cur *c, struct ntext *t)
{
	struct nop o;
	if (!eat_char(c, '('))
		return true;
	skip_blanks(c);
	memset(&o, 0, sizeof(o));
	if (!parse_ccreg(c, &o) || !o.sel || !eat_char(c, ')'))
		return false;
	t->has_test = true;
	t->cc_reg = o.reg;
	t->cc_test = (uint8_t)o.off;
	return true;
}

bool native_parse(enum native_isa isa, const char *s, size_t len, struct ntext *t, char *err,
		  size_t nerr)
{
	struct cur c = {s, s + len, isa};
	memset(t, 0, sizeof(*t));
	while (c.end > c.p &&
	       (isspace((unsigned char)c.end[-1]) || c.end[-1] == ';' || c.end[-1] == ':'))
		c.end--;
	if (!parse_guard(&c, t)) {
		snprintf(err, nerr, "bad guard predicate");
		return false;
	}
	skip_blanks(&c);
	t->mnem = c.p;
	while (c.p < c.end && (isalnum((unsigned char)*c.p) || *c.p == '.' || *c.p == '_'))
		c.p++;
	t->mnem_len = (uint32_t)(c.p - t->mnem);
	if (!t->mnem_len || !isalpha((unsigned char)t->mnem[0])) {
		snprintf(err, nerr, "no mnemonic");
		return false;
	}
	for (skip_blanks(&c); c.p < c.end; skip_blanks(&c)) {
		const char *at = c.p;
		if (t->nop == NATIVE_MAX_OPS) {
			snprintf(err, nerr, "too many operands");
			return false;
		}
		if (*c.p == '('
			    ? !parse_test(&c, t)
			    : !parse_operand(&c, &t->o[t->nop]) || (t->nop++, !parse_test(&c, t))) {
			snprintf(err, nerr, "cannot read operand '%.*s'",
				 (int)(c.end - at > 40 ? 40 : c.end - at), at);
			return false;
		}
		if (eat_char(&c, ',')) {
			skip_blanks(&c);
			if (c.p == c.end) {
				snprintf(err, nerr, "operand missing after ','");
				return false;
			}
		}
	}
	return true;
}
