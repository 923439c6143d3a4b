/* Counts of two instruction sets side by side: what heddle compare-isa prints and draws. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct count {
	const char *name; /* opcode or class */
	int64_t n[2];
};
struct table {
	struct count *row;
	size_t n;
	int64_t total[2];
};

/* Runs `heddle run` with the words as its own and returns the file of its statistics, to be unlinked and
 * freed; NULL: it failed, which has been said. */
char *compare_run(const char *code, char **words, int n);
/* Counts the instructions of a PTX file's machine code; `row` adds to a row by its name. */
bool compare_static(struct table *t, unsigned which, const char *code, const char *file,
		    bool (*row)(struct table *, const char *, unsigned, int64_t, bool),
		    bool by_class);
bool compare_csv(const struct table *t, const char *a, const char *b, const char *path);
bool compare_json(const struct table *t, const char *a, const char *b, const char *path);

/* Two panels of paired bars, counts and shares of the total (the thesis's figures 14 and 15, and so
 * on). malloc'ed; NULL: no memory. */
char *compare_svg(const struct table *t, const char *a, const char *b);
#endif
