/* heddle ptx: the table of supported PTX instructions, printed from the decoder's own tables. */
#include <stdlib.h>
#include "cli/commands.h"
#include "heddle.h"

static const struct cli_page page_ptx = {
	.usage = "ptx",
	.text = "Prints the table of PTX instructions that Heddle supports, opcode by opcode with types "
		"and modifiers, as Markdown. It is generated from the decoder itself.",
};

static int cmd_ptx(int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_ptx, argc, argv);
	int o = cli_walk_next(&w);
	if (o == CLI_HELP)
		return cli_help(&command_ptx);
	if (o != CLI_END) {
		if (o == CLI_WORD)
			cli_error("ptx", "takes no argument");
		return CLI_USAGE;
	}
	char *table = heddle_ptx_table();
	if (!table)
		return CLI_FAILED;
	fputs(table, stdout);
	free(table);
	return CLI_OK;
}

const struct cli_command command_ptx = {
	"ptx",
	cmd_ptx,
	"list the PTX instructions Heddle supports",
	&page_ptx,
};
