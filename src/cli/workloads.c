/* heddle workloads: the suite, from its registry. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/suite.h"

enum { O_JSON, O_NAMES };
static const struct cli_option opts[] = {
	[O_JSON] = {"--json", NULL, "print JSON"},
	[O_NAMES] = {"--names", NULL, "print the names alone"},
	{NULL},
};
const struct cli_page page_workloads = {
	.usage = "workloads [NAME...] [--json | --names]",
	.text = "Lists the workload suite, the programs the papers measure: kernels with blocks x threads at "
	        "the papers' size, what the three sizes are, which paper uses the program and what it "
	        "stresses.",
	.opts = opts,
	.examples = "  $ heddle workloads\n  $ heddle workloads BFS --json\n",
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
	return json_pack("{ss,ss,ss,ss,ss,s{ss,ss,ss},ss,ss,ss}", "name", r->name, "program", r->program,
	                 "source", r->source, "options", r->options, "kernels", r->kernels, "sizes",
	                 "test", r->size[0], "small", r->size[1], "paper", r->size[2], "papers", r->papers,
	                 "stresses", r->stresses, "races", r->races);
}

static void show(const struct workload_row *r, int how, json_t *all)
{
	if (how == O_JSON)
		json_array_append_new(all, row_json(r));
	else if (how == O_NAMES)
		puts(r->name);
	else
		print_row(r);
}

int cmd_workloads(int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_workloads, argc, argv);
	struct suite s;
	if (!suite_read(&s, "workloads")) {
		suite_free(&s);
		return CLI_FAILED;
	}
	json_t *all = json_array();
	int rc = CLI_OK, how = -1;
	bool some = false;
	for (int i = 1; i < argc; i++) /* the form is known before the first name */
		how = !strcmp(argv[i], "--json") ? O_JSON : !strcmp(argv[i], "--names") ? O_NAMES : how;
	for (int o; rc == CLI_OK && (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP) {
			json_decref(all);
			suite_free(&s);
			return cmd_help(2, (char *[]){"help", "workloads", NULL});
		}
		if (o == CLI_BAD)
			rc = CLI_USAGE;
		if (o != CLI_WORD)
			continue;
		const struct workload_row *r = suite_find(&s, "workloads", w.arg[0]);
		some = true;
		if (r)
			show(r, how, all);
		else
			rc = CLI_USAGE;
	}
	for (unsigned i = 0; rc == CLI_OK && !some && i < s.n; i++)
		show(&s.row[i], how, all);
	if (rc == CLI_OK && how == O_JSON) {
		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	json_decref(all);
	suite_free(&s);
	return rc;
}
