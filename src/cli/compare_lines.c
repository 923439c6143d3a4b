/* heddle compare-isa --line: prints and draws the instructions that each source line became.
 * compare.h has the counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/compare.h"
#include "command/lines.h"
#include "heddle.h"

static const char *label_of(const struct count *c)
{
	const char *s = strrchr(c->name, '/');
	return s ? s + 1 : c->name;
}

char *compare_line_text(const struct count *c)
{
	const char *colon = strrchr(c->name, ':');
	size_t count = 0;
	char *text = NULL, *out = NULL, **line = NULL;
	if (!c->line || !colon)
		return NULL;
	line = lines_read(c->name, (size_t)(colon - c->name), &text, &count);
	if (line && c->line <= count) {
		const char *s = line[c->line - 1];
		out = strdup(s + strspn(s, " \t"));
	}
	free(line);
	free(text);
	return out;
}

void compare_lines_print(const struct table *t, const char *a, const char *b)
{
	const int64_t *all = compare_total(t);
	int wide = 12;
	for (size_t i = 0; i < t->n; i++)
		wide = (int)strlen(label_of(&t->row[i])) > wide ? (int)strlen(label_of(&t->row[i]))
								: wide;
	printf("%-*s %12s %12s %12s %8s %8s\n", wide, "line", a, b, "saved", "code", "code");
	for (size_t i = 0; i < t->n; i++) {
		const struct count *c = &t->row[i];
		const int64_t *n = compare_of(t, c);
		char *text = compare_line_text(c);
		printf("%-*s %12lld %12lld %12lld %8lld %8lld%s%.60s\n", wide, label_of(c),
		       (long long)n[0], (long long)n[1], (long long)(n[0] - n[1]),
		       (long long)c->code[0], (long long)c->code[1], text && *text ? "  " : "",
		       text ? text : "");
		free(text);
	}
	printf("%-*s %12lld %12lld %12lld %8lld %8lld  (%.1f %%)\n", wide, "all", (long long)all[0],
	       (long long)all[1], (long long)(all[0] - all[1]), (long long)t->code_total[0],
	       (long long)t->code_total[1],
	       all[0] ? 100.0 * (double)(all[0] - all[1]) / (double)all[0] : 0);
}

/* ---- the picture ---- */

enum { ROW = 34, BAR = 12, TEXT = 420, BARS = 520, HEAD = 60, MOST = 80 };

struct sum {
	unsigned class;
	int64_t n;
};

static int larger(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;
	return x->n != y->n ? (x->n < y->n ? 1 : -1) : (int)x->class - (int)y->class;
}

/* Sorts the classes that occur, largest first. Returns their number. */
static unsigned classes_of(const struct table *t, struct sum sum[COMPARE_CLASSES])
{
	unsigned n = 0;
	for (unsigned k = 0; k < COMPARE_CLASSES; k++) {
		struct sum s = {k, 0};
		for (size_t i = 0; i < t->n; i++)
			s.n += t->row[i].class[0][k] + t->row[i].class[1][k];
		if (s.n)
			sum[n++] = s;
	}
	qsort(sum, n, sizeof *sum, larger);
	return n;
}

static void put_colour(char *to, size_t n, unsigned rank)
{
	snprintf(to, n, "hsl(%u,%u%%,%u%%)", rank * 137 % 360, 55 - rank % 2 * 15,
		 50 + rank % 3 * 10);
}

static void put_text(FILE *f, const char *s, unsigned most)
{
	for (; *s && most; s++, most--)
		if (*s == '&' || *s == '<' || *s == '>')
			fprintf(f, "&#%d;", *s);
		else if ((unsigned char)*s >= ' ')
			fputc(*s, f);
}

static void put_bar(FILE *f, const struct count *c, int side, int y, double scale,
		    const struct sum *sum, unsigned n)
{
	double x = TEXT;
	char fill[32];
	for (unsigned i = 0; i < n; i++) {
		double w = (double)c->class[side][sum[i].class] * scale;
		put_colour(fill, sizeof fill, i);
		if (w > 0)
			fprintf(f,
				"<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'><title>%s: %lld"
				"</title></rect>\n",
				x, y, w, BAR, fill, heddle_class_name(sum[i].class),
				(long long)c->class[side][sum[i].class]);
		x += w;
	}
}

