/* Diagnostics: errors in the user's input, collected and returned to the caller, never printed by
 * the code that finds them. Each error has a place; printing shows the source line with a caret. The
 * first DIAG_MAX errors are kept. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/arena.h"

enum diag_kind { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };
enum { DIAG_MAX = 100 }; /* further errors are counted, not kept */

struct diag_msg {
	enum diag_kind kind;
	const char *file;
	unsigned line, col; /* counted from 1; 0: unknown */
	const char *text;   /* the message */
	const char *source; /* the source line; NULL: none */
};

struct diag {
	struct arena arena;
	struct diag_msg msg[DIAG_MAX];
	unsigned n, errors, dropped;
};

/* A place in a text. `text`: the whole file, for the caret line; NULL: not available. */
struct srcloc {
	const char *file;
	const char *text, *end;
	unsigned line, col;
};

void diag_at(struct diag *d, enum diag_kind k, const struct srcloc *at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void diag_vat(struct diag *d, enum diag_kind k, const struct srcloc *at, const char *fmt,
	      va_list ap);
/* Adds an error without a place in a text: configuration, files, API use. */
void diag_error(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void diag_print(const struct diag *d, FILE *f);
char *
diag_string(const struct diag *d); /* all messages as diag_print() writes them; free() the result */
void diag_free(struct diag *d);

#endif
