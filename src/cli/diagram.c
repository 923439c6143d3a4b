/* Draws recorded issues as SVG (diagram.h). A column is a cycle. The first panel has a row for each
 * lane: a cell is a thread, coloured by its home warp, with its number in the block; an empty cell
 * under an issue's band is a lane that this cycle wasted. A machine that issues several times per
 * cycle has one panel for each issue slot, unless each lane issues for itself: then all lanes share
 * one panel. The last panel has a row for each group: dark while it is at the issue port, pale
 * until it commits. diagram_moves.c draws what a squeeze or a merge did, diagram_pool.c the groups
 * that wait. */
#include "cli/diagram.h"
#include "cli/drawing.h"

#include <stdlib.h>
#include <string.h>
#include "heddle.h"

int drawing_see(struct seen *s, long v)
{
	for (int i = 0; i < s->n; i++)
		if (s->v[i] == v)
			return i;
	if (s->n == MAX_SEEN)
		return MAX_SEEN - 1;
	s->v[s->n] = v;
	return s->n++;
}

/* Widths of letters in pixels, for texts that may make a picture wider. */
static const double MONO = 6.1, SMALL = 5.8, TITLE = 9;

static void text(FILE *f, const char *s)
{
	for (; *s; s++)
		fputs(*s == '<'   ? "&lt;"
		      : *s == '>' ? "&gt;"
		      : *s == '&' ? "&amp;"
		      : *s == '"' ? "&quot;"
				  : (char[]){*s, 0},
		      f);
}

/* Sorts warps by number, so that legends and rows do not depend on the order of issue. */
static void sort_warps(struct drawing *g)
{
	for (int i = 1; i < g->warps.n; i++)
		for (int k = i; k && g->warps.v[k] < g->warps.v[k - 1]; k--) {
			long *rows[] = {g->warps.v, g->block, g->first};
			for (size_t r = 0; r < 3; r++) {
				long x = rows[r][k];
				rows[r][k] = rows[r][k - 1];
				rows[r][k - 1] = x;
			}
		}
	for (int i = 1; i < g->groups.n; i++)
		for (int k = i; k && g->groups.v[k] < g->groups.v[k - 1]; k--) {
			long x = g->groups.v[k];
			g->groups.v[k] = g->groups.v[k - 1];
			g->groups.v[k - 1] = x;
		}
}

/* ---- reading the record ---- */

static bool lanes_meet(struct drawing *g)
{
	const json_t *is = json_object_get(g->d->launch, "issues"),
		     *list = json_object_get(is, "list"), *o;
	size_t i, k;
	long until[MAX_TRACKS] = {0};
	g->n = json_array_size(list);
	g->from = integer(is, "from");
	g->to = g->from;
	g->lanes = (int)integer(is, "simd_width");
	g->depth = (int)integer(is, "depth");
	g->by_lane = json_is_true(json_object_get(is, "by_lane"));
	g->steps = json_is_true(json_object_get(is, "steps"));
	if (!g->n || !(g->issue = calloc(g->n, sizeof *g->issue)))
		return false;
	json_array_foreach (list, i, o) {
		struct issue *x = &g->issue[i];
		*x = (struct issue){json_object_get(o, "threads"), integer(o, "cycle"),
				    (int)integer(o, "pc"),         (int)integer(o, "group"),
				    (int)integer(o, "port"),       0,
				    json_object_get(o, "pool")};
		while (!g->by_lane && x->track + 1 < MAX_TRACKS && until[x->track] > x->cycle)
			x->track++;
		until[x->track] = x->cycle + x->port;
		g->tracks = x->track + 1 > g->tracks ? x->track + 1 : g->tracks;
		g->to = x->cycle + x->port > g->to ? x->cycle + x->port : g->to;
		drawing_see(&g->groups, x->group);
		for (k = 0; k < json_array_size(x->threads); k++) {
			const json_t *t = json_array_get(x->threads, k);
			int w = drawing_see(&g->warps, at(t, 2));
			g->block[w] = at(t, 3);
			g->first[w] = at(t, 4) - at(t, 4) % integer(is, "warp_size");
			g->used += at(t, 5);
		}
	}
	if (integer(is, "to") < g->to)
		g->to = integer(is, "to");
	sort_warps(g);
	return true;
}

