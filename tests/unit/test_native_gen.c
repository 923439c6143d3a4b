/* Every row of both decoders' tables with random operands: the instruction either loads and its
 * kernel can be built, or is refused by name and address. No later stage may find an error in the
 * lifted code. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "isa/native.h"
#include "isa/table.h"
#include "heddle.h"

enum { TRIES = 10 };

static uint64_t seed = 88172645463325252u;
static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static char *constants(void)
{
	char *s = malloc(1 << 10), *p = s;
	for (int bank = 0; bank < 32; bank++)
		p += sprintf(p, ".const %d 0x0\n", bank);
	return s;
}

enum outcome { LOADS, REFUSED, UNREADABLE, WRONG };

static enum outcome try_word(struct heddle *h, const struct native_tab *t, uint64_t w,
			     const char *consts, char *why, size_t nwhy)
{
	struct ninst in;
	char text[256], file[1 << 15];
	if (!native_decode(t->isa, w, 0, &in))
		return UNREADABLE;
	native_print(&in, NSTYLE_FULL, text, sizeof text);
	bool tesla = t->isa == NATIVE_TESLA;
	int n = snprintf(file, sizeof file,
			 "code for %s\nFunction : k\n.shared 16384\n.local 4096\n%s%s;\n%s%s\n",
			 tesla ? "sm_13" : "sm_20", consts, text, in.size == 4 ? text : "",
			 in.size == 4 ? ";" : "");
	n += snprintf(file + n, sizeof file - (size_t)n, "%s;\n", tesla ? "NOP" : "EXIT");
	struct heddle_text ht = {"k.sass", file, (size_t)n};
	struct heddle_module *m;
	if (heddle_load(h, &ht, 1, &m)) {
		const char *msg = heddle_message(h);
		/* the listing reader's own refusals (targets outside) are not this test's matter */
		bool fair = strstr(msg, "is not supported") || strstr(msg, "outside the code") ||
			    strstr(msg, "inside an instruction") ||
			    strstr(msg, "operands do not fit") || strstr(msg, "no label") ||
			    strstr(msg, "bad ") || strstr(msg, "expected");
		fair &= !strstr(msg, "instruction ") || strstr(msg, "outside the code") != NULL ||
			strstr(msg, "operands do not fit") != NULL;
		snprintf(why, nwhy, "%s\n%s", text, msg);
		return !fair ? WRONG : strstr(msg, "is not supported") ? REFUSED : UNREADABLE;
	}
	struct heddle_kernel_info info;
	heddle_kernel_info(heddle_kernel_at(m, 0), &info);
	heddle_unload(h, m);
	return LOADS;
}

static void all_rows(const struct native_tab *t)
{
	char *consts = constants(), why[2048];
	struct heddle_options o = {0};
	unsigned bad = 0;
	for (unsigned i = 0; i < t->nrow; i++) {
		struct heddle *h;
		assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
		for (unsigned k = 0; k < TRIES; k++) {
			const struct native_row *r = &t->row[i];
			uint64_t w = (random64() & ~r->mask) | r->match | r->set;
			if (t->isa == NATIVE_FERMI && k % 2)
				w = (w & ~(0xfull << 10)) | 7ull << 10; /* unguarded */
			if (try_word(h, t, w, consts, why, sizeof why) == WRONG && bad++ < 20)
				fprintf(stderr, "%s\n", why);
		}
		heddle_close(h);
	}
	free(consts);
	assert_int_equal(bad, 0);
}

static void fermi(void **state)
{
	(void)state;
	all_rows(native_tab(NATIVE_FERMI));
}

static void tesla(void **state)
{
	(void)state;
	all_rows(native_tab(NATIVE_TESLA));
}

/* ---- instructions that are not executed ---- */

/* Instructions (form ""), and forms of others, that are refused whatever their operands; patterns
 * as for fnmatch(). A form is a modifier, or the last operand of a row without other differences.
 * docs/machine/native.md has this list too. */
