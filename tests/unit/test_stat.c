/* The registry of statistics: merging, differences, totals and the three printed forms. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "stat/stat.h"

#define DEMO_STATS(X)                                                                              \
	X(hits, STAT_SUM, 1, "accesses", "found")                                                  \
	X(peak, STAT_MAX, 1, "entries", "largest occupancy")                                       \
	X(wait, STAT_SUM, 4, "cycles", "waiting by power of two")
struct demo_stats {
	STAT_FIELDS(DEMO_STATS)
};
static double twice_hits(const void *s)
{
	return 2.0 * (double)STAT((const struct demo_stats *)s, hits);
}
static const struct stat_def demo_defs[] = {STAT_DEFS(DEMO_STATS)};
static const struct stat_derived demo_derived[] = {
	{"twice", "accesses", "hits doubled", twice_hits}};
static const struct stat_table demo = STAT_TABLE("demo", demo_defs, demo_derived);

static void merges_and_subtracts(void **state)
{
	(void)state;
	struct demo_stats a = {{3}, {7}, {1, 2, 3, 4}}, b = {{10}, {5}, {1, 1, 1, 1}}, before = a;
	assert_int_equal(stat_slots(&demo), sizeof a / sizeof(uint64_t));
	stat_merge(&demo, &a, &b);
	assert_int_equal(STAT(&a, hits), 13);
	assert_int_equal(STAT(&a, peak), 7);
	assert_int_equal(a.wait[3], 5);
	stat_since(&demo, &a, &before);
	assert_int_equal(STAT(&a, hits), 10);
	assert_int_equal(STAT(&a, peak), 7);
	assert_int_equal(a.wait[2], 1);
}

static void buckets_are_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(stat_log2_bucket(0, 8), 0);
	assert_int_equal(stat_log2_bucket(1, 8), 1);
	assert_int_equal(stat_log2_bucket(3, 8), 2);
	assert_int_equal(stat_log2_bucket(4, 8), 3);
	assert_int_equal(stat_log2_bucket(UINT64_MAX, 8), 7);
}

/* Not inlined: gcc 12 warns that the stream's pointer to `text` outlives it. */
static __attribute__((noinline)) char *printed(const struct stat_report *r, int form)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (form == 0)
		stat_print_text(r, f, 1);
	else if (form == 1)
		stat_print_csv(r, f, "7,k,");
	else
		assert_int_equal(stat_print_json(r, f), 0);
	fclose(f);
	return text;
}

static void totals_and_forms(void **state)
{
	(void)state;
	struct demo_stats a = {{3}, {7}, {1, 2, 3, 4}}, b = {{10}, {5}, {1, 1, 1, 1}};
	struct stat_report *r = stat_report_new();
	stat_report_add(r, &demo, "l1d", 0, &a);
	stat_report_add(r, &demo, "l1d", 1, &b);
	stat_report_total(r);
	char *text = printed(r, 0), *csv = printed(r, 1), *json = printed(r, 2);
	assert_non_null(strstr(text, "l1d.hits"));
	assert_non_null(strstr(text, "l1d.1.peak"));
	assert_non_null(strstr(csv, "7,k,l1d,-1,hits,0,13,accesses\n"));
	assert_non_null(strstr(csv, "7,k,l1d,1,wait,2,1,cycles\n"));
	json_t *j = json_loads(json, 0, NULL);
	assert_non_null(j);
	json_t *total = json_object_get(j, "l1d");
	assert_int_equal(json_integer_value(json_object_get(total, "peak")), 7);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(total, "wait"), 3)), 5);
	assert_float_equal(json_real_value(json_object_get(total, "twice")), 26, 0);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "l1d.1"), "hits")),
			 10);
	json_decref(j);
	free(text);
	free(csv);
	free(json);
	stat_report_free(r);
}

static void reports_subtract(void **state)
{
	(void)state;
	struct demo_stats a = {{3}, {7}, {1, 2, 3, 4}}, b = {{10}, {5}, {1, 1, 1, 1}};
	struct stat_report *before = stat_report_new(), *after = stat_report_new();
	stat_report_add(before, &demo, "l1d", 0, &a);
	stat_report_add(before, &demo, "l1d", 1, &b);
	STAT(&a, hits) += 5;
	STAT(&b, hits) += 6;
	stat_report_add(after, &demo, "new", -1, &b); /* absent before: reported in full */
	stat_report_add(after, &demo, "l1d", 0, &a);
	stat_report_add(after, &demo, "l1d", 1, &b);
	stat_report_since(after, before);
	char *csv = printed(after, 1);
	assert_non_null(strstr(csv, "new,-1,hits,0,16,"));
	assert_non_null(strstr(csv, "7,k,l1d,0,hits,0,5,"));
	assert_non_null(strstr(csv, "7,k,l1d,1,hits,0,6,"));
	assert_non_null(strstr(csv, "7,k,l1d,1,peak,0,5,"));
	free(csv);
	stat_report_free(before);
	stat_report_free(after);
}

/* Units 1 and 2 are alike in the second copy: they share values, and totals count both. */
static void alike_units_share_values(void **state)
{
	(void)state;
	struct demo_stats a = {{3}, {7}, {1}}, b = {{10}, {5}, {2}}, c = b;
	static const uint32_t like[] = {0, 1, 1};
	struct demo_stats *const all[] = {&a, &b, &c};
	struct stat_report *live = stat_report_live(), *before, *after;
	for (int i = 0; i < 3; i++) {
		stat_report_unit(live);
		stat_report_add(live, &demo, "l1d", i, all[i]);
		stat_report_add(live, &demo, "l1i", i, all[i]);
	}
	for (int again = 0; again < 3; again++) { /* later copies use memory again */
		before = stat_report_copy(live, NULL);
		STAT(&a, hits) += 1;
		STAT(&b, hits) += 4;
		STAT(&c, hits) += 4;
		after = again == 1 ? stat_report_copy_since(live, like, before)
				   : stat_report_copy(live, like);
		const uint64_t *const *units = stat_report_units(after);
		assert_ptr_equal(units[1], units[2]);
		assert_ptr_not_equal(units[0], units[1]);
		if (again != 1)
			stat_report_since(after, before);
		stat_report_free(before);
		stat_report_add(after, &demo, "own", -1, &a);
		stat_report_total(after);
		assert_int_equal(units[2][0], 4);
		char *csv = printed(after, 1);
		assert_non_null(strstr(csv, "l1d,-1,hits,0,9,"));
		assert_non_null(strstr(csv, "l1i,-1,hits,0,9,"));
		assert_non_null(strstr(csv, "l1i,2,hits,0,4,"));
		assert_non_null(strstr(csv, "l1d,-1,peak,0,7,"));
		free(csv);
		if (again)
			stat_report_reduce(after);
		assert_int_equal(stat_report_at(after, 0)->values[0], 9);
		if (again == 2)
			stat_report_free(live);
		stat_report_free(after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike_units_share_values),  cmocka_unit_test(merges_and_subtracts),
		cmocka_unit_test(buckets_are_powers_of_two), cmocka_unit_test(totals_and_forms),
		cmocka_unit_test(reports_subtract),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
