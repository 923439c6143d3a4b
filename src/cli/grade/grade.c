/* heddle grade: see grade.h. */
#include "cli/grade/grade.h"
#include "cli/commands.h"
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { O_JSON, O_SEED, O_LIST };
static const struct cli_option opts[] = {
	[O_JSON] = {"--json", "FILE",
		    "write the result as JSON; - for standard output, in place of the text"},
	[O_SEED] = {"--seed", "N",
		    "vary the hidden workloads (default 0); a class gets one number"},
	[O_LIST] = {"--list", NULL, "list the labs"},
	{NULL},
};
static const struct cli_page page = {
	.usage = "grade LAB FILE\n"
		 "grade --list",
	.text = "Grades a student's file of a lab of the course (docs/teaching): builds it, checks that it conforms, "
		"measures it on workloads beside what Heddle has, and says how many points each part gets and why. "
		"Labs: divergence and gemm take a kernel (CUDA C++, for which clang must be there, or PTX); "
		"scheduler, dispatch and cache take a policy in C, for which a C compiler must be there.\n\n"
		"Each run is a process of its own with limits of time and memory. What does not build, crashes, does "
		"not end or calls what a policy may not call gets no points for that part, and the reason.\n\n"
		"The exit status is 0 if the file was graded, whatever its points.",
	.opts = opts,
	.examples = "  $ heddle grade scheduler mine.c\n"
		    "  $ for f in class/*.c; do heddle grade cache $f --json ${f%.c}.json; done\n",
};

struct grade_part *grade_add(struct grade *g, const char *name, double points, double most,
			     const char *fmt, ...)
{
	struct grade_part *p = &g->part[g->n < GRADE_PARTS - 1 ? g->n++ : GRADE_PARTS - 1];
	va_list ap;
	snprintf(p->name, sizeof p->name, "%s", name);
	p->points = points;
	p->most = most;
	va_start(ap, fmt);
	vsnprintf(p->text, sizeof p->text, fmt, ap);
	va_end(ap);
	return p;
}

static double rounded(double x) { return floor(x * 10 + 0.5) / 10; }

static void sum_up(const struct grade *g, double *points, double *most)
{
	*points = *most = 0;
	for (unsigned i = 0; i < g->n; i++) {
		*points += rounded(g->part[i].points);
		*most += g->part[i].most;
	}
}

static void print_grade(const struct grade *g, const char *lab)
{
	double points, most;
	sum_up(g, &points, &most);
	for (unsigned i = 0; i < g->n; i++) {
		printf("%5.1f of %3.0f  %-16s ", rounded(g->part[i].points), g->part[i].most,
		       g->part[i].name);
		cli_print(stdout, g->part[i].text);
		putchar('\n');
	}
	printf("%5.1f of %3.0f  %s, %s\n", points, most, lab, cli_shown(g->file));
}

static bool write_json(const struct grade *g, const char *lab, const char *file)
{
	double points, most;
	json_t *parts = json_array();
	sum_up(g, &points, &most);
	for (unsigned i = 0; i < g->n; i++) {
		json_t *text = json_string(g->part[i].text);
		json_array_append_new(
			parts, json_pack("{s:s, s:f, s:f, s:o}", "part", g->part[i].name, "points",
					 rounded(g->part[i].points), "most", g->part[i].most,
					 "text", text ? text : json_string("(not UTF-8)")));
	}
	json_t *name = json_string(g->file);
	json_t *top =
		json_pack("{s:s, s:o, s:I, s:f, s:f, s:o}", "lab", lab, "file",
			  name ? name : json_string("(not UTF-8)"), "seed", (json_int_t)g->seed,
			  "points", points, "most", most, "parts", parts);
	char *text = json_dumps(top, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	struct cli_output o;
	bool ok = text != NULL;
	if (ok && !strcmp(file, "-"))
		puts(text);
	else
		ok = ok && cli_output_write("grade", &o, file, text, strlen(text)) &&
		     cli_output_commit("grade", &o);
	free(text);
	json_decref(top);
	return ok;
}

static int cmd_grade(int argc, char **argv)
{
	struct cli_walk w;
	struct grade g = {0};
	const char *lab = NULL, *json = NULL;
	uint64_t seed = 0;
	cli_walk_start(&w, &page, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP)
			return cli_help(&command_grade);
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == O_LIST) {
			for (const struct lab *l = all_labs; l->name; l++)
				printf("%-12s %s\n", l->name, l->help);
			return CLI_OK;
		}
		if (o == O_JSON) {
			json = w.arg[0];
		} else if (o == O_SEED) {
			if (!cli_u64(w.arg[0], &seed) || seed > UINT32_MAX) {
				cli_error("grade",
					  "--seed %s: expected a number from 0 to 4294967295",
					  w.arg[0]);
				return CLI_USAGE;
			}
		} else if (lab && g.file) {
			cli_error("grade", "%s: one file is graded at a time", w.arg[0]);
			return CLI_USAGE;
		} else if (lab) {
			g.file = w.arg[0];
		} else {
			lab = w.arg[0];
		}
	}
	if (!lab || !g.file) {
		cli_error("grade",
			  "expected a lab and a file; `heddle grade --list` lists the labs");
		return CLI_USAGE;
	}
	const struct lab *l = lab_find(lab);
	size_t n;
	char *source = l ? cli_read("grade", g.file, &n) : NULL;
	free(source);
	if (!source)
		return l ? CLI_FAILED : CLI_USAGE;
	if (json && strcmp(json, "-") && !cli_output_try("grade", json))
		return CLI_FAILED;
	g.seed = (uint32_t)seed;
	l->grade(&g, l);
	if (!json || strcmp(json, "-"))
		print_grade(&g, l->name);
	return !json || write_json(&g, l->name, json) ? CLI_OK : CLI_FAILED;
}

const struct cli_command command_grade = {
	"grade",
	cmd_grade,
	"grade a student's file of a lab",
	&page,
};
