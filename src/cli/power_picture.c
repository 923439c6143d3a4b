/* Draws power over time by component from the CSV that --sample wrote: stacked areas, and below
 * them the mean of each component. Launches are drawn one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "cli/power.h"

enum {
	MAX_COLUMNS = 128,
	MAX_ROWS = 1 << 20,
	MAX_LINE = 1 << 16,
	WIDTH = 900,
	HEIGHT = 320,
	LEFT = 70,
	TOP = 40
};

struct series {
	char *name[MAX_COLUMNS]; /* names of the components with power other than 0 */
	unsigned column[MAX_COLUMNS], n;
	double *watts;     /* [row * components + component]: power, W */
	double *from, *to; /* cycles of each row; launches follow each other */
	size_t rows, room;
	double mean[MAX_COLUMNS];
};

static unsigned split_line(char *line, char **field)
{
	unsigned n = 0;
	line[strcspn(line, "\r\n")] = 0;
	for (char *p = line; p && n < MAX_COLUMNS;) {
		field[n++] = p;
		p = strchr(p, ',');
		if (p)
			*p++ = 0;
	}
	return n;
}

static int column(char **field, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(field[i], name))
			return (int)i;
	return -1;
}

static bool add_row(struct series *s, char **field, unsigned n, int from, int to, double origin)
{
	if (s->rows == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->watts = realloc(s->watts, s->room * s->n * sizeof *s->watts);
		s->from = realloc(s->from, s->room * sizeof *s->from);
		s->to = realloc(s->to, s->room * sizeof *s->to);
	}
	if (!s->watts || !s->from || !s->to)
		abort();
	double *w = s->watts + s->rows * s->n;
	s->from[s->rows] = origin + strtod(field[from], NULL);
	s->to[s->rows] = origin + strtod(field[to], NULL);
	for (unsigned i = 0; i < s->n; i++)
		w[i] = s->column[i] < n ? strtod(field[s->column[i]], NULL) : 0;
	return s->to[s->rows] > s->from[s->rows] && s->rows++ < MAX_ROWS;
}

static bool read_samples(struct series *s, const char *file)
{
	char *line = malloc(MAX_LINE), *field[MAX_COLUMNS], last[64] = "";
	FILE *f = fopen(file, "r");
	int sm = -1, from = -1, to = -1, launch = -1;
	double origin = 0;
	if (f && line && fgets(line, MAX_LINE, f)) {
		unsigned n = split_line(line, field);
		sm = column(field, n, "sm");
		from = column(field, n, "from");
		to = column(field, n, "to");
		launch = column(field, n, "launch");
		for (unsigned i = 0; i < n; i++)
			if (!strncmp(field[i], "w_", 2) && strcmp(field[i], "w_total")) {
				s->column[s->n] = i;
				s->name[s->n++] = strdup(field[i] + 2);
			}
	}
	bool ok = s->n && sm >= 0 && from >= 0 && to >= 0 && launch >= 0;
	while (ok && fgets(line, MAX_LINE, f)) {
		unsigned n = split_line(line, field);
		if (n <= (unsigned)sm || n <= (unsigned)to || strcmp(field[sm], "all"))
			continue;
		if (strcmp(last, field[launch])) {
			origin = s->rows ? s->to[s->rows - 1] : 0;
			snprintf(last, sizeof last, "%s", field[launch]);
		}
		add_row(s, field, n, from, to, origin);
	}
	if (!f)
		cli_error("power", "%s: cannot be read", file);
	else if (!ok || !s->rows)
		cli_error("power", "%s: no rows of power; expected what --sample writes as CSV",
			  file);
	if (f)
		fclose(f);
	free(line);
	return ok && s->rows;
}

static void divide_by_counts(struct series *s)
{
	double all = s->to[s->rows - 1] - s->from[0];
	for (size_t r = 0; r < s->rows; r++)
		for (unsigned i = 0; i < s->n; i++)
			s->mean[i] += s->watts[r * s->n + i] * (s->to[r] - s->from[r]) / all;
}

/* ---- drawing ---- */

/* Returns a component's colour: neighbours in the stack differ, and no two components share one. */
static const char *colour(unsigned i)
{
	static const char *const c[] = {"#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2",
					"#b279a2", "#ff9da6", "#9d755d", "#bab0ac", "#2b6cb0",
					"#88d27a", "#7f7f7f", "#d67195", "#439894", "#b79a20",
					"#9ecae9", "#6b4c9a", "#ffbf79", "#d6a5c9", "#eeca3b",
					"#3d5a3c", "#a8323e"};
	return c[i % (sizeof c / sizeof *c)];
}

