#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void text_put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int k = vsnprintf(t->b + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	if (k > 0)
		t->n = t->n + (size_t)k < t->cap ? t->n + (size_t)k : t->cap - 1;
}
