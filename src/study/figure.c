/* Draws figures with gnuplot: writes a script with its data into the report and runs it to make the
 * SVG. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "study/maths.h"
#include "study/report.h"

/* Colours that people with any colour vision tell apart (after Okabe and Ito), and a ramp for
 * stacks. */
static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b6992d",
				      "#e15759", "#499894", "#af7aa1", "#9c755f"};
enum { NCOLOURS = sizeof colours / sizeof *colours };

/* In gnuplot's quoted strings only the quote needs an escape. */
static void quoted(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		fputs(*s == '"' ? "\\\"" : *s == '\\' ? "\\\\" : (char[]){*s, 0}, f);
	fputc('"', f);
}

static void number(FILE *f, double x)
{
	if (isnan(x))
		fputs(" NaN", f);
	else
		fprintf(f, " %.6g", x);
}

/* One line per program: name, then measured value and paper's value for each column. */
static void data(FILE *f, const struct study *s, const struct study_figure *g)
{
	fputs("$d << EOD\n", f);
	for (unsigned p = 0; p <= s->programs.n; p++) {
		bool mean = p == s->programs.n;
		if (mean ? !g->mean : !study_figure_has(g, s, p))
			continue;
		fputs(mean ? "mean" : s->programs.v[p].name, f);
		for (unsigned v = 0; v < g->nvalues; v++) {
			const struct study_value *x = &s->values.v[g->value[v]];
			number(f, mean ? study_value_mean(s, g->value[v])
				       : study_value(s, g->value[v], (int)p));
			number(f, mean ? x->paper_mean : x->paper[p]);
		}
		if (g->over >= 0)
			number(f, mean ? NAN : study_value(s, (unsigned)g->over, (int)p));
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

/* Another value as points over the columns, with an axis of its own on the right. */
static void plot_over(FILE *f, const struct study *s, const struct study_figure *g)
{
	if (g->over < 0)
		return;
	fprintf(f,
		", \\\n  $d using ($0):%u axes x1y2 with linespoints pt 7 ps 0.7 lw 1.5 dt 2 lc rgb \"black\" title ",
		2 + 2 * g->nvalues);
	quoted(f, s->values.v[g->over].label);
}

/* A value's columns. gnuplot fails where one has no number at all, as some of an interrupted
 * study's; columns of height 0 keep its place. */
static void columns(FILE *f, const struct study *s, const struct study_figure *g, unsigned v)
{
	bool any = false;
	for (unsigned p = 0; p < s->programs.n; p++)
		any |= !isnan(study_value(s, g->value[v], (int)p));
	fprintf(f, any ? "%s$d using %u:xtic(1)" : "%s$d using (0):xtic(1)", v ? ", \\\n  " : "",
		2 + 2 * v);
}

/* Columns side by side, with the paper's numbers as black marks on them. */
static void plot_bars(FILE *f, const struct study *s, const struct study_figure *g)
{
	enum { GAP = 1 }; /* gnuplot takes whole ones only */
	double step = 1.0 / (g->nvalues + GAP);
	bool marked = false;
	fprintf(f,
		"set style histogram clustered gap %d\nset style data histograms\nset style fill "
		"solid 0.9 noborder\nplot ",
		GAP);
	for (unsigned v = 0; v < g->nvalues; v++) {
		columns(f, s, g, v);
		fprintf(f, " lc rgb \"%s\" title ", colours[v % NCOLOURS]);
		quoted(f, s->values.v[g->value[v]].label);
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
		columns(f, s, g, v);
		fprintf(f, " lc rgb \"#%02x%02x%02x\" title ", (unsigned)(178 + t * 20),
			(unsigned)(24 + t * 195), (unsigned)(43 + t * 197));
		quoted(f, s->values.v[g->value[v]].label);
	}
	plot_over(f, s, g);
	fputc('\n', f);
}

/* Labels of a scatter plot, the mean's point among them: points closer than a label's width share
 * one label that names them all. */
static void labels(FILE *f, const struct study *s, const struct study_figure *g)
{
	double x[EXPR_PROGRAMS + 1] = {0}, y[EXPR_PROGRAMS + 1] = {0};
	bool done[EXPR_PROGRAMS + 1] = {false};
	unsigned programs = (unsigned)s->programs.n, n = programs + g->mean;
	for (unsigned p = 0; p < n; p++) {
		bool mean = p == programs, shown = mean || study_figure_has(g, s, p);
		x[p] = !shown ? NAN
		       : mean ? study_value_mean(s, g->value[0])
			      : study_value(s, g->value[0], (int)p);
		y[p] = mean ? study_value_mean(s, g->value[1])
			    : study_value(s, g->value[1], (int)p);
		done[p] = isnan(x[p]) || isnan(y[p]);
	}
	double wide = 0.09 * (maths_most(x, n) - maths_least(x, n)),
	       high = 0.07 * (maths_most(y, n) - maths_least(y, n));
	fputs("$l << EOD\n", f);
	for (unsigned p = 0; p < n; p++) {
		if (done[p])
			continue;
		double top = y[p];
		for (unsigned q = p; q < n; q++) /* the names stand over the highest of them */
			if (!done[q] && fabs(x[q] - x[p]) <= wide && fabs(y[q] - y[p]) <= high)
				top = fmax(top, y[q]);
		fprintf(f, "%.6g %.6g \"", x[p], top);
		const char *comma = "";
		for (unsigned q = p; q < n; q++) {
			if (done[q] || fabs(x[q] - x[p]) > wide || fabs(y[q] - y[p]) > high)
				continue;
			fprintf(f, "%s%s", comma, q < programs ? s->programs.v[q].name : "mean");
			comma = ", ";
			done[q] = true;
		}
		fputs("\"\n", f);
	}
	fputs("EOD\n", f);
}

static void plot_scatter(FILE *f, const struct study *s, const struct study_figure *g)
{
	labels(f, s, g);
	fputs("set xlabel ", f);
	quoted(f, s->values.v[g->value[0]].label);
	fputs("\nset ylabel ", f);
	quoted(f, s->values.v[g->value[1]].label);
	fputs("\nset key off\nset offsets graph 0.08, graph 0.08, graph 0.08, graph 0.08\n"
	      "plot ",
	      f);
	if (!*g->axis) /* both in one unit: where they are equal */
		fputs("x with lines lc rgb \"#bbbbbb\" dt 2, ", f);
	fputs("$d using 2:4 with points pt 7 ps 0.9 lc "
	      "rgb \"#4e79a7\", \\\n"
	      "  $l using 1:2:3 with labels offset 0,0.8 font \",11\"\n",
	      f);
}

/* A line for each value, over the programs in their order. */
static void plot_lines(FILE *f, const struct study *s, const struct study_figure *g)
{
	fputs("set yrange [0:*]\nset offsets 0.3, 0.3, 0, 0\nplot ", f);
	for (unsigned v = 0; v < g->nvalues; v++) {
		fprintf(f,
			"%s$d using ($0):%u:xtic(1) with linespoints pt 7 ps 0.5 lw 1.5 lc rgb \"%s\" "
			"title ",
			v ? ", \\\n  " : "", 2 + 2 * v, colours[v % NCOLOURS]);
		quoted(f, s->values.v[g->value[v]].label);
	}
	plot_over(f, s, g);
	fputc('\n', f);
}

static bool write_script(struct results *rs, const struct study_figure *g)
{
	struct report_file o;
	if (!report_open(rs, &o, "figures/%s.gp", g->name))
		return false;
	/* The key stands above the drawing, which keeps its height. */
	unsigned height =
		380 + (g->nvalues > 2 && g->kind == FIGURE_BARS ? 18 * (g->nvalues - 2) : 0);
	fprintf(o.f,
		"set terminal svg size 860,%u font \"sans-serif,13\" background "
		"\"white\"\nset output ",
		height);
	quoted(o.f, arena_printf(&rs->arena, "%s.svg", g->name));
	fputs("\nset encoding utf8\nset border 3\nset tics nomirror\nset grid ytics lc rgb "
	      "\"#dddddd\"\n"
	      "set key outside top center horizontal reverse Left samplen 1.5\n"
	      "set yrange [*<0:0<*]\nset ylabel ",
	      o.f);
	quoted(o.f, g->axis);
	fputc('\n', o.f);
	if (g->kind == FIGURE_BARS)
		fputs("set xzeroaxis lt 1 lc rgb \"black\"\n", o.f);
	else if (g->kind == FIGURE_STACKED)
		fputs("set auto fix\n", o.f);
	else
		fputs("set yrange [*:*]\n", o.f);
	if (g->over >= 0) {
		fputs("set y2tics\nset y2range [0:*]\nset y2label ", o.f);
		quoted(o.f, rs->s->values.v[g->over].label);
		fputc('\n', o.f);
	}
	data(o.f, rs->s, g);
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

/* Runs gnuplot NAME.gp in its folder; its messages go to the log. 127: gnuplot is missing. */
static int run_gnuplot(const char *dir, const char *script, const char *log)
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
static bool measured(const struct study *s, const struct study_figure *g)
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
	if (g->kind == FIGURE_TABLE || !measured(rs->s, g))
		return NULL;
	if (!write_script(rs, g)) {
		*why = "the scripts cannot be written";
		return NULL;
	}
	int status = run_gnuplot(dir, arena_printf(a, "%s.gp", g->name), log);
	if (status == 127)
		*why = "gnuplot is not installed (Debian: apt install gnuplot-nox)";
	else if (status || access(svg, R_OK))
		*why = arena_printf(a, "gnuplot fails, see %s", log);
	if (status != 0 && status != 127)
		return NULL;
	unlink(log);
	return *why ? NULL : cli_read("reproduce", svg, &n);
}
