/* Counts of two instruction sets side by side: what heddle compare-isa prints and draws. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H
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

/* Two panels of paired bars, counts and shares of the total (the thesis's figures 14 and 15, and so
 * on). malloc'ed; NULL: no memory. */
char *compare_svg(const struct table *t, const char *a, const char *b);
#endif
