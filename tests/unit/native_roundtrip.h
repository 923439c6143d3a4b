/* The tests both ISAs share: vector files both ways, random words, bad text. */
#ifndef TEST_NATIVE_ROUNDTRIP_H
#define TEST_NATIVE_ROUNDTRIP_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_vectors.h"

/* Every vector decodes to exactly its text; its text assembles to exactly its word, but for bits the
 * text does not show (returned count); the full style shows those too. */
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
		assert_true(native_agrees(isa, v.text, strlen(v.text), v.pc, v.word, NULL, &in, err,
					  sizeof(err)));
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

/* Random words: what decodes prints a text that assembles to a word with the same text, and bits of
 * the second word that differ from the first carry no meaning: a second trip changes nothing. With those bits in
 * braces it is the same word. */
static inline void check_random(enum native_isa isa, unsigned n, unsigned min)
{
	uint64_t seed = 88172645463325252ull;
	unsigned decoded = 0;
	for (unsigned i = 0; i < n; i++) {
		struct ninst in, a, b;
		char t[256], u[256], err[160];
		uint64_t w = test_random(&seed);
		uint32_t pc = (uint32_t)test_random(&seed) & 0xfff8;
		if (isa == NATIVE_FERMI && i % 8)
			w &= ~8ull;
		if (!native_decode(isa, w, pc, &in))
			continue;
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
