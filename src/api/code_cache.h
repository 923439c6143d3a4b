/* Machine code that PTX became, kept in files for later runs: what one run has compiled, the next ones read. A file
 * is found by a key of all that decides about the code: the texts, the options of the compiler, and the sources of this
 * library. A file that is damaged or of another build is as good as none. Nothing is reported: without a folder, or
 * with one that cannot be written, every run compiles. */
#ifndef API_CODE_CACHE_H
#define API_CODE_CACHE_H
#include "back/back.h"
#include "heddle.h"

struct code_key {
	uint64_t h[2];
};

/* refuse_late: how the texts are read (heddle_options). */
struct code_key code_key(const struct heddle_text *text, unsigned n, bool refuse_late,
			 const struct back_opts *o);
/* Returns code of *size bytes, malloc'ed, and its report with names in `a`; NULL: none is kept. */
char *code_find(const struct code_key *k, struct arena *a, struct back_report *r, size_t *size);
/* Keeps code of which no kernel is refused. */
void code_keep(const struct code_key *k, const struct back_report *r, const char *code,
	       size_t size);

#endif
