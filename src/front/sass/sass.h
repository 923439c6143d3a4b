/* What the files that read listings share. */
#ifndef FRONT_SASS_SASS_H
#define FRONT_SASS_SASS_H
#include "front/native/module.h"

struct line { /* one instruction's line */
	const char *text;
	size_t len;
	unsigned lineno;
	bool has_addr, has_hex, hex_first;
	bool open;        /* a comment without an end */
	unsigned no_word; /* digits of a word that has more than 8, but not 16; 0: none */
	uint32_t addr;
	uint64_t hex;
	unsigned digits;
	uint32_t pc;
	uint32_t source;    /* index + 1 into the module's sources; 0: not known */
	const char *symbol; /* whose address its immediate or target is, or NULL */
	uint32_t wants;     /* enum nreloc_type: how */
};

struct wanted { /* a relocation, done at the end of the file */
	struct nreloc r;
	unsigned lineno;
};

/* An ELF dump in a listing (sass_elf.c): what its section at hand has. */
struct sass_param {
	unsigned ordinal, offset, size;
};
struct sass_section {
	unsigned index, size;
	const char *name;
};
struct sass_fact { /* what a directive in the kernel would say */
	const char *kernel, *directive;
};
struct sass_dump {
	enum { PART_CODE, PART_ELF, PART_OTHER } part; /* OTHER: PTX, or code of another machine */
	const char *section, *attribute;               /* NULL: the table of sections */
	VEC(struct sass_section) table;
	VEC(uint32_t) word;
	VEC(struct sass_param) param;
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
	bool failed, at_end;     /* at_end: no lines are left */
	enum native_style style; /* of Fermi text */
	uint32_t source;         /* of the lines that follow, as in struct line */
	unsigned differ;         /* lines whose text is another instruction than the word */
	VEC(struct line) line;
	VEC(struct native_label) label;
	VEC(struct wanted) want;
	VEC(struct sass_fact) fact;
	struct sass_dump dump;
	unsigned other; /* an architecture whose code was skipped, or 0 */
};

__attribute__((format(printf, 3, 4))) void sass_error(struct reader *r, unsigned lineno,
						      const char *fmt, ...);
bool sass_starts(const char *s, const char *e, const char *w);
const char *sass_find(const char *s, const char *e, const char *w);
void sass_trim(const char **s, const char **e);
bool sass_number(const char **s, const char *e, uint64_t *v);

/* Moves *s to the next word that is not a number; returns its length. */
size_t sass_word(const char **s, const char *e);

/* One line's text, address and word. False: an open comment. */
bool sass_line(const char *s, const char *e, struct line *l);

/* dialect.c: guesses the dialect of a Fermi listing. *why: the evidence; NULL: there is none and
 * the usual dialect is assumed. Reads the .dialect directive. */
enum native_style sass_guess_dialect(const char *s, size_t n, const char **why);
bool sass_dialect_directive(struct reader *r, const char *s, const char *e);

/* sass_link.c: reads its directives; notes a relocation of a section; links at the end of the
 * file. */
bool sass_link_directive(struct reader *r, const char *s, const char *e);
void sass_want(struct reader *r, const char *section, struct nreloc want);
void sass_link(struct reader *r);

/* The code that follows is for sm_N. */
void sass_arch(struct reader *r, uint64_t sm);

/* sass_elf.c. sass_other_part: true if the line is not part of code. sass_dumped: gives the
 * function just opened what the dump said about it. */
bool sass_other_part(struct reader *r, const char *s, const char *e);
void sass_dumped(struct reader *r);

/* Reads a listing. loc: the file that messages name. lines: the number there of each line of the
 * text, or NULL. */
bool sass_read(struct nmodule *m, const struct srcloc *loc, const unsigned *lines, const char *s,
	       size_t n, struct diag *d);

/* directives.c: a line that begins with a dot. False: none of ours. */
bool sass_directive(struct reader *r, const char *s, const char *e);
/* Replaces nvdisasm's symbols in an instruction's text. Labels become plain; called functions,
 * `32@lo(NAME)` and `32@hi(NAME)` become a zero, and *l notes the symbol. */
void sass_symbol_opnd(struct reader *r, struct line *l);
#endif
