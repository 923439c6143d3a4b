/* Text assembled piece by piece in a buffer of fixed size. Text that does not fit is left
 * out; the buffer always ends with 0. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stddef.h>

struct text {
	char *b; /* ends with 0 at all times */
	size_t n, cap;
};

void text_put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
