/* Draws the comparison of two instruction sets as SVG. compare.h has the counts. */
#include "cli/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 11, PITCH = 34, LEFT = 90, TOP = 46, HEIGHT = 220, GAP = 90, MAX_BARS = 40 };

static void text_put(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '&' || *s == '<' || *s == '>')
			fprintf(f, "&#%d;", *s);
		else
			fputc(*s, f);
}

enum figure { EXECUTED, SHARE, CODE };

static double figure_value(const struct table *t, size_t row, int side, enum figure what)
{
	const int64_t *n = what == CODE ? t->row[row].code : t->row[row].n;
	double all = (double)(t->total[side] ? t->total[side] : 1);
	return what == SHARE ? 100.0 * (double)n[side] / all : (double)n[side];
}

/* Draws one panel at height y: a pair of bars for each row. */
static void draw_panel(FILE *f, const struct table *t, size_t n, int y, enum figure what)
{
	static const char *const title[] = {"dynamic instructions", "share of all instructions, %",
					    "instructions of the code"};
	static const char *const colour[] = {"#8a8a8a", "#2b6cb0"};
	double top = 0;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 2; k++) {
			double v = figure_value(t, i, k, what);
			top = v > top ? v : top;
		}
	top = top > 0 ? top : 1;
	fprintf(f, "<text x='%d' y='%d' class='t'>%s</text>\n", LEFT, y - 10, title[what]);
	for (int k = 0; k <= 4; k++) {
		int at = y + HEIGHT - HEIGHT * k / 4;
		fprintf(f,
			"<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='#ddd'/><text x='%d' y='%d' "
			"text-anchor='end'>%.*f</text>\n",
			LEFT, LEFT + PITCH * (int)n, at, at, LEFT - 6, at + 4, what == SHARE,
			top * k / 4);
	}
	for (size_t i = 0; i < n; i++) {
		int x = LEFT + PITCH * (int)i + 5;
		for (int k = 0; k < 2; k++) {
			double v = figure_value(t, i, k, what);
			double h = HEIGHT * v / top;
			fprintf(f, "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='%s'/>\n",
				x + BAR * k, y + HEIGHT - h, BAR, h, colour[k]);
		}
		fprintf(f, "<text transform='translate(%d,%d) rotate(-50)' text-anchor='end'>",
			x + BAR, y + HEIGHT + 14);
		text_put(f, t->row[i].name);
		fprintf(f, "</text>\n");
	}
}

char *compare_svg(const struct table *t, const char *a, const char *b)
{
	char *s = NULL;
	size_t size, n = t->n < MAX_BARS ? t->n : MAX_BARS;
	FILE *f = open_memstream(&s, &size);
	if (!f)
		return NULL;
	int width = LEFT + PITCH * (int)n + 30;
	width = width < 420 ? 420 : width;
	int panels = 2 * (t->total[0] || t->total[1]) + t->has_code;
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"font-family='sans-serif' font-size='11'>\n",
		width, TOP + panels * (HEIGHT + GAP) + 10);
	fprintf(f, "<style>.t{font-size:13px;font-weight:bold}</style>\n<rect width='100%%' "
		   "height='100%%' fill='white'/>\n");
	fprintf(f, "<rect x='%d' y='8' width='11' height='11' fill='#8a8a8a'/><text x='%d' y='18'>",
		LEFT, LEFT + 16);
	text_put(f, a);
	const int64_t *all = compare_total(t);
	fprintf(f,
		": %lld</text>\n<rect x='%d' y='8' width='11' height='11' fill='#2b6cb0'/><text "
		"x='%d' y='18'>",
		(long long)all[0], LEFT + 180, LEFT + 196);
	text_put(f, b);
	fprintf(f, ": %lld</text>\n", (long long)all[1]);
	int y = TOP;
	for (enum figure what = EXECUTED; what <= CODE; what++)
		if (what == CODE ? t->has_code : t->total[0] || t->total[1]) {
			draw_panel(f, t, n, y, what);
			y += HEIGHT + GAP;
		}
	fprintf(f, "</svg>\n");
	fclose(f);
	return s;
}
