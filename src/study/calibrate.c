/* heddle calibrate: makes a machine file from the output of bench/h200/recipe.cu on a GPU, and
 * reports the machine's errors relative to that GPU.
 *
 * 	rows of the GPU --calibrate.def--> options --into a copy of the base machine's file--> machine file
 * 	rows of the GPU, rows of the recipe on that machine --> error report */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"
#include "command/suite.h"
#include "heddle.h"
#include "study/commands.h"
#include "base/arena.h"
#include "base/vec.h"

enum { O_BASE, O_OUT, O_SIMULATED };
static const struct cli_option opts[] = {
	[O_BASE] =
		{"--base", "MACHINE",
		 "the machine that gives all other options: a name or a file (default h200-sm90)"},
	[O_OUT] = {"--out", "FILE.ini", "the machine file to write"},
	[O_SIMULATED] =
		{"--simulated", "ROWS.tsv",
		 "rows that the same program printed on the simulated machine: print the measured and the simulated value of each row, and the error"},
	{NULL},
};
static const struct cli_page page_calibrate = {
	.usage = "calibrate ROWS.tsv --out FILE.ini [--base MACHINE]\n"
		 "calibrate ROWS.tsv --simulated ROWS.tsv",
	.text = "Makes a machine file for your GPU. bench/h200/recipe.cu is a CUDA program that measures the GPU in about a minute and "
		"prints rows: device properties, latencies, rates. Options that follow from a row replace those of the base "
		"machine, with the row and its formula as a comment; all other options are marked as the base machine's. The second "
		"form prints the error report.\n\n"
		"docs/machine/calibrate.md has the recipe, the rows, and which option follows from which row.",
	.opts = opts,
	.examples =
		"$ nvcc -cudart shared -arch=native -O3 -o recipe bench/h200/recipe.cu && ./recipe >mine.tsv\n"
		"$ heddle calibrate mine.tsv --out mine.ini\n"
		"$ heddle run --quiet --code native --config ./mine.ini ./recipe >simulated.tsv\n"
		"$ heddle calibrate mine.tsv --simulated simulated.tsv\n",
};

/* ---- rows ---- */

struct row {
	const char *name, *unit;
	double value;
};
struct rows {
	struct arena arena;
	VEC(struct row) v;
};

static const struct row *find_row(const struct rows *r, const char *name)
{
	for (size_t i = 0; i < r->v.n; i++)
		if (!strcmp(r->v.v[i].name, name))
			return &r->v.v[i];
	return NULL;
}

static bool add_row(struct rows *r, char *line)
{
	char *value = strchr(line, '\t'), *unit = value ? strchr(value + 1, '\t') : NULL, *end;
	if (!unit)
		return false;
	*value++ = *unit++ = 0;
	struct row w = {.name = arena_strdup(&r->arena, line),
			.unit = arena_strdup(&r->arena, unit),
			.value = strtod(value, &end)};
	if (end == value || *end || !*line || !isfinite(w.value) || find_row(r, w.name))
		return false;
	vec_push(&r->v, w);
	return true;
}

/* Reads lines of a name, a value and a unit; skips the heading and lines that begin with #. */
static bool read_rows(struct rows *r, const char *path)
{
	size_t n;
	char *data = cli_read("calibrate", path, &n), *next;
	unsigned line = 0;
	bool ok = data != NULL;
	for (char *s = data; ok && *s; s = next) {
		next = s + strcspn(s, "\n");
		if (*next)
			*next++ = 0;
		line++;
		s[strcspn(s, "\r")] = 0;
		if (!*s || *s == '#' || !strcmp(s, "row\tvalue\tunit"))
			continue;
		ok = add_row(r, s);
		if (!ok)
			cli_error(
				"calibrate",
				"%s:%u: expected a new row's name, its value and its unit, separated by tabs, as "
				"bench/h200/recipe.cu prints them",
				path, line);
	}
	if (ok && !r->v.n) {
		cli_error("calibrate", "%s: there are no rows", path);
		ok = false;
	}
	free(data);
	return ok;
}

/* ---- options ---- */

