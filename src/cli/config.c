/* heddle config: prints and checks machines and their options. */
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "cli/matrix.h"
#include "heddle.h"

enum { CONFIG_SET, CONFIG_MACHINE, CONFIG_FORMAT, MAX_SET = 64, MAX_WORDS = 1 + MATRIX_AXES };
static const struct cli_option config_opts[] = {
	[CONFIG_SET] =
		{"--set", "KEY=VALUE",
		 "show, matrix: change an option of the machine first; may be given several times"},
	[CONFIG_MACHINE] = {"--config", "NAME",
			    "matrix: the machine that is changed (default gtx480)"},
	[CONFIG_FORMAT] = {"--format", "table|csv|json", "matrix: how to print (default table)"},
	{NULL},
};

static const struct cli_page page_config = {
	.usage =
		"config list | show NAME | explain KEY | import FILE | matrix [FAMILY FAMILY...] | options | statistics",
	.text = "list prints the names of the machines that come with Heddle. show prints every option "
		"of a machine (a name or a file) with its value, unit and source, and the figures that "
		"follow from them. explain prints the meaning of an option. import converts a "
		"configuration of GPGPU-Sim, in any of its dialects, to one of Heddle's; options "
		"without a counterpart are listed at its end. import converts an XML file of GPUWattch "
		"or AccelWattch to a calibration file for power.calibration (docs/machine/power.md), "
		"and the output of ptxas -v or cuobjdump -res-usage to the section with the registers "
		"of each kernel. matrix tries all combinations of the policies of several families "
		"(pipeline, divergence, lanes, dispatch, scalar, scheduler, or keys of other options "
		"with a list of values) on a machine and prints which exist, and the reason why the "
		"others do not; without families it tries the first five. options prints the table of all options, statistics the table of all "
		"figures of a run.",
	.opts = config_opts,
	.examples = "$ heddle config show gtx480\n$ heddle config explain dram.tRCD\n"
		    "$ heddle config matrix pipeline divergence --config gtx480\n"
		    "$ heddle config import gpgpusim.config >mine.ini\n"
		    "$ nvcc -Xptxas -v -c matmul.cu 2>log; heddle config import log >>mine.ini",
};

/* Prints the text of an answer or error. `text` is a pointer to it because the call that computes
 * `ok` sets it. */
static int show_text(bool ok, char **text)
{
	cli_print(ok ? stdout : stderr, *text);
	free(*text);
	return ok ? CLI_OK : CLI_FAILED;
}

static bool parse_format(const char *s, enum matrix_format *f)
{
	static const char *const names[] = {"table", "csv", "json"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(s, names[i])) {
			*f = (enum matrix_format)i;
			return true;
		}
	cli_error("config", "--format %s: expected table, csv or json", s);
	return false;
}

static int cmd_config(int argc, char **argv)
{
	struct cli_walk w;
	const char *word[MAX_WORDS] = {NULL}, *set[MAX_SET + 1];
	unsigned nword = 0, nset = 0;
	struct matrix_options matrix = {.config = "gtx480", .set = set, .word = word + 1};
	cli_walk_start(&w, &page_config, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP)
			return cli_help(&command_config);
		if (o == CLI_BAD)
			return CLI_USAGE;
		if ((o == CLI_WORD &&
		     nword == (nword && !strcmp(word[0], "matrix") ? MAX_WORDS : 2)) ||
		    (o == CONFIG_SET && nset == MAX_SET)) {
			cli_error("config",
				  o == CLI_WORD ? "%s is one word too many"
						: "%s is one --set too many",
				  w.arg[0]);
			return CLI_USAGE;
		}
		if (o == CLI_WORD)
			word[nword++] = w.arg[0];
		else if (o == CONFIG_MACHINE)
			matrix.config = w.arg[0];
		else if (o == CONFIG_FORMAT && !parse_format(w.arg[0], &matrix.format))
			return CLI_USAGE;
		else if (o == CONFIG_SET)
			set[nset++] = w.arg[0];
	}
	set[nset] = NULL;
	char *text;
	const char *what = word[0] ? word[0] : "";
	if (!strcmp(what, "list") && !word[1])
		return show_text(heddle_config_list(&text), &text);
	if (!strcmp(what, "matrix")) {
		matrix.nwords = nword - 1;
		return matrix_print(&matrix);
	}
	if (!strcmp(what, "options") && !word[1])
		return show_text(heddle_config_options(&text), &text);
	if (!strcmp(what, "statistics") && !word[1] && (text = heddle_stats_manual()))
		return show_text(true, &text);
	if (!strcmp(what, "show") && word[1])
		return show_text(heddle_config_show(word[1], set, &text), &text);
	if (!strcmp(what, "explain") && word[1])
		return show_text(heddle_config_explain(word[1], &text), &text);
	if (!strcmp(what, "import") && word[1])
		return show_text(heddle_config_import(word[1], &text), &text);
	cli_error(
		"config",
		"expected list, show NAME, explain KEY, import FILE, matrix, options or statistics");
	return CLI_USAGE;
}

const struct cli_command command_config = {
	"config",
	cmd_config,
	"show, explain and import machines",
	&page_config,
};
