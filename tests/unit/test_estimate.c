/* Sampled launches: which launches are timed, the estimates for the others, and whether the true
 * value lies inside the interval, on synthetic programs whose launches are all known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "estimate/figures.h"
#include "estimate/strata.h"
#include "estimate/student.h"

enum { LAUNCHES = 600 };

/* A number in [-1, 1) that depends only on its arguments. */
static double noise(uint64_t seed, uint64_t i)
{
	uint64_t x = (seed * 0x9e3779b97f4a7c15u) ^ (i + 1) * 0xd1342543de82ef95u;
	for (int k = 0; k < 3; k++)
		x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
	return (double)(int64_t)x * 0x1p-63;
}

struct made { /* one launch of a program */
	const char *kernel;
	double x, y;
};

/* Programs: similar launches with noise; sizes that shrink; a drift over the program with two
 * alternating kernels; sizes that depend on data. */
static struct made make_launch(unsigned program, uint64_t data, unsigned i)
{
	double z = noise(data, i);
	switch (program) {
	case 0: return (struct made){"a", 10000, 5000 * (1 + 0.05 * z)};
	case 1: {
		double x = 100000 - 150.0 * i;
		return (struct made){"a", x, 800 + 0.3 * x * (1 + 0.02 * z)};
	}
	case 2:
		return i % 2 ? (struct made){"a", 10000, 5000 * (1 + 0.0005 * i + 0.02 * z)}
			     : (struct made){"b", 300, 900 * (1 + 0.1 * z)};
	default: {
		double x = 20000 * (1.5 + noise(data + 99, i));
		return (struct made){"a", x, 1000 + 0.4 * x + 600 * z};
	}
	}
}

struct outcome {
	double truth, value, half, timed;
};

/* left: relative error of a launch that is timed behind one that is not. */
static struct strata *play_with(unsigned program, uint64_t data, double error, uint64_t seed,
				double left, struct outcome *out)
{
	struct strata *s = strata_new(error, seed);
	unsigned timed = 0;
	bool before = false;
	*out = (struct outcome){0};
	for (unsigned i = 0; i < LAUNCHES; i++) {
		struct made m = make_launch(program, data, i);
		unsigned k = strata_find(s, &(struct stratum_key){.kernel = m.kernel, .waves = 1});
		struct strata_launch l = {.instructions = (uint64_t)m.x, .cycles = m.y};
		l.timed = strata_wants(s, k);
		l.live = l.timed && before;
		l.cycles *= l.live ? 1 : 1 + left;
		before = l.timed;
		timed += l.timed;
		out->truth += m.y;
		strata_add(s, k, &l);
	}
	out->value = strata_cycles(s, &out->half);
	out->timed = (double)timed / LAUNCHES;
	return s;
}

static struct strata *play(unsigned program, uint64_t data, double error, uint64_t seed,
			   struct outcome *out)
{
	return play_with(program, data, error, seed, 0, out);
}

static void test_holds(void **state)
{
	(void)state;
	for (unsigned program = 0; program < 4; program++) {
		enum { SEEDS = 200 };
		unsigned holds = 0, met = 0;
		double part = 0, bias = 0;
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct outcome o;
			strata_free(play(program, seed % 20, 0.02, seed, &o));
			holds += fabs(o.value - o.truth) <= o.half;
			met += o.half <= 0.04 * o.truth;
			part += o.timed / SEEDS;
			bias += (o.value / o.truth - 1) / SEEDS;
		}
		print_message(
			"program %u: interval holds in %u of %u, timed %.3f, bias %+.4f, within 4 %%: %u\n",
			program, holds, SEEDS, part, bias, met);
		assert_true(holds >= SEEDS * 93 / 100);
		assert_true(met >= SEEDS * 9 / 10);
		assert_true(part < 0.25);
		assert_true(fabs(bias) < 0.004);
	}
}

/* Functional launches leave other caches than timed ones: the interval knows, from the launches that are timed behind
 * timed ones. */
