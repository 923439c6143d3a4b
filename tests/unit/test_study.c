/* Studies: arithmetic, expressions, files, texts and verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "study/lang/maths.h"
#include "study/lang/study.h"

static void near(double x, double want, double tolerance)
{
	if (!(fabs(x - want) <= tolerance))
		fail_msg("%.6f is not within %g of %g", x, tolerance, want);
}

/* ---- arithmetic ---- */

static void means_leave_out_what_is_missing(void **state)
{
	(void)state;
	const double x[] = {1, NAN, 4}, none[] = {NAN};
	near(maths_mean(x, 3, MEAN_ARITHMETIC), 2.5, 1e-12);
	near(maths_mean(x, 3, MEAN_GEOMETRIC), 2, 1e-12);
	near(maths_mean(x, 3, MEAN_HARMONIC), 1.6, 1e-12);
	near(maths_least(x, 3), 1, 0);
	near(maths_most(x, 3), 4, 0);
	assert_true(isnan(maths_mean(none, 1, MEAN_ARITHMETIC)));
	assert_true(isnan(maths_least(none, 1)));
}

/* By hand: deviations -1, 0, 1 and -1, 1, 0: 1 / sqrt(2 * 2). */
static void correlation_is_pearsons(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, NAN}, y[] = {4, 6, 5, 100}, same[] = {7, 7, 7, 7},
		     down[] = {9, 7, 5, 0};
	near(maths_correlation(x, y, 4), 0.5, 1e-12);
	near(maths_correlation(x, x, 4), 1, 1e-12);
	near(maths_correlation(x, down, 4), -1, 1e-12);
	assert_true(isnan(maths_correlation(x, same, 4)));
	assert_true(isnan(maths_correlation(x, y, 1)));
}

/* The two rows of the thesis's table 6.1. */
static void equation_6_1_gives_the_thesis_numbers(void **state)
{
	(void)state;
	const double speedup[] = {4, 2, 1.33}, all[] = {0.062, 0.026, 0.006},
		     last[] = {0.058, 0.068, 0.067};
	near(maths_amdahl(all, speedup, 3), 1.065, 5e-4);
	near(maths_amdahl(last, speedup, 3), 1.104, 5e-4);
	near(maths_amdahl((double[]){1}, (double[]){4}, 1), 4, 1e-12);
	near(maths_amdahl(all, speedup, 0), 1, 0);
}

/* ---- a study in memory ---- */

static const char head[] =
	"[study]\ntitle = T\nmachine = hws\nset = e.f=3\n[program A]\ncost = 2\n[program B]\n[program C]\n"
	"[run base]\nset = a.b=1, c.d=2\n[run new-one]\n";
static char path[64];

/* Two runs of three programs; C was not measured under new-one. */
static double known(const void *arg, unsigned program, unsigned run, const char *name, int first,
		    int last)
{
	static const double cycles[3][2] = {{100, 50}, {80, 80}, {60, NAN}};
	(void)arg;
	if (!strcmp(name, "cycles"))
		return cycles[program][run];
	if (!strcmp(name, "sm.active_lanes"))
		return last - first + 1; /* one in every bucket */
	return NAN;
}

static struct study *study(const char *rest, struct diag *d)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s%s", head, rest);
	fclose(f);
	struct study *s = study_read(path, d);
	if (s)
		s->world.figure = known;
	return s;
}

static struct study *good(const char *rest)
{
	struct diag *d = calloc(1, sizeof *d);
	struct study *s = study(rest, d);
	if (d->n)
		diag_print(d, stderr);
	assert_non_null(s);
	diag_free(d);
	free(d);
	return s;
}

/* A quantity that divides by 0 for a program omits that program with a message. */
static void divisions_by_zero(void **state)
{
	(void)state;
	struct study *s =
		good("[value gain]\nis = cycles(base) / (cycles(base) - 80)\n"
		     "[figure f]\ntitle = f\nvalues = gain\n"
		     "[claim a]\nfigure = f\nsays = .\nquantity = mean(gain)\nexpect = 1 +- 9\n"
		     "[claim b]\nfigure = f\nsays = .\nquantity = gain@B\nexpect = 1 +- 9\n"
		     "[claim c]\nfigure = f\nsays = .\nquantity = gain@A\nexpect = 1 +- 9\n");
	static const enum verdict want[] = {VERDICT_UNMEASURED, VERDICT_UNMEASURED, VERDICT_AGREES};
	double x[3];
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(study_verdict(s, &s->claims.v[i], &x[i]), want[i]);
		assert_int_equal(study_divides_by_zero(s, s->claims.v[i].expr), i < 2);
	}
	near(x[0], 1, 0); /* the mean of A and C */
	assert_true(isnan(x[1]));
	near(x[2], 5, 0);
	assert_int_equal(study_value_missing(s, 0), 1);
	study_free(s);
}