static double top_of(const struct series *s)
{
	double top = 0;
	for (size_t r = 0; r < s->rows; r++) {
		double sum = 0;
		for (unsigned i = 0; i < s->n; i++)
			sum += s->watts[r * s->n + i];
		top = sum > top ? sum : top;
	}
	return top > 0 ? 1.05 * top : 1;
}

static void draw_area(FILE *f, const struct series *s, unsigned k, double *base, double top)
{
	double span = s->to[s->rows - 1] - s->from[0];
	fprintf(f, "<path fill='%s' stroke='none' d='M", colour(k));
	for (size_t r = 0; r < s->rows; r++)
		for (int e = 0; e < 2; e++)
			fprintf(f, "%.2f %.2f L",
				LEFT + WIDTH * ((e ? s->to : s->from)[r] - s->from[0]) / span,
				TOP + HEIGHT * (1 - (base[r] + s->watts[r * s->n + k]) / top));
	for (size_t r = s->rows; r-- > 0;)
		for (int e = 1; e >= 0; e--)
			fprintf(f, "%.2f %.2f%s",
				LEFT + WIDTH * ((e ? s->to : s->from)[r] - s->from[0]) / span,
				TOP + HEIGHT * (1 - base[r] / top), r || e ? " L" : "");
	fprintf(f, "Z'><title>%s</title></path>\n", s->name[k]);
	for (size_t r = 0; r < s->rows; r++)
		base[r] += s->watts[r * s->n + k];
}

/* Returns 1, 2 or 5 times a power of ten, so that the range has four to nine steps. */
static double round_step(double range)
{
	double p = pow(10, floor(log10(range / 4)));
	return range / 4 >= 5 * p ? 5 * p : range / 4 >= 2 * p ? 2 * p : p;
}

static void draw_axes(FILE *f, double cycles, double top)
{
	double step = round_step(top);
	for (double w = 0; w <= top; w += step) {
		double y = TOP + HEIGHT * (1 - w / top);
		fprintf(f,
			"<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>%.6g W</text>\n",
			LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, w);
	}
	step = round_step(cycles);
	for (double c = 0; c <= cycles; c += step)
		fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>%.10g</text>\n",
			LEFT + WIDTH * c / cycles, TOP + HEIGHT + 16, c);
	fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>core cycles</text>\n",
		LEFT + WIDTH / 2, TOP + HEIGHT + 32);
}

static void draw_bars(FILE *f, const struct series *s, double total)
{
	int y = TOP + HEIGHT + 60;
	double most = 0;
	for (unsigned i = 0; i < s->n; i++)
		most = s->mean[i] > most ? s->mean[i] : most;
	for (unsigned i = 0; i < s->n; i++) {
		if (!(s->mean[i] > 0))
			continue;
		fprintf(f,
			"<text x='%d' y='%d' text-anchor='end'>%s</text><rect x='%d' y='%d' width='%.1f' height='11' fill='%s'/>"
			"<text x='%.1f' y='%d'>%.4g W, %.1f %%</text>\n",
			LEFT + 24, y + 10, s->name[i], LEFT + 30, y, 600 * s->mean[i] / most,
			colour(i), LEFT + 36 + 600 * s->mean[i] / most, y + 10, s->mean[i],
			100 * s->mean[i] / total);
		y += 16;
	}
}

static char *draw_areas(struct series *s, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	double top = top_of(s), total = 0, *base = calloc(s->rows, sizeof *base);
	unsigned shown = 0;
	if (!f || !base)
		abort();
	divide_by_counts(s);
	for (unsigned i = 0; i < s->n; i++) {
		total += s->mean[i];
		shown += s->mean[i] > 0;
	}
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='11'>\n"
		"<rect width='100%%' height='100%%' fill='white'/>\n<text x='%d' y='22' font-size='14'>power by component, mean %.4g W</text>\n",
		LEFT + WIDTH + 40, TOP + HEIGHT + 80 + 16 * (int)shown, LEFT, total);
	draw_axes(f, s->to[s->rows - 1] - s->from[0], top);
	for (unsigned i = 0; i < s->n; i++)
		if (s->mean[i] > 0)
			draw_area(f, s, i, base, top);
	draw_bars(f, s, total > 0 ? total : 1);
	fputs("</svg>\n", f);
	fclose(f);
	free(base);
	return text;
}

int power_picture(const char *samples, const char *out)
{
	struct series s = {.n = 0};
	int rc = CLI_FAILED;
	if (read_samples(&s, samples)) {
		size_t n;
		struct cli_output o;
		char *text = draw_areas(&s, &n);
		if (cli_output_write("power", &o, out, text, n) && cli_output_commit("power", &o))
			rc = CLI_OK;
		free(text);
	}
	for (unsigned i = 0; i < s.n; i++)
		free(s.name[i]);
	free(s.watts);
	free(s.from);
	free(s.to);
	return rc;
}
