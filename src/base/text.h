/* Text that is put together piece by piece in a buffer of fixed size: what does not fit is left
 * out. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stddef.h>

struct text {
	char *b; /* always ends with 0 */
	size_t n, cap;
};

void text_put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