/* Settings of the study precede those of a run. */
static void settings(void **state)
{
	(void)state;
	struct study *s = good("");
	assert_int_equal(s->runs.v[0].nset, 3);
	assert_string_equal(s->runs.v[0].set[0], "e.f=3");
	assert_string_equal(s->runs.v[0].set[2], "c.d=2");
	assert_null(s->runs.v[0].set[3]);
	assert_int_equal(s->runs.v[1].nset, 1);
	study_free(s);
}

static double value_of(const struct study *s, const char *text, int program)
{
	struct arena a = {0};
	const char *why;
	const struct expr *e = expr_parse(&s->world, text, &a, &why);
	if (!e)
		fail_msg("%s", why);
	double x = expr_eval(e, &s->world, program);
	arena_free(&a);
	return x;
}

static void expressions(void **state)
{
	(void)state;
	struct study *s = good("[value speedup]\nis = cycles(base) / cycles(new-one)\n");
	near(value_of(s, "1 + 2 * 3 - 8 / 4", -1), 5, 0);
	near(value_of(s, "-(1 - 3) * 2", -1), 4, 0);
	near(value_of(s, "1 < 2 and 2 >= 2 or 0", -1), 1, 0);
	near(value_of(s, "speedup", 0), 2, 0);
	near(value_of(s, "speedup@B", -1), 1, 0);
	near(value_of(s, "mean(speedup)", -1), 1.5, 0);
	near(value_of(s, "least(speedup) + most(speedup)", -1), 3, 0);
	near(value_of(s, "count(speedup > 1)", -1), 1, 0);
	near(value_of(s, "sum(cycles(base))", -1), 240, 0);
	near(value_of(s, "correlation(cycles(base), cycles(new-one))", -1), -1, 1e-12);
	near(value_of(s, "sm.active_lanes[1..4](base) + sm.active_lanes[7](base)", 0), 5, 0);
	near(value_of(s, "amdahl(0.062, 4, 0.026, 2, 0.006, 1.33)", -1), 1.065, 5e-4);
	assert_true(isnan(value_of(s, "speedup", 2)));  /* not measured */
	assert_true(isnan(value_of(s, "speedup", -1))); /* undefined without a program */
	assert_true(isnan(value_of(s, "speedup@C > 1", -1)));
	assert_true(isnan(value_of(s, "1 / (speedup@B - 1)", -1)));
	study_free(s);
}

/* A claim about a sign is judged by the sign, equal runs confirm nothing, and a number of the right
 * sign but the wrong size does not agree. */
static void kinds_of_verdicts(void **state)
{
	(void)state;
	struct study *s = good(
		"[value gain]\nis = cycles(base) / cycles(new-one) - 1\n"
		"[claim loses]\nsays = x\nquantity = gain@B\nexpect = <= 0\n" /* equal runs: 0 */
		"[claim loses2]\nsays = x\nquantity = gain@A\nexpect = < 0\n"
		"[claim more]\nsays = x\nquantity = gain@A\nexpect = > 0\n"
		"[claim none]\nsays = x\nquantity = gain@B\nequal = yes\nexpect = 0 +- 0.1\n"
		"[claim number]\nsays = x\nquantity = gain@A\ndirection = gain@A > 0\nexpect = 3 +- 1\n"
		"[claim sign]\nsays = x\nquantity = gain@A\ndirection = gain@A < 0\nexpect = 3 +- 1\n"
		"[claim large]\nsays = x\nsizes = paper\nquantity = gain@A\nexpect = > 0\n"
		"[claim zero]\nsays = x\nquantity = gain@A - gain@A\nexpect = > 0\n"
		"[claim zero2]\nsays = x\nquantity = 0.1 * gain@A + 0.2 * gain@A - 0.3 * gain@A\nexpect = > 0\n");
	static const enum verdict want[] = {
		VERDICT_UNEXERCISED, VERDICT_DIFFERS,   VERDICT_AGREES,
		VERDICT_AGREES,      VERDICT_DIRECTION, VERDICT_DIFFERS,
		VERDICT_WRONG_SIZE,  VERDICT_DIFFERS,   VERDICT_DIFFERS};
	enum { N = sizeof want / sizeof *want };
	unsigned count[VERDICTS];
	double x;
	s->size = "small";
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(study_verdict(s, &s->claims.v[i], &x), want[i]);
	study_count_verdicts(s, count);
	assert_int_equal(count[VERDICT_AGREES], 2);
	assert_int_equal(count[VERDICT_DIFFERS], 4);
	assert_int_equal(count[VERDICT_WRONG_SIZE], 1);
	s->size = "paper";
	assert_int_equal(study_verdict(s, &s->claims.v[6], &x), VERDICT_AGREES);
	study_free(s);
}