enum rounding { NEAR, UP, DOWN64 };
enum { SLICE = -1 };
static const struct formula {
	const char *section, *option, *row, *text;
	int minus, divided;
	enum rounding rounding;
} formulas[] = {
#define FROM(section, option, row, minus, divided, rounding, text)                                 \
	{#section, #option, #row, text, minus, divided, rounding},
#include "study/device/calibrate.def"
#undef FROM
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

struct job {
	const char *rows_file, *base, *out, *simulated;
	bool help;
	struct rows rows;
	double slice; /* bytes of one set of the base machine's L2, over all slices */
	bool used[FORMULAS];
};

static double value_of(const struct job *j, const struct formula *f, const struct row *r)
{
	double x = (r->value - f->minus) / (f->divided == SLICE ? j->slice : f->divided);
	if (f->rounding == DOWN64)
		return 64 * floor(x / 64);
	return f->rounding == UP ? ceil(x) : round(x);
}

static void print_option(const struct job *j, const struct formula *f, FILE *out)
{
	const struct row *r = find_row(&j->rows, f->row);
	fprintf(out, "%s = %.0f ; (m) %s = %.6g %s: %s\n", f->option, value_of(j, f, r), r->name,
		r->value, r->unit, f->text);
}

/* ---- the base machine's file ---- */

static char *base_path(const char *name)
{
	static const char *const folders[] = {"../conf", "../share/heddle/conf"};
	char file[300];
	if (strchr(name, '/') || strchr(name, '.'))
		return strdup(name);
	snprintf(file, sizeof file, "%.200s.ini", name);
	for (unsigned i = 0; i < 2; i++) {
		char *dir = suite_beside(folders[i]), *path = NULL;
		if (asprintf(&path, "%s/%s", dir ? dir : ".", file) < 0)
			path = NULL;
		free(dir);
		if (path && !access(path, R_OK))
			return path;
		free(path);
	}
	return strdup(file);
}

/* `key = value` of a line: the key's length; 0: another kind of line. */
static size_t key_of(const char *line)
{
	size_t n = 0;
	while (isalnum((unsigned char)line[n]) || line[n] == '_' || line[n] == '.')
		n++;
	return n && line[n + strspn(line + n, " \t")] == '=' ? n : 0;
}

static double number_in(const char *text, const char *section, const char *key)
{
	bool inside = false;
	for (const char *s = text; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
		size_t n = key_of(s);
		if (*s == '[')
			inside = !strncmp(s + 1, section, strlen(section)) &&
				 s[1 + strlen(section)] == ']';
		else if (inside && n == strlen(key) && !strncmp(s, key, n))
			return strtod(strchr(s, '=') + 1, NULL);
	}
	return NAN;
}

/* Index of the formula for an option whose row is present; -1: none. */
static int formula_of(const struct job *j, const char *section, const char *key, size_t n)
{
	for (unsigned i = 0; i < FORMULAS; i++)
		if (!strcmp(formulas[i].section, section) && strlen(formulas[i].option) == n &&
		    !strncmp(formulas[i].option, key, n) && find_row(&j->rows, formulas[i].row))
			return (int)i;
	return -1;
}

/* Prints options that have a row but are missing in the base machine's section. */
static void print_missing(struct job *j, const char *section, FILE *out)
{
	for (unsigned i = 0; *section && i < FORMULAS; i++)
		if (!j->used[i] && !strcmp(formulas[i].section, section) &&
		    find_row(&j->rows, formulas[i].row)) {
			j->used[i] = true;
			print_option(j, &formulas[i], out);
		}
}

/* The order of TPCs by SM numbers, for a chip whose order is unknown: eight GPCs round robin. */
static void print_gpcs(double sms, FILE *out)
{
	fputs("gpcs = ", out);
	for (int i = 0; i < (int)ceil(sms / 2); i++)
		fputc('A' + i % 8, out);
	fputs(" ; (i) eight GPCs in turn: the order of this chip is not measured\n", out);
}

static void copy_line(struct job *j, const char *section, const char *line, FILE *out)
{
	size_t n = key_of(line);
	const struct row *sms = find_row(&j->rows, "sms");
	int f = n ? formula_of(j, section, line, n) : -1;
	if (f >= 0) {
		j->used[f] = true;
		print_option(j, &formulas[f], out);
	} else if (n == 4 && !strncmp(line, "gpcs", 4) && sms &&
		   (size_t)(sms->value + 1) / 2 != strcspn(strchr(line, '=') + 2, " \t;")) {
		print_gpcs(sms->value, out);
	} else if (n) { /* comments of the base machine describe another chip */
		fprintf(out, "%.*s ; from %s, not measured\n", (int)strcspn(line, ";"), line,
			j->base);
	} else {
		fprintf(out, "%s\n", line);
	}
}

static void write_machine(struct job *j, char *base, FILE *out)
{
	char section[64] = "", *next;
	fprintf(out,
		"; Made by heddle calibrate of %s; everything without a row comes from %s. (m) measured, with the row and its formula; (i) inferred.\n",
		j->rows_file, j->base);
	for (char *s = base; *s; s = next) {
		next = s + strcspn(s, "\n");
		if (*next)
			*next++ = 0;
		if (*s == ';')
			continue;
		if (*s == '[') {
			print_missing(j, section, out);
			snprintf(section, sizeof section, "%.*s", (int)strcspn(s + 1, "]"), s + 1);
		}
		copy_line(j, section, s, out);
	}
	print_missing(j, section, out);
	for (unsigned i = 0; i < FORMULAS; i++)
		if (!j->used[i] && find_row(&j->rows, formulas[i].row)) {
			fprintf(out, "[%s]\n", formulas[i].section);
			print_missing(j, formulas[i].section, out);
		}
}

static int make_machine(struct job *j)
{
	char *path = base_path(j->base), *text = NULL, *message = NULL;
	size_t n, size = 0;
	char *base = path ? cli_read("calibrate", path, &n) : NULL;
	free(path);
	if (!base)
		return CLI_FAILED;
	j->slice = number_in(base, "mem", "partitions") * number_in(base, "mem", "slices") *
		   number_in(base, "l2", "ways") * number_in(base, "l2", "line");
	if (!(j->slice > 0)) {
		cli_error(
			"calibrate",
			"%s: expected a machine file that gives mem.partitions, mem.slices, l2.ways and l2.line",
			j->base);
		free(base);
		return CLI_FAILED;
	}
	for (unsigned i = 0; i < FORMULAS; i++)
		if (!find_row(&j->rows, formulas[i].row))
			cli_note("calibrate", "%s has no row %s: %s.%s is %s's", j->rows_file,
				 formulas[i].row, formulas[i].section, formulas[i].option, j->base);
	FILE *f = open_memstream(&text, &size);
	write_machine(j, base, f);
	fclose(f);
	free(base);
	struct cli_output o;
	bool ok = cli_output_write("calibrate", &o, j->out, text, size) &&
		  cli_output_commit("calibrate", &o);
	free(text);
	/* the simulator's own reader checks the result */
	const char *file = j->out;
	char *named = NULL;
	if (ok && !strchr(file, '/') && asprintf(&named, "./%s", file) >= 0)
		file = named;
	if (ok && !heddle_config_show(file, NULL, &message)) {
		cli_print(stderr, message);
		ok = false;
	}
	free(named);
	free(message);
	return ok ? CLI_OK : CLI_FAILED;
}

/* ---- the error report ---- */

static int print_errors(struct job *j)
{
	struct rows s = {.v = {0}};
	double sum = 0;
	unsigned n = 0;
	bool ok = read_rows(&s, j->simulated);
	if (ok)
		puts("row\tunit\tmeasured\tsimulated\terror");
	for (size_t i = 0; ok && i < j->rows.v.n; i++) {
		const struct row *m = &j->rows.v.v[i], *x = find_row(&s, m->name);
		if (!x || m->value == 0) {
			printf("%s\t%s\t%.6g\t\t\n", m->name, m->unit, m->value);
			continue;
		}
		printf("%s\t%s\t%.6g\t%.6g\t%+.1f %%\n", m->name, m->unit, m->value, x->value,
		       100 * (x->value / m->value - 1));
		if (!strncmp(m->unit, "cycles", 6) || !strncmp(m->unit, "bytes per cycle", 15)) {
			sum += fabs(x->value / m->value - 1);
			n++;
		}
	}
	if (ok && n)
		printf("# latencies and rates: %u rows, mean error %.1f %%\n", n, 100 * sum / n);
	vec_free(&s.v);
	arena_free(&s.arena);
	return ok ? CLI_OK : CLI_FAILED;
}

/* ---- the command ---- */

static bool read_options(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_calibrate, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;)
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: j->help = true; return true;
		case O_BASE: j->base = w.arg[0]; break;
		case O_OUT: j->out = w.arg[0]; break;
		case O_SIMULATED: j->simulated = w.arg[0]; break;
		default:
			if (j->rows_file) {
				cli_error("calibrate", "%s: one file of rows at a time", w.arg[0]);
				return false;
			}
			j->rows_file = w.arg[0];
		}
	if (!j->rows_file || !j->out == !j->simulated) {
		cli_error("calibrate",
			  !j->rows_file
				  ? "a file of rows is missing, which bench/h200/recipe.cu prints"
				  : "expected --out FILE.ini or --simulated ROWS.tsv");
		return false;
	}
	return true;
}

static int cmd_calibrate(int argc, char **argv)
{
	struct job *j = xcalloc(1, sizeof *j);
	j->base = "h200-sm90";
	int rc = CLI_USAGE;
	if (read_options(j, argc, argv))
		rc = j->help                              ? cli_help(&command_calibrate)
		     : !read_rows(&j->rows, j->rows_file) ? CLI_FAILED
		     : j->out                             ? make_machine(j)
							  : print_errors(j);
	vec_free(&j->rows.v);
	arena_free(&j->rows.arena);
	free(j);
	return rc;
}

const struct cli_command command_calibrate = {
	"calibrate",
	cmd_calibrate,
	"make a machine file of measurements of a GPU",
	&page_calibrate,
};
