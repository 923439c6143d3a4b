/* The golden runner's own parts: operand generation against the hashes of the index, the reference
 * functions and bounds against the GPU's records, and rejection by the bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "command/command.c"
#include "command/file.c"
#include "command/message.c"
#include "command/unpack.c"
#include "cli/golden/bound.c"
#include "cli/golden/file.c"
#include "cli/golden/mma.c"
#include "cli/golden/operand.c"
#include "cli/golden/set.c"
#include "cli/golden/video.c"

static struct golden_set set;

static int open_set(void **state)
{
	(void)state;
	return golden_open(&set, "tests/golden") ? 0 : -1;
}

static int close_set(void **state)
{
	(void)state;
	golden_close(&set);
	return 0;
}

static void operands_match_index(void **state)
{
	(void)state;
	assert_true(set.variants > 9000);
	for (unsigned i = 0; i < set.variants; i++) {
		const struct variant *v = &set.variant[i];
		struct operands g;
		assert_true(operands_init(&g, v->name, v->n, v->kinds));
		uint64_t *words = malloc((size_t)v->n * sizeof *words * OPERANDS_MAX);
		operands_fill(&g, words);
		assert_int_equal(operands_hash(&g, words), v->in_hash);
		free(words);
	}
}

static void unknown_kinds_are_refused(void **state)
{
	(void)state;
	struct operands g;
	assert_false(operands_init(&g, "x", 64, "i32,nonsense"));
	assert_false(operands_init(&g, "x", 64, "i32,i32,i32,i32,i32"));
}

/* Recorded results must be within the bounds of the exact values: `recorded` is spoilt, so that
 * only the exact value can accept. Returns the number of results outside. */
static unsigned outside(const struct variant *v)
{
	struct operands g;
	operands_init(&g, v->name, v->n, v->kinds);
	uint64_t *words = malloc((size_t)v->n * sizeof *words * OPERANDS_MAX);
	operands_fill(&g, words);
	const uint8_t *p = golden_results(&set, v);
	unsigned bad = 0;
	for (uint32_t e = 0; e < v->vectors * v->lanes; e++) {
		uint32_t i = 2 * (e / v->lanes) * v->lanes + e % v->lanes;
		for (unsigned r = 0; r < v->results; p += v->res_bytes[r++]) {
			uint64_t bits = 0;
			memcpy(&bits, p, v->res_bytes[r]);
			/* the signs flipped and an exponent bit: far from the result in every part
			 */
			uint64_t spoilt =
				bits ^ (v->res_bytes[r] == 8 ? 0xa000000000000000ull : 0xa000a000u);
			if (v->res_bytes[r] == 4 && g.kind[0]->width == 32)
				spoilt = bits ^ 0xa0000000u;
			bad += !bound_accepts(v, &g, words, i, r, bits, spoilt);
		}
	}
	free(words);
	return bad;
}

/* Known results of an H200 outside its manual's bounds: one ulp instead of half an ulp among the
 * denormal results of ex2, whose bound is relative, and one tanh with 1.07 times the allowed
 * error. */
static unsigned allowed_outside(const char *name)
{
	return !strcmp(name, "ex2.approx.f16")       ? 3
	       : !strcmp(name, "ex2.approx.f16x2")   ? 2
	       : !strcmp(name, "tanh.approx.bf16x2") ? 1
						     : 0;
}

static void recorded_results_keep_the_bounds(void **state)
{
	(void)state;
	unsigned seen = 0;
	for (unsigned i = 0; i < set.variants; i++) {
		const struct variant *v = &set.variant[i];
		if (v->exactness != APPROX || !strncmp(v->name, "mma.", 4))
			continue;
		seen++;
		if (outside(v) != allowed_outside(v->name))
			fail_msg("%s: %u results are outside the manual's bound", v->name,
				 outside(v));
	}
	assert_true(seen >= 30);
}

/* The model of the scalar video instructions agrees with the GPU where the GPU follows the manual,
 * and differs in every variant that is recorded as emulated differently. */
