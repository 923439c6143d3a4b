/* heddle help: prints the list of commands, a command's manual, and completion scripts for
 * shells. */
#include <string.h>
#include "cli/commands.h"

void cli_print_overview(FILE *f)
{
	int width = 0;
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		width = (int)strlen((*c)->name) > width ? (int)strlen((*c)->name) : width;
	fprintf(f, "Heddle simulates GPUs: it runs GPU programs without one.\n\n"
		   "usage: heddle COMMAND [ARGUMENTS]\n\ncommands:\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		fprintf(f, "  %-*s  %s\n", width, (*c)->name, (*c)->help);
	fprintf(f, "\n`heddle help COMMAND` explains a command; `heddle --version` prints the "
		   "version.\n");
}

static const char *command_at(const void *arg, unsigned i)
{
	(void)arg;
	return cli_commands[i] ? cli_commands[i]->name : NULL;
}

const struct cli_command *cli_find_command(const char *name)
{
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	const char *near = cli_nearest(name, command_at, NULL);
	if (near)
		cli_error(NULL, "unknown command %s; did you mean %s?", name, near);
	else
		cli_error(NULL, "unknown command %s; `heddle --help` lists them", name);
	return NULL;
}

enum { HELP_MAN, HELP_COMPLETE };
static const struct cli_option help_opts[] = {
	[HELP_MAN] = {"--man", NULL, "print the manual page in man(7) form instead"},
	[HELP_COMPLETE] = {"--complete", "bash|zsh",
			   "print a script that completes words of the command line"},
	{NULL},
};
static const struct cli_page page_help = {
	.usage = "help [--man] [COMMAND]\nhelp --complete bash|zsh",
	.text = "Prints what a command does and its options; without COMMAND, the list of commands.",
	.opts = help_opts,
};

static int cmd_help(int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_help, argc, argv);
	const char *name = NULL;
	bool man = false;
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == HELP_COMPLETE)
			return cli_print_completion(w.arg[0], stdout) ? CLI_OK : CLI_USAGE;
		if (o == CLI_HELP)
			name = "help";
		else if (o == HELP_MAN)
			man = true;
		else
			name = w.arg[0];
	}
	if (!name) {
		if (man)
			cli_print_man_overview(cli_commands, stdout);
		else
			cli_print_overview(stdout);
		return CLI_OK;
	}
	const struct cli_command *c = cli_find_command(name);
	if (!c)
		return CLI_USAGE;
	if (!c->page && !man)
		return c->run(2, (char *[]){(char *)c->name, "--help", NULL});
	(man ? cli_print_man : cli_print_help)(c, stdout);
	return CLI_OK;
}

const struct cli_command command_help = {
	"help",
	cmd_help,
	"explain a command",
	&page_help,
};