/* ---- panels ---- */

void drawing_axis(struct drawing *g)
{
	fprintf(g->f, "<g class=\"axis\">");
	for (long c = g->from; c < g->to; c++)
		if (c % 4 == 0)
			fprintf(g->f, "<text x=\"%ld\" y=\"%ld\">%ld</text>",
				column(g, c) + CELL / 2, g->y + 12, c);
	fprintf(g->f, "<text x=\"%d\" y=\"%ld\" class=\"name\">cycle</text></g>\n", LEFT - 8,
		g->y + 12);
	g->y += 18;
}

static void band(struct drawing *g, const struct issue *x, long y)
{
	long end = x->cycle + x->port < g->to ? x->cycle + x->port : g->to;
	fprintf(g->f,
		"<g class=\"issue\"><rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" rx=\"3\" "
		"class=\"band\"/>"
		"<text x=\"%ld\" y=\"%ld\" class=\"pc\">%d</text>",
		column(g, x->cycle) + 1, y, (end - x->cycle) * CELL - 2, BAND - 4,
		column(g, x->cycle) + (end - x->cycle) * CELL / 2, y + 12, x->pc);
	fprintf(g->f,
		"<rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" class=\"lost\"/></g>\n",
		column(g, x->cycle), y + BAND, (end - x->cycle) * CELL, g->lanes * ROW);
}

static void thread(struct drawing *g, const struct issue *x, const json_t *t, long y)
{
	long cycle = x->cycle + at(t, 0), warp = at(t, 2);
	bool dim = g->d->warp >= 0 && warp != g->d->warp;
	if (cycle >= g->to)
		return;
	long left = column(g, cycle), top = y + BAND + at(t, 1) * ROW;
	fprintf(g->f,
		"<g class=\"t%s%s\"><rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" rx=\"2\" "
		"fill=\"hsl(%d,58%%,%d%%)\"/><text x=\"%ld\" y=\"%ld\">%ld</text></g>",
		at(t, 5) ? "" : " off", dim ? " dim" : "", left + 1, top + 1, CELL - 2, ROW - 2,
		hue(warp), at(t, 5) ? 68 : 88, left + CELL / 2, top + 12, at(t, 4));
}

static void lanes_panel(struct drawing *g, int track)
{
	long y = g->y, width = (g->to - g->from) * CELL;
	fprintf(g->f, "<g class=\"lanes\">");
	for (int lane = 0; lane < g->lanes; lane++)
		fprintf(g->f,
			"<text x=\"%d\" y=\"%ld\" class=\"name\">lane %d</text><rect x=\"%d\" "
			"y=\"%ld\" width=\"%ld\" "
			"height=\"%d\" class=\"idle\"/>\n",
			LEFT - 8, y + BAND + lane * ROW + 12, lane, LEFT, y + BAND + lane * ROW,
			width, ROW);
	if (!g->by_lane)
		fprintf(g->f, "<text x=\"%d\" y=\"%ld\" class=\"name\">pc</text>\n", LEFT - 8,
			y + 12);
	for (size_t i = 0; g->steps && i < g->n;
	     i++) /* if all SMs issue in step: marks where a step begins */
		if (g->issue[i].cycle < g->to)
			fprintf(g->f,
				"<line x1=\"%ld\" y1=\"%ld\" x2=\"%ld\" y2=\"%ld\" class=\"step\"/>",
				column(g, g->issue[i].cycle), y - 4, column(g, g->issue[i].cycle),
				y + BAND + g->lanes * ROW);
	for (size_t i = 0; i < g->n; i++) {
		if (g->issue[i].track != track || g->issue[i].cycle >= g->to)
			continue;
		if (!g->by_lane)
			band(g, &g->issue[i], y);
		for (size_t k = 0; k < json_array_size(g->issue[i].threads); k++)
			thread(g, &g->issue[i], json_array_get(g->issue[i].threads, k), y);
		fputc('\n', g->f);
	}
	fputs("</g>\n", g->f);
	g->y += BAND + g->lanes * ROW + 4;
	drawing_axis(g);
	g->y += 10;
}

