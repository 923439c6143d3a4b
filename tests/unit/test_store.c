/* The result store with 100,000 runs: queries must take less than a second of processor time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "study/store/query.h"

static void fill(struct db *d)
{
	static const char sql[] =
		"BEGIN;"
		"INSERT INTO configs(id, text) VALUES(1, '[sm]' || char(10) || 'max_warps = 48' || char(10));"
		"INSERT INTO names(id, name) VALUES(1, 'cycles'), (2, 'sm.warp_instructions'), (3, 'sm.scheduler'), (4, 'sm.banks');"
		"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100000)"
		" INSERT INTO runs(id, key, program, machine, size, seed, repetition, config, detail)"
		" SELECT i, printf('%032x', i), 'P' || (i % 40), 'hws', 'test', 0, i, 1, '{}' FROM c;"
		"INSERT INTO figures SELECT 1, id, 1000 + id % 7 FROM runs;"
		"INSERT INTO figures SELECT 2, id, id FROM runs;"
		"INSERT INTO axes SELECT 3, id, CASE id % 3 WHEN 0 THEN 'gto' WHEN 1 THEN 'lrr' ELSE 'oldest' END FROM runs;"
		"INSERT INTO axes SELECT 4, id, id % 16 FROM runs;"
		"COMMIT;";
	char *why = NULL;
	if (sqlite3_exec(d->sql, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
}

static size_t ask(struct db *d, const struct query *q, const char *first)
{
	struct answer a;
	clock_t start = clock();
	if (!query_run(d, q, &a))
		fail_msg("%s", d->why);
	double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	if (seconds >= 1)
		fail_msg("%g s", seconds);
	size_t rows = a.rows;
	if (first)
		assert_string_equal(a.cell.v[0], first);
	answer_free(&a);
	return rows;
}

static void a_hundred_thousand_runs(void **state)
{
	(void)state;
	char path[] = "/tmp/heddle-store-XXXXXX";
	struct db d;
	close(mkstemp(path));
	unlink(path);
	assert_true(db_open(&d, path, true));
	fill(&d);
	assert_int_equal(
		ask(&d, &(struct query){.group = "program", .pivot = "sm.scheduler"}, "P0"), 40);
	assert_int_equal(
		ask(&d,
		    &(struct query){.where = "program = P3 and sm.banks >= 8 and cycles > 1003",
				    .columns = "cycles,sm.max_warps",
				    .order = "-cycles"},
		    "1006"),
		535);
	assert_int_equal(ask(&d,
			     &(struct query){.where = "sm.max_warps = 48",
					     .group = "sm.banks",
					     .values = "sm.warp_instructions",
					     .with = "max"},
			     "0"),
			 16);
	db_close(&d);
	char more[64];
	for (const char *const *end = (const char *[]){"", "-wal", "-shm", NULL}; *end; end++) {
		snprintf(more, sizeof more, "%s%s", path, *end);
		unlink(more);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_hundred_thousand_runs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
