/* Effects and interactions of a sweep whose runs follow a formula: the analysis must return the
 * formula's terms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "study/report/factors.h"

static const char file[] = "[sweep]\n"
			   "machine = stsimt\n"
			   "workload = AES, BFS\n"
			   "sm.scheduler = lrr, gto\n"
			   "sm.lanes = simt, stsimt4\n"
			   "sm.scalar = no, all\n"
			   "except = sm.scalar = all and sm.lanes = simt\n";

struct fixture {
	char dir[64], ini[80], store[80];
	struct db db;
	struct sweep *s;
	struct diag *d;
};

static int setup(void **state)
{
	struct fixture *t = calloc(1, sizeof *t);
	strcpy(t->dir, "/tmp/factors-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	snprintf(t->ini, sizeof t->ini, "%s/s.ini", t->dir);
	snprintf(t->store, sizeof t->store, "%s/s.db", t->dir);
	FILE *f = fopen(t->ini, "w");
	fputs(file, f);
	fclose(f);
	t->d = calloc(1, sizeof *t->d);
	t->s = sweep_read(t->ini, t->d);
	assert_non_null(t->s);
	assert_true(db_open(&t->db, t->store, true));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *t = *state;
	char cmd[128];
	db_close(&t->db);
	sweep_free(t->s);
	diag_free(t->d);
	free(t->d);
	snprintf(cmd, sizeof cmd, "rm -rf %s", t->dir);
	assert_int_equal(system(cmd), 0);
	free(t);
	return 0;
}

static void add(struct fixture *t, const char *program, bool gto, bool wide, bool scalar,
		double cycles, double joules, const char *simulator)
{
	static unsigned n;
	char key[KEY_CHARS];
	snprintf(key, sizeof key, "%032x", ++n);
	json_t *run = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:f, s:f, s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:{s:f, s:f, s:f}}",
		"key", key, "study", "s", "program", program, "machine", "stsimt", "size", "test",
		"seed", 0, "repetition", 1, "heddle", "1", "simulator", simulator, "wall_seconds",
		1.0, "cpu_seconds", 1.0, "host", "h", "config", "c", "axes", "program", program,
		"sm.scheduler", gto ? "gto" : "lrr", "sm.lanes", wide ? "stsimt4" : "simt",
		"sm.scalar", scalar ? "all" : "no", "figures", "cycles", cycles, "energy.total",
		joules, "energy.seconds", cycles * 1e-9);
	assert_non_null(run);
	assert_true(db_add(&t->db, run));
	json_decref(run);
}

/* gto 0.9, stsimt4 0.8, both together 1.1 beyond their product; scalar 0.7 in cycles and joules. */
static void add_all(struct fixture *t, const char *simulator, double scale)
{
	for (unsigned p = 0; p < 2; p++)
		for (unsigned i = 0; i < 8; i++) {
			bool gto = i & 1, wide = i & 2, scalar = i & 4;
			if (scalar && !wide)
				continue;
			double x = scale * (p ? 5000 : 1000) * (gto ? 0.9 : 1) * (wide ? 0.8 : 1) *
				   (gto && wide ? 1.1 : 1) * (scalar ? 0.7 : 1);
			add(t, p ? "BFS" : "AES", gto, wide, scalar, x, scalar ? 0.7 : 1,
			    simulator);
		}
}

static const struct factor_effect *find(const struct factor_effect *e, size_t n, unsigned f,
					unsigned g)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].factor[0] == f && e[i].factor[1] == g)
			return &e[i];
	return NULL;
}

static void formula(void **state)
{
	struct fixture *t = *state;
	struct factors f;
	add_all(t, "old", 3); /* another simulator's do not count */
	add_all(t, "this", 1);
	assert_true(factors_open(&f, t->s, &t->db, "test", "this"));
	assert_int_equal(f.n, 3);
	assert_int_equal(f.machines.n, 6);
	const struct factor_effect *gto = find(f.effects.v, f.effects.n, 0, 0),
				   *scalar = find(f.effects.v, f.effects.n, 2, 2);
	/* gto: beside simt 0.9, beside stsimt4 0.99, with and without scalars; two programs. */
	assert_int_equal(gto->n, 6);
	assert_true(fabs(gto->ratio[M_CYCLES] - cbrt(0.9 * 0.99 * 0.99)) < 1e-9);
	assert_true(fabs(scalar->ratio[M_CYCLES] - 0.7) < 1e-9);
	assert_true(fabs(scalar->ratio[M_EDP] - 0.49) < 1e-9);
	assert_true(fabs(scalar->error[M_EDP]) < 1e-6);
	const struct factor_effect *both = find(f.interactions.v, f.interactions.n, 0, 1);
	assert_int_equal(both->n, 2);
	assert_true(fabs(both->ratio[M_CYCLES] - 1.1) < 1e-9);
	assert_true(fabs(find(f.interactions.v, f.interactions.n, 0, 2)->ratio[M_EDP] - 1) < 1e-9);
	/* simt with scalars is refused: lanes and scalars have no quadruple. */
	assert_null(find(f.interactions.v, f.interactions.n, 1, 2));
	factors_close(&f);
}

