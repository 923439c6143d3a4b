/* Interface between the files that read listings of machine code: sass.c reads lines, directives.c
 * and sass_link.c directives, sass_elf.c ELF dumps, dialect.c guesses the dialect. */
#ifndef FRONT_SASS_SASS_H
#define FRONT_SASS_SASS_H
#include "front/native/module.h"

struct line { /* one instruction's line */
	const char *text;
	size_t len;
	unsigned lineno;
	bool has_addr, has_hex, hex_first;
	bool open; /* the line ends inside a comment */
	/* number of digits of a word with more than 8 and not 16 digits; 0: none */
	unsigned no_word;
	uint32_t addr;
	uint64_t hex;
	unsigned digits;
	uint32_t pc;
	uint32_t source;    /* index + 1 into the module's sources; 0: not known */
	const char *symbol; /* symbol whose address is the immediate or target; NULL: none */
	uint32_t wants;     /* enum nreloc_type of that symbol's relocation */
};

struct wanted { /* a relocation that is applied when the whole file has been read */
	struct nreloc r;
	unsigned lineno;
};

/* A parameter in an ELF dump (sass_elf.c), and the state of the dump's current section. */
struct sass_param {
	unsigned ordinal, offset, size;
};
struct sass_section {
	unsigned index, size;
	const char *name;
};
struct sass_fact { /* information about a kernel that a directive would give */
	const char *kernel, *directive;
};
struct sass_dump {
	enum { PART_CODE, PART_ELF, PART_OTHER } part; /* PART_OTHER: PTX, another machine's code */
	const char *section, *attribute;               /* section NULL: the table of sections */
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
	enum native_style style; /* at_end: no lines are left to read */
	uint32_t source;         /* source of the lines that follow, as in struct line */
	/* number of lines whose text and word are different instructions */
	unsigned differ;
	VEC(struct line) line;
	VEC(struct native_label) label;
	VEC(struct wanted) want;
	VEC(struct sass_fact) fact;
	struct sass_dump dump;
	unsigned other; /* an architecture whose code was skipped; 0: none was */
};

__attribute__((format(printf, 3, 4))) void sass_error(struct reader *r, unsigned lineno,
						      const char *fmt, ...);
bool sass_starts(const char *s, const char *e, const char *w);
const char *sass_find(const char *s, const char *e, const char *w);
void sass_trim(const char **s, const char **e);
bool sass_number(const char **s, const char *e, uint64_t *v);

/* Moves *s to the next word that is not a number; returns its length. */
size_t sass_word(const char **s, const char *e);

/* Reads one line's text, address and word. False: a comment is not closed. */
bool sass_line(const char *s, const char *e, struct line *l);

/* Guesses the dialect of a Fermi listing (dialect.c). *why: the evidence; NULL: there is none, and
 * the usual dialect is assumed. sass_dialect_directive() reads the .dialect directive. */
enum native_style sass_guess_dialect(const char *s, size_t n, const char **why);
bool sass_dialect_directive(struct reader *r, const char *s, const char *e);

/* sass_link.c: reads a directive about linking; notes a relocation of a section; links at the end
 * of the file. */
bool sass_link_directive(struct reader *r, const char *s, const char *e);
void sass_want(struct reader *r, const char *section, struct nreloc want);
void sass_link(struct reader *r);

/* Records that the code that follows is for sm_N. */
void sass_arch(struct reader *r, uint64_t sm);

/* sass_elf.c. sass_other_part() returns true if the line is not part of code. sass_dumped() gives
 * the most recently opened function the information from the dump. */
bool sass_other_part(struct reader *r, const char *s, const char *e);
void sass_dumped(struct reader *r);

/* Reads a listing. loc: the file that messages name. lines: per line of the text, its number in
 * that file; NULL: counted from 1. */
bool sass_read(struct nmodule *m, const struct srcloc *loc, const unsigned *lines, const char *s,
	       size_t n, struct diag *d);

/* Reads a line that begins with a dot (directives.c). False: the directive is not known. */
bool sass_directive(struct reader *r, const char *s, const char *e);
/* Replaces nvdisasm's symbols in an instruction's text. Labels become plain; called functions,
 * `32@lo(NAME)` and `32@hi(NAME)` become a zero, and *l notes the symbol. */
void sass_symbol_opnd(struct reader *r, struct line *l);
#endif
