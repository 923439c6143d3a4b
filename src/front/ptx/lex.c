/* The lexer: bytes to tokens, without a copy of the text. */
#include "front/ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { C_SPACE = 1, C_IDENT = 2, C_DIGIT = 4 };

static const uint8_t char_class[256] = {
	[' '] = C_SPACE,
	['\t'] = C_SPACE,
	['\r'] = C_SPACE,
	['\n'] = C_SPACE,
	['\f'] = C_SPACE,
	['\v'] = C_SPACE,
	['0' ... '9'] = C_IDENT | C_DIGIT,
	['a' ... 'z'] = C_IDENT,
	['A' ... 'Z'] = C_IDENT,
	['_'] = C_IDENT,
	['$'] = C_IDENT,
};

static bool is_class(char c, unsigned cls) { return char_class[(uint8_t)c] & cls; }

void lex_init(struct lexer *l, const char *text, const char *end)
{
	*l = (struct lexer){.p = text, .end = end, .line_start = text, .line = 1};
}

static void skip_line(struct lexer *l)
{
	const char *nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	l->p = nl ? nl : l->end;
}

static bool at(const struct lexer *l, const char *two)
{
	return l->end - l->p >= 2 && l->p[0] == two[0] && l->p[1] == two[1];
}

/* Skips a comment. False: the comment is not closed, so the rest of the text is lost. */
static bool skip_comment(struct lexer *l)
{
	for (l->p += 2; l->p < l->end; l->p++) {
		if (at(l, "*/")) {
			l->p += 2;
			return true;
		}
		if (*l->p == '\n') {
			l->line++;
			l->line_start = l->p + 1;
		}
	}
	return false;
}

/* Skips blanks, comments, preprocessor lines and the @@DWARF lines of early compilers. */
static const char *skip_blank(struct lexer *l)
{
	while (l->p < l->end) {
		char c = *l->p;
		if (c == '\n') {
			l->line++;
			l->line_start = ++l->p;
		} else if (is_class(c, C_SPACE)) {
			l->p++;
		} else if (at(l, "//") || at(l, "@@") || (c == '#' && l->p == l->line_start)) {
			skip_line(l);
		} else if (at(l, "/*")) {
			const char *start = l->p;
			uint32_t line = l->line;
			const char *line_start = l->line_start;
			if (!skip_comment(l)) {
				l->line = line;
				l->line_start = line_start;
				return start;
			}
		} else {
			break;
		}
	}
	return NULL;
}

static const char *skip_class(const char *p, const char *end, unsigned cls)
{
	while (p < end && is_class(*p, cls))
		p++;
	return p;
}

static void report_bad(struct token *t, const char *why)
{
	t->kind = TK_BAD;
	t->why = why;
}

static int digit_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : 99;
}

/* Reads the digits s .. e in `base` into t->u, without a final U. */
static void read_integer(struct token *t, const char *s, const char *e, unsigned base)
{
	t->kind = TK_INT;
	if (e > s && e[-1] == 'U') {
		t->is_unsigned = true;
		e--;
	}
	if (s == e)
		return report_bad(t, "number without digits");
	uint64_t v = 0;
	for (; s < e; s++) {
		unsigned dv = (unsigned)digit_value(*s);
		if (dv >= base)
			return report_bad(t, base == 8 ? "malformed octal number"
						       : "malformed number");
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, dv, &v))
			return report_bad(t, "number does not fit in 64 bits");
	}
	t->u = v;
	if (v >> 63)
		t->is_unsigned = true;
}

static void read_float_bits(struct token *t, const char *s, const char *e, unsigned digits)
{
	t->kind = digits == 8 ? TK_F32 : TK_F64;
	uint64_t v = 0;
	for (const char *p = s; p < e; p++) {
		int dv = digit_value(*p);
		if (dv > 15 || e - s != digits)
			return report_bad(t, digits == 8
						     ? "0f needs exactly 8 hexadecimal digits"
						     : "0d needs exactly 16 hexadecimal digits");
		v = v << 4 | (unsigned)dv;
	}
	if (s == e)
		return report_bad(t, "number without digits");
	t->u = v;
}

/* Scans a decimal floating literal. The end is found here, not by strtod(), because strtod()
 * depends on the locale. */
static const char *scan_decimal(const char *p, const char *end)
{
	p = skip_class(p, end, C_DIGIT);
	if (p < end && *p == '.')
		p = skip_class(p + 1, end, C_DIGIT);
	if (p < end && (*p == 'e' || *p == 'E')) {
		const char *q = p + 1;
		if (q < end && (*q == '+' || *q == '-'))
			q++;
		if (q < end && is_class(*q, C_DIGIT))
			p = skip_class(q, end, C_DIGIT);
	}
	return p;
}

static void read_decimal(struct token *t, const char *s, const char *e)
{
	char buf[512];
	size_t n = (size_t)(e - s);
	if (n >= sizeof buf)
		return report_bad(t, "number is too long");
	memcpy(buf, s, n);
	buf[n] = 0;
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double v = strtod_l(buf, NULL, c);
	freelocale(c);
	t->kind = TK_F64;
	memcpy(&t->u, &v, 8);
}

