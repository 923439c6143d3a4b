/* Draws the waiting pool: the groups that wait while others issue, with their instruction and
 * number of threads. A row is a group. A bar reaches from the first issue at which the group is in
 * this state to the first at which it is not. */
#include "cli/drawing.h"

#include <stdlib.h>

struct span { /* an interval in which a group does not change */
	long from, pc, warp, threads, wait;
	bool open;
};

static const json_t *find_waiter(const struct issue *x, long group)
{
	for (size_t k = 0; k < json_array_size(x->pool); k++)
		if (at(json_array_get(x->pool, k), 0) == group)
			return json_array_get(x->pool, k);
	return NULL;
}

static void close_span(struct drawing *g, struct span *s, long to, long y)
{
	static const char *const why[] = {"ready", "at a barrier", "until its warp is together",
					  "until it can issue"};
	long wide = (to - s->from) * CELL;
	bool dim = g->d->warp >= 0 && s->warp != g->d->warp;
	if (s->open && wide > 0) {
		fprintf(g->f,
			"<g class=\"waits%s\"><rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" rx=\"2\" "
			"fill=\"hsl(%d,50%%,%d%%)\"%s/>",
			dim ? " dim" : "", column(g, s->from) + 1, y + 1, wide - 2, ROW - 2,
			hue(s->warp), s->wait ? 92 : 82, s->wait ? " class=\"blocked\"" : "");
		if (wide >= 3 * CELL)
			fprintf(g->f, "<text x=\"%ld\" y=\"%ld\">pc %ld, %ld</text>",
				column(g, s->from) + 4, y + 12, s->pc, s->threads);
		fprintf(g->f, "<title>group: pc %ld, %ld threads, %s</title></g>\n", s->pc,
			s->threads, why[s->wait & 3]);
	}
	s->open = false;
}

static void pool_row(struct drawing *g, long group, long y)
{
	struct span s = {0};
	for (size_t i = 0; i < g->n && g->issue[i].cycle < g->to; i++) {
		const struct issue *x = &g->issue[i];
		const json_t *w = find_waiter(x, group);
		bool same = w && s.open && s.pc == at(w, 1) && s.threads == at(w, 3) &&
			    s.wait == at(w, 4);
		if (!same)
			close_span(g, &s, x->cycle, y);
		if (w && !same)
			s = (struct span){x->cycle, at(w, 1), at(w, 2), at(w, 3), at(w, 4), true};
	}
	close_span(g, &s, g->to, y);
}

static int ascending(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;
	return (x > y) - (x < y);
}

void drawing_pool(struct drawing *g)
{
	struct seen groups = {.n = 0};
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < json_array_size(g->issue[i].pool); k++)
			drawing_see(&groups, at(json_array_get(g->issue[i].pool, k), 0));
	if (!groups.n)
		return;
	qsort(groups.v, (size_t)groups.n, sizeof *groups.v, ascending);
	int rows = groups.n < MAX_ROWS ? groups.n : MAX_ROWS;
	g->y += GAP - 14;
	fprintf(g->f,
		"<text x=\"%d\" y=\"%ld\" class=\"head\">The waiting pool: groups while others issue, the instruction "
		"they wait with and their threads; dashed: not ready%s</text>\n<g class=\"pool\">",
		LEFT, g->y + 4, groups.n > rows ? " (the first 64 groups)" : "");
	g->y += 12;
	for (int r = 0; r < rows; r++) {
		fprintf(g->f, "<text x=\"%d\" y=\"%ld\" class=\"name\">group %ld</text>\n",
			LEFT - 8, g->y + r * ROW + 12, groups.v[r]);
		pool_row(g, groups.v[r], g->y + r * ROW);
	}
	fputs("</g>\n", g->f);
	g->y += rows * ROW + 4;
	drawing_axis(g);
	g->y += 10;
}
