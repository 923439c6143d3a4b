/* Generated chapters of the manual are what the tables say; names of policies are those of their
 * files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "gpu/dispatch.h"
#include "gpu_dispatch.h"
#include "heddle.h"
#include "mem/coalesce.h"
#include "mem/dram.h"
#include "mem/icnt.h"
#include "mem_coal.h"
#include "mem_dramsched.h"
#include "mem_icnt.h"
#include "sm/group.h"
#include "sm_diverge.h"
#include "sm_lanes.h"
#include "sm_sched.h"

static void compare(const char *path, char *want)
{
	FILE *f = fopen(path, "rb"); /* tests run in the root of the tree */
	assert_non_null(f);
	size_t n = strlen(want), got;
	char *have = calloc(1, n + 2);
	got = fread(have, 1, n + 1, f);
	fclose(f);
	if (got != n || memcmp(have, want, n))
		fail_msg("%s is not what the tables give: generate it anew", path);
	free(have);
	free(want);
}

static void options_chapter(void **state)
{
	(void)state;
	char *text;
	assert_true(heddle_config_options(&text));
	compare("docs/options.md", text);
}

static void statistics_chapter(void **state)
{
	(void)state;
	compare("docs/statistics.md", heddle_stats_manual());
}

/* Each word of "a|b|c" names a policy of the family. */
static void family(const char *words, const void *(*known)(const char *))
{
	char buf[512], *save;
	snprintf(buf, sizeof buf, "%s", words);
	for (char *w = strtok_r(buf, "|", &save); w; w = strtok_r(NULL, "|", &save))
		if (!known(w))
			fail_msg("the file %s.c has a policy of another name", w);
}

#define FINDER(kind)                                                                               \
	static const void *known_##kind(const char *s) { return kind##_find(s); }
FINDER(sched)
FINDER(div)
FINDER(lane)
FINDER(disp)
FINDER(coal)
FINDER(icnt)
FINDER(dramsched)

static void policies_are_named_as_their_files(void **state)
{
	(void)state;
	family(FAMILY_SM_SCHED, known_sched);
	family(FAMILY_SM_DIVERGE, known_div);
	family(FAMILY_SM_LANES, known_lane);
	family(FAMILY_GPU_DISPATCH, known_disp);
	family(FAMILY_MEM_COAL, known_coal);
	family(FAMILY_MEM_ICNT, known_icnt);
	family(FAMILY_MEM_DRAMSCHED, known_dramsched);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_chapter),
		cmocka_unit_test(statistics_chapter),
		cmocka_unit_test(policies_are_named_as_their_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
