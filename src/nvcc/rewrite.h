/* The text of a program as tokens, and edits to it: shared by the files that rewrite programs. */
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
	unsigned seq; /* order of edits at one position */
	char *ins;    /* inserted text; NULL: the deleted text becomes blanks */
	bool cut;     /* edits inside the deleted text are dropped */
};

struct rw {
	const char *s;
	size_t n;
	struct tok *t;
	size_t nt, tcap;
	struct edit *e;
	size_t ne, ecap;
	const struct cc_rewrite *how;
	struct words chosen; /* kernels for which overloads.c has declared companion functions */
	/* [token]: the brace that opens the block around it; NO_BRACE: none */
	unsigned *around;
};
#define NO_BRACE UINT_MAX

/* Grows the array p of elements of `size` bytes to at least `need` elements; returns its address. */
void *rw_grow(void *p, size_t *cap, size_t need, size_t size);
/* Replaces `del` bytes at pos by ins, which is freed (NULL: by blanks). Newlines are kept. */
void rw_edit(struct rw *r, unsigned pos, unsigned del, char *ins);

/* Like rw_edit(), but drops other edits of these bytes. */
void rw_cut(struct rw *r, unsigned pos, unsigned del, char *ins);

/* spaces.c: a member declared for one side (host or device) and defined for the other becomes a
 * member of both sides. */
void rw_spaces(struct rw *r);
/* prototypes.c: makes functions outside of classes agree in their execution spaces. */
void rw_prototypes(struct rw *r);

/* dependent.c: writes `template` before the members that how->templates describes. */
void rw_dependent(struct rw *r);
/* Returns the token after the template arguments that start at i; i: there are none. */
size_t rw_arguments_end(const struct rw *r, size_t i);

/* places.c: makes the edits how->places, FILE:LINE:COLUMN:EDIT, that clang's messages asked for
 * (cc_asks_places()). */
void rw_places(struct rw *r);

/* host_calls.c: makes the functions in how->both_sides functions of both sides, whose calls on the
 * device stop the thread. */
void rw_host_calls(struct rw *r);
/* Calls edit() for each entry FILE:LINE:COLUMN:NAME of `places`, with the byte range [from, to) of
 * that line, and the name. */
typedef void rw_place_fn(struct rw *r, size_t from, size_t to, const char *name, size_t column);
void rw_edit_places(struct rw *r, const struct words *places, rw_place_fn *edit);
/* Returns the first token that begins at byte pos or later. */
size_t rw_token_at(const struct rw *r, size_t pos);

/* blocks.c. rw_find_blocks() finds the blocks around all tokens. rw_opens_around() returns the brace that
 * opens the block around i; SIZE_MAX: none. rw_in_directive(): i is in a directive. */
void rw_find_blocks(struct rw *r);
size_t rw_opens_around(const struct rw *r, size_t i);
bool rw_in_directive(const struct rw *r, size_t i);
/* launches.c. rw_in_device(): the token is in the body of a device function, or of a function of
 * both sides if how->both. rw_device_launch() rewrites the launch from <<< to >>>; false: its kernel has
 * no plain name. */
bool rw_in_device(const struct rw *r, size_t i);
bool rw_device_launch(struct rw *r, size_t open, size_t close);

/* Returns the first token of the kernel's name before i, as in a::k<x>; *last: the token k. i: no
 * name stands there. */
size_t rw_name_begin(const struct rw *r, size_t i, size_t *last);

/* Rewrites a launch through a pointer (pointers.c); *then: the text that replaces the launch's <<<.
 * False: the launch names a kernel. */
bool rw_launch_pointer(struct rw *r, size_t open, const char **then);
/* Edits device code that takes the address of a kernel of the list how->kernels. */
void rw_kernel_addresses(struct rw *r);
/* Edits host code that takes the address of a device function of the list how->kernels. */
void rw_device_addresses(struct rw *r);

/* elements.c, if how->elements: checks indices of functions that return references to elements. */
void rw_elements(struct rw *r);

/* cluster.c: hands the cluster's dimensions, whose qualifier is at i, to cc_cluster_dims(). */
void rw_cluster(struct rw *r, size_t i);
/* dynamic.c: edits the declaration at i if it declares dynamic shared memory that is not an array. */
void rw_dynamic_shared(struct rw *r, size_t i);

/* internal.c: makes clang keep device variables that no other file can name. */
void rw_internal(struct rw *r);

/* True if the name at i is a kernel's (overloads.c). */
bool rw_is_kernel(struct rw *r, size_t i);
/* True if the kernel of this name is overloaded, or is a template that deduces arguments beyond
 * those that end before `end`. */
bool rw_several(struct rw *r, size_t name, size_t end);
/* True under the conditions of rw_several(); all declarations of the kernel then have the companion
 * function. */
bool rw_overloaded(struct rw *r, size_t name, size_t end);
/* Replaces the name from `from` to `end`, in a launch with the arguments in the bracket at open, by
 * the beginning of a call of the companion function. */
void rw_choose(struct rw *r, size_t from, size_t name, size_t end, size_t open);
/* Returns the first token of the declaration that contains i, its template<...> included. */
size_t rw_head(const struct rw *r, size_t i);

/* True if the two tokens have equal texts. */
bool rw_same(const struct rw *r, size_t a, size_t b);
/* Returns the token after the bracket that closes the bracket at i; past the end: no bracket closes
 * it. */
size_t rw_after(const struct rw *r, size_t i, char open, char close);
/* Returns the token of the class before the :: whose second colon is at i; `none`: no class is
 * named there. */
size_t rw_class_before(const struct rw *r, size_t i, size_t none);
/* Returns the opening bracket of the parameters of the function whose name starts at i. */
size_t rw_name_end(const struct rw *r, size_t i);
/* Returns the first token of the declaration that contains i: past the end of the previous
 * declaration and template heads. */
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
