/* The text of a program as tokens, and edits to it: what the files that rewrite it share. */
#ifndef NVCC_REWRITE_H
#define NVCC_REWRITE_H
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "nvcc/cc.h"

enum kind { IDENT, STRING, PUNCT, OTHER, HASH, EOD };

struct tok {
	unsigned pos;
	unsigned len : 28, kind : 4;
};

struct edit {
	unsigned pos, del;
	unsigned seq; /* edits at one place stay in the order they were made */
	char *ins;    /* NULL: the deleted text becomes blanks */
	bool cut;     /* other edits in the deleted text are none */
};

struct rw {
	const char *s;
	size_t n;
	struct tok *t;
	size_t nt, tcap;
	struct edit *e;
	size_t ne, ecap;
	const struct cc_rewrite *how;
	struct words chosen; /* kernels for which overloads.c has declared what chooses one */
	unsigned *around;    /* the brace before each token whose block it is in; NO_BRACE: none */
};
#define NO_BRACE UINT_MAX

/* Room for `need` elements of that size: p, or where it is now. */
void *rw_grow(void *p, size_t *cap, size_t need, size_t size);
/* Replaces `del` bytes at pos by ins, which is freed; NULL: by blanks. Newlines stay. */
void rw_edit(struct rw *r, unsigned pos, unsigned del, char *ins);

/* The same; other edits of these bytes are dropped. */
void rw_cut(struct rw *r, unsigned pos, unsigned del, char *ins);

/* spaces.c: makes members that are declared for one side and defined for another members of
 * both. */
void rw_spaces(struct rw *r);
/* prototypes.c: the same for functions outside of classes. */
void rw_prototypes(struct rw *r);

/* dependent.c: writes `template` before members where how->templates says that it is missing. */
void rw_dependent(struct rw *r);

/* host_calls.c: makes the functions of how->both_sides functions of both sides that must not be called. */
void rw_host_calls(struct rw *r);

/* blocks.c: finds the blocks around all tokens; the brace that opens the one around i, SIZE_MAX: none does; whether i
 * is in a directive. */
void rw_find_blocks(struct rw *r);
size_t rw_opens_around(const struct rw *r, size_t i);
bool rw_in_directive(const struct rw *r, size_t i);
/* launches.c: whether the token is in the body of a function of the device alone, or of both sides if how->both; the launch from
 * <<< to >>> there, rewritten. False: its kernel has no plain name. */
bool rw_in_device(const struct rw *r, size_t i);
bool rw_device_launch(struct rw *r, size_t open, size_t close);

/* The first token of the kernel's name before i: a::k<x>; last: that of k. i: there is none. */
size_t rw_name_begin(const struct rw *r, size_t i, size_t *last);

/* pointers.c: the launch at open by a pointer; then: what stands for its <<<. False: it is by a name. */
bool rw_launch_pointer(struct rw *r, size_t open, const char **then);
/* Addresses of the kernels of how->kernels in device code. */
void rw_kernel_addresses(struct rw *r);
/* Those of them that are device functions, in host code. */
void rw_device_addresses(struct rw *r);

/* elements.c, if how->elements: checks indices of functions that return references to elements. */
void rw_elements(struct rw *r);

/* internal.c: makes clang keep the device's variables that no other file can name. */
void rw_internal(struct rw *r);

/* overloads.c: whether a kernel has the name at i. */
bool rw_is_kernel(struct rw *r, size_t i);
/* Whether the kernel of this name is one of several, or a template that deduces arguments beyond those that end
 * before `end`. */
bool rw_several(struct rw *r, size_t name, size_t end);
/* The same; then all have the function that chooses. */
bool rw_overloaded(struct rw *r, size_t name, size_t end);
/* The name from `from` to `end` in a launch with the arguments in the bracket at open becomes the beginning of a call. */
void rw_choose(struct rw *r, size_t from, size_t name, size_t end, size_t open);
/* The token with which the declaration of i begins, its template's head included. */
size_t rw_head(const struct rw *r, size_t i);

/* Whether the two tokens are one text. */
bool rw_same(const struct rw *r, size_t a, size_t b);
/* The token after the bracket that closes the one at i; past the end: none does. */
size_t rw_after(const struct rw *r, size_t i, char open, char close);
/* The class before the :: whose second colon is at i; `none`: no class is named there. */
size_t rw_class_before(const struct rw *r, size_t i, size_t none);
/* Where the parameters of the function start whose name starts at i. */
size_t rw_name_end(const struct rw *r, size_t i);
/* The first token of the declaration that has i: behind what ends another one and template
 * heads. */
size_t rw_declaration(const struct rw *r, size_t i);

static inline bool is(const struct rw *r, size_t i, const char *word)
{
	return i < r->nt && r->t[i].len == strlen(word) &&
	       !memcmp(r->s + r->t[i].pos, word, r->t[i].len);
}

static inline bool is_any(const struct rw *r, size_t i, const char *const *words)
{
	for (; *words; words++)
		if (is(r, i, *words))
			return true;
	return false;
}

static inline bool punct(const struct rw *r, size_t i, char c)
{
	return i < r->nt && r->t[i].kind == PUNCT && r->s[r->t[i].pos] == c;
}

#endif