/* Draws a group's row in the colour of its first thread's home warp. */
static void draw_pipeline_row(struct drawing *g, const struct issue *x, int row)
{
	const json_t *t = json_array_get(x->threads, 0);
	long y = g->y + row * ROW, end = x->cycle + (g->depth > x->port ? g->depth : x->port);
	long port = x->cycle + x->port < g->to ? x->cycle + x->port : g->to;
	end = end < g->to ? end : g->to;
	bool dim = g->d->warp >= 0 && at(t, 2) != g->d->warp;
	fprintf(g->f,
		"<g class=\"%s\"><rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" "
		"fill=\"hsl(%d,50%%,86%%)\"/><rect "
		"x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%d\" rx=\"2\" "
		"fill=\"hsl(%d,58%%,55%%)\"/><text x=\"%ld\" y=\"%ld\" "
		"class=\"pc\">%d</text></g>\n",
		dim ? "dim" : "", column(g, x->cycle), y + 3, (end - x->cycle) * CELL, ROW - 6,
		hue(at(t, 2)), column(g, x->cycle), y + 1, (port - x->cycle) * CELL, ROW - 2,
		hue(at(t, 2)), column(g, x->cycle) + (port - x->cycle) * CELL / 2, y + 12, x->pc);
}

static void pipeline_panel(struct drawing *g)
{
	int rows = g->groups.n < MAX_ROWS ? g->groups.n : MAX_ROWS;
	fprintf(g->f,
		"<text x=\"%d\" y=\"%ld\" class=\"head\">In flight: from issue (dark) to "
		"commit%s</text>\n",
		LEFT, g->y + 14, g->groups.n > rows ? " (the first 64 groups)" : "");
	g->y += 22;
	fputs("<g class=\"pipeline\">", g->f);
	for (int r = 0; r < rows; r++)
		fprintf(g->f, "<text x=\"%d\" y=\"%ld\" class=\"name\">group %ld</text>\n",
			LEFT - 8, g->y + r * ROW + 12, g->groups.v[r]);
	for (size_t i = 0; i < g->n; i++) {
		int r = drawing_see(&g->groups, g->issue[i].group);
		if (r < rows && g->issue[i].cycle < g->to)
			draw_pipeline_row(g, &g->issue[i], r);
	}
	fputs("</g>\n", g->f);
	g->y += rows * ROW + 4;
	drawing_axis(g);
}

/* ---- legend ---- */

static void warps_legend(struct drawing *g)
{
	long x = LEFT, limit = column(g, g->to) < LEFT + 600 ? LEFT + 600 : column(g, g->to);
	g->y += GAP;
	fprintf(g->f,
		"<text x=\"%d\" y=\"%ld\" class=\"head\">Home warps</text><g class=\"legend\">\n",
		LEFT, g->y - 10);
	for (int i = 0; i < g->warps.n; i++, x += 190) {
		if (x + 190 > limit && x > LEFT) {
			x = LEFT;
			g->y += 18;
		}
		fprintf(g->f,
			"<rect x=\"%ld\" y=\"%ld\" width=\"14\" height=\"12\" rx=\"2\" "
			"fill=\"hsl(%d,58%%,68%%)\"/><text "
			"x=\"%ld\" y=\"%ld\">warp %ld: block %ld, from thread %ld</text>\n",
			x, g->y, hue(g->warps.v[i]), x + 20, g->y + 10, g->warps.v[i], g->block[i],
			g->first[i]);
	}
	fputs("</g>\n", g->f);
	g->y += 18;
}

/* Widens the picture so that a text of `letters` letters fits at x. */
static void make_room(struct drawing *g, long x, size_t letters, double width)
{
	long end = x + (long)((double)letters * width) + 20;
	g->right = end > g->right ? end : g->right;
}