/* Half the cycles for one program and twice the cycles for the other, whatever the machine's other
 * options: two observations, not six. */
static void error_is_over_programs(void **state)
{
	struct fixture *t = *state;
	struct factors f;
	for (unsigned i = 0; i < 16; i++) {
		bool gto = i & 1, wide = i & 2, bfs = i & 4, scalar = i & 8;
		if (!scalar || wide)
			add(t, bfs ? "BFS" : "AES", gto, wide, scalar,
			    !gto  ? 1000
			    : bfs ? 2000
				  : 500,
			    1, "this");
	}
	assert_true(factors_open(&f, t->s, &t->db, "test", "this"));
	const struct factor_effect *gto = find(f.effects.v, f.effects.n, 0, 0);
	assert_int_equal(gto->n, 6);
	assert_int_equal(gto->programs, 2);
	assert_true(fabs(gto->ratio[M_CYCLES] - 1) < 1e-9);
	assert_true(fabs(gto->error[M_CYCLES] - log(2)) < 1e-9);
	factors_close(&f);
}

static void best_and_way(void **state)
{
	struct fixture *t = *state;
	struct factors f;
	add_all(t, "this", 1);
	assert_true(factors_open(&f, t->s, &t->db, "test", "this"));
	/* 0.8 * 0.7 with gto or without: 0.99 of the product. */
	int both = factors_find(&f, (const unsigned[FACTORS_MOST]){1, 1, 1}),
	    wide = factors_find(&f, (const unsigned[FACTORS_MOST]){0, 1}),
	    scalar = factors_find(&f, (const unsigned[FACTORS_MOST]){0, 1, 1});
	assert_true(f.best == both && both >= 0);
	assert_true(fabs(f.machines.v[both].mean[M_CYCLES] - 0.9 * 0.8 * 1.1 * 0.7) < 1e-9);
	assert_true(f.machines.v[both].front && !f.machines.v[wide].front);
	assert_string_equal(f.machines.v[both].title, "gto + stsimt4 + all");
	/* The path to the best machine: the largest saving first, through machines that exist. */
	assert_int_equal(factors_step(&f, f.base, both), wide);
	assert_int_equal(factors_step(&f, wide, both), scalar);
	assert_int_equal(factors_step(&f, scalar, both), both);
	assert_int_equal(factors_step(&f, both, both), -1);
	assert_int_equal(factors_best(&f, 1, M_EDP), both);
	factors_close(&f);
}

static void missing(void **state)
{
	struct fixture *t = *state;
	struct factors f;
	add(t, "AES", false, false, false, 1000, 1, "this");
	add(t, "BFS", false, false, false, 1000, 1, "this");
	add(t, "AES", true, false, false, 900, 1, "this");
	assert_true(factors_open(&f, t->s, &t->db, "test", "this"));
	/* A machine that lacks a program has no mean and cannot be the best. */
	int gto = factors_find(&f, (const unsigned[FACTORS_MOST]){1});
	assert_int_equal(f.machines.v[gto].programs, 1);
	assert_true(isnan(f.machines.v[gto].mean[M_CYCLES]));
	assert_int_equal(f.best, f.base);
	assert_int_equal(find(f.effects.v, f.effects.n, 0, 0)->n, 1);
	factors_close(&f);
	assert_false(factors_open(&f, t->s, &t->db, "small", "this"));
	assert_non_null(strstr(t->db.why, "no results of the base machine"));
	factors_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(formula, setup, teardown),
		cmocka_unit_test_setup_teardown(error_is_over_programs, setup, teardown),
		cmocka_unit_test_setup_teardown(best_and_way, setup, teardown),
		cmocka_unit_test_setup_teardown(missing, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
