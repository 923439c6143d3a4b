/* Counts of two instruction sets side by side, which heddle compare-isa prints and draws.
 * compare_run.c obtains them, compare_table.c, compare_lines.c and compare_plot.c show them. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* upper bound of the number of classes; heddle_class_name() names the actual ones */
enum { COMPARE_CLASSES = 32 };

struct count {
	char *name;      /* opcode, class, or file:line */
	unsigned line;   /* by line: number of the line, whose file is `name`; otherwise 0 */
	int64_t n[2];    /* instructions executed, per run */
	int64_t code[2]; /* instructions in the code, per run */
	int64_t class[2][COMPARE_CLASSES]; /* n (or code[], with by_code) divided by class */
};
struct table {
	enum compare_by { BY_OPCODE, BY_CLASS, BY_LINE } by;
	bool by_code;  /* compares the code instead of executed instructions */
	bool has_code; /* code[] is known */
	struct count *row;
	size_t n;
	int64_t total[2], code_total[2];
};

/* Instructions of one kind: opcode, class, source line (0: unknown), number in the code, number of
 * executions. */
struct kind {
	const char *opcode, *class, *file;
	unsigned line;
	int64_t n, code;
};
bool compare_add(struct table *t, unsigned which, const struct kind *k); /* false: out of memory */
/* Returns the two compared counts of a row, or of all rows together. */
const int64_t *compare_of(const struct table *t, const struct count *c);
const int64_t *compare_total(const struct table *t);
void compare_sort(struct table *t); /* largest first; lines in the order of the file */
void compare_free(struct table *t);

/* Runs `heddle run` with these arguments. Returns the name of the file with its statistics, which
 * the caller unlinks and frees; NULL: an error, reported. */
char *compare_run(const char *code, char **words, int n);
/* Counts the instructions of a PTX file's machine code without running it. */
bool compare_static(struct table *t, unsigned which, const char *code, const char *file);
bool compare_csv(const struct table *t, const char *a, const char *b, const char *path);
bool compare_json(const struct table *t, const char *a, const char *b, const char *path);
/* writes the text to the file and frees the text; NULL text: out of memory */
bool compare_write(const char *path, char *text);

/* Draws panels of paired bars: counts, fractions of the total (figures 14 and 15 of the thesis),
 * and code sizes. By line: one pair of bars per line, divided by class. Returns the SVG, malloc'ed;
 * NULL: out of memory. */
char *compare_svg(const struct table *t, const char *a, const char *b);
char *compare_lines_svg(const struct table *t, const char *a, const char *b);
void compare_lines_print(const struct table *t, const char *a, const char *b);
/* Returns a line's text, which the caller frees; NULL: the file does not exist here. */
char *compare_line_text(const struct count *c);
#endif
