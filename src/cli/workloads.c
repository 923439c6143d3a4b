/* heddle workloads: lists the suite from its registry, workloads/suite.tsv. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/commands.h"
#include "cli/measure.h"
#include "command/suite.h"

enum { O_JSON, O_NAMES, O_MEASURE, O_SIZE, O_THREADS };
static const struct cli_option opts[] = {
	[O_JSON] = {"--json", NULL, "print JSON"},
	[O_NAMES] = {"--names", NULL, "print the names alone"},
	[O_MEASURE] =
		{"--measure", NULL,
		 "run the programs in functional mode and print a Markdown table of their kernels' "
		 "figures; status 1 if kernels are not launched as the list says"},
	[O_SIZE] = {"--size", "test|small|paper", "for --measure (default paper)"},
	[O_THREADS] = {"--threads", "N", "host threads for --measure"},
	{NULL},
};
static const struct cli_page page_workloads = {
	.usage = "workloads [NAME...] [--json | --names | --measure [--size S] [--threads N]]",
	.text = "Lists the workload suite, the programs that the papers measure: kernels with blocks x "
		"threads in the papers' size, the three sizes, the papers that use the program, and "
		"what it stresses.",
	.opts = opts,
	.examples = "  $ heddle workloads\n  $ heddle workloads BFS --json\n"
		    "  $ heddle workloads --measure --size test\n",
};

static void print_row(const struct workload_row *r)
{
	printf("%-10s %s\n", r->name, r->program);
	printf("           kernels   %s\n", r->kernels);
	printf("           test      %s\n", r->size[0]);
	printf("           small     %s\n", r->size[1]);
	printf("           paper     %s\n", r->size[2]);
	printf("           papers    %s\n", r->papers);
	printf("           stresses  %s\n", r->stresses);
	if (*r->races)
		printf("           races     %s\n", r->races);
}

static json_t *row_json(const struct workload_row *r)
{
	return json_pack("{ss,ss,ss,ss,ss,s{ss,ss,ss},ss,ss,ss}", "name", r->name, "program",
			 r->program, "source", r->source, "options", r->options, "kernels",
			 r->kernels, "sizes", "test", r->size[0], "small", r->size[1], "paper",
			 r->size[2], "papers", r->papers, "stresses", r->stresses, "races",
			 r->races);
}

/* The request of the command line. */
struct listing {
	struct suite suite;
	int form; /* O_JSON, O_NAMES or O_MEASURE; -1: the table */
	bool help;
	struct measure measure;
	const char **name; /* names of the requested workloads; none: all */
	unsigned n;
	json_t *all;
};

static void print_workload(struct listing *l, const struct workload_row *r)
{
	if (l->form == O_JSON)
		json_array_append_new(l->all, row_json(r));
	else if (l->form == O_NAMES)
		puts(r->name);
	else if (l->form == O_MEASURE)
		measure_row(&l->measure, r);
	else
		print_row(r);
}

static bool read_options(struct listing *l, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_workloads, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: l->help = true; return true;
		case CLI_WORD: l->name[l->n++] = w.arg[0]; break;
		case O_SIZE: l->measure.size = w.arg[0]; break;
		case O_THREADS: l->measure.threads = w.arg[0]; break;
		default: l->form = o;
		}
	}
	return suite_size_ok("workloads", l->measure.size);
}

static int list_workloads(struct listing *l)
{
	if (!suite_read(&l->suite, "workloads"))
		return CLI_FAILED;
	if (l->form == O_MEASURE)
		measure_head();
	for (unsigned i = 0; i < l->n; i++) {
		const struct workload_row *r = suite_find(&l->suite, "workloads", l->name[i]);
		if (!r)
			return CLI_USAGE;
		print_workload(l, r);
	}
	for (unsigned i = 0; !l->n && i < l->suite.n; i++)
		print_workload(l, &l->suite.row[i]);
	if (l->form == O_JSON) {
		json_dumpf(l->all, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	return l->measure.failed ? CLI_FAILED : CLI_OK;
}

static int cmd_workloads(int argc, char **argv)
{
	struct listing l = {.form = -1,
			    .measure.size = "paper",
			    .all = json_array(),
			    .name = calloc((size_t)argc, sizeof *l.name)};
	int rc = !l.name || !read_options(&l, argc, argv) ? CLI_USAGE
		 : l.help                                 ? cli_help(&command_workloads)
							  : list_workloads(&l);
	json_decref(l.all);
	free(l.name);
	suite_free(&l.suite);
	return rc;
}

const struct cli_command command_workloads = {
	"workloads",
	cmd_workloads,
	"list the workload suite",
	&page_workloads,
};