struct gap {
	uint8_t isa;
	const char *name, *form;
};
static const struct gap gaps[] = {
	/* forms whose meaning is not published */
	{NATIVE_FERMI, "SH[LR]", ".X"},
	{NATIVE_FERMI, "SHR", ".XHI"},
	/* graphics: tests of the clip state */
	{NATIVE_FERMI, "CSET*", ".*CSM_*"},
	{NATIVE_FERMI, "CSET*", ".RLE"},
	{NATIVE_FERMI, "CSET*", ".RGT"},
	/* surfaces: layers, queries of formats, addresses */
	{NATIVE_FERMI, "SU*", ".E2D"},
	{NATIVE_FERMI, "SUQ", ".[!RD]*"},
	{NATIVE_FERMI, "SUQ", ".RGBA"},
	/* depth comparison, samples, offsets of each texel but in gathers, clamped levels, queries
	 * but .DIM */
	{NATIVE_FERMI, "T*", ".DC"},
	{NATIVE_FERMI, "T[EX]*", ".PTP"},
	{NATIVE_FERMI, "TEX", ".L?A"},
	{NATIVE_FERMI, "TLD", ".MS"},
	{NATIVE_FERMI, "TMML", ""},
	{NATIVE_FERMI, "TXQ", ".[!D]*"},
	/* atomics of 128 bits; compare and swap of 8 and 16 */
	{NATIVE_TESLA, "GATOM", ".[US]8"},
	{NATIVE_TESLA, "GATOM", ".[US]16"},
	{NATIVE_TESLA, "G[AR]*", ".S128"},
	/* a gather of samples */
	{NATIVE_TESLA, "TLD4", ""},
};
enum { NGAPS = sizeof gaps / sizeof *gaps, WORDS = 300 };

struct walk {
	const struct native_tab *t;
	struct heddle *h;
	char *consts;
	uint64_t *usual; /* per row: a word that loads; 0: none does */
	bool seen[NGAPS];
	unsigned unlisted;
	char why[2048];
};

static uint64_t set_bits(uint64_t w, unsigned lo, unsigned n, uint64_t v)
{
	uint64_t field = n ? ~0ull >> (64 - n) : 0;
	return (w & ~(field << lo)) | (v & field) << lo;
}

/* Operands that an instruction nearly always has, and that random choice would hardly find. */
static uint64_t ordinary(const struct native_row *r, enum native_isa isa, uint64_t w)
{
	bool simd = isa == NATIVE_FERMI && r->name[0] == 'V' && strpbrk(r->name, "24");
	if (simd)
		return set_bits(set_bits(w, 36, 8, 0x44), 55, 2,
				3); /* lane numbers in order; all lanes of the first two */
	if (isa == NATIVE_FERMI)
		return w;
	switch (r->op) {
	case NI_GLD:
	case NI_GST:
	case NI_GRED: return set_bits(w, 16, 4, 14);                      /* global14 */
	case NI_GATOM: return set_bits(set_bits(w, 23, 4, 14), 53, 3, 6); /* .U32 */
	case NI_TEX:
		if (!strcmp(r->name, "TLD4")) /* two coordinates, or three of a cube */
			return set_bits(set_bits(set_bits(w, 22, 2, w >> 27 & 1 ? 2 : 1), 24, 1, 1),
					48, 12, 0);
		return set_bits(set_bits(w, 22, 2, 2), 48, r->size == 8 ? 12 : 0,
				0); /* 3 coordinates, no offsets */
	case NI_MOV: return r->size == 8 ? set_bits(w, 46, 4, 15) : w; /* all of a quad */
	case NI_BAR: return set_bits(w, 9, 12, 0xfff);                 /* all threads */
	default: return w;
	}
}

static enum outcome try_row(struct walk *k, const struct native_row *r, uint64_t w)
{
	struct ninst in;
	bool decoded = native_decode(k->t->isa, w, 0, &in) && in.row == r;
	if (!decoded ||
	    (in.isa == NATIVE_FERMI && in.guard == 7 && in.guard_neg)) /* never executed */
		return UNREADABLE;
	return try_word(k->h, k->t, w, k->consts, k->why, sizeof k->why);
}