static void test_state(void **state)
{
	(void)state;
	enum { SEEDS = 100 };
	static const double left[] = {0.03, -0.03};
	for (unsigned i = 0; i < 4; i++) {
		unsigned holds = 0, program = 1 + i / 2;
		double half = 0;
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct outcome o;
			strata_free(play_with(program, seed % 20, 0.02, seed, left[i % 2], &o));
			holds += fabs(o.value - o.truth) <= o.half;
			half += o.half / o.truth / SEEDS;
		}
		print_message("program %u, state %+.2f: interval holds in %u of %u, %.3f\n",
			      program, left[i % 2], holds, SEEDS, half);
		assert_true(holds >= SEEDS * 9 / 10);
		assert_true(half < 0.1);
	}
}

static void test_exact(void **state)
{
	(void)state;
	struct outcome o;
	strata_free(play(3, 1, 0, 0, &o));
	assert_float_equal(o.value, o.truth, 1e-6 * o.truth);
	assert_true(o.half == 0 && o.timed == 1);

	/* launches one by one, and some of several streams: all are timed, so nothing is estimated */
	struct strata *s = strata_new(0, 1);
	unsigned k = strata_find(s, &(struct stratum_key){.kernel = "a"});
	double half;
	for (unsigned i = 0; i < 80; i++)
		strata_add(s, k, &(struct strata_launch){1000, i % 4 ? 500 : 900 + i, true, i % 4});
	strata_cycles(s, &half);
	assert_true(half == 0);
	strata_free(s);
}

static void test_seeds(void **state)
{
	(void)state;
	struct outcome a, b, c;
	strata_free(play(0, 1, 0.02, 5, &a));
	strata_free(play(0, 1, 0.02, 5, &b));
	strata_free(play(0, 1, 0.02, 6, &c));
	assert_true(a.value == b.value && a.half == b.half);
	assert_true(a.value != c.value);
}

/* Tighter intervals time more. */
static void test_error(void **state)
{
	(void)state;
	struct outcome wide, narrow;
	strata_free(play(0, 1, 0.05, 1, &wide));
	strata_free(play(0, 1, 0.003, 1, &narrow));
	assert_true(narrow.timed > 2 * wide.timed);
	assert_true(narrow.half < wide.half / 2);
}

/* Decisions made before any launch has ended stop where figures are needed. */
static void test_ahead(void **state)
{
	(void)state;
	struct strata *s = strata_new(0.02, 1);
	unsigned k = strata_find(s, &(struct stratum_key){.kernel = "a"}), n = 0;
	for (; strata_ready(s, k) && n < 100; n++)
		assert_true(strata_wants(s, k));
	assert_int_equal(n, 8);
	for (unsigned i = 0; i < n; i++)
		strata_add(s, k, &(struct strata_launch){100, 50, true});
	assert_true(strata_ready(s, k));
	strata_free(s);
}

/* A stratum without a timed launch gets the mean rate, with an error equal to the rate. */
static void test_untimed(void **state)
{
	(void)state;
	struct strata *s = strata_new(0.02, 1);
	unsigned a = strata_find(s, &(struct stratum_key){.kernel = "a"});
	unsigned b = strata_find(s, &(struct stratum_key){.kernel = "b"});
	for (unsigned i = 0; i < 4; i++)
		strata_add(s, a, &(struct strata_launch){1000, 500, true});
	strata_add(s, b, &(struct strata_launch){.instructions = 400});
	double half, value = strata_cycles(s, &half);
	assert_float_equal(value, 2000 + 200, 1e-9);
	assert_true(half >= 200);
	assert_float_equal(strata_timed_part(s), 4000. / 4400, 1e-12);
	strata_free(s);
}

/* A launch with twice the instructions of any timed launch makes the next launch timed. */
static void test_unlike(void **state)
{
	(void)state;
	struct strata *s = strata_new(0.02, 1);
	unsigned k = strata_find(s, &(struct stratum_key){.kernel = "a"}), i = 0;
	while (strata_wants(s, k) && i++ < 100)
		strata_add(s, k, &(struct strata_launch){1000, 500, true});
	strata_add(s, k, &(struct strata_launch){.instructions = 2500});
	assert_true(strata_wants(s, k));
	strata_free(s);
}

static void test_waves(void **state)
{
	(void)state;
	const uint64_t n[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17};
	const uint32_t class[] = {1, 1, 2, 3, 4, 5, 5, 6, 6, 7};
	for (unsigned i = 0; i < sizeof n / sizeof *n; i++)
		assert_int_equal(strata_waves(n[i]), class[i]);
}