static void lex_number(struct lexer *l, struct token *t)
{
	const char *s = l->p, *e = skip_class(s, l->end, C_IDENT);
	char second = e - s > 1 ? s[1] : 0;
	if (s[0] == '0' && (second == 'x' || second == 'X')) {
		read_integer(t, s + 2, e, 16);
	} else if (s[0] == '0' && (second == 'f' || second == 'F')) {
		read_float_bits(t, s + 2, e, 8);
	} else if (s[0] == '0' && (second == 'd' || second == 'D')) {
		read_float_bits(t, s + 2, e, 16);
	} else if (s[0] == '0' && (second == 'b' || second == 'B')) {
		read_integer(t, s + 2, e, 2);
	} else {
		const char *de = scan_decimal(s, l->end), *digits = skip_class(s, l->end, C_DIGIT);
		if (de > digits) {
			e = skip_class(de, l->end, C_IDENT);
			if (e > de)
				report_bad(t, "malformed number");
			else
				read_decimal(t, s, e);
		} else {
			read_integer(t, s, e, s[0] == '0' && digits - s > 1 ? 8 : 10);
		}
	}
	l->p = e;
}

static void lex_string(struct lexer *l, struct token *t)
{
	t->kind = TK_STRING;
	t->s = ++l->p;
	while (l->p < l->end && *l->p != '"' && *l->p != '\n')
		l->p += *l->p == '\\' && l->p + 1 < l->end && l->p[1] != '\n' ? 2 : 1;
	t->len = (uint32_t)(l->p - t->s);
	if (l->p < l->end && *l->p == '"')
		l->p++;
	else
		report_bad(t, "string is not closed on its line");
}

/* Reads `.word`, with parts joined by "::". */
static void lex_dotword(struct lexer *l, struct token *t)
{
	t->kind = TK_DOT;
	t->s = ++l->p;
	l->p = skip_class(l->p, l->end, C_IDENT);
	while (at(l, "::") && l->end - l->p > 2 && is_class(l->p[2], C_IDENT))
		l->p = skip_class(l->p + 2, l->end, C_IDENT);
	t->len = (uint32_t)(l->p - t->s);
}

static void lex_punct(struct lexer *l, struct token *t)
{
	static const struct {
		char s[3];
		uint16_t punct;
	} two[] = {{"<<", P_SHL}, {">>", P_SHR}, {"<=", P_LE},     {">=", P_GE},
		   {"==", P_EQ},  {"!=", P_NE},  {"&&", P_ANDAND}, {"||", P_OROR}};
	t->kind = TK_PUNCT;
	for (unsigned i = 0; i < sizeof two / sizeof *two; i++) {
		if (at(l, two[i].s)) {
			t->punct = two[i].punct;
			l->p += 2;
			return;
		}
	}
	t->punct = (uint8_t)*l->p++;
}

static bool is_punct(char c) { return c && strchr("{}[]()<>,;:=@!|&^~+-*/%?.", c); }

/* Makes one bad token of a run of bytes that begin no token. */
static void lex_garbage(struct lexer *l, struct token *t)
{
	while (l->p < l->end && !is_class(*l->p, C_IDENT | C_SPACE) && !is_punct(*l->p) &&
	       *l->p != '"')
		l->p++;
	report_bad(t, "bytes that are not PTX");
}

/* True at ".5", which is a number; ".1d" and a dot that touches a mnemonic are words. */
static bool starts_decimal(const struct lexer *l, bool tight)
{
	if (tight || l->end - l->p < 2 || !is_class(l->p[1], C_DIGIT))
		return false;
	const char *e = scan_decimal(l->p, l->end);
	return e == l->end || !is_class(*e, C_IDENT);
}

void lex_next(struct lexer *l, struct token *t)
{
	const char *before = l->p;
	const char *open = skip_blank(l);
	const char *s = open ? open : l->p;
	*t = (struct token){.s = s, .line = l->line, .col = (uint32_t)(s - l->line_start) + 1};
	t->tight = before == s;
	if (open) {
		report_bad(t, "comment is not closed");
	} else if (l->p == l->end) {
		t->kind = TK_EOF;
	} else if (is_class(*s, C_DIGIT)) {
		lex_number(l, t);
	} else if (is_class(*s, C_IDENT) || (*s == '%' && l->end - s > 1 &&
					     is_class(s[1], C_IDENT) && !is_class(s[1], C_DIGIT))) {
		t->kind = TK_IDENT;
		l->p = skip_class(s + 1, l->end, C_IDENT);
	} else if (*s == '.' && l->end - s > 1 && is_class(s[1], C_IDENT)) {
		if (starts_decimal(l, s > l->line_start && is_class(s[-1], C_IDENT)))
			lex_number(l, t);
		else
			lex_dotword(l, t);
	} else if (*s == '"') {
		lex_string(l, t);
	} else if (is_punct(*s)) {
		lex_punct(l, t);
	} else {
		lex_garbage(l, t);
	}
	if (t->kind != TK_DOT && t->kind != TK_STRING)
		t->len = (uint32_t)(l->p - s);
}
