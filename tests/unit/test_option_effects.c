/* No option is without effect: each case of tests/data/recorded/options.txt sets the option that it
 * is named after, on a kernel that should be affected. Without the option some figure must differ.
 * The figure `rest`, which contains the machine's settings, does not count. */
#include "recorded_runs.h"

/* The case without the option. */
static char *without_option(const char *what, const char *option)
{
	size_t n = strlen(option);
	const char *at = strstr(what, option);
	char *base = strdup(what);
	assert_non_null(at);
	assert_true(at > what && at[-1] == ' ' && (!at[n] || at[n] == ' '));
	strcpy(base + (at - what) - 1, at + n);
	return base;
}

static void drop_word(char *figures, const char *key)
{
	size_t from = 0, n = strlen(key), end = strlen(figures);
	while (from < end && strncmp(figures + from, key, n))
		from++;
	size_t to = from + strcspn(figures + from, " ");
	memmove(figures + from, figures + to, end - to + 1);
}

static char *figures_of(const char *what)
{
	char *text = recorded_figures(what, strlen(what), NULL);
	drop_word(text, "rest=");
	return text;
}

/* Several cases are equal without their options: each such case runs once. */
static const char *base_figures(const char *what)
{
	static struct base {
		char *what, *figures;
	} base[128];
	static unsigned n;
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(base[i].what, what))
			return base[i].figures;
	assert_true(n < sizeof base / sizeof *base);
	base[n] = (struct base){strdup(what), figures_of(what)};
	return base[n++].figures;
}

static void each_option_moves_a_figure(void **state)
{
	(void)state;
	const char *file =
		getenv("OPTION_CASES"); /* a file of other cases, to search for options without
					 * effect */
	size_t size;
	unsigned cases = 0, idle = 0;
	char *text = file_text(file ? file : "tests/data/recorded/options.txt", &size), *save;
	recorded.run = recorded_run;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *what = strchr(line, '\t');
		if (*line == '#' || !what)
			continue;
		*what++ = 0;
		what[strcspn(what, "\t")] = 0;
		char *base = without_option(what, line), *is = figures_of(what);
		cases++;
		if (!strcmp(is, base_figures(base))) {
			print_error("%s changes no figure of: %s\n", line, base);
			idle++;
		}
		free(is);
		free(base);
	}
	free(text);
	assert_true(cases > 100 || file);
	if (idle)
		fail_msg("%u of %u options have no effect", idle, cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_option_moves_a_figure)};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
