/* Finds and reads the registry of workloads, workloads/suite.tsv. */
#include "command/suite.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "command/command.h"

char *suite_beside(const char *file)
{
	char exe[PATH_MAX], *path = NULL;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n <= 0)
		return NULL;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	return asprintf(&path, "%s/%s", exe, file) < 0 ? NULL : path;
}

/* Returns the folder of the registry, which is found from the program: in build/ in the source tree,
 * in bin/ when installed. */
static char *find_dir(void)
{
	static const char *const places[] = {"../workloads", "../share/heddle/workloads", NULL};
	const char *env = getenv("HEDDLE_WORKLOADS");
	if (env && *env)
		return strdup(env);
	for (const char *const *p = places; *p; p++) {
		char *dir = suite_beside(*p), *real = dir ? realpath(dir, NULL) : NULL;
		free(dir);
		if (real)
			return real;
	}
	return NULL;
}

enum { FIELDS = 11 };

/* Splits a line at its tabs. Returns the number of fields, or FIELDS + 1 if there are more. */
static unsigned split_fields(char *line, const char *field[FIELDS])
{
	unsigned n = 0;
	for (char *s = line, *tab; s; s = tab) {
		if ((tab = strchr(s, '\t')))
			*tab++ = 0;
		if (n == FIELDS)
			return n + 1;
		field[n++] = strcmp(s, "-") ? s : "";
	}
	return n;
}

static bool add_row(struct suite *s, const char *cmd, char *line, unsigned lineno)
{
	const char *f[FIELDS];
	unsigned n = split_fields(line, f);
	if (n != FIELDS) {
		cli_error(cmd, "%s/suite.tsv:%u: %u fields, expected %u", s->dir, lineno, n,
			  FIELDS);
		return false;
	}
	if (!strcmp(f[0], "name")) /* the head of the table */
		return true;
	struct workload_row *row = realloc(s->row, (s->n + 1) * sizeof *row);
	if (!row)
		return false;
	s->row = row;
	row[s->n++] = (struct workload_row){f[0], f[1], f[2], f[3], f[4], {f[5], f[6], f[7]},
					    f[8], f[9], f[10]};
	return true;
}

bool suite_read(struct suite *s, const char *cmd)
{
	*s = (struct suite){.dir = find_dir()};
	if (!s->dir) {
		cli_error(cmd, "the suite's programs are not installed; HEDDLE_WORKLOADS names "
			       "their folder");
		return false;
	}
	char *path;
	if (asprintf(&path, "%s/suite.tsv", s->dir) < 0)
		return false;
	size_t size;
	s->text = cli_read(cmd, path, &size);
	free(path);
	unsigned lineno = 0;
	for (char *line = s->text, *end; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		lineno++;
		if (*line && *line != '#' && !add_row(s, cmd, line, lineno))
			return false;
	}
	return s->text != NULL;
}

void suite_free(struct suite *s)
{
	free(s->dir);
	free(s->text);
	free(s->row);
	*s = (struct suite){0};
}

static const char *name_at(const void *arg, unsigned i)
{
	const struct suite *s = arg;
	return i < s->n ? s->row[i].name : NULL;
}

const struct workload_row *suite_find(const struct suite *s, const char *cmd, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (!strcasecmp(s->row[i].name, name))
			return &s->row[i];
	const char *near = cli_nearest(name, name_at, s);
	if (near)
		cli_error(cmd, "no workload %s; did you mean %s?", name, near);
	else
		cli_error(cmd, "no workload %s; `heddle workloads` lists them",
			  *name ? name : "''");
	return NULL;
}

bool suite_size_ok(const char *cmd, const char *size)
{
	if (!strcmp(size, "test") || !strcmp(size, "small") || !strcmp(size, "paper"))
		return true;
	cli_error(cmd, "--size %s: expected test, small or paper", size);
	return false;
}
