/* Scatter plots of simulated against measured figures, by gnuplot. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"
#include "study/device/device.h"
#include "study/report/report.h"

enum { GROUPS = 16 };
/* Colours that can be told apart with any colour vision (after Okabe and Ito). */
static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b6992d",
				      "#e15759", "#499894", "#af7aa1", "#9c755f"};
enum { NCOLOURS = sizeof colours / sizeof *colours };

/* The groups that have points, ordered by their first points. */
static unsigned list_groups(const struct error_pair *p, unsigned n, const char *group[GROUPS])
{
	unsigned count = 0;
	for (unsigned i = 0; i < n; i++) {
		bool known = !(p[i].measured > 0 && p[i].simulated > 0);
		for (unsigned k = 0; k < count; k++)
			known |= !strcmp(group[k], p[i].group);
		if (!known && count < GROUPS)
			group[count++] = p[i].group;
	}
	return count;
}

static void write_script(FILE *f, const char *name, const char *title, const char *unit,
			 const struct error_pair *p, unsigned n, const char *const *group,
			 unsigned groups)
{
	fprintf(f,
		"set terminal svg size 900,640 dynamic enhanced font 'sans,13' background rgb 'white'\nset output '%s.svg'\n",
		name);
	fprintf(f,
		"set title \"%s\" noenhanced\nset xlabel \"measured, %s\" noenhanced\nset ylabel \"simulated, %s\" noenhanced\n",
		title, unit, unit);
	fputs("set logscale xy\nset key outside right noenhanced\nset grid lc rgb '#dddddd'\nset size square\n",
	      f);
	for (unsigned g = 0; g < groups; g++) {
		fprintf(f, "$g%u << EOD\n", g);
		for (unsigned i = 0; i < n; i++)
			if (p[i].measured > 0 && p[i].simulated > 0 &&
			    !strcmp(p[i].group, group[g]))
				fprintf(f, "%.6g %.6g\n", p[i].measured, p[i].simulated);
		fputs("EOD\n", f);
	}
	fputs("plot x with lines lc rgb 'black' notitle, 1.25*x with lines lc rgb '#999999' dt 2 title '25 %', x/1.25 with lines lc rgb '#999999' dt 2 notitle",
	      f);
	for (unsigned g = 0; g < groups; g++)
		fprintf(f, ", \\\n  $g%u with points pt %u ps 0.5 lc rgb '%s' title \"%s\"", g,
			g < NCOLOURS ? 7 : 5, colours[g % NCOLOURS], group[g]);
	fputc('\n', f);
}

char *chart_scatter(struct arena *a, const char *dir, const char *name, const char *title,
		    const char *unit, const struct error_pair *p, unsigned n, const char **why)
{
	const char *group[GROUPS], *at = arena_printf(a, "%s/figures", dir);
	const char *log = arena_printf(a, "%s/%s.log", at, name),
		   *svg = arena_printf(a, "%s/%s.svg", at, name);
	unsigned groups = list_groups(p, n, group);
	size_t size;
	*why = NULL;
	if (!groups)
		return NULL;
	FILE *f = cli_make_dirs(arena_strdup(a, at))
			  ? fopen(arena_printf(a, "%s/%s.gp", at, name), "w")
			  : NULL;
	if (!f) {
		*why = arena_printf(a, "%s: %s", at, strerror(errno));
		return NULL;
	}
	write_script(f, name, title, unit, p, n, group, groups);
	fclose(f);
	unlink(svg);
	int status = figure_run_gnuplot(at, arena_printf(a, "%s.gp", name), log);
	if (status == 127)
		*why = "gnuplot is not installed (Debian: apt install gnuplot-nox)";
	else if (status || access(svg, R_OK))
		*why = arena_printf(a, "gnuplot fails, see %s", log);
	else
		unlink(log);
	return *why ? NULL : cli_read("reproduce", svg, &size);
}
