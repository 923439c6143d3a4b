/* The comparison as a picture: see compare.h. */
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

/* One panel at height y: a pair of bars for each row; share: of each side's total, else the counts.
 */
static void panel(FILE *f, const struct table *t, size_t n, int y, int share)
{
	static const char *const colour[] = {"#8a8a8a", "#2b6cb0"};
	double top = 0;
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 2; k++) {
			double v = share ? 100.0 * (double)t->row[i].n[k] /
						   (double)(t->total[k] ? t->total[k] : 1)
					 : (double)t->row[i].n[k];
			top = v > top ? v : top;
		}
	top = top > 0 ? top : 1;
	fprintf(f, "<text x='%d' y='%d' class='t'>%s</text>\n", LEFT, y - 10,
		share ? "share of all instructions, %" : "dynamic instructions");
	for (int k = 0; k <= 4; k++) {
		int at = y + HEIGHT - HEIGHT * k / 4;
		fprintf(f,
			"<line x1='%d' x2='%d' y1='%d' y2='%d' stroke='#ddd'/><text x='%d' y='%d' "
			"text-anchor='end'>%.*f</text>\n",
			LEFT, LEFT + PITCH * (int)n, at, at, LEFT - 6, at + 4, share ? 1 : 0,
			top * k / 4);
	}
	for (size_t i = 0; i < n; i++) {
		int x = LEFT + PITCH * (int)i + 5;
		for (int k = 0; k < 2; k++) {
			double v = share ? 100.0 * (double)t->row[i].n[k] /
						   (double)(t->total[k] ? t->total[k] : 1)
					 : (double)t->row[i].n[k];
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
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"font-family='sans-serif' font-size='11'>\n",
		width, TOP + 2 * (HEIGHT + GAP) + 10);
	fprintf(f, "<style>.t{font-size:13px;font-weight:bold}</style>\n<rect width='100%%' "
		   "height='100%%' fill='white'/>\n");
	fprintf(f, "<rect x='%d' y='8' width='11' height='11' fill='#8a8a8a'/><text x='%d' y='18'>",
		LEFT, LEFT + 16);
	text_put(f, a);
	fprintf(f,
		": %lld</text>\n<rect x='%d' y='8' width='11' height='11' fill='#2b6cb0'/><text "
		"x='%d' y='18'>",
		(long long)t->total[0], LEFT + 180, LEFT + 196);
	text_put(f, b);
	fprintf(f, ": %lld</text>\n", (long long)t->total[1]);
	panel(f, t, n, TOP, 0);
	panel(f, t, n, TOP + HEIGHT + GAP, 1);
	fprintf(f, "</svg>\n");
	fclose(f);
	return s;
}
