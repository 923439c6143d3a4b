/* Draws figures with gnuplot: writes a script with its data into the report's folder and runs
 * gnuplot to make the SVG. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/command.h"
#include "study/lang/maths.h"
#include "study/report/report.h"

/* Colours that can be told apart with any colour vision (after Okabe and Ito), and a ramp for
 * stacks. */
static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b6992d",
				      "#e15759", "#499894", "#af7aa1", "#9c755f"};
enum { NCOLOURS = sizeof colours / sizeof *colours };

/* Prints a string for gnuplot's single quotes, in which only the quote needs an escape. */
static void print_quoted(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		fputs(*s == '"' ? "\\\"" : *s == '\\' ? "\\\\" : (char[]){*s, 0}, f);
	fputc('"', f);
}

static void put_number(FILE *f, double x)
{
	if (isnan(x))
		fputs(" NaN", f);
	else
		fprintf(f, " %.6g", x);
}

/* Prints one line per program: name, then measured value and paper's value for each column. */
static void print_data(FILE *f, const struct study *s, const struct study_figure *g)
{
	fputs("$d << EOD\n", f);
	for (unsigned p = 0; p <= s->programs.n; p++) {
		bool mean = p == s->programs.n;
		if (mean ? !g->mean : !study_figure_has(g, s, p))
			continue;
		print_quoted(f, mean ? study_mean_name(s, g) : s->programs.v[p].name);
		for (unsigned v = 0; v < g->nvalues; v++) {
			const struct study_value *x = &s->values.v[g->value[v]];
			put_number(f, mean ? study_value_mean(s, g->value[v])
					   : study_value(s, g->value[v], (int)p));
			put_number(f, mean ? x->paper_mean : x->paper[p]);
		}
		if (g->over >= 0)
			put_number(f, mean ? NAN : study_value(s, (unsigned)g->over, (int)p));
		fputc('\n', f);
	}
	fputs("EOD\n", f);
}

static bool has_paper(const struct study *s, const struct study_figure *g, unsigned v)
{
	const struct study_value *x = &s->values.v[g->value[v]];
	bool any = g->mean && !isnan(x->paper_mean);
	for (unsigned p = 0; p < s->programs.n; p++)
		any |= !s->programs.v[p].skipped && !isnan(x->paper[p]);
	return any;
}

/* Plots another value as points over the columns, with an axis of its own on the right. */
static void plot_over(FILE *f, const struct study *s, const struct study_figure *g)
{
	if (g->over < 0)
		return;
	fprintf(f,
		", \\\n  $d using ($0):%u axes x1y2 with linespoints pt 7 ps 0.7 lw 1.5 dt 2 lc rgb \"black\" title ",
		2 + 2 * g->nvalues);
	print_quoted(f, s->values.v[g->over].label);
}

/* Prints a value's columns. gnuplot fails if a column has no number at all, as in an interrupted
 * study; a column of height 0 keeps its place. */
static void print_columns(FILE *f, const struct study *s, const struct study_figure *g, unsigned v)
{
	bool any = false;
	for (unsigned p = 0; p < s->programs.n; p++)
		any |= !isnan(study_value(s, g->value[v], (int)p));
	fprintf(f, any ? "%s$d using %u:xtic(1)" : "%s$d using (0):xtic(1)", v ? ", \\\n  " : "",
		2 + 2 * v);
}

/* Plots columns side by side, with the paper's numbers as black marks. */
static void plot_bars(FILE *f, const struct study *s, const struct study_figure *g)
{
	enum { GAP = 1 }; /* gnuplot accepts only whole numbers */
	double step = 1.0 / (g->nvalues + GAP);
	bool marked = false;
	fprintf(f,
		"set style histogram clustered gap %d\nset style data histograms\nset style fill "
		"solid 0.9 noborder\nplot ",
		GAP);
	for (unsigned v = 0; v < g->nvalues; v++) {
		print_columns(f, s, g, v);
		fprintf(f, " lc rgb \"%s\" title ", colours[v % NCOLOURS]);
		print_quoted(f, s->values.v[g->value[v]].label);
	}
	for (unsigned v = 0; v < g->nvalues; v++) {
		if (!has_paper(s, g, v))
			continue;
		fprintf(f,
			", \\\n  $d using ($0%+.4f):%u with points pt 5 ps 0.5 lc rgb \"black\" "
			"title \"%s\"",
			(v - (g->nvalues - 1) / 2.0) * step, 3 + 2 * v,
			marked ? "" : "the paper says");
		marked = true;
	}
	plot_over(f, s, g);
	fputc('\n', f);
}

