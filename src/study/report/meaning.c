/* Reads the statistics' manual. meaning.h has the interface.
 *
 *	## l1d, l1c                                   components
 *	| `hits` | accesses | found in the cache |    l1d.hits, l1c.hits */
#include "study/report/meaning.h"
#include <stdlib.h>
#include <string.h>
#include "heddle.h"

static int compare_names(const void *a, const void *b)
{
	const struct meaning *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* Returns the text up to `end`, without blanks around it, and moves *p past `end`. */
static char *take_cell(struct arena *a, char **p, const char *end)
{
	char *from = *p + strspn(*p, " "), *to = strstr(from, end);
	size_t n = to ? (size_t)(to - from) : strlen(from);
	*p = to ? to + strlen(end) : from + n;
	while (n && from[n - 1] == ' ')
		n--;
	return arena_strndup(a, from, n);
}

/* Adds a row for each component of a section. Figures of a whole launch have no prefix. */
static void add_row(struct meanings *m, const char *components, char *row)
{
	char *p = row + strlen("| `"), *name = take_cell(&m->arena, &p, "`");
	char *slots = take_cell(&m->arena, &p, "|");
	char *unit = take_cell(&m->arena, &p, " |"), *help = take_cell(&m->arena, &p, " |");
	char *copy = arena_strdup(&m->arena, components), *save = NULL;
	if (*slots) /* a histogram */
		return;
	for (char *c = strtok_r(copy, ", ", &save); c; c = strtok_r(NULL, ", ", &save)) {
		const char *full =
			strcmp(c, "launch") ? arena_printf(&m->arena, "%s.%s", c, name) : name;
		vec_push(&m->list, (struct meaning){full, unit, help});
	}
}

void meanings_open(struct meanings *m)
{
	*m = (struct meanings){0};
	char *text = heddle_stats_manual(), *save = NULL;
	const char *components = "";
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "## ", 3))
			components = line + 3;
		else if (!strncmp(line, "| `", 3))
			add_row(m, components, line);
	}
	if (m->list.n)
		qsort(m->list.v, m->list.n, sizeof *m->list.v, compare_names);
	free(text);
}

void meanings_close(struct meanings *m)
{
	vec_free(&m->list);
	arena_free(&m->arena);
}

const struct meaning *meaning_of(const struct meanings *m, const char *name)
{
	struct meaning key = {.name = name};
	return m->list.n ? bsearch(&key, m->list.v, m->list.n, sizeof key, compare_names) : NULL;
}
