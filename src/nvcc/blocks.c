/* Finds the block around each token of a text whose conditional directives may be unresolved.
 * rw_find_blocks() visits the tokens once.
 *
 *   #if A
 *   struct s : a {        a walk towards the beginning meets only one of the two braces, also from after #endif
 *   #else
 *   struct s {
 *   #endif */
#include <stdlib.h>
#include <string.h>
#include "nvcc/rewrite.h"

/* Returns the # of the directive whose end is at i. */
static size_t directive(const struct rw *r, size_t i)
{
	while (i != SIZE_MAX && r->t[i].kind != HASH)
		i--;
	return i;
}

static bool begins(const struct rw *r, size_t i, const char *two)
{
	return i < r->nt && r->t[i].len >= 2 && !memcmp(r->s + r->t[i].pos, two, 2);
}

/* A conditional whose #endif has not been read yet. */
struct conditional {
	unsigned first, branch; /* # of the #if; # of the branch being read */
	unsigned one;           /* # that ends the compiled branch, if its condition is the number
				 * 1; NO_BRACE: none */
	unsigned last;          /* # that ends the last branch whose condition is not the number 0;
				 * NO_BRACE: none */
};

/* Ends the current branch at the # i. Conditions are numbers if the text has been preprocessed. */
static void end_branch(const struct rw *r, struct conditional *c, unsigned i)
{
	size_t b = c->branch;
	bool number = b + 3 < r->nt && r->t[b + 3].kind == EOD;
	if (number && is(r, b + 2, "1") && c->one == NO_BRACE)
		c->one = i;
	if (!(number && is(r, b + 2, "0")))
		c->last = i;
	c->branch = i;
}

/* Fills back[i], for the # of each directive: the # before which a walk towards the beginning
 * continues. The walk visits only one branch of each #if ... #endif, because a brace may be opened
 * once in every branch. A walk that begins in a branch visits that branch; a walk from after #endif
 * visits the branch that is compiled, if known, otherwise the last one. */
static void find_branches(const struct rw *r, unsigned *back)
{
	struct conditional *open = NULL, *c;
	size_t n = 0, cap = 0;
	for (size_t k = 0; k < r->nt; k++) {
		unsigned i = (unsigned)k;
		back[i] = i;
		if (r->t[i].kind != HASH)
			continue;
		if (begins(r, i + 1, "if")) {
			open = rw_grow(open, &cap, n + 1, sizeof *open);
			open[n++] = (struct conditional){i, i, NO_BRACE, NO_BRACE};
		} else if (n && is(r, i + 1, "endif")) {
			c = &open[--n];
			end_branch(r, c, i);
			back[i] = c->one != NO_BRACE    ? c->one
				  : c->last != NO_BRACE ? c->last
							: c->first;
		} else if (n && begins(r, i + 1, "el")) {
			end_branch(r, &open[n - 1], i);
			back[i] = open[n - 1].first;
		}
	}
	free(open);
}

/* Returns the token before i, skipping whole directives; SIZE_MAX: none. */
static size_t before(const struct rw *r, const unsigned *back, size_t i)
{
	i--;
	while (i != SIZE_MAX && r->t[i].kind == EOD) {
		i = directive(r, i);
		if (i != SIZE_MAX)
			i = (size_t)back[i] - 1;
	}
	return i;
}

/* A token has the block of the token before it, unless that token opens or closes a block. */
void rw_find_blocks(struct rw *r)
{
	size_t cap[2] = {0, 0};
	unsigned *back = rw_grow(NULL, &cap[0], r->nt + 1, sizeof *back);
	r->around = rw_grow(NULL, &cap[1], r->nt + 1, sizeof *r->around);
	find_branches(r, back);
	for (size_t i = 0; i < r->nt; i++) {
		size_t last = before(r, back, i);
		unsigned brace = last == SIZE_MAX ? NO_BRACE : r->around[last];
		if (last != SIZE_MAX && punct(r, last, '{'))
			brace = (unsigned)last;
		else if (last != SIZE_MAX && punct(r, last, '}') && brace != NO_BRACE)
			brace = r->around[brace];
		r->around[i] = brace;
	}
	free(back);
}

size_t rw_opens_around(const struct rw *r, size_t i)
{
	return r->around[i] == NO_BRACE ? SIZE_MAX : r->around[i];
}

bool rw_in_directive(const struct rw *r, size_t i)
{
	while (i < r->nt && r->t[i].kind != EOD && r->t[i].kind != HASH)
		i++;
	return i < r->nt && r->t[i].kind == EOD;
}
