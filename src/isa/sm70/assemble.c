/* Assembles a line of text. The text is read along the items of each form of its mnemonic; the word
 * from the first form that fits is decoded and printed again, and the result must equal the
 * text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "isa/sm70/encode.h"

enum { TEXT_MAX = 640 };

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

/* {0x10...}: bits to invert after the text; {=0x10...}: the word itself. */
static bool read_rest(struct scan *s, u128 *rest, bool *whole)
{
	while (s->end > s->p && (s->end[-1] == ' ' || s->end[-1] == ';' || s->end[-1] == '\t'))
		s->end--;
	if (s->end == s->p || s->end[-1] != '}')
		return true;
	const char *open = s->end - 1;
	while (open > s->p && *open != '{')
		open--;
	*whole = s->end - open > 5 && open[1] == '=';
	if (s->end - open < 4 + *whole || memcmp(open + 1 + *whole, "0x", 2) != 0)
		return true; /* the set of counters of DEPBAR */
	if (s->end - open > 36 + *whole)
		return false;
	for (const char *p = open + 3 + *whole; p < s->end - 1; p++) {
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

static bool refuse_text(char *err, size_t nerr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool refuse_text(char *err, size_t nerr, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (nerr)
		vsnprintf(err, nerr, fmt, ap);
	va_end(ap);
	return false;
}

/* True if the word's text equals the text that was read; labels and other spellings of numbers are
 * compared by the operands' meaning. */
static bool confirm_text(const struct scan *s, const char *start, u128 w, bool exact,
			 struct sm70_inst *out)
{
	char again[TEXT_MAX], err[8];
	uint64_t word[2] = {(uint64_t)w, (uint64_t)(w >> 64)};
	if (!sm70_decode(s->sm, word, s->pc, out, err, sizeof err))
		return false;
	sm70_print(out, SM70_PLAIN, again, sizeof again);
	return !exact || same_text(start, s->end, again);
}

/* Reads the guard before the mnemonic: @!P0. */
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
			if (sm70_encode(s, f, f->nibbles ? nibble : f->code >> 9 & 7u, &d) &&
			    confirm_text(s, start, d.w | fixed, exact, out))
				return true;
		}
	}
	return false;
}

bool sm70_assemble(unsigned sm, const char *text, size_t len, uint64_t pc,
		   const struct sm70_label *labels, size_t nlabels, struct sm70_inst *out,
		   char *err, size_t nerr)
{
	struct scan s = {text, text + len, sm, pc, labels, nlabels, NULL, NULL};
	u128 fixed = 0, rest = 0;
	bool uniform, known = false, whole = false;
	scan_blanks(&s);
	if (s.p < s.end && *s.p == '[') {
		if (!read_control(&s, &fixed))
			return refuse_text(
				err, nerr,
				"control bits are not of the form [B01----:R-:W2:Y:S04]");
	} else {
		put_bits(&fixed, 105, 11, 0x7ef); /* stall 15, yield, no counters */
	}
	if (!read_rest(&s, &rest, &whole))
		return refuse_text(err, nerr, "the bits in braces are not a number of 128 bits");
	if (whole)
		return sm70_decode(sm, (uint64_t[2]){(uint64_t)rest, (uint64_t)(rest >> 64)}, pc,
				   out, err, nerr);
	scan_blanks(&s);
	const char *start = s.p;
	if (!read_guard(&s, &uniform, &fixed))
		return refuse_text(err, nerr,
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
		return refuse_text(err, nerr, "an instruction expected");
	const char *behind = s.p;
	if (!try_forms(&s, start, mnemonic, n, fixed, true, out, &known)) {
		s.p = behind;
		if (!nlabels || !try_forms(&s, start, mnemonic, n, fixed, false, out, &known))
			return known ? refuse_text(
					       err, nerr,
					       "no form of %.*s on sm_%u has these modifiers and operands: %.*s",
					       (int)n, mnemonic, sm, (int)(s.end - start), start)
				     : refuse_text(err, nerr, "no instruction %.*s on sm_%u",
						   (int)n, mnemonic, sm);
	}
	u128 w = ((u128)out->word[1] << 64 | out->word[0]) ^ rest;
	return sm70_decode(sm, (uint64_t[2]){(uint64_t)w, (uint64_t)(w >> 64)}, pc, out, err, nerr);
}

bool sm70_unshown(const struct sm70_inst *in, uint64_t rest[2])
{
	char text[TEXT_MAX], err[8];
	struct sm70_inst out;
	size_t n = sm70_print(in, SM70_PLAIN, text, sizeof text);
	rest[0] = rest[1] = 0;
	if (!sm70_assemble(in->sm, text, n, in->pc, NULL, 0, &out, err, sizeof err))
		return false;
	u128 controls = (((u128)1 << 17) - 1) << 105; /* bits 105-121 stand in brackets */
	u128 w = (u128)in->word[1] << 64 | in->word[0], v = (u128)out.word[1] << 64 | out.word[0];
	w = (w ^ v) & ~controls;
	rest[0] = (uint64_t)w;
	rest[1] = (uint64_t)(w >> 64);
	return true;
}