static void put_row(FILE *f, const struct table *t, const struct count *c,
		    const char *const code[2], int y, double scale, const struct sum *sum,
		    unsigned n)
{
	const int64_t *v = compare_of(t, c);
	char *text = compare_line_text(c);
	fprintf(f, "<text x='8' y='%d' class='m'>", y + BAR);
	put_text(f, label_of(c), 56);
	fprintf(f, "</text><text x='8' y='%d' class='s'>", y + 2 * BAR);
	put_text(f, text ? text : "", 62);
	fputs("</text>\n", f);
	for (int side = 0; side < 2; side++) {
		double end = TEXT + (double)v[side] * scale;
		put_bar(f, c, side, y + side * (BAR + 1), scale, sum, n);
		fprintf(f, "<text x='%.1f' y='%d'>%lld ", end + 4, y + side * (BAR + 1) + BAR - 2,
			(long long)v[side]);
		put_text(f, code[side], 20);
		fputs("</text>\n", f);
	}
	free(text);
}

static int64_t larger_of(const int64_t *v) { return v[0] > v[1] ? v[0] : v[1]; }

/* Returns the smallest count among the MOST largest lines. */
static int64_t smallest_shown(const struct table *t)
{
	int64_t top = 0;
	for (size_t i = 0; i < t->n; i++)
		top = larger_of(compare_of(t, &t->row[i])) > top
			      ? larger_of(compare_of(t, &t->row[i]))
			      : top;
	for (int64_t from = 1;; from = from * 2 < top ? from * 2 : top) {
		size_t n = 0;
		for (size_t i = 0; i < t->n; i++)
			n += larger_of(compare_of(t, &t->row[i])) >= from;
		if (n <= MOST || from >= top)
			return from;
	}
}

char *compare_lines_svg(const struct table *t, const char *a, const char *b)
{
	const char *const code[2] = {a, b};
	struct sum sum[COMPARE_CLASSES];
	char *s = NULL, fill[32];
	size_t size, rows = 0;
	int64_t from = smallest_shown(t), top = 1;
	unsigned n = classes_of(t, sum);
	for (size_t i = 0; i < t->n; i++) {
		int64_t v = larger_of(compare_of(t, &t->row[i]));
		rows += v >= from;
		top = v > top ? v : top;
	}
	FILE *f = open_memstream(&s, &size);
	if (!f)
		return NULL;
	int legend = (int)(n + 7) / 8 * 16;
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
		"font-size='11'>\n<style>.t{font-size:13px;font-weight:bold}.m{font-weight:bold}"
		".s{font-family:monospace;font-size:10px}</style>\n"
		"<rect width='100%%' height='100%%' fill='white'/>\n<text x='8' y='20' class='t'>%s by line: ",
		TEXT + BARS + 140, HEAD + legend + ROW * (int)rows,
		t->by_code ? "instructions of the code" : "executed instructions");
	const int64_t *all = compare_total(t);
	put_text(f, a, 20);
	fprintf(f, " %lld, ", (long long)all[0]);
	put_text(f, b, 20);
	fprintf(f, " %lld</text>\n", (long long)all[1]);
	for (unsigned i = 0; i < n; i++) {
		int x = 8 + (int)(i % 8) * 130, y = 30 + (int)(i / 8) * 16;
		put_colour(fill, sizeof fill, i);
		fprintf(f,
			"<rect x='%d' y='%d' width='11' height='11' fill='%s'/><text x='%d' y='%d'>%s</text>\n",
			x, y, fill, x + 15, y + 10, heddle_class_name(sum[i].class));
	}
	int y = HEAD + legend - 10;
	for (size_t i = 0; i < t->n; i++)
		if (larger_of(compare_of(t, &t->row[i])) >= from) {
			put_row(f, t, &t->row[i], code, y, (double)BARS / (double)top, sum, n);
			y += ROW;
		}
	fputs("</svg>\n", f);
	fclose(f);
	return s;
}
