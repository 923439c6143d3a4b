/* Prints a command's manual as --help and as a man page, from the tables that also drive
 * parsing. */
#include <string.h>
#include "command/command.h"
#include "heddle.h"

enum { WIDTH = 80 };

/* Wraps text at WIDTH columns with an indentation; paragraphs stay separate. */
static void wrap_text(FILE *f, const char *s, int indent)
{
	int col = 0;
	while (*s) {
		if (*s == '\n') {
			fprintf(f, s[1] == '\n' ? "\n\n" : "\n");
			s += s[1] == '\n' ? 2 : 1;
			col = 0;
			continue;
		}
		int len = (int)strcspn(s, " \n");
		if (col && col + 1 + len > WIDTH - indent) {
			fputc('\n', f);
			col = 0;
		}
		if (!col)
			fprintf(f, "%*s", indent, "");
		else if (len)
			fputc(' ', f), col++;
		fprintf(f, "%.*s", len, s);
		col += len;
		s += len;
		while (*s == ' ')
			s++;
	}
	fputc('\n', f);
}

static void plain(FILE *f, const char *s) { fprintf(f, "%s\n", s); }

/* Prints each usage line, with one prefix for the first line and another for the rest. */
static void print_usage(FILE *f, const char *usage, const char *first, const char *other,
			void (*print)(FILE *f, const char *s))
{
	for (const char *s = usage; *s;) {
		char line[256];
		size_t n = strcspn(s, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, s);
		fputs(s == usage ? first : other, f);
		print(f, line);
		s += n + (s[n] == '\n');
	}
}

void cli_print_help(const struct cli_command *c, FILE *f)
{
	const struct cli_page *p = c->page;
	fprintf(f, "heddle %s: %s\n\n", c->name, c->help);
	print_usage(f, p->usage, "usage: heddle ", "       heddle ", plain);
	fputc('\n', f);
	wrap_text(f, p->text, 0);
	if (p->opts) {
		fprintf(f, "\noptions:\n");
		for (const struct cli_option *o = p->opts; o->name; o++) {
			fprintf(f, "  %s%s%s\n", o->name, o->args ? " " : "",
				o->args ? o->args : "");
			wrap_text(f, o->help, 6);
		}
	}
	if (p->examples)
		fprintf(f, "\nexamples:\n%s", p->examples);
}

/* Prints text as roff: escapes backslashes, and a dot or quote at the start of a line, which would
 * be requests. */
static void print_roff(FILE *f, const char *s)
{
	bool start = true;
	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", f);
		start = *s == '\n';
		if (*s == '\n' && s[1] == '\n') {
			fputs("\n.PP\n", f);
			s++;
		} else if (*s == '\\') {
			fputs("\\e", f);
		} else if (*s == '-') {
			fputs("\\-", f);
		} else {
			fputc(*s, f);
		}
	}
	fputc('\n', f);
}

static void man_head(FILE *f, const char *dash, const char *name, const char *help)
{
	fprintf(f, ".TH HEDDLE%s%s 1 \"\" \"heddle " HEDDLE_VERSION "\" \"Heddle manual\"\n", dash,
		name);
	fprintf(f, ".SH NAME\nheddle%s%s \\- %s\n", *dash ? "\\-" : "", name, help);
}

/* The overview, heddle(1). */
void cli_print_man_overview(const struct cli_command *const *all, FILE *f)
{
	man_head(f, "", "", "simulates GPUs");
	fprintf(f,
		".SH SYNOPSIS\n.B heddle\n.I command\n.RI [ arguments ]\n.SH DESCRIPTION\n"
		"Heddle runs GPU programs without a GPU and shows what they do.\n.SH COMMANDS\n");
	for (; *all; all++) {
		fprintf(f, ".TP\n.B heddle\\-%s (1)\n", (*all)->name);
		print_roff(f, (*all)->help);
	}
	fprintf(f, ".SH EXIT STATUS\n0 when all went well, 1 when the work failed, 2 when the "
		   "command line "
		   "makes no sense.\n");
}

void cli_print_man(const struct cli_command *c, FILE *f)
{
	const struct cli_page *p = c->page;
	man_head(f, "-", c->name, c->help);
	if (!p) { /* the command has its own help text, which is shown unchanged */
		fprintf(f, ".SH DESCRIPTION\n.nf\n");
		fflush(f);
		c->run(2, (char *[]){(char *)c->name, "--help", NULL});
		fprintf(f, ".fi\n.SH SEE ALSO\n.BR heddle (1)\n");
		return;
	}
	print_usage(f, p->usage, ".SH SYNOPSIS\n.B heddle\n", ".br\n.B heddle\n", print_roff);
	fprintf(f, ".SH DESCRIPTION\n");
	print_roff(f, p->text);
	if (p->opts) {
		fprintf(f, ".SH OPTIONS\n");
		for (const struct cli_option *o = p->opts; o->name; o++) {
			fprintf(f, ".TP\n\\fB");
			for (const char *s = o->name; *s; s++)
				fprintf(f, *s == '-' ? "\\-" : "%c", *s);
			fprintf(f, "\\fR%s%s%s\n", o->args ? " \\fI" : "", o->args ? o->args : "",
				o->args ? "\\fR" : "");
			print_roff(f, o->help);
		}
	}
	if (p->examples) {
		fprintf(f, ".SH EXAMPLES\n.nf\n");
		print_roff(f, p->examples);
		fprintf(f, ".fi\n");
	}
	fprintf(f, ".SH SEE ALSO\n.BR heddle (1)\n");
}

int cli_help(const struct cli_command *c)
{
	cli_print_help(c, stdout);
	return CLI_OK;
}
