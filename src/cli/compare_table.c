/* Prints the table of heddle compare-isa: rows by opcode, class or line. */
#include "cli/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"

static unsigned class_number(const char *name)
{
	for (unsigned i = 0; name && i < COMPARE_CLASSES && heddle_class_name(i); i++)
		if (!strcmp(heddle_class_name(i), name))
			return i;
	return 0;
}

static struct count *row_of(struct table *t, const char *name, unsigned line)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].line == line && !strcmp(t->row[i].name, name))
			return &t->row[i];
	struct count *row = realloc(t->row, (t->n + 1) * sizeof *row);
	char *own = strdup(name);
	if (row)
		t->row = row;
	if (!row || !own) {
		free(own);
		return NULL;
	}
	row[t->n] = (struct count){.name = own, .line = line};
	return &row[t->n++];
}

bool compare_add(struct table *t, unsigned which, const struct kind *k)
{
	char place[1200];
	const char *class = k->class ? k->class : "other";
	snprintf(place, sizeof place, k->line ? "%s:%u" : "(no line known)", k->file ? k->file : "",
		 k->line);
	struct count *c = row_of(t,
				 t->by == BY_LINE    ? place
				 : t->by == BY_CLASS ? class
						     : k->opcode,
				 t->by == BY_LINE ? k->line : 0);
	if (!c)
		return false;
	c->n[which] += k->n;
	c->code[which] += k->code;
	c->class[which][class_number(class)] += t->by_code ? k->code : k->n;
	t->total[which] += k->n;
	t->code_total[which] += k->code;
	return true;
}

const int64_t *compare_of(const struct table *t, const struct count *c)
{
	return t->by_code ? c->code : c->n;
}

const int64_t *compare_total(const struct table *t)
{
	return t->by_code ? t->code_total : t->total;
}

static int by_count(const int64_t *x, const int64_t *y)
{
	int64_t p = x[0] > x[1] ? x[0] : x[1], q = y[0] > y[1] ? y[0] : y[1];
	return p == q ? 0 : p < q ? 1 : -1;
}

static int larger_first(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	int c = by_count(x->n, y->n);
	c = c ? c : by_count(x->code, y->code);
	return c ? c : strcmp(x->name, y->name);
}

static int larger_code_first(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	int c = by_count(x->code, y->code);
	return c ? c : larger_first(a, b);
}

static int in_order(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	size_t n = strcspn(x->name, ":"), k = strcspn(y->name, ":");
	int c = strncmp(x->name, y->name, n < k ? n : k);
	if (c || n != k)
		return c ? c : n < k ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

void compare_sort(struct table *t)
{
	if (t->n)
		qsort(t->row, t->n, sizeof *t->row,
		      t->by == BY_LINE ? in_order
		      : t->by_code     ? larger_code_first
				       : larger_first);
}

void compare_free(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->row[i].name);
	free(t->row);
}
