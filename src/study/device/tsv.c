#include "study/device/tsv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "command/command.h"

static unsigned count_char(const char *s, const char *end, char c)
{
	unsigned n = 0;
	for (; s < end; s++)
		n += *s == c;
	return n;
}

static void cut_cells(struct tsv *t, char *s)
{
	for (unsigned r = 0; r <= t->rows; r++) {
		char *end = s + strcspn(s, "\n"), *next = *end ? end + 1 : end;
		*end = 0;
		for (unsigned c = 0; c < t->columns; c++) {
			t->cell[r * t->columns + c] = s;
			char *tab = s + strcspn(s, "\t");
			s = *tab ? tab + 1 : tab;
			*tab = 0;
		}
		s = next;
	}
}

bool tsv_open(struct tsv *t, const char *cmd, const char *dir, const char *name)
{
	char path[4096];
	size_t n;
	*t = (struct tsv){0};
	snprintf(path, sizeof path, "%s/%s.tsv.gz", dir, name);
	if (access(path, R_OK))
		path[strlen(path) - 3] = 0;
	t->data = cli_read_gz(cmd, path, &n);
	if (!t->data)
		return false;
	while (n && t->data[n - 1] == '\n')
		t->data[--n] = 0;
	char *first = t->data + strcspn(t->data, "\n");
	if (!n || strlen(t->data) != n) {
		cli_error(cmd,
			  "%s: expected a table: a line of column names, then lines of cells "
			  "separated by tabs",
			  path);
		tsv_close(t);
		return false;
	}
	t->columns = count_char(t->data, first, '\t') + 1;
	t->rows = count_char(t->data, t->data + n, '\n');
	t->cell = xcalloc((size_t)(t->rows + 1) * t->columns, sizeof *t->cell);
	cut_cells(t, t->data);
	return true;
}

void tsv_close(struct tsv *t)
{
	free(t->cell);
	free(t->data);
	*t = (struct tsv){0};
}

int tsv_column(const struct tsv *t, const char *name)
{
	for (unsigned c = 0; c < t->columns; c++)
		if (!strcmp(t->cell[c], name))
			return (int)c;
	return -1;
}

const char *tsv_text(const struct tsv *t, unsigned row, const char *name)
{
	int c = tsv_column(t, name);
	return c < 0 || row > t->rows ? "" : t->cell[row * t->columns + (unsigned)c];
}

double tsv_number(const struct tsv *t, unsigned row, const char *name)
{
	const char *s = tsv_text(t, row, name);
	char *end;
	double x = strtod(s, &end);
	return end == s || *end ? NAN : x;
}

unsigned tsv_find(const struct tsv *t, const char *column, const char *text)
{
	for (unsigned r = 1; r <= t->rows; r++)
		if (!strcmp(tsv_text(t, r, column), text))
			return r;
	return 0;
}