static void video_model_is_the_manual(void **state)
{
	(void)state;
	unsigned exact = 0, emulated = 0;
	for (unsigned n = 0; n < set.variants; n++) {
		const struct variant *v = &set.variant[n];
		uint64_t none[OPERANDS_MAX] = {0};
		uint32_t manual;
		if (strcmp(v->family, "video") || !video_exact(v->name, none, &manual))
			continue;
		struct operands g;
		operands_init(&g, v->name, v->n, v->kinds);
		uint64_t *words = malloc((size_t)v->n * sizeof *words * OPERANDS_MAX);
		operands_fill(&g, words);
		const uint8_t *p = golden_results(&set, v);
		unsigned differ = 0;
		for (uint32_t e = 0; e < v->vectors; e++, p += 4) {
			uint32_t bits;
			memcpy(&bits, p, 4);
			assert_true(video_exact(v->name, words + OPERANDS_MAX * 2 * e, &manual));
			differ += bits != manual;
		}
		free(words);
		if (v->exactness == EXACT && differ)
			fail_msg("%s: %u elements are not the manual's", v->name, differ);
		exact += v->exactness == EXACT;
		emulated += v->exactness == EMULATED && differ;
	}
	assert_true(exact > 700);
	assert_true(emulated > 460);
}

static uint64_t f32(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static bool accepts(const char *name, const char *list, uint64_t a, uint64_t b, uint64_t got,
		    uint64_t recorded)
{
	struct variant v = {.name = name};
	struct operands g;
	uint64_t words[OPERANDS_MAX] = {a, b};
	assert_true(operands_init(&g, name, 32, list));
	return bound_accepts(&v, &g, words, 0, 0, got, recorded);
}

static void bounds_have_teeth(void **state)
{
	(void)state;
	uint64_t third = f32(1.0f / 3);
	/* the nearest number is a third of an ulp above 1/3 */
	assert_true(accepts("rcp.approx.f32", "f32", f32(3), 0, third - 1, third + 9));
	assert_false(accepts("rcp.approx.f32", "f32", f32(3), 0, third + 1, third));
	assert_true(accepts("div.full.f32", "f32,f32", f32(1), f32(3), third - 2, third + 9));
	assert_false(accepts("div.full.f32", "f32,f32", f32(1), f32(3), third + 2, third + 1));
	/* the recorded result is accepted, but its neighbours are not */
	assert_true(accepts("rcp.approx.f32", "f32", f32(3), 0, third + 9, third + 9));
	assert_false(accepts("rcp.approx.f32", "f32", f32(3), 0, third + 8, third + 9));
	/* signs of zero, overflow */
	assert_false(accepts("rcp.approx.f32", "f32", f32(-INFINITY), 0, 0, 0x80000000));
	assert_true(accepts("ex2.approx.f32", "f32", f32(200), 0, f32(INFINITY), 0));
	assert_false(accepts("ex2.approx.f32", "f32", f32(200), 0, f32(0x1.fffffep127f), 0));
	assert_false(accepts("sqrt.approx.f32", "f32", f32(-1), 0, f32(0),
			     0x7fffffff)); /* must be NaN */
	assert_true(accepts("sqrt.approx.f32", "f32", f32(-1), 0, 0xffc00000, 0x7fffffff));
	assert_false(accepts("lg2.approx.f32", "f32", f32(0), 0, f32(-127), f32(-INFINITY)));
	assert_false(accepts("sin.approx.f32", "f32", f32(1), 0, f32(0.8415f), f32(0.841471f)));
	assert_false(accepts("ex2.approx.f32", "f32", f32(200), 0, f32(1e38f), f32(INFINITY)));
	assert_false(accepts("tanh.approx.f16", "f16", 0x3c00, 0, 0x3a30, 0x3a18));
	assert_false(accepts("no.such.approx", "f32", f32(1), 0, third, third + 1));
}

static void flush_to_zero_is_allowed_where_asked(void **state)
{
	(void)state;
	uint64_t tiny = 1, big = f32(0x1p127f);
	assert_true(accepts("rcp.approx.ftz.f32", "f32", big, 0, 0, 0x00400000));
	assert_true(accepts("sqrt.approx.ftz.f32", "f32", tiny, 0, 0, 5));
	assert_false(accepts("sqrt.approx.f32", "f32", tiny, 0, 0, f32(3.7433924e-23f)));
	/* a subnormal result that should have been flushed is wrong */
	assert_false(accepts("rcp.approx.ftz.f32", "f32", big, 0, 0x00400000, 0));
}

/* C = 1 and all else 0: D equals C at the places that the layout gives. */
static void mma_layout(void **state)
{
	(void)state;
	const char *name = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
	struct operands g;
	assert_true(operands_init(&g, name, 32, "f16x2,f16x2,f16x2,f32"));
	uint64_t words[32 * OPERANDS_MAX] = {0};
	for (unsigned lane = 0; lane < 32; lane++)
		words[OPERANDS_MAX * lane + 3] = f32(1);
	words[OPERANDS_MAX * 5 + 0] = 0x3c00;  /* A[1][2] = 1 */
	words[OPERANDS_MAX * 13 + 2] = 0x4000; /* B[2][3] = 2 */
	double exact, magnitude;
	assert_true(mma_exact(name, &g, words, 5, 1, 0, &exact, &magnitude)); /* D[1][3] */
	assert_true(exact == 2 && magnitude == 2);
	assert_true(mma_exact(name, &g, words, 5, 0, 0, &exact, &magnitude)); /* D[1][2] = C */
	assert_true(exact == 1);
	assert_true(mma_exact(name, &g, words, 5, 3, 0, &exact, &magnitude)); /* D[9][3] */
	assert_true(exact == 0);
	assert_false(mma_exact("mma.sync.aligned.m99", &g, words, 5, 1, 0, &exact, &magnitude));
}

#define HEADER                                                                                     \
	"#file\toffset\tvectors\tn\tlanes\tkinds\tres_bytes\texactness\tmodule\tentry\tin_"        \
	"hash\tname\n"

static void damaged_folders_are_refused(void **state)
{
	(void)state;
	struct golden_set s;
	char dir[] = "build/golden-XXXXXX", path[64];
	fflush(stderr);
	int saved = dup(2);
	assert_non_null(freopen("/dev/null", "w", stderr));
	assert_false(golden_open(&s, "no/such/folder"));
	if (mkdtemp(dir)) {
		static const char *const bad[] = {
			"",
			"#file\toffset\n",
			"#nonsense\n",
			HEADER "a.bin\t0\t99\t32\t1\ti32\t4\texact\tm\te\t0\tx\n",
			HEADER "a.bin\t0\t16\n",
			HEADER "a.bin\t0\t16\t32\t1\ti32\t4\texakt\tm\te\t0\tx\n",
			HEADER "a.bin\t0\t16\t32\t1\ti32\t16\texact\tm\te\t0\tx\n",
			HEADER "a.bin\t0\t16\t33\t1\ti32\t4\texact\tm\te\t0\tx\n",
			HEADER "a.bin\t0\t16\t32\t1\ti32\t4\texact\tm\te\tzz\tx\n",
			HEADER "a.bin\t0\t16\t32\t1\ti32\t4\texact\tm\te\t0\t\n",
		};
		snprintf(path, sizeof path, "%s/index.tsv", dir);
		for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
			FILE *f = fopen(path, "w");
			fputs(bad[i], f);
			fclose(f);
			assert_false(golden_open(&s, dir));
		}
		unlink(path);
		rmdir(dir);
	}
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_match_index),
		cmocka_unit_test(unknown_kinds_are_refused),
		cmocka_unit_test(recorded_results_keep_the_bounds),
		cmocka_unit_test(video_model_is_the_manual),
		cmocka_unit_test(bounds_have_teeth),
		cmocka_unit_test(flush_to_zero_is_allowed_where_asked),
		cmocka_unit_test(mma_layout),
		cmocka_unit_test(damaged_folders_are_refused),
	};
	return cmocka_run_group_tests(tests, open_set, close_set);
}
