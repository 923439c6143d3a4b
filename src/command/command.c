/* Reads a command line by its option table, suggests the nearest word for a mistyped one, and reads
 * numbers. command.h has the contract. */
#include "command/command.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cli_walk_start(struct cli_walk *w, const struct cli_page *page, int argc, char **argv)
{
	*w = (struct cli_walk){.page = page, .argc = argc, .next = 1, .argv = argv};
}

static const char *option_at(const void *opts, unsigned i)
{
	return ((const struct cli_option *)opts)[i].name;
}

static unsigned option_arity(const struct cli_option *o)
{
	unsigned n = o->args != NULL;
	for (const char *p = o->args; p && *p; p++)
		n += *p == ' ';
	return n;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Returns the edit distance of short words: wrong, missing, extra and swapped letters; case is
 * ignored. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][64], *before = rows[0], *above = rows[1], *row = rows[2];
	size_t n = strlen(b);
	if (n >= 64)
		return 99;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned *free_row = before;
		before = above, above = row, row = free_row;
		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);
			row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[n];
}

static size_t letters(const char *word) { return strlen(word + strspn(word, "-")); }

/* A word in which more than half of the letters differ counts as another word. */
const char *cli_nearest(const char *word, const char *(*at)(const void *, unsigned),
			const void *arg)
{
	const char *best = NULL, *s;
	unsigned limit = 3, nearest = limit + 1;
	for (unsigned i = 0; (s = at(arg, i)); i++) {
		unsigned d = distance(word, s);
		if (d < nearest && 2 * d <= letters(word) && 2 * d <= letters(s))
			nearest = d, best = s;
	}
	return best;
}

int cli_walk_next(struct cli_walk *w)
{
	const char *cmd = w->argv[0];
	if (w->next >= w->argc)
		return CLI_END;
	char *word = w->argv[w->next++];
	if (word[0] != '-' || !word[1]) {
		w->arg[0] = word;
		return CLI_WORD;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return CLI_HELP;
	const struct cli_option *opts = w->page->opts;
	size_t len = strcspn(word, "=");
	for (int i = 0; opts && opts[i].name; i++) {
		if (strlen(opts[i].name) != len || strncmp(word, opts[i].name, len))
			continue;
		unsigned arity = option_arity(&opts[i]), have = 0;
		if (word[len]) {
			if (arity != 1) {
				cli_error(cmd, "%s takes %s", opts[i].name,
					  arity ? opts[i].args : "no argument");
				return CLI_BAD;
			}
			w->arg[have++] = word + len + 1;
		}
		for (; have < arity; have++) {
			if (w->next >= w->argc) {
				cli_error(cmd, "%s needs %s", opts[i].name, opts[i].args);
				return CLI_BAD;
			}
			w->arg[have] = w->argv[w->next++];
		}
		return i;
	}
	const char *near = opts ? cli_nearest(word, option_at, opts) : NULL;
	cli_error(cmd, near ? "unknown option %s; did you mean %s?" : "unknown option %s", word,
		  near);
	return CLI_BAD;
}

bool cli_u64(const char *s, uint64_t *out)
{
	int base = 0;
	if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
		s += 2, base = 2;
	if (!(*s >= '0' && *s <= '9'))
		return false;
	char *end;
	errno = 0;
	*out = strtoull(s, &end, base);
	return !errno && !*end;
}