static void plot_stacked(FILE *f, const struct study *s, const struct study_figure *g)
{
	fputs("set style histogram rowstacked\nset style data histograms\nset style fill solid "
	      "0.95 border rgb \"white\"\n"
	      "set boxwidth 0.7\nset key outside right vertical invert\nplot ",
	      f);
	for (unsigned v = 0; v < g->nvalues; v++) {
		double t = g->nvalues > 1 ? (double)v / (g->nvalues - 1)
					  : 0; /* from dark red to pale blue */
		print_columns(f, s, g, v);
		fprintf(f, " lc rgb \"#%02x%02x%02x\" title ", (unsigned)(178 + t * 20),
			(unsigned)(24 + t * 195), (unsigned)(43 + t * 197));
		print_quoted(f, s->values.v[g->value[v]].label);
	}
	plot_over(f, s, g);
	fputc('\n', f);
}

/* ---- a scatter plot ---- */

/* Layout of the plot in pixels. Margins and ranges are fixed, so that overlaps can be computed. */
enum { PLOT_WIDE = 731, PLOT_HIGH = 296, LETTER = 7, LINE = 13, DOT = 5 };

struct box {
	double x0, y0, x1, y1;
};

struct label {
	double x, y; /* position of the point, in pixels */
	char text[512];
	struct box at;
	bool joined; /* the names are part of another label */
};

struct scatter {
	struct label l[EXPR_PROGRAMS + 1];
	unsigned n;
	double x0, x1, y0, y1; /* ranges of the axes */
};

