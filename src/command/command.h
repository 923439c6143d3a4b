/* What subcommands share: the row of a command, option tables that drive parsing, --help and man pages,
 * messages, whole files. src/cli/main.c collects the rows; a command sees include/heddle.h and
 * src/command/ alone.
 *
 * Exit status: 0 success, 1 the work failed, 2 the command line makes no sense. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLI_OK, CLI_FAILED, CLI_USAGE };

struct cli_option {
	const char *name; /* with its dashes */
	const char *args; /* names of its arguments, separated by spaces; NULL: none */
	const char *help;
};

/* The manual of a command. Text is plain; paragraphs are separated by an empty line. */
struct cli_page {
	const char *usage; /* without "heddle"; several are lines */
	const char *text;
	const struct cli_option *opts; /* ends with a NULL name; may be NULL */
	const char *examples;          /* lines of the form "$ command", or NULL */
};

/* A subcommand's row; the file that implements the subcommand exports it as command_NAME. */
struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	const char *help;                  /* one line */
	const struct cli_page *page;       /* NULL: the command answers --help itself */
};

/* Walks the words of a command line by an option table. */
struct cli_walk {
	const struct cli_page *page;
	int argc, next;
	char **argv;
	char *arg[2]; /* the option's arguments, or the word itself in arg[0] */
};
enum { CLI_END = -1, CLI_WORD = -2, CLI_BAD = -3, CLI_HELP = -4 };
void cli_walk_start(struct cli_walk *w, const struct cli_page *page, int argc, char **argv);
/* Returns the next option's index in its table, or one of the above. CLI_BAD: already reported. */
int cli_walk_next(struct cli_walk *w);

/* The nearest of a list of words to a mistyped one, or NULL if none is close. */
const char *cli_nearest(const char *word, const char *(*at)(const void *, unsigned),
			const void *arg);

/* Prints "heddle CMD: text" on standard error. Control characters and bytes that are not UTF-8 are
 * shown as \xNN, because file names and contents of broken files occur in messages. */
void cli_error(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints a text of the library, with its bytes shown as above. */
void cli_print(FILE *f, const char *text);
/* "heddle CMD: note: text": what an option has no effect on, and the like. */
void cli_note(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* page.c: a command's manual as plain text, and as a man page. */
void cli_print_help(const struct cli_command *c, FILE *f);
void cli_print_man(const struct cli_command *c, FILE *f);
/* The man page of heddle itself; `all` ends with NULL. */
void cli_print_man_overview(const struct cli_command *const *all, FILE *f);
/* A command's answer to --help: prints its manual on standard output and returns CLI_OK. */
int cli_help(const struct cli_command *c);

/* A whole file, malloc'ed, with a NUL behind it; cli_read_gz() also unpacks gzip. NULL: already
 * reported. */
char *cli_read(const char *cmd, const char *path, size_t *size);
char *cli_read_gz(const char *cmd, const char *path, size_t *size);

/* A file's name in a message: an empty name becomes ''. */
const char *cli_shown(const char *path);

/* True if the data has anything but blanks and NULs. */
bool cli_has_text(const char *data, size_t n);

/* Makes a folder and its parents; false: see errno. The path is modified while it runs. */
bool cli_make_dirs(char *path);

/* temp.c: below TMPDIR, else /tmp. A file's path is malloc'ed, and it exists, empty. NULL: already
 * reported. cli_temp_end() removes it and frees the path. */
char *cli_temp(const char *cmd, const char *suffix);
void cli_temp_end(char *path);
/* A pattern for mkdtemp() and the like, malloc'ed: heddle-WHAT-XXXXXX. */
char *cli_temp_name(const char *what, const char *suffix);

/* An output file: written under a temporary name beside its own, given its name by commit. */
struct cli_output {
	char *path, *temp;
};
bool cli_output_write(const char *cmd, struct cli_output *o, const char *path, const void *data,
		      size_t n);
bool cli_output_commit(const char *cmd, struct cli_output *o);
/* Reports why a file of this name cannot be written, and returns false; changes nothing. */
bool cli_output_try(const char *cmd, const char *path);
void cli_output_drop(struct cli_output *o);

/* Numbers: decimal, 0x, 0b or 0 octal; the whole word. */
bool cli_u64(const char *s, uint64_t *out);

#endif
