/* Shell completion: `heddle help --complete bash` and `zsh` print scripts made from the tables that
 * also drive parsing and help. */
#include <string.h>
#include "cli/commands.h"

/* Prints one word in a shell's single quotes. colons: also escapes colons, at which zsh splits its
 * lists. */
static void print_quoted(FILE *f, const char *s, bool colons)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else if (*s == ':' && colons)
			fputs("\\:", f);
		else
			fputc(*s, f);
	}
}

static void bash(FILE *f)
{
	fputs("# bash completion for heddle, made by `heddle help --complete bash`\n"
	      "_heddle()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '--help --version",
	      f);
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		fprintf(f, " %s", (*c)->name);
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase $prev in\n"
	      "\t--config) COMPREPLY=($(compgen -W \"$(heddle config list 2>/dev/null)\" -- \"$cur\")); return ;;\n"
	      "\t--size) COMPREPLY=($(compgen -W 'test small paper' -- \"$cur\")); return ;;\n"
	      "\t--mode) COMPREPLY=($(compgen -W 'functional timing' -- \"$cur\")); return ;;\n"
	      "\thelp) COMPREPLY=($(compgen -W '",
	      f);
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		fprintf(f, "%s ", (*c)->name);
	fputs("' -- \"$cur\")); return ;;\n"
	      "\tworkload) COMPREPLY=($(compgen -W \"$(heddle workloads 2>/dev/null | awk 'NR > 1 {print $1}')\" -- \"$cur\")); "
	      "return ;;\n\tesac\n\tcase ${COMP_WORDS[1]} in\n",
	      f);
	for (const struct cli_command *const *all = cli_commands; *all; all++) {
		const struct cli_command *c = *all;
		fprintf(f, "\t%s) options='--help", c->name);
		for (const struct cli_option *o = c->page ? c->page->opts : NULL; o && o->name; o++)
			fprintf(f, " %s", o->name);
		fputs("' ;;\n", f);
	}
	fputs("\tesac\n\tcase $cur in\n\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n\tesac\n}\n"
	      "complete -o default -F _heddle heddle\n",
	      f);
}

static void zsh(FILE *f)
{
	fputs("#compdef heddle\n# zsh completion for heddle, made by `heddle help --complete zsh`\n"
	      "local -a commands options\ncommands=(\n",
	      f);
	for (const struct cli_command *const *all = cli_commands; *all; all++) {
		const struct cli_command *c = *all;
		fprintf(f, "\t'%s:", c->name);
		print_quoted(f, c->help, false);
		fputs("'\n", f);
	}
	fputs(")\nif (( CURRENT == 2 )); then\n\t_describe command commands\n\treturn\nfi\ncase ${words[2]} in\n",
	      f);
	for (const struct cli_command *const *all = cli_commands; *all; all++) {
		const struct cli_command *c = *all;
		fprintf(f, "%s)\n\toptions=(\n\t\t'--help:print the manual'\n", c->name);
		for (const struct cli_option *o = c->page ? c->page->opts : NULL; o && o->name;
		     o++) {
			fputs("\t\t'", f);
			print_quoted(f, o->name, true);
			fputc(':', f);
			print_quoted(f, o->help, false);
			fputs("'\n", f);
		}
		fputs("\t) ;;\n", f);
	}
	fputs("esac\nif [[ ${words[CURRENT]} == -* ]]; then\n\t_describe option options\nelse\n\t_files\nfi\n",
	      f);
}

bool cli_print_completion(const char *shell, FILE *f)
{
	if (!strcmp(shell, "bash"))
		bash(f);
	else if (!strcmp(shell, "zsh"))
		zsh(f);
	else
		cli_error("help", "--complete %s: expected bash or zsh", shell);
	return !strcmp(shell, "bash") || !strcmp(shell, "zsh");
}