/* Reads the line of "FILE:LINE", if the file can still be read, and cuts a long line. Returns its
 * number of letters. */
static size_t source_line(FILE *f, const char *source)
{
	enum { MOST = 160 };
	size_t letters = 0;
	const char *colon = source ? strrchr(source, ':') : NULL;
	char path[4096], line[512];
	if (!colon || (size_t)(colon - source) >= sizeof path)
		return 0;
	snprintf(path, sizeof path, "%.*s", (int)(colon - source), source);
	FILE *in = fopen(path, "r");
	long n = strtol(colon + 1, NULL, 10);
	while (in && n > 0 && fgets(line, sizeof line, in))
		if (strchr(line, '\n'))
			n--;
	if (in && n == 0) {
		char *from = line + strspn(line, " \t");
		from[strcspn(from, "\r\n")] = 0;
		letters = strlen(from) + 2;
		if (letters > MOST)
			strcpy(from + MOST - 5, "...");
		fputs(": ", f);
		text(f, from);
	}
	if (in)
		fclose(in);
	return letters < MOST ? letters : MOST;
}

/* Returns a file's name without its folder, which is enough in a picture. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void code_legend(struct drawing *g)
{
	const json_t *code = json_object_get(json_object_get(g->d->launch, "issues"), "code"), *p;
	size_t i;
	g->y += GAP;
	fprintf(g->f,
		"<text x=\"%d\" y=\"%ld\" class=\"head\">Instructions</text><g class=\"code\">\n",
		LEFT, g->y - 10);
	size_t longest = 0;
	json_array_foreach (code, i, p) {
		const char *is = json_string_value(json_object_get(p, "text"));
		size_t n = is ? strlen(is) : 0;
		longest = n > longest ? n : longest;
	}
	long right = LEFT + 60 + (long)((double)longest * MONO);
	right = right > LEFT + 420 ? right : LEFT + 420;
	json_array_foreach (code, i, p) {
		const char *source = json_string_value(json_object_get(p, "source")),
			   *is = json_string_value(json_object_get(p, "text"));
		char line[32];
		fprintf(g->f,
			"<text x=\"%d\" y=\"%ld\" class=\"pc\">%ld</text><text x=\"%d\" y=\"%ld\">",
			LEFT + 24, g->y + 10, integer(p, "pc"), LEFT + 40, g->y + 10);
		text(g->f, is ? is : "");
		size_t n = (size_t)snprintf(line, sizeof line, "line %ld%s", integer(p, "line"),
					    source ? ", " : "");
		fprintf(g->f, "</text><text x=\"%ld\" y=\"%ld\" class=\"soft\">%s", right,
			g->y + 10, line);
		text(g->f, source ? base_name(source) : "");
		n += (source ? strlen(base_name(source)) : 0) + source_line(g->f, source);
		fputs("</text>\n", g->f);
		make_room(g, right, n, MONO);
		g->y += 15;
	}
	fputs("</g>\n", g->f);
}

/* ---- the picture ---- */

static const char style[] =
	"text{font:10px system-ui,sans-serif;fill:#1f2328}.h1{font:600 15px system-ui,sans-serif}"
	".head{font:600 12px system-ui,sans-serif}.soft,.axis text{fill:#59636e}.axis "
	"text{text-anchor:middle;font-size:9px}"
	".name,.axis "
	".name{text-anchor:end;fill:#59636e}.idle{fill:#f6f8fa;stroke:#e4e8ec;stroke-width:.5}"
	".lost{fill:url(#hatch);stroke:#c8ced5;stroke-width:.7}.band{fill:#34424f}.band+.pc{fill:#"
	"fff}"
	".pc{text-anchor:middle;font-weight:600}.t text{text-anchor:middle;font-size:9px}"
	".t.off rect{stroke:#8b949e;stroke-dasharray:2 2}.dim{opacity:.25}.code "
	"text{font-family:ui-monospace,monospace}"
	".code .pc{text-anchor:end}.pool text{font-size:9px}.pool .blocked{stroke:#8b949e;stroke-dasharray:2 2}.step{stroke:#cf222e;stroke-width:1;stroke-dasharray:3 2}";

