/* The names that a study's expressions may use: its runs, programs and values, and the figures of a
 * run. */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include "base/map.h"
#include "heddle.h"
#include "study/store/store.h"
#include "study/lang/study.h"

int study_find_run(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->runs.n; i++)
		if (!strcmp(s->runs.v[i].name, name))
			return (int)i;
	return -1;
}

int study_find_program(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->programs.n; i++)
		if (!strcmp(s->programs.v[i].name, name))
			return (int)i;
	return -1;
}

const struct study_figure *study_find_figure(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->figures.n; i++)
		if (!strcmp(s->figures.v[i].name, name))
			return &s->figures.v[i];
	return NULL;
}

const struct study_claim *study_find_claim(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->claims.n; i++)
		if (!strcmp(s->claims.v[i].name, name))
			return &s->claims.v[i];
	return NULL;
}

bool study_is_broken(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->broken.n; i++)
		if (!strcmp(s->broken.v[i], name))
			return true;
	return false;
}

static int find_run(const void *arg, const char *name) { return study_find_run(arg, name); }

static int find_program(const void *arg, const char *name) { return study_find_program(arg, name); }

static const struct expr *find_value(const void *arg, const char *name)
{
	int i = study_find_value(arg, name);
	return i < 0 ? NULL : ((const struct study *)arg)->values.v[i].expr;
}

/* "cycles", "sm.cycles", ...: the figures that expressions may use, shared by all studies of a
 * process. */
static struct {
	pthread_once_t once;
	struct arena arena;
	struct map names;
} known = {.once = PTHREAD_ONCE_INIT};

static void add_known(const char *part, const char *name, size_t n)
{
	unsigned *slots = ARENA_NEW(&known.arena, unsigned);
	if (!name[n] || sscanf(name + n, "`[%u]", slots) != 1)
		*slots = 1;
	map_put(&known.names,
		arena_printf(&known.arena, "%s%s%.*s", part, *part ? "." : "", (int)n, name),
		slots);
}

/* Collects all figures from the manual of the statistics, which has a heading for each component
 * ("## l1d, l1c") and a row for each figure. Of the figures of whole launches, results keep only
 * those that can be summed. */
static void learn_figures(void)
{
	static const char *const whole[] = {"cycles",   "warp_instructions",  "thread_instructions",
					    "branches", "divergent_branches", "blocks",
					    "launches"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		add_known("", whole[i], strlen(whole[i]));
	for (unsigned i = 0; results_class(i); i++)
		add_known("class", results_class(i), strlen(results_class(i)));
	char *manual = heddle_stats_manual(), heading[128] = "";
	for (char *line = strtok(manual, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strncmp(line, "## ", 3))
			snprintf(heading, sizeof heading, "%s", line + 3);
		if (strncmp(line, "| `", 3) || !strcmp(heading, "launch"))
			continue;
		for (const char *part = heading; *part; part += strspn(part, ", ")) {
			char one[64];
			size_t n = strcspn(part, ", ");
			snprintf(one, sizeof one, "%.*s", (int)n, part);
			add_known(one, line + 3, strcspn(line + 3, "`"));
			part += n;
		}
	}
	free(manual);
}

static unsigned figure_known(const void *arg, const char *name)
{
	(void)arg;
	pthread_once(&known.once, learn_figures);
	const unsigned *slots = map_get(&known.names, name);
	return slots ? *slots : 0;
}

static bool is_broken(const void *arg, const char *name) { return study_is_broken(arg, name); }

static double no_figure(const void *arg, unsigned program, unsigned run, const char *name,
			int first, int last)
{
	(void)arg, (void)program, (void)run, (void)name, (void)first, (void)last;
	return NAN;
}

void study_world(struct study *s)
{
	s->world = (struct expr_world){.arg = s,
				       .run = find_run,
				       .program = find_program,
				       .value = find_value,
				       .figure = no_figure,
				       .known = figure_known,
				       .broken = is_broken};
}