static void put(FILE *f, char c) { fputc(c, f); }

static void verdicts_and_texts(void **state)
{
	(void)state;
	struct study *s = good(
		"[value speedup]\nis = cycles(base) / cycles(new-one)\npaper = A:1.9, mean:1.4\n"
		"[claim near]\nsays = x\nquantity = (speedup@A + speedup@B) / 2\nexpect = 1.45 +- 0.1\n"
		"[claim far]\nsays = x\nquantity = (speedup@A + speedup@B) / 2\nexpect = 1.40 +- 0.05\n"
		"[claim least]\nsays = x\nquantity = min(speedup@A, speedup@B)\nexpect = >= 1\n"
		"[claim most]\nsays = x\nquantity = max(speedup@A, speedup@B)\nexpect = <= 1.5 +- 0.25\n"
		"[claim unknown]\nsays = x\nquantity = speedup@C\nexpect = >= 1\n"
		/* C is not measured, so a mean without it is not the paper's. B does not behave
		 * like A. */
		"[claim subset]\nsays = x\nquantity = mean(speedup)\nexpect = 1.5 +- 0.1\n"
		"[claim average]\nsays = x\nquantity = (speedup@A + speedup@B) / 2\neach = speedup > 1.5\n"
		"readings = A alone: speedup@A; B: speedup@B\nexpect = 1.45 +- 0.1\n"
		"[claim each]\nsays = x\nquantity = speedup@A\neach = speedup > 0.5\nexpect = >= 1\n"
		"[remark yes]\nclaim = far\nwhen = speedup@A > 1.5\ntext = A gains {100 * "
		"speedup@A - 100|1} %\n"
		" and C {speedup@C|2}.\n"
		"[remark no]\nclaim = far\nwhen = speedup@A < 1.5\ntext = x\n"
		"[remark unknown]\nclaim = far\nwhen = speedup@C < 1.5\ntext = x\n");
	static const enum verdict want[] = {
		VERDICT_AGREES,     VERDICT_DIFFERS,    VERDICT_AGREES,     VERDICT_DIFFERS,
		VERDICT_UNMEASURED, VERDICT_UNMEASURED, VERDICT_ON_AVERAGE, VERDICT_UNMEASURED};
	double x;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(study_verdict(s, &s->claims.v[i], &x), want[i]);
	assert_int_equal(s->claims.v[0].digits, 2);
	near(s->values.v[0].paper[0], 1.9, 0);
	near(s->values.v[0].paper_mean, 1.4, 0);
	assert_true(isnan(s->values.v[0].paper[1]));
	near(study_value_mean(s, 0), 1.5, 0);
	assert_int_equal(study_value_missing(s, 0), 1);
	assert_true(study_claim_holds_for(s, &s->claims.v[6], 0));
	assert_false(study_claim_holds_for(s, &s->claims.v[6], 1));
	assert_int_equal(s->claims.v[6].nreadings, 2);
	assert_string_equal(s->claims.v[6].reading[1].label, "B");
	assert_true(study_remark_holds(s, &s->remarks.v[0], "test"));
	assert_false(study_remark_holds(s, &s->remarks.v[1], "test"));
	assert_false(study_remark_holds(s, &s->remarks.v[2], "test"));
	s->remarks.v[0].sizes = "small,paper"; /* true of these alone */
	assert_false(study_remark_holds(s, &s->remarks.v[0], "test"));
	assert_true(study_remark_holds(s, &s->remarks.v[0], "paper"));
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	study_text(s, s->remarks.v[0].text, put, f);
	fclose(f);
	assert_string_equal(text, "A gains 100.0 % and C (not measured).");
	free(text);
	study_free(s);
}

/* ---- files ---- */

