/* heddle config: prints and checks machines and their options. */
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "heddle.h"

enum { CONFIG_SET, MAX_SET = 64 };
static const struct cli_option config_opts[] = {
	[CONFIG_SET] = {"--set", "KEY=VALUE",
			"show: change an option of the machine first; may be given several times"},
	{NULL},
};

static const struct cli_page page_config = {
	.usage = "config list | show NAME | explain KEY | import FILE | options | statistics",
	.text = "list prints the names of the machines that come with Heddle. show prints every option "
		"of a machine (a name or a file) with its value, unit and source, and the figures that "
		"follow from them. explain prints the meaning of an option. import converts a "
		"configuration of GPGPU-Sim, in any of its dialects, to one of Heddle's; options "
		"without a counterpart are listed at its end. import converts an XML file of GPUWattch "
		"or AccelWattch to a calibration file for power.calibration (docs/machine/power.md), "
		"and the output of ptxas -v or cuobjdump -res-usage to the section with the registers "
		"of each kernel. options prints the table of all options, statistics the table of all "
		"figures of a run.",
	.opts = config_opts,
	.examples = "$ heddle config show gtx480\n$ heddle config explain dram.tRCD\n"
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

static int cmd_config(int argc, char **argv)
{
	struct cli_walk w;
	const char *word[2] = {NULL, NULL}, *set[MAX_SET + 1];
	unsigned nword = 0, nset = 0;
	cli_walk_start(&w, &page_config, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP)
			return cli_help(&command_config);
		if (o == CLI_BAD)
			return CLI_USAGE;
		if ((o == CLI_WORD && nword == 2) || (o == CONFIG_SET && nset == MAX_SET)) {
			cli_error("config",
				  o == CLI_WORD ? "%s is one word too many"
						: "%s is one --set too many",
				  w.arg[0]);
			return CLI_USAGE;
		}
		if (o == CLI_WORD)
			word[nword++] = w.arg[0];
		else
			set[nset++] = w.arg[0];
	}
	set[nset] = NULL;
	char *text;
	const char *what = word[0] ? word[0] : "";
	if (!strcmp(what, "list") && !word[1])
		return show_text(heddle_config_list(&text), &text);
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
	cli_error("config",
		  "expected list, show NAME, explain KEY, import FILE, options or statistics");
	return CLI_USAGE;
}

const struct cli_command command_config = {
	"config",
	cmd_config,
	"show, explain and import machines",
	&page_config,
};