static void test_student(void **state)
{
	(void)state;
	/* tables of the t distribution */
	assert_float_equal(student_95(1), 12.706, 1e-3);
	assert_float_equal(student_95(4.5), (2.776 + 2.571) / 2, 1e-3);
	assert_float_equal(student_95(10), 2.228, 3e-3);
	assert_float_equal(student_95(30), 2.042, 1e-3);
	assert_float_equal(student_95(120), 1.980, 1e-3);
}

/* ---- figures ---- */

static double hit_rate(const void *v)
{
	const uint64_t *c = v;
	return c[1] ? (double)c[0] / (double)c[1] : 0;
}
static const struct stat_def defs[] = {
	{"hits", "accesses", "", STAT_SUM, 1}, {"accesses", "accesses", "", STAT_SUM, 1},
	{"wait", "cycles", "", STAT_SUM, 3},   {"peak", "entries", "", STAT_MAX, 1},
	{"energy", "J", "", STAT_REAL, 1},     {"mean", "W", "", STAT_REAL, 1}};
static const struct stat_derived derived[] = {{"rate", "", "", hit_rate}};
static const struct stat_table table = STAT_TABLE("cache", defs, derived);

static double *add_row(struct figures *f, const uint64_t v[8], double weight)
{
	const double own[FIGURES_OWN] = {100, 1e-6, 2};
	struct stat_report *r = stat_report_new();
	stat_report_add(r, &table, "cache", 0, v);
	stat_report_total(r);
	if (!f->columns)
		figures_init(f, r);
	double *row = figures_row(f, r, own);
	figures_add(f, row, weight);
	stat_report_free(r);
	return row;
}

static void test_figures(void **state)
{
	(void)state;
	struct figures f = {.factor = 2, .thread_instructions = 1200};
	const uint64_t a[8] = {60, 100, 1, 2, 3, 7, stat_of_real(0.5), stat_of_real(99)};
	const uint64_t b[8] = {30, 50, 0, 2, 0, 9, stat_of_real(0.25), stat_of_real(98)};
	struct figure_value v;
	double *row = add_row(&f, a, 2);
	free(add_row(&f, b, 3));
	/* hits and accesses deviate together, so that the interval of their quotient is narrower
	 * than theirs */
	for (size_t i = 0; i < f.columns; i++)
		row[i] *= 0.1;
	figures_deviate(&f, row);
	assert_true(figures_find(&f, "cache", "hits", &v));
	assert_float_equal(v.value, 210, 1e-9);
	assert_float_equal(v.half, 12, 1e-9);
	assert_true(figures_find(&f, "cache", "rate", &v));
	assert_float_equal(v.value, 0.6, 1e-9);
	assert_float_equal(v.half, 0, 1e-9);
	assert_true(figures_find(&f, "cache", "peak", &v));
	assert_true(v.peak && v.value == 9);
	assert_true(figures_find(&f, "cache", "energy", &v));
	assert_float_equal(v.value, 1.75, 1e-9);
	assert_false(figures_find(&f, "cache", "mean", &v));
	assert_true(figures_find(&f, "launch", "ipc", &v));
	assert_float_equal(v.value, 1200. / 500, 1e-9);
	assert_float_equal(v.half, 2 * (1200. / 500 - 1200. / 510), 1e-9);
	json_t *o = figures_json(&f), *wait = json_object_get(json_object_get(o, "cache"), "wait");
	json_t *list = json_object_get(wait, "value");
	assert_int_equal(json_array_size(list), 3);
	assert_float_equal(json_number_value(json_array_get(list, 1)), 10, 1e-9);
	assert_float_equal(json_number_value(json_array_get(json_object_get(wait, "high"), 1)),
			   10.4, 1e-9);
	json_decref(o);
	figures_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holds),   cmocka_unit_test(test_state),
		cmocka_unit_test(test_exact),   cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_error),   cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_untimed), cmocka_unit_test(test_unlike),
		cmocka_unit_test(test_waves),   cmocka_unit_test(test_student),
		cmocka_unit_test(test_figures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
