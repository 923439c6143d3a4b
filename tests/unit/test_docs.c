/* Generated pages equal the output of their tables; policies have the names of their
 * files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "conf/option.h"
#include "heddle.h"

static void compare(const char *path, char *want)
{
	FILE *f = fopen(path, "rb"); /* tests run in the root of the tree */
	assert_non_null(f);
	size_t n = strlen(want), got;
	char *have = calloc(1, n + 2);
	got = fread(have, 1, n + 1, f);
	fclose(f);
	if (got != n || memcmp(have, want, n))
		fail_msg("%s differs from what the tables give: make docs", path);
	free(have);
	free(want);
}

static void options_chapter(void **state)
{
	(void)state;
	char *text;
	assert_true(heddle_config_options(&text));
	compare("docs/reference/options.md", text);
}

static void statistics_chapter(void **state)
{
	(void)state;
	compare("docs/reference/statistics.md", heddle_stats_manual());
}

/* The manual's first chapters: each option of ranks.def exists and is listed there once. */
static void ranks_name_options(void **state)
{
	static const char *const keys[] = {
#define MACHINE(key) key,
#define COMMON(key)  key,
#include "conf/ranks.def"
#undef MACHINE
#undef COMMON
	};
	unsigned n = sizeof keys / sizeof *keys;
	(void)state;
	for (unsigned i = 0; i < n; i++) {
		if (!option_find(keys[i]))
			fail_msg("ranks.def: there is no option %s", keys[i]);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(keys[i], keys[k]);
	}
}

/* sm/sched/two-level-active.c defines the policy two-level-active, and every family has at least
 * one policy. */
static void policies_are_named_as_their_files(void **state)
{
	(void)state;
	for (unsigned f = 0; f < FAMILIES; f++) {
		const struct policy *p;
		unsigned n = 0;
		for (; (p = policy_at(f, n)); n++) {
			char path[128];
			snprintf(path, sizeof path, "src/%s/%s.c", family_folder(f), p->name);
			if (access(path, R_OK))
				fail_msg("policy %s: there is no %s", p->name, path);
			assert_ptr_equal(policy_find(f, p->name), p);
			assert_true(*p->help);
		}
		assert_true(n >= 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_chapter),
		cmocka_unit_test(statistics_chapter),
		cmocka_unit_test(ranks_name_options),
		cmocka_unit_test(policies_are_named_as_their_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
