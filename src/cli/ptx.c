/* heddle ptx: the table of supported PTX instructions, printed from the decoder's own tables. */
#include <stdlib.h>
#include "cli/cli.h"
#include "heddle.h"

const struct cli_page page_ptx = {
	.usage = "ptx",
	.text = "Prints the table of PTX instructions that Heddle supports, opcode by opcode with types "
		"and modifiers, as Markdown. It is generated from the decoder itself.",
};

int cmd_ptx(int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_ptx, argc, argv);
	int o = cli_walk_next(&w);
	if (o == CLI_HELP)
		return cmd_help(2, (char *[]){"help", "ptx", NULL});
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
