/* What the files that read listings share. */
#ifndef FRONT_NATIVE_SASS_H
#define FRONT_NATIVE_SASS_H
#include "front/native/module.h"

struct line { /* one instruction's line */
	const char *text;
	size_t len;
	unsigned lineno;
	bool has_addr, has_hex, hex_first;
	uint32_t addr;
	uint64_t hex;
	unsigned digits;
	uint32_t pc;
	const char *symbol; /* whose address its immediate or target is, or NULL */
	uint32_t wants;     /* enum nreloc_type: how */
};

struct wanted { /* a relocation, done at the end of the file */
	struct nreloc r;
	unsigned lineno;
};

struct reader {
	struct nmodule *m;
	struct diag *d;
	struct srcloc loc;
	const char *p, *end;
	bool arch_known;
	size_t kernel; /* index + 1 of the open function; 0: none */
	bool addr_pending;
	uint32_t addr;
	bool failed;
	VEC(struct line) line;
	VEC(struct native_label) label;
	VEC(struct wanted) want;
};

__attribute__((format(printf, 3, 4))) void sass_error(struct reader *r, unsigned lineno,
                                                      const char *fmt, ...);
bool sass_starts(const char *s, const char *e, const char *w);
const char *sass_find(const char *s, const char *e, const char *w);
void sass_trim(const char **s, const char **e);
bool sass_number(const char **s, const char *e, uint64_t *v);

/* The next word that is no number; its length. *s moves to it. */
size_t sass_word(const char **s, const char *e);

/* sass_link.c: its directives; a relocation of a section; what is done at the end of the file. */
bool sass_link_directive(struct reader *r, const char *s, const char *e);
void sass_want(struct reader *r, const char *section, struct nreloc want);
void sass_link(struct reader *r);

/* directives.c: a line that begins with a dot. False: none of ours. */
bool sass_directive(struct reader *r, const char *s, const char *e);
/* nvdisasm's symbols in an instruction's text: labels become plain; functions that are called,
 * `32@lo(NAME)` and `32@hi(NAME)` a zero, and *l gets what is wanted. */
void sass_symbol_opnd(struct reader *r, struct line *l);
#endif
