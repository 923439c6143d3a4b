/* Guesses the toolkit whose dialect a Fermi listing is written in (isa/dialect.c describes the
 * dialects). If the listing prints words beside the text, the dialect that reads most of them right
 * wins. Otherwise the text is judged by details that only some dialects write: .W of shifts, the
 * negated factor (A or B), the position of PSET's only input, unsigned integers of 20 bits. */
#include "front/sass/sass.h"

#include <string.h>
#include "isa/table.h"

static const enum native_style candidate[] = {NSTYLE_CUDA4, NSTYLE_CUDA41, NSTYLE_CUDA40};
enum { CANDIDATES = sizeof(candidate) / sizeof(*candidate), SAMPLES = 4000 };

struct evidence {
	unsigned words,
		/* lines: lines with words; agree: of these, the lines that a dialect reads right */
		agree[CANDIDATES];
	/* lines that only 4.0 writes so, that 4.0 does not write so, that only 4.0 and 4.1 write
	 * so */
	unsigned of_40, not_40, of_41;
	const char *why;
};

static bool is_opcode(const struct ntext *t, const char *name)
{
	size_t n = strlen(name);
	return t->mnem_len >= n && !memcmp(t->mnem, name, n) &&
	       (t->mnem_len == n || t->mnem[n] == '.');
}

static bool has_mod(const struct ntext *t, const char *mod)
{
	size_t n = strlen(mod);
	for (size_t i = 0; i + n <= t->mnem_len; i++)
		if (!memcmp(t->mnem + i, mod, n) && (i + n == t->mnem_len || t->mnem[i + n] == '.'))
			return true;
	return false;
}

static bool is_true(const struct nop *o) { return o->kind == NO_PRED && o->reg == 7 && !o->neg; }

/* Counts evidence for and against toolkit 4.0. Compilers leave the bit of .W clear, except in
 * SHL by an immediate, where it may have either value, and in video shifts, where the program
 * decides. */
static void judge_40(struct evidence *x, const struct ntext *t)
{
	unsigned in = is_opcode(t, "PSET") ? 1 : is_opcode(t, "PSETP") ? 2 : 0;
	if (t->nop >= 3 &&
	    (is_opcode(t, "SHR") || (is_opcode(t, "SHL") && t->o[2].kind != NO_IMM))) {
		if (has_mod(t, ".W")) {
			x->of_40++;
			x->why = ".W of shifts";
		} else {
			x->not_40++;
		}
	} else if ((is_opcode(t, "FFMA") || is_opcode(t, "DFMA")) && t->nop == 4) {
		/* a minus sign before a decimal number is part of the number */
		if (t->o[2].neg || (t->o[2].minus && t->o[2].imm_type == IMM_S)) {
			x->of_40++;
			x->why = "products negated at their second factor";
		} else {
			x->not_40 += t->o[1].neg;
		}
	} else if (in && t->nop == in + 3) {
		bool first = is_true(&t->o[in]), last = is_true(&t->o[in + 2]);
		if (first && !last) {
			x->of_40++;
			x->why = "PSET with its input last";
		} else {
			x->not_40 += last && !first;
		}
	}
}

/* Collects the evidence of a line without a word. */
static void judge_text(struct evidence *x, const char *s, size_t len)
{
	static const char *const integer[] = {"IADD", "LOP", "SEL", "ISETP", "IMNMX"};
	struct ntext t;
	char err[200];
	if (!native_parse(NATIVE_FERMI, s, len, &t, err, sizeof(err)))
		return;
	judge_40(x, &t);
	for (unsigned i = 0; i < sizeof(integer) / sizeof(*integer); i++)
		if (is_opcode(&t, integer[i]))
			for (unsigned j = 0; j < t.nop; j++)
				x->of_41 += t.o[j].kind == NO_IMM && !t.o[j].minus &&
					    t.o[j].imm >= 0x80000 && t.o[j].imm <= 0xfffff;
}

static void judge_line(struct evidence *x, const struct line *l, uint64_t word)
{
	struct ninst in;
	char err[200];
	bool all = true, ok[CANDIDATES];
	if (!l->has_hex) {
		judge_text(x, l->text, l->len);
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
		if (!x.words && !x.of_40 && !x.not_40 && !x.of_41 && sass_starts(a, b, ".dialect "))
			/* the directive names the dialect, so nothing is guessed */
			return NSTYLE_CUDA4;
		if (a < b && *a != '.' && sass_line(a, b, &l) && l.len) {
			l.pc = l.addr;
			bool swapped = l.digits > 8 && l.hex_first;
			judge_line(&x, &l, swapped ? l.hex << 32 | l.hex >> 32 : l.hex);
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
	if (x.of_40 > x.not_40) {
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
			   ".dialect expects cuda4.0, cuda4.1, cuda4, cuda5 or full, not '%.*s'",
			   (int)(len > 20 ? 20 : len), s);
	return true;
}