static bool overlap(const struct box *a, const struct box *b)
{
	return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Moves the label's box to its i-th candidate place: around the point first, then further away. */
static void place_label(struct label *l, unsigned i)
{
	static const signed char side[][2] = {{0, 1}, {1, 0},  {-1, 0}, {0, -1},
					      {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
	double wide = LETTER * (double)strlen(l->text), far = i / 8 * LINE;
	double x = l->x + side[i % 8][0] * (wide / 2 + DOT + 3 + far);
	double y = l->y + side[i % 8][1] * (LINE / 2.0 + DOT + 1 + far);
	l->at = (struct box){x - wide / 2, y - LINE / 2.0, x + wide / 2, y + LINE / 2.0};
}

static bool is_free(const struct scatter *s, unsigned k)
{
	const struct box *b = &s->l[k].at;
	if (b->x0 < 0 || b->y0 < 0 || b->x1 > PLOT_WIDE || b->y1 > PLOT_HIGH)
		return false;
	for (unsigned i = 0; i < s->n; i++) {
		const struct label *o = &s->l[i];
		struct box dot = {o->x - DOT, o->y - DOT, o->x + DOT, o->y + DOT};
		if (overlap(b, &dot) || (i < k && !o->joined && overlap(b, &o->at)))
			return false;
	}
	return true;
}

static void join_labels(struct label *l, struct label *to)
{
	size_t n = strlen(to->text), more = strlen(l->text);
	if (n + more + 3 <= sizeof to->text) {
		memcpy(to->text + n, ", ", 2);
		memcpy(to->text + n + 2, l->text, more + 1);
	}
	l->joined = true;
}

/* False: no candidate place is free. */
static bool find_place(struct scatter *s, unsigned k)
{
	enum { PLACES = 24 };
	for (unsigned p = 0; p < PLACES; p++) {
		place_label(&s->l[k], p);
		if (is_free(s, k))
			return true;
	}
	return false;
}

/* Points that touch share a label; each label takes the first place where it hides nothing. A label
 * without any place joins its nearest neighbour's. */
static void place_labels(struct scatter *s)
{
	for (unsigned i = 1; i < s->n; i++)
		for (unsigned k = 0; k < i && !s->l[i].joined; k++)
			if (!s->l[k].joined && fabs(s->l[k].x - s->l[i].x) < DOT &&
			    fabs(s->l[k].y - s->l[i].y) < DOT)
				join_labels(&s->l[i], &s->l[k]);
	for (unsigned i = 0; i < s->n; i++) {
		unsigned near = s->n;
		double least = INFINITY;
		if (s->l[i].joined || find_place(s, i))
			continue;
		for (unsigned k = 0; k < i; k++) {
			double far = hypot(s->l[k].x - s->l[i].x, s->l[k].y - s->l[i].y);
			if (!s->l[k].joined && far < least) {
				near = k;
				least = far;
			}
		}
		if (near == s->n) /* the first label uses its last place */
			continue;
		join_labels(&s->l[i], &s->l[near]);
		i = near - 1; /* the neighbour's label is longer now, so it is placed again */
	}
}

static void find_range(const double *v, unsigned n, double *least, double *most)
{
	double a = maths_least(v, n), b = maths_most(v, n),
	       room = b > a ? 0.12 * (b - a) : fmax(fabs(a), 1) / 2;
	*least = a - room;
	*most = b + room;
}

/* Collects the points that have both values, the mean included, and their names. */
static void collect_points(const struct study *s, const struct study_figure *g, struct scatter *c)
{
	double x[EXPR_PROGRAMS + 1] = {0}, y[EXPR_PROGRAMS + 1] = {0};
	unsigned programs = (unsigned)s->programs.n, n = programs + g->mean;
	for (unsigned p = 0; p < n; p++) {
		bool mean = p == programs;
		x[p] = mean ? study_value_mean(s, g->value[0])
			    : study_value(s, g->value[0], (int)p);
		y[p] = mean ? study_value_mean(s, g->value[1])
			    : study_value(s, g->value[1], (int)p);
		if (isnan(x[p]) || isnan(y[p]) || (!mean && !study_figure_has(g, s, p)))
			x[p] = y[p] = NAN;
	}
	find_range(x, n, &c->x0, &c->x1);
	find_range(y, n, &c->y0, &c->y1);
	for (unsigned p = 0; p < n; p++) {
		struct label *l = &c->l[c->n];
		if (isnan(x[p]))
			continue;
		l->x = (x[p] - c->x0) / (c->x1 - c->x0) * PLOT_WIDE;
		l->y = (y[p] - c->y0) / (c->y1 - c->y0) * PLOT_HIGH;
		snprintf(l->text, sizeof l->text, "%s",
			 p < programs ? s->programs.v[p].name : study_mean_name(s, g));
		c->n++;
	}
}

static void labels(FILE *f, const struct scatter *c)
{
	fputs("$l << EOD\n", f);
	for (unsigned i = 0; i < c->n; i++) {
		const struct label *l = &c->l[i];
		double x = (l->at.x0 + l->at.x1) / 2, y = (l->at.y0 + l->at.y1) / 2;
		if (l->joined)
			continue;
		fprintf(f, "%.6g %.6g ", c->x0 + x / PLOT_WIDE * (c->x1 - c->x0),
			c->y0 + y / PLOT_HIGH * (c->y1 - c->y0));
		print_quoted(f, l->text);
		fputc('\n', f);
	}
	fputs("EOD\n", f);
}

static void plot_scatter(FILE *f, const struct study *s, const struct study_figure *g)
{
	struct scatter *c = xcalloc(1, sizeof *c);
	collect_points(s, g, c);
	place_labels(c);
	labels(f, c);
	fputs("set xlabel ", f);
	print_quoted(f, s->values.v[g->value[0]].label);
	fputs("\nset ylabel ", f);
	print_quoted(f, s->values.v[g->value[1]].label);
	fprintf(f,
		"\nset key off\nset tics out\nset lmargin at screen 0.10\nset rmargin at screen 0.95\n"
		"set tmargin at screen 0.96\nset bmargin at screen 0.18\n"
		"set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nplot ",
		c->x0, c->x1, c->y0, c->y1);
	free(c);
	if (!*g->axis) /* both values have one unit: draws the diagonal of equal values */
		fputs("x with lines lc rgb \"#bbbbbb\" dt 2, ", f);
	fputs("$d using 2:4 with points pt 7 ps 0.9 lc "
	      "rgb \"#4e79a7\", \\\n"
	      "  $l using 1:2:3 with labels center font \",11\"\n",
	      f);
}

/* Plots a line for each value, over the programs in their order. */
static void plot_lines(FILE *f, const struct study *s, const struct study_figure *g)
{
	fputs("set yrange [0:*]\nset offsets 0.3, 0.3, 0, 0\nplot ", f);
	for (unsigned v = 0; v < g->nvalues; v++) {
		fprintf(f,
			"%s$d using ($0):%u:xtic(1) with linespoints pt 7 ps 0.5 lw 1.5 lc rgb \"%s\" "
			"title ",
			v ? ", \\\n  " : "", 2 + 2 * v, colours[v % NCOLOURS]);
		print_quoted(f, s->values.v[g->value[v]].label);
	}
	plot_over(f, s, g);
	fputc('\n', f);
}

static bool write_script(struct results *rs, const struct study_figure *g)
{
	struct report_file o;
	if (!report_open(rs, &o, "figures/%s.gp", g->name))
		return false;
	/* The key is above the drawing, whose height is unchanged. */
	unsigned height =
		380 + (g->nvalues > 2 && g->kind == FIGURE_BARS ? 18 * (g->nvalues - 2) : 0);
	fprintf(o.f,
		"set terminal svg size 860,%u font \"sans-serif,13\" background "
		"\"white\"\nset output ",
		height);
	print_quoted(o.f, arena_printf(&rs->arena, "%s.svg", g->name));
	fputs("\nset encoding utf8\nset border 3\nset tics nomirror\nset grid ytics lc rgb "
	      "\"#dddddd\"\n"
	      "set key outside top center horizontal reverse Left samplen 1.5\n"
	      "set yrange [*<0:0<*]\nset ylabel ",
	      o.f);
	print_quoted(o.f, g->axis);
	fputc('\n', o.f);
	if (g->kind == FIGURE_BARS)
		fputs("set xzeroaxis lt 1 lc rgb \"black\"\n", o.f);
	else if (g->kind == FIGURE_STACKED)
		fputs("set auto fix\n", o.f);
	else
		fputs("set yrange [*:*]\n", o.f);
	if (g->over >= 0) {
		fputs("set y2tics\nset y2range [0:*]\nset y2label ", o.f);
		print_quoted(o.f, rs->s->values.v[g->over].label);
		fputc('\n', o.f);
	}
	print_data(o.f, rs->s, g);
	if (g->kind == FIGURE_STACKED)
		plot_stacked(o.f, rs->s, g);
	else if (g->kind == FIGURE_SCATTER)
		plot_scatter(o.f, rs->s, g);
	else if (g->kind == FIGURE_LINES)
		plot_lines(o.f, rs->s, g);
	else
		plot_bars(o.f, rs->s, g);
	return report_close(&o);
}

int figure_run_gnuplot(const char *dir, const char *script, const char *log)
{
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 || chdir(dir))
			_exit(126);
		const char *gnuplot = getenv("GNUPLOT"); /* a gnuplot other than the one in PATH */
		execlp(gnuplot ? gnuplot : "gnuplot", "gnuplot", script, (char *)NULL);
		_exit(127);
	}
	int st = 126 << 8;
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(st) ? WEXITSTATUS(st) : 126;
}

/* True if there is a number to draw; for a scatter plot, a program that has both. */
static bool is_measured(const struct study *s, const struct study_figure *g)
{
	bool any = false;
	for (unsigned p = 0; p < s->programs.n; p++) {
		unsigned n = 0;
		for (unsigned v = 0; v < g->nvalues; v++)
			n += !isnan(study_value(s, g->value[v], (int)p));
		any |= n >= (g->kind == FIGURE_SCATTER ? 2 : 1);
	}
	return any;
}

char *figure_draw(struct results *rs, const struct study_figure *g, const char **why)
{
	struct arena *a = &rs->arena;
	const char *dir = arena_printf(a, "%s/figures", rs->dir),
		   *log = arena_printf(a, "%s/%s.log", dir, g->name);
	const char *svg = arena_printf(a, "%s/%s.svg", dir, g->name);
	size_t n;
	unlink(svg);
	if (g->kind == FIGURE_TABLE || !is_measured(rs->s, g))
		return NULL;
	if (!write_script(rs, g)) {
		*why = "the scripts cannot be written";
		return NULL;
	}
	int status = figure_run_gnuplot(dir, arena_printf(a, "%s.gp", g->name), log);
	if (status == 127)
		*why = "gnuplot is not installed (Debian: apt install gnuplot-nox)";
	else if (status || access(svg, R_OK))
		*why = arena_printf(a, "gnuplot fails, see %s", log);
	if (status != 0 && status != 127)
		return NULL;
	unlink(log);
	return *why ? NULL : cli_read("reproduce", svg, &n);
}
