/* Tests of both ISAs: vector files in both directions, random words, invalid text. */
#ifndef TEST_NATIVE_ROUNDTRIP_H
#define TEST_NATIVE_ROUNDTRIP_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "isa/table.h"
#include "native_vectors.h"

/* Every vector must decode to exactly its text, and its text must assemble to exactly its word
 * except for bits that the text does not show (their number is returned); the full style shows
 * those bits too. */
static inline unsigned check_vectors(const char *path, enum native_isa isa, unsigned expect)
{
	struct vector v;
	unsigned n = 0, hidden = 0;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (vector_next(f, isa, &v)) {
		struct ninst in, a;
		char text[256], full[256], err[160];
		n++;
		assert_true(native_decode(isa, v.word, v.pc, &in));
		native_print(&in, v.style, text, sizeof(text));
		assert_string_equal(text, v.text);
		assert_true(native_assemble(isa, v.text, strlen(v.text), v.pc, NULL, v.style, &a,
					    err, sizeof(err)));
		native_print(&a, v.style, text, sizeof(text));
		assert_string_equal(text, v.text);
		hidden += a.word != v.word;
		native_print(&in, NSTYLE_FULL, full, sizeof(full));
		assert_true(native_assemble(
			isa, full, strlen(full), v.pc, NULL,
			v.style == NSTYLE_CUDA5 && isa == NATIVE_FERMI ? NSTYLE_CUDA5 : NSTYLE_FULL,
			&a, err, sizeof(err)));
		if (a.word != v.word)
			print_message("%s: %016llx %016llx\n", full, (unsigned long long)v.word,
				      (unsigned long long)a.word);
		assert_int_equal(a.word, v.word);
		assert_true(native_agrees(isa, v.text, strlen(v.text), v.pc, v.word, NULL, v.style,
					  &in, err, sizeof(err)));
	}
	fclose(f);
	assert_int_equal(n, expect);
	return hidden;
}

static inline uint64_t test_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s * 2685821657736338717ull;
}

/* Decodes the i-th random word and address; false: not an instruction. Most words have Fermi's bit
 * 3 clear, as most instructions do. */
static inline bool random_inst(enum native_isa isa, unsigned i, uint64_t *seed, struct ninst *in)
{
	uint64_t w = test_random(seed);
	uint32_t pc = (uint32_t)test_random(seed) & 0xfff8;
	if (isa == NATIVE_FERMI && i % 8)
		w &= ~8ull;
	return native_decode(isa, w, pc, in);
}

/* Random words: a word that decodes prints a text that assembles to a word with an equal text. Bits
 * in which the two words differ carry no meaning, so a second round changes nothing. With those
 * bits in braces the word is reproduced exactly. */
static inline void check_random(enum native_isa isa, unsigned n, unsigned min)
{
	uint64_t seed = 88172645463325252ull;
	unsigned decoded = 0;
	for (unsigned i = 0; i < n; i++) {
		struct ninst in, a, b;
		char t[256], u[256], err[160];
		if (!random_inst(isa, i, &seed, &in))
			continue;
		uint64_t w = in.word;
		uint32_t pc = in.pc;
		decoded++;
		native_print(&in, NSTYLE_FULL, t, sizeof(t));
		if (!native_assemble(isa, t, strlen(t), pc, NULL, NSTYLE_FULL, &a, err,
				     sizeof(err)))
			fail_msg("%016llx '%s': %s", (unsigned long long)w, t, err);
		native_print(&a, NSTYLE_FULL, u, sizeof(u));
		assert_string_equal(t, u);
		assert_int_equal(in.op, a.op);
		assert_true(native_assemble(isa, u, strlen(u), pc, NULL, NSTYLE_FULL, &b, err,
					    sizeof(err)));
		assert_int_equal(a.word, b.word);
		native_print_exact(&in, t, sizeof(t));
		if (!native_assemble(isa, t, strlen(t), pc, NULL, NSTYLE_FULL, &b, err,
				     sizeof(err)))
			fail_msg("%016llx '%s': %s", (unsigned long long)w, t, err);
		assert_int_equal(b.word, in.word);
	}
	assert_true(decoded >= min);
}

/* True if a style other than the full one omits something of this instruction. */
static inline bool leaves_out(const struct ninst *in)
{
	const struct native_tab *t = native_tab(in->isa);
	if (in->exit || in->row->form & NRF_BARE)
		return true;
	for (unsigned i = 0; i < ROW_MODS && in->row->mods[i]; i++)
		if (t->mod[in->row->mods[i]].flags & NMF_FULL &&
		    in->mod[t->mod[in->row->mods[i]].id])
			return true;
	return in->op == NI_LD_LDU; /* the style omits the width of addresses */
}

/* A word printed in a style reads back as an equal instruction, or, where the style omits
 * something, as an instruction with an equal text. With the word printed beside the text, exactly
 * that word results. */
static inline void check_reads_back(const struct ninst *in, enum native_style st)
{
	struct ninst a;
	char t[256], full[256], u[256], err[160];
	native_print(in, st, t, sizeof(t));
	if (!native_assemble(in->isa, t, strlen(t), in->pc, NULL, st, &a, err, sizeof(err)))
		fail_msg("%016llx '%s', %s: %s", (unsigned long long)in->word, t,
			 native_style_name(st), err);
	enum native_style by = leaves_out(in) ? st : NSTYLE_FULL;
	native_print(in, by, full, sizeof(full));
	native_print(&a, by, u, sizeof(u));
	if (strcmp(full, u))
		fail_msg("%016llx '%s', %s: read back as '%s'", (unsigned long long)in->word, t,
			 native_style_name(st), u);
	if (!native_agrees(in->isa, t, strlen(t), in->pc, in->word, NULL, st, &a, err, sizeof(err)))
		fail_msg("%016llx '%s', %s: %s", (unsigned long long)in->word, t,
			 native_style_name(st), err);
	assert_int_equal(a.word, in->word);
}

/* Checks all words of a vector file, or n random words, in every style. */
static inline void check_styles(const char *path, enum native_isa isa, unsigned n)
{
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	struct vector v;
	struct ninst in;
	FILE *f = path ? fopen(path, "r") : NULL;
	unsigned words = 0;
	assert_true(!path || f);
	while (path ? vector_next(f, isa, &v) : words < n) {
		if (!path) {
			v.word = test_random(&seed);
			v.pc = (uint32_t)test_random(&seed) & 0xfff8;
			if (isa == NATIVE_FERMI && words % 8)
				v.word &= ~8ull;
		}
		if (!native_decode(isa, v.word, v.pc, &in))
			continue;
		words++;
		for (enum native_style st = 0; st < NSTYLE_COUNT; st++)
			check_reads_back(&in, st);
	}
	if (f)
		fclose(f);
	assert_true(words >= n);
}

static inline void check_refused(enum native_isa isa, const char *text, const char *why)
{
	struct ninst in;
	char err[160] = "";
	assert_false(native_assemble(isa, text, strlen(text), 0x100, NULL, NSTYLE_CUDA4, &in, err,
				     sizeof(err)));
	if (!strstr(err, why))
		fail_msg("'%s': expected '%s' in '%s'", text, why, err);
}
#endif
