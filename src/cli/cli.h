/* What the subcommands share: the table of commands, one option table a command (it drives parsing,
 * --help and the man page), messages, whole files. The commands see include/heddle.h and this.
 *
 * Exit status: 0 all went well, 1 the work failed, 2 the command line makes no sense. */
#ifndef CLI_CLI_H
#define CLI_CLI_H
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

struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	const char *help;                  /* one line */
	const struct cli_page *page;       /* NULL: the command answers --help itself */
};
extern const struct cli_command cli_commands[]; /* ends with a NULL name */

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
void cli_print_help(const struct cli_command *c, FILE *f);
void cli_print_man(const struct cli_command *c, FILE *f);
bool cli_print_completion(const char *shell, FILE *f); /* false: reported */

/* A whole file, malloc'ed, with a NUL behind it; cli_read_gz() also unpacks gzip. NULL: already
 * reported. */
char *cli_read(const char *cmd, const char *path, size_t *size);
char *cli_read_gz(const char *cmd, const char *path, size_t *size);

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

int cmd_run(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_golden(int argc, char **argv);
int cmd_ptx(int argc, char **argv);
int cmd_disasm(int argc, char **argv);
int cmd_ptxas(int argc, char **argv);
int cmd_asm(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_cuda_home(int argc, char **argv);
int cmd_device_query(void);
int cmd_workloads(int argc, char **argv);
int cmd_workload(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_reproduce(int argc, char **argv); /* src/study */
int cmd_sweep(int argc, char **argv);     /* src/study */
int cmd_results(int argc, char **argv);   /* src/study */
int cmd_explore(int argc, char **argv);   /* src/study */
int cmd_config(int argc, char **argv);
int cmd_power(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_help(int argc, char **argv);
extern const struct cli_page page_compare, page_run, page_list, page_golden, page_ptx, page_disasm,
	page_asm, page_ptxas, page_config, page_power, page_help, page_cuda_home;
extern const struct cli_page page_workloads, page_workload, page_reproduce, page_explain,
	page_annotate, page_sweep, page_results, page_explore;

#endif