/* Each mistake, its message and its line. */
static const struct {
	const char *text, *message;
	unsigned line;
} mistakes[] = {
	{"[run base]\nset = x=1\n", "run base appears twice", 12},
	{"[run x]\nset = novalue\n", "novalue: expected key=value", 13},
	{"[program A]\nnote = n\n", "program A appears twice", 12},
	{"[value v]\nis = cycles(nothing)\n", "no run nothing at character 15 of: cycles(nothing)",
	 13},
	{"[value v]\nis = (1 + 2\n", "expected )", 13},
	{"[value v]\nis = sm.cylces(base)\n", "no statistic sm.cylces", 13},
	{"[claim c]\nsays = s\nquantity = 1\nexpect = >= 1\nreadings = x\n",
	 "expected at most 4 of LABEL: EXPRESSION", 16},
	{"[value v]\nis = 1\n[figure f]\ntitle = t\nvalues = v\nover = w\n", "over: no value w",
	 17},
	{"[value v]\nis = later\n[value later]\nis = 1\n", "no value later", 13},
	{"[value v]\nis = amdahl(1, 2, 3)\n", "too few arguments for amdahl", 13},
	{"[value v]\nis = 1\npaper = Z:1\n", "paper: no program Z", 14},
	{"[value v]\nlabel = x\n", "[value v] needs is = ...", 12},
	{"[figure f]\ntitle = t\nvalues = v\n", "no value v", 14},
	{"[value v]\nis = 1\n[figure f]\ntitle = t\nkind = pie\nvalues = v\n",
	 "kind = pie: expected bars, stacked, scatter, lines or table", 16},
	{"[claim c]\nsays = s\nquantity = 1\nexpect = 1.2\n",
	 "expect = 1.2: expected NUMBER +- NUMBER, >= NUMBER, <= NUMBER, > NUMBER or < NUMBER", 15},
	{"[remark r]\nclaim = c\ntext = t\n", "no claim c", 13},
	{"[claim c]\nsays = s\nquantity = 1\nexpect = >= 1\n[remark r]\nclaim = c\ntext = {x}\n",
	 "no value x", 18},
	{"[program]\nnote = n\n", "[program] needs a name", 12},
	{"[value v]\nis = 1\ncolour = red\n", "colour: expected one of label is digits paper", 14},
	{"[chapter 1]\nx = 1\n",
	 "expected one of study, program, run, base, mechanism, value, figure, claim, remark or sweep",
	 12},
	{"[mechanism m]\nset = sm.scheduler=gto\n", "[mechanism m] needs a [base] before it", 12},
	{"[base b]\n[mechanism m]\nset.c = sm.scheduler=gto\n",
	 "set.c: expected label, family, set, note, source, bases, or set.BASE or none.BASE of a base before it",
	 14},
	{"[base b]\n[mechanism m]\nset = sm.scheduler=gto\n[base c]\n",
	 "[base c] must come before the mechanisms", 15},
	{"[base b]\n[mechanism m]\nbases = b c\n", "bases: no base c before it", 14},
	{"[base b]\n[run b.m]\n[mechanism m]\nset = sm.scheduler=gto\n", "run b.m appears twice",
	 14},
	{"[run x]\nnote = "
	 "12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
	 "012"
	 "34567890123456789012345678901234567890123456789012345678901234567890123456789012345678901"
	 "234567890123456789012"
	 "345678901234567890123456789012345678901234567890\n",
	 "a line has at most 198 characters", 13},
	{"nonsense\n", "expected [section], key = value or a comment", 12},
};

static void mistakes_are_named_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct diag *d = calloc(1, sizeof *d);
		assert_null(study(mistakes[i].text, d));
		if (!d->n || !strstr(d->msg[0].text, mistakes[i].message) ||
		    d->msg[0].line != mistakes[i].line)
			fail_msg("%s: line %u: %s", mistakes[i].text, d->n ? d->msg[0].line : 0,
				 d->n ? d->msg[0].text : "nothing");
		diag_free(d);
		free(d);
	}
}

static void only_some_programs(void **state)
{
	(void)state;
	struct study *s = good("");
	struct diag *d = calloc(1, sizeof *d);
	assert_true(study_choose(s, "a,C", d));
	assert_false(s->programs.v[0].skipped);
	assert_true(s->programs.v[1].skipped);
	assert_false(s->programs.v[2].skipped);
	assert_false(study_choose(s, "A,D", d));
	assert_string_equal(d->msg[0].text, "the study has no program D");
	diag_free(d);
	free(d);
	study_free(s);
}

/* Every shipped study is read without a message. */
static void shipped_studies(void **state)
{
	(void)state;
	struct diag *d = calloc(1, sizeof *d);
	struct study *s = study_read("studies/hws.ini", d); /* tests run in the root of the tree */
	if (d->n)
		diag_print(d, stderr);
	assert_non_null(s);
	assert_int_equal(s->programs.n, 10);
	study_free(s);
	diag_free(d);
	free(d);
}

static int make_path(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "/tmp/heddle-study-%ld.ini", (long)getpid());
	return 0;
}

static int drop_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_leave_out_what_is_missing),
		cmocka_unit_test(divisions_by_zero),
		cmocka_unit_test(correlation_is_pearsons),
		cmocka_unit_test(equation_6_1_gives_the_thesis_numbers),
		cmocka_unit_test(settings),
		cmocka_unit_test(expressions),
		cmocka_unit_test(verdicts_and_texts),
		cmocka_unit_test(kinds_of_verdicts),
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(only_some_programs),
		cmocka_unit_test(shipped_studies),
	};
	return cmocka_run_group_tests(tests, make_path, drop_path);
}
