/* Draws the first issues whose threads moved, before and after, as figures 4.3, 4.5 and 4.6 of Jin
 * 2012: above, each contributing warp with its threads in the order of their numbers; below, the
 * lanes that the threads went through. A squeeze closes the gaps of one warp, a merge makes one
 * group of several. */
#include "cli/drawing.h"

enum { MOST_MOVES = 6, MOST_WARPS = 8 };

struct move {
	const struct issue *x;
	long size; /* threads per warp */
	int parts; /* parts per warp: cycles that a full warp takes */
	struct seen warps;
	int before; /* parts of the contributing warps that have threads; or all their parts */
	int after;  /* cycles at the issue port */
};

static long thread_place(const json_t *t, long size) { return at(t, 4) % size; }

/* True if the issue has threads of several warps, or threads away from the position that their
 * number gives. */
static bool is_moved(const struct drawing *g, const struct issue *x, long size)
{
	for (size_t k = 0; k < json_array_size(x->threads); k++) {
		const json_t *t = json_array_get(x->threads, k);
		long pos = thread_place(t, size);
		if (pos / g->lanes != at(t, 0) || pos % g->lanes != at(t, 1) ||
		    at(t, 2) != at(json_array_get(x->threads, 0), 2))
			return true;
	}
	return false;
}

static struct move move_of(const struct drawing *g, const struct issue *x, long size)
{
	struct move m = {.x = x, .size = size, .parts = (int)(size / g->lanes), .after = x->port};
	for (size_t k = 0; k < json_array_size(x->threads); k++)
		drawing_see(&m.warps, at(json_array_get(x->threads, k), 2));
	m.before = m.warps.n * m.parts;
	return m;
}

static void draw_cell(struct drawing *g, const json_t *t, long left, long top)
{
	fprintf(g->f,
		"<g class=\"t%s\"><rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" rx=\"2\" "
		"fill=\"hsl(%d,58%%,68%%)\"/><text x=\"%ld\" y=\"%ld\">%ld</text></g>",
		at(t, 5) ? "" : " off", left + 1, top + 1, CELL - 2, ROW - 2, hue(at(t, 2)),
		left + CELL / 2, top + 12, at(t, 4));
}

/* Draws lanes by parts: one warp in the order of its threads' numbers, or (warp -1) the positions
 * that threads moved to. */
static void draw_grid(struct drawing *g, const struct move *m, long left, long warp)
{
	int rows = warp < 0 && m->after > m->parts ? m->after : m->parts;
	for (int part = 0; part < rows; part++)
		for (int lane = 0; lane < g->lanes; lane++)
			fprintf(g->f,
				"<rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" class=\"%s\"/>",
				left + lane * CELL, g->y + part * ROW, CELL, ROW,
				warp < 0 && part < m->after ? "lost" : "idle");
	for (size_t k = 0; k < json_array_size(m->x->threads); k++) {
		const json_t *t = json_array_get(m->x->threads, k);
		long pos = thread_place(t, m->size), part = warp < 0 ? at(t, 0) : pos / g->lanes,
		     lane = warp < 0 ? at(t, 1) : pos % g->lanes;
		if (warp < 0 || at(t, 2) == warp)
			draw_cell(g, t, left + lane * CELL, g->y + part * ROW);
	}
}

static void draw_move(struct drawing *g, const struct move *m)
{
	long wide = g->lanes * CELL, x = LEFT;
	int shown = m->warps.n < MOST_WARPS ? m->warps.n : MOST_WARPS;
	bool merged = m->warps.n > 1, squeezed = json_is_true(json_object_get(
					      json_object_get(g->d->launch, "issues"), "squeezes"));
	fprintf(g->f,
		"<g class=\"moved\"><text x=\"%ld\" y=\"%ld\">cycle %ld, pc %d, %s: %d %s of %d cycles, "
		"%d after",
		x, g->y + 12, m->x->cycle, m->x->pc,
		!merged && squeezed               ? "squeeze"
		: !merged                         ? "threads moved"
		: squeezed && m->after < m->parts ? "merge and squeeze"
						  : "merge",
		m->warps.n, merged ? "warps" : "warp", m->parts, m->after);
	fprintf(g->f, "%s</text>", m->warps.n > shown ? "; the first eight" : "");
	g->y += 18;
	for (int i = 0; i < shown; i++) {
		fprintf(g->f, "<text x=\"%ld\" y=\"%ld\" class=\"soft\">warp %ld</text>", x,
			g->y + 10, m->warps.v[i]);
		g->y += 14;
		draw_grid(g, m, x, m->warps.v[i]);
		g->y -= 14;
		x += wide + 16;
	}
	g->y += 14;
	fprintf(g->f, "<text x=\"%ld\" y=\"%ld\">&#8594;</text>", x, g->y + 20);
	draw_grid(g, m, x + 22, -1);
	fputs("</g>\n", g->f);
	if (x + 22 + wide + 20 > g->right)
		g->right = x + 22 + wide + 20;
	g->y += (m->after > m->parts ? m->after : m->parts) * ROW + 14;
}

void drawing_moved(struct drawing *g)
{
	long size = integer(json_object_get(g->d->launch, "issues"), "warp_size"), n = 0;
	if (g->by_lane || g->lanes >= size)
		return;
	for (size_t i = 0; i < g->n && n < MOST_MOVES; i++) {
		if (!is_moved(g, &g->issue[i], size))
			continue;
		if (!n++) {
			g->y += GAP;
			fprintf(g->f,
				"<text x=\"%d\" y=\"%ld\" class=\"head\">Squeeze and merge: lanes (columns) by "
				"cycles at the port (rows), before and after</text>\n",
				LEFT, g->y - 10);
		}
		struct move m = move_of(g, &g->issue[i], size);
		draw_move(g, &m);
	}
}