static void head(struct drawing *g)
{
	const json_t *is = json_object_get(g->d->launch, "issues");
	const char *kernel = json_string_value(json_object_get(g->d->launch, "kernel"));
	const char *how = json_string_value(json_object_get(is, "mechanism"));
	long slots = (g->to - g->from) * g->lanes * g->tracks;
	char name[256];
	char *title = NULL, *below = NULL;
	int n = asprintf(&title, "%s%s%s on %s, SM %ld, cycles %ld to %ld", how ? how : "",
			 how ? ": " : "",
			 heddle_plain_name(kernel ? kernel : "?", name, sizeof name), g->d->machine,
			 integer(is, "sm"), g->from, g->to - 1);
	int m = asprintf(&below,
			 "%zu instructions issued; %ld of %ld lane slots (%.1f %%) executed for a "
			 "thread. %sPale: its guard is false.%s",
			 g->n, g->used, slots,
			 100.0 * (double)g->used / (double)(slots ? slots : 1),
			 g->by_lane ? "" : "Hatched: a lane at the issue port without a thread. ",
			 json_is_true(json_object_get(is, "full"))
				 ? " The record was full: later issues are missing."
				 : "");
	fprintf(g->f, "<text x=\"%d\" y=\"%ld\" class=\"h1\">", LEFT, g->y + 24);
	text(g->f, n < 0 ? "" : title);
	fprintf(g->f, "</text>\n<text x=\"%d\" y=\"%ld\" class=\"soft\">", LEFT, g->y + 42);
	text(g->f, m < 0 ? "" : below);
	fputs("</text>\n", g->f);
	make_room(g, LEFT, n < 0 ? 0 : (size_t)n, TITLE);
	make_room(g, LEFT, m < 0 ? 0 : (size_t)m, SMALL);
	if (n >= 0)
		free(title);
	if (m >= 0)
		free(below);
	g->y += 58;
}

static void draw_body(struct drawing *g)
{
	head(g);
	for (int t = 0; t < g->tracks; t++)
		lanes_panel(g, t);
	drawing_moved(g);
	drawing_pool(g);
	if (g->depth)
		pipeline_panel(g);
	warps_legend(g);
	code_legend(g);
}

/* Draws one machine below the previous ones; false: nothing to draw. */
static bool draw_one(const struct diagram *d, FILE *mem, long *y, long *width)
{
	struct drawing *g = calloc(1, sizeof *g);
	bool ok = g != NULL;
	if (ok) {
		g->d = d;
		g->f = mem;
		g->y = *y;
		if ((ok = lanes_meet(g)))
			draw_body(g);
		*y = g->y + 20;
		*width = column(g, g->to) + 20 > *width ? column(g, g->to) + 20 : *width;
		*width = g->right > *width ? g->right : *width;
	}
	free(g ? g->issue : NULL);
	free(g);
	return ok;
}

/* Draws the body into memory first, because the picture's height is known only at the end. */
bool diagram_draw(const struct diagram *d, unsigned n, FILE *f)
{
	char *text_ = NULL;
	size_t size = 0;
	long y = 0, width = 760;
	FILE *mem = open_memstream(&text_, &size);
	bool ok = mem != NULL;
	for (unsigned i = 0; ok && i < n; i++)
		ok = draw_one(&d[i], mem, &y, &width);
	if (mem)
		ok &= !fclose(mem);
	if (ok)
		fprintf(f,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" "
			"role=\"img\">\n<defs><pattern "
			"id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
			"patternTransform=\"rotate(45)\"><rect "
			"width=\"6\" height=\"6\" fill=\"#fff\"/><rect width=\"1.4\" height=\"6\" "
			"fill=\"#d0d7de\"/></pattern></defs>\n"
			"<style>%s</style>\n<rect width=\"100%%\" height=\"100%%\" "
			"fill=\"#fff\"/>\n%s</svg>\n",
			width, y, style, text_);
	free(text_);
	return ok;
}
