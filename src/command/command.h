/* Interface of all subcommands: the row of a command, option tables that drive parsing, --help and
 * man pages, messages, and whole files. src/cli/main.c collects the rows; a command sees only
 * include/heddle.h and src/command/.
 *
 * Exit status: 0 success, 1 the work failed, 2 wrong command line. */
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
	const char *usage; /* arguments, without "heddle"; one line per form */
	const char *text;
	const struct cli_option *opts; /* ended by a NULL name; NULL: no options */
	const char *examples;          /* lines of the form "$ command"; NULL: none */
};

/* A subcommand's row; the file that implements the subcommand exports it as command_NAME. */
struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	const char *help;                  /* one line */
	const struct cli_page *page;       /* NULL: the command answers --help itself */
};

/* State of reading a command line by an option table. */
struct cli_walk {
	const struct cli_page *page;
	int argc, next;
	char **argv;
	/* the option's arguments; for a word that is no option, the word in arg[0] */
	char *arg[2];
};
enum { CLI_END = -1, CLI_WORD = -2, CLI_BAD = -3, CLI_HELP = -4 };
void cli_walk_start(struct cli_walk *w, const struct cli_page *page, int argc, char **argv);
/* Returns the next option's index in its table, or one of the values above. CLI_BAD: an error,
 * already reported. */
int cli_walk_next(struct cli_walk *w);

/* Returns the word of a list that is most similar to a mistyped one; NULL: none is similar. */
const char *cli_nearest(const char *word, const char *(*at)(const void *, unsigned),
			const void *arg);

/* Prints "heddle CMD: text" on standard error. Control characters and bytes that are not UTF-8 are
 * printed as \xNN, because messages contain file names and contents of broken files. */
void cli_error(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints a text of the library, with unprintable bytes shown as in cli_error(). */
void cli_print(FILE *f, const char *text);
/* Prints "heddle CMD: note: text", such as a hint that an option has no effect. */
void cli_note(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print a command's manual as plain text, and as a man page (page.c). */
void cli_print_help(const struct cli_command *c, FILE *f);
void cli_print_man(const struct cli_command *c, FILE *f);
/* Prints the man page of heddle itself; `all` ends with NULL. */
void cli_print_man_overview(const struct cli_command *const *all, FILE *f);
/* Answers --help: prints the command's manual on standard output and returns CLI_OK. */
int cli_help(const struct cli_command *c);

/* Reads a whole file, NUL-terminated and malloc'ed; cli_read_gz() also unpacks gzip. NULL: an
 * error, already reported. */
char *cli_read(const char *cmd, const char *path, size_t *size);
char *cli_read_gz(const char *cmd, const char *path, size_t *size);
/* Reads a file like cli_read_gz(), and also unpacks files whose name ends in .xz or .tracez. */
char *cli_unpack(const char *cmd, const char *path, size_t *size);
/* Returns the text of a packed trace of Accel-Sim's tracer 2.0, NUL-terminated and malloc'ed; NULL:
 * an error, reported. */
char *cli_tracez(const char *cmd, const char *path, size_t *size);

/* Returns a file's name for a message: '' for an empty name. */
const char *cli_shown(const char *path);

/* True if the data contains anything but blanks and NULs. */
bool cli_has_text(const char *data, size_t n);

/* Makes a folder and its parents; false: errno has the error. The path is modified during the
 * call. */
bool cli_make_dirs(char *path);

/* Makes an empty temporary file below TMPDIR, or else /tmp; its path is malloc'ed (temp.c). NULL: an
 * error, already reported. cli_temp_end() removes the file and frees the path. */
char *cli_temp(const char *cmd, const char *suffix);
void cli_temp_end(char *path);
/* Returns a pattern for mkdtemp() and similar functions, malloc'ed: heddle-WHAT-XXXXXX. */
char *cli_temp_name(const char *what, const char *suffix);

/* An output file: written under a temporary name in its folder, renamed by cli_output_commit(). */
struct cli_output {
	char *path, *temp;
};
bool cli_output_write(const char *cmd, struct cli_output *o, const char *path, const void *data,
		      size_t n);
bool cli_output_commit(const char *cmd, struct cli_output *o);
/* Reports why a file of this name cannot be written, and returns false. Changes nothing. */
bool cli_output_try(const char *cmd, const char *path);
void cli_output_drop(struct cli_output *o);

/* Reads a number: decimal, 0x, 0b or 0 octal; the whole string must be a number. */
bool cli_u64(const char *s, uint64_t *out);

#endif
