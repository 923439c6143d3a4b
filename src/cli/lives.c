/* Draws the recorded lives of warps as SVG (lives.h).
 *
 *   row  |■■■■■■■■■■■■■■■■          a warp, coloured by its block, from its start to its end
 *        |■■■■■■■■■■■■■■■■■■■■■■■■
 *        |■■■■■■■■■░░░░░░░░░░░░░░░  of one block: pale until the last of its warps has ended
 *        +------------------------> cycles of the launch
 *
 * The pale fraction is the ratio of temporal resource underutilization: sum (maxT - T) / (N
 * maxT). */
#include "cli/lives.h"
#include <string.h>

enum { WIDTH = 900, LEFT = 70, TOP = 64, ROW = 14, TICKS = 8 };

struct life {
	long block, warp, slot, start, end, issued;
};

static struct life life_at(const json_t *list, size_t i)
{
	const json_t *o = json_array_get(list, i);
	long v[6];
	for (size_t k = 0; k < 6; k++)
		v[k] = (long)json_integer_value(json_array_get(o, k));
	return (struct life){v[0], v[1], v[2], v[3], v[4], v[5]};
}

struct drawing {
	const struct lives *l;
	const json_t *list;
	FILE *f;
	long rows, n;        /* row: number of rows; n: number of warps */
	long first, last;    /* first and last cycle */
	long longest, lived; /* longest life; sum of all lives, in cycles */
	long least, most_issued;
};

static bool wanted(const struct drawing *g, const struct life *x)
{
	return g->l->block < 0 || x->block == g->l->block;
}
static long row_of(const struct drawing *g, const struct life *x)
{
	return g->l->block < 0 ? x->slot : x->warp;
}

static void survey(struct drawing *g)
{
	g->first = g->least = __LONG_MAX__;
	for (size_t i = 0; i < json_array_size(g->list); i++) {
		struct life x = life_at(g->list, i);
		if (!wanted(g, &x))
			continue;
		long t = x.end - x.start;
		g->n++;
		g->rows = row_of(g, &x) >= g->rows ? row_of(g, &x) + 1 : g->rows;
		g->first = x.start < g->first ? x.start : g->first;
		g->last = x.end > g->last ? x.end : g->last;
		g->longest = t > g->longest ? t : g->longest;
		g->lived += t;
		g->least = x.issued < g->least ? x.issued : g->least;
		g->most_issued = x.issued > g->most_issued ? x.issued : g->most_issued;
	}
}

static double column(const struct drawing *g, long cycle)
{
	double all = (double)(g->last - g->first);
	return LEFT + (double)WIDTH * (double)(cycle - g->first) / (all > 0 ? all : 1);
}

static void title(const struct drawing *g)
{
	const char *kernel = json_string_value(json_object_get(g->l->launch, "kernel"));
	long sm = (long)json_integer_value(
		json_object_get(json_object_get(g->l->launch, "issues"), "sm"));
	fprintf(g->f, "<text x=\"%d\" y=\"22\" class=\"title\">%s: ", LEFT, kernel ? kernel : "");
	if (g->l->block >= 0)
		fprintf(g->f, "warps of block %ld", g->l->block);
	else
		fprintf(g->f, "warps of SM %ld", sm);
	fprintf(g->f, "</text>\n<text x=\"%d\" y=\"42\">%s; %ld warps of %ld to %ld instructions",
		LEFT, g->l->machine, g->n, g->least, g->most_issued);
	if (g->l->block >= 0)
		fprintf(g->f, "; RTRU %.1f %%",
			100 * (1 - (double)g->lived / ((double)g->n * (double)g->longest)));
	else
		fprintf(g->f, "; %.1f of %ld places in use",
			(double)g->lived / (double)(g->last - g->first), g->rows);
	fputs("</text>\n", g->f);
}

static void draw_axis(const struct drawing *g)
{
	long y = TOP + g->rows * ROW;
	for (unsigned i = 0; i <= TICKS; i++) {
		long c = g->first + (g->last - g->first) * (long)i / TICKS;
		fprintf(g->f,
			"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%ld\" class=\"tick\"/><text x=\"%.1f\" "
			"y=\"%ld\" text-anchor=\"middle\">%ld</text>\n",
			column(g, c), column(g, c), TOP, y + 4, column(g, c), y + 18, c);
	}
	fprintf(g->f, "<text x=\"%d\" y=\"%ld\">cycle of the launch</text>\n", LEFT, y + 36);
}

static void draw_bars(const struct drawing *g)
{
	for (size_t i = 0; i < json_array_size(g->list); i++) {
		struct life x = life_at(g->list, i);
		if (!wanted(g, &x))
			continue;
		long y = TOP + row_of(g, &x) * ROW;
		long hue = (g->l->block < 0 ? x.block : x.warp) * 137 % 360;
		if (g->l->block >= 0)
			fprintf(g->f,
				"<rect class=\"waits\" x=\"%.1f\" y=\"%ld\" width=\"%.1f\" height=\"%d\"/>\n",
				column(g, x.end), y + 1, column(g, g->last) - column(g, x.end),
				ROW - 2);
		fprintf(g->f,
			"<rect class=\"life\" x=\"%.1f\" y=\"%ld\" width=\"%.1f\" height=\"%d\" "
			"fill=\"hsl(%ld,60%%,55%%)\"><title>block %ld warp %ld: cycles %ld to %ld, %ld "
			"instructions</title></rect>\n",
			column(g, x.start), y + 1, column(g, x.end) - column(g, x.start), ROW - 2,
			hue, x.block, x.warp, x.start, x.end, x.issued);
	}
	for (long r = 0; r < g->rows; r++)
		fprintf(g->f, "<text x=\"%d\" y=\"%ld\" text-anchor=\"end\">%s%ld</text>\n",
			LEFT - 8, TOP + r * ROW + ROW - 3, r ? "" : "warp ", r);
}

bool lives_draw(const struct lives *l, FILE *f)
{
	struct drawing g = {.l = l, .f = f};
	g.list = json_object_get(json_object_get(l->launch, "issues"), "lives");
	survey(&g);
	if (!g.n)
		return false;
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%ld\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n<style>.title{font-size:14px;"
		"font-weight:bold}.tick{stroke:#ddd}.waits{fill:#e4e4e4}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		LEFT + WIDTH + 40, TOP + g.rows * ROW + 48);
	title(&g);
	draw_axis(&g);
	draw_bars(&g);
	fputs("</svg>\n", f);
	return true;
}