/* The i-th word to try. */
static uint64_t some_word(const struct walk *k, const struct native_row *r, unsigned i)
{
	uint64_t w = i ? random64() : 0; /* zeroes: a branch to the next instruction */
	for (unsigned n = i % 4; n; n--) /* changes one, two, ... bits */
		w &= random64();
	return (ordinary(r, k->t->isa, w) & ~r->mask) | r->match | r->set;
}

static uint64_t find_usual(struct walk *k, const struct native_row *r)
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t w = some_word(k, r, i);
		if (try_row(k, r, w) == LOADS)
			return w;
	}
	return 0;
}

/* Does a word of the row with the modifier's code load? UNREADABLE: no such word decodes. */
static enum outcome with_code(struct walk *k, unsigned row, const struct nmodf *f, unsigned code)
{
	const struct native_row *r = &k->t->row[row];
	enum outcome best = UNREADABLE;
	for (unsigned i = 0; i < WORDS && best != LOADS; i++) {
		uint64_t change = i ? random64() & random64() & random64() & ~r->mask : 0;
		uint64_t near =
			ordinary(r, k->t->isa, k->usual[row] ^ change); /* changed towards a word
									 * that loads */
		uint64_t w = set_bits(i % 2 ? some_word(k, r, i / 2) : near, f->lo, f->w, code);
		enum outcome o = try_row(k, r, set_bits(w, f->lo2, f->w2, code >> f->w));
		best = o == LOADS || o == REFUSED ? o : best;
	}
	return best;
}

static void refused(struct walk *k, const char *name, const char *form)
{
	for (unsigned i = 0; i < NGAPS; i++)
		if (gaps[i].isa == k->t->isa && !fnmatch(gaps[i].name, name, 0) &&
		    !fnmatch(gaps[i].form, form, 0)) {
			k->seen[i] = true;
			return;
		}
	fprintf(stderr, "%s %s is refused: %s\n", name, form, k->why);
	k->unlisted++;
}

/* A row of which no word loads, of an instruction with other rows, is identified by its last
 * operand. */
static const char *row_form(const struct walk *k, const struct native_row *r)
{
	const char *last = "";
	bool others = false;
	for (unsigned i = 0; i < k->t->nrow; i++)
		others |= k->usual[i] && !strcmp(k->t->row[i].name, r->name);
	for (unsigned i = 0; i < ROW_OPS && r->ops[i]; i++)
		last = k->t->opf[r->ops[i]].doc;
	return others ? last : "";
}

static void walk_row(struct walk *k, unsigned row)
{
	const struct native_row *r = &k->t->row[row];
	if (!k->usual[row])
		refused(k, r->name, row_form(k, r));
	for (unsigned m = 0; k->usual[row] && m < ROW_MODS && r->mods[m]; m++) {
		const struct nmodf *f = &k->t->mod[r->mods[m]];
		for (unsigned code = 0; code < f->n; code++)
			if (f->val[code] && with_code(k, row, f, code) == REFUSED)
				refused(k, r->name, f->val[code]);
	}
}

/* Asserts that the list above has exactly the rows of the table of which no word is executed. */
static void walk(const struct native_tab *t)
{
	struct walk k = {.t = t, .consts = constants(), .usual = calloc(t->nrow, sizeof *k.usual)};
	struct heddle_options o = {0};
	assert_int_equal(heddle_open(&k.h, &o), HEDDLE_OK);
	for (unsigned i = 0; i < t->nrow; i++)
		k.usual[i] = find_usual(&k, &t->row[i]);
	for (unsigned i = 0; i < t->nrow; i++)
		walk_row(&k, i);
	heddle_close(k.h);
	free(k.consts);
	free(k.usual);
	for (unsigned i = 0; i < NGAPS; i++)
		if (gaps[i].isa == t->isa && !k.seen[i])
			fail_msg("%s %s is executed: it is no gap", gaps[i].name, gaps[i].form);
	assert_int_equal(k.unlisted, 0);
}

static void fermi_gaps(void **state)
{
	(void)state;
	walk(native_tab(NATIVE_FERMI));
}

static void tesla_gaps(void **state)
{
	(void)state;
	walk(native_tab(NATIVE_TESLA));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fermi), cmocka_unit_test(tesla),
					   cmocka_unit_test(fermi_gaps),
					   cmocka_unit_test(tesla_gaps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
