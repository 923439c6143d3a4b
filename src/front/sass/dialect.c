/* Finds out which toolkit's dialect a Fermi listing is written in (isa/dialect.c describes them).
 * If the listing prints words beside the text, the dialect that reads most of them right wins. Text
 * alone is judged by what only one dialect writes: a factor's negation at B, PSET with its only
 * input last, .W on a shift by a constant, unsigned integers of 20 bits. */
#include "front/sass/sass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const enum native_style candidate[] = {NSTYLE_CUDA4, NSTYLE_CUDA41, NSTYLE_CUDA40};
enum { CANDIDATES = sizeof(candidate) / sizeof(*candidate), SAMPLES = 4000 };

struct evidence {
	unsigned words,
		agree[CANDIDATES]; /* lines with words; how many of them each dialect reads right */
	unsigned of_40,
		of_41; /* lines that only toolkit 4.0, or only 4.0 and 4.1, can have written */
	const char *why;
};

/* The number after `at` if one stands there in hexadecimal and nothing follows but a comma. */
static bool number_at(const char *at, const char *e, uint64_t *v)
{
	char buf[20], *stop;
	size_t n = 0;
	while (at < e && isspace((unsigned char)*at))
		at++;
	while (at < e && n + 1 < sizeof(buf) && isalnum((unsigned char)*at))
		buf[n++] = *at++;
	buf[n] = 0;
	*v = strtoull(buf, &stop, 16);
	return n > 2 && buf[0] == '0' && buf[1] == 'x' && !*stop &&
	       (at == e || *at == ',' || *at == ';' || isspace((unsigned char)*at));
}

/* The text after the n-th comma, or NULL. */
static const char *after_commas(const char *s, const char *e, unsigned n)
{
	for (; n && s < e; s++)
		n -= *s == ',';
	return n ? NULL : s;
}

/* Does the text have the mnemonic, with modifiers or without? */
static bool has_word(const char *s, const char *e, const char *w)
{
	const char *at = sass_find(s, e, w), *end = at ? at + strlen(w) : e;
	return at && (at == s || isspace((unsigned char)at[-1])) &&
	       (end == e || !isalnum((unsigned char)*end));
}

/* The evidence of a line without a word. */
static void judge_text(struct evidence *x, const char *s, const char *e)
{
	uint64_t v;
	const char *blank = s, *b = after_commas(s, e, 2);
	while (blank < e && !isspace((unsigned char)*blank))
		blank++;
	if (blank < e && *s == '@')
		for (blank++; blank < e && !isspace((unsigned char)*blank);)
			blank++;
	bool shift = has_word(s, e, "SHL") || has_word(s, e, "SHR");
	while (b && b < e && isspace((unsigned char)*b))
		b++;
	if (shift && sass_find(s, blank, ".W") && b && number_at(b, e, &v) && v < 32) {
		x->of_40++;
		x->why = ".W of shifts by constants";
	} else if ((has_word(s, e, "FFMA") || has_word(s, e, "DFMA")) && b && b < e && *b == '-') {
		x->of_40++;
		x->why = "products negated at their second factor";
	} else if (has_word(s, e, "PSET") && sass_find(s, e, ", pt, pt, ")) {
		x->of_40++;
		x->why = "PSET with its input last";
	} else if (b && !sass_find(s, blank, "32I") && !has_word(s, e, "ST") &&
		   !has_word(s, e, "FADD") && !has_word(s, e, "FMUL") && !has_word(s, e, "FFMA") &&
		   number_at(b, e, &v) && v >= 0x80000 && v <= 0xfffff &&
		   (has_word(s, e, "IADD") || has_word(s, e, "LOP") || has_word(s, e, "SEL") ||
		    sass_find(s, blank, "ISETP") || has_word(s, e, "IMNMX"))) {
		x->of_41++;
	}
}

static void judge(struct evidence *x, const struct line *l, uint64_t word)
{
	struct ninst in;
	char err[200];
	bool all = true, ok[CANDIDATES];
	if (!l->has_hex) {
		judge_text(x, l->text, l->text + l->len);
		return;
	}
	if (x->words >= SAMPLES)
		return;
	for (unsigned i = 0; i < CANDIDATES; i++)
		all &= ok[i] = native_agrees(NATIVE_FERMI, l->text, l->len, l->pc, word, NULL,
					     candidate[i], &in, err, sizeof(err));
	if (all)
		return; /* all dialects agree */
	x->words++;
	for (unsigned i = 0; i < CANDIDATES; i++)
		x->agree[i] += ok[i];
}

enum native_style sass_guess_dialect(const char *s, size_t n, const char **why)
{
	struct evidence x = {0};
	const char *end = s + n;
	*why = NULL;
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *e = nl ? nl : end;
		struct line l = {0};
		const char *a = s, *b = e;
		sass_trim(&a, &b);
		if (!x.words && !x.of_40 && !x.of_41 && sass_starts(a, b, ".dialect "))
			return NSTYLE_CUDA4; /* the directive says which: there is nothing to guess */
		if (a < b && *a != '.' && sass_line(a, b, &l) && l.len) {
			l.pc = l.addr;
			bool swapped = l.digits > 8 && l.hex_first;
			judge(&x, &l, swapped ? l.hex << 32 | l.hex >> 32 : l.hex);
		}
		s = nl ? nl + 1 : end;
	}
	unsigned best = 0;
	for (unsigned i = 1; i < CANDIDATES; i++)
		best = x.agree[i] > x.agree[best] ? i : best;
	if (x.words) {
		*why = best ? "by the words beside the text" : NULL;
		return candidate[best];
	}
	if (x.of_40) {
		*why = x.why;
		return NSTYLE_CUDA40;
	}
	*why = x.of_41 ? "by its unsigned 20-bit integers" : NULL;
	return x.of_41 ? NSTYLE_CUDA41 : NSTYLE_CUDA4;
}

bool sass_dialect_directive(struct reader *r, const char *s, const char *e)
{
	if (!sass_starts(s, e, ".dialect "))
		return false;
	s += 9;
	size_t len = sass_word(&s, e);
	if (!native_style_named(s, len, &r->style))
		sass_error(r, r->loc.line,
			   ".dialect wants cuda4.0, cuda4.1, cuda4, cuda5 or full, not '%.*s'",
			   (int)(len > 20 ? 20 : len), s);
	return true;
}
