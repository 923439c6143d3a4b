/* Counts of two instruction sets side by side: what heddle compare-isa prints and draws. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMPARE_CLASSES = 32 }; /* at most; heddle_class_name() names the actual ones */

struct count {
	char *name;      /* opcode, class, or file:line */
	unsigned line;   /* by line: its number, and its file is name without it */
	int64_t n[2];    /* executed */
	int64_t code[2]; /* instructions of the code */
	int64_t class[2][COMPARE_CLASSES]; /* of n, or of code with by_code */
};
struct table {
	enum compare_by { BY_OPCODE, BY_CLASS, BY_LINE } by;
	bool by_code;  /* what is compared is the code, not what was executed */
	bool has_code; /* code[] is known */
	struct count *row;
	size_t n;
	int64_t total[2], code_total[2];
};

/* Instructions of one kind: opcode, class, source line (0: not known), how many the code has, how
 * often they were executed. */
struct kind {
	const char *opcode, *class, *file;
	unsigned line;
	int64_t n, code;
};
bool compare_add(struct table *t, unsigned which, const struct kind *k); /* false: no memory */
/* The compared counts of a row, or of all rows together. */
const int64_t *compare_of(const struct table *t, const struct count *c);
const int64_t *compare_total(const struct table *t);
void compare_sort(struct table *t); /* largest first; lines in their order */
void compare_free(struct table *t);

/* Runs `heddle run` with these words. Returns the file with its statistics, for the caller to
 * unlink and free; NULL: it failed, reported. */
char *compare_run(const char *code, char **words, int n);
/* Counts the instructions of a PTX file's machine code without running it. */
bool compare_static(struct table *t, unsigned which, const char *code, const char *file);
bool compare_csv(const struct table *t, const char *a, const char *b, const char *path);
bool compare_json(const struct table *t, const char *a, const char *b, const char *path);
bool compare_write(const char *path, char *text); /* frees the text; NULL: no memory */

/* Panels of paired bars: counts, shares of the total (the thesis's figures 14 and 15, and so on),
 * the code. By line: a pair of bars a line, each made of its classes. malloc'ed; NULL: no
 * memory. */
char *compare_svg(const struct table *t, const char *a, const char *b);
char *compare_lines_svg(const struct table *t, const char *a, const char *b);
void compare_lines_print(const struct table *t, const char *a, const char *b);
/* A line's text, for the caller to free; NULL: its file is not here. */
char *compare_line_text(const struct count *c);
#endif
