/* Coefficients, areas and terms of the energy of machines, recorded (tests/recorded.h).
 *
 * Words of a case: machine=NAME and settings, `events` for the terms of each too, or validate=PART. */
#include "heddle.h"
#include "recorded.h"

/* The terms of every event; `all` has one line per event, behind its component. */
static void events(struct figures *f, const char *machine, const char *const *set, char *all)
{
	char *text = NULL, *save, *one;
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);
	for (char *line = strtok_r(all, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char component[64], event[64];
		if (*line == '#' || sscanf(line, "%63s %63s", component, event) != 2)
			continue;
		fprintf(m, "%s: %d\n", event, heddle_power(machine, set, event, false, &one));
		fprintf(m, "%s\n", one);
		free(one);
	}
	fclose(m);
	figure_reals(f, "events", text, n);
	free(text);
}

static void run(const struct words *w, struct figures *f)
{
	const char *set[200] = {0}, *machine = word_of(w, "machine"),
		   *part = word_of(w, "validate");
	unsigned n = 0;
	char *text;
	for (unsigned i = 0; i < w->n; i++)
		if (memchr(w->word[i], '.', strcspn(w->word[i], "=")))
			set[n++] = w->word[i];
	if (part) {
		assert_true(heddle_power_validate(part, set, NULL, &text));
		figure_reals(f, "verdicts", text, strlen(text));
		free(text);
		return;
	}
	bool ok = heddle_power(machine, set, NULL, true, &text);
	figure_reals(f, ok ? "area" : "refused", text, strlen(text));
	free(text);
	if (!ok)
		return;
	assert_true(heddle_power(machine, set, NULL, false, &text));
	figure_reals(f, "all", text, strlen(text));
	if (word_of(w, "events"))
		events(f, machine, set, text);
	free(text);
}

int main(int argc, char **argv)
{
	return recorded_main(argc, argv, "tests/data/recorded/power.txt", run);
}
