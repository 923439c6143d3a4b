/* Zeroed memory for the state that a simulation walks through again and again: SMs, caches, registers of
 * blocks. Pieces lie close together in huge pages of the host, where it has them: a large GPU has some hundred
 * megabytes of state, of which each window touches a little everywhere, and with small pages nearly every such
 * access would miss the host's TLB too.
 *
 * Any thread may call the functions. As with base/arena.h, running out of memory ends the process. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H
#include <stddef.h>

struct arena;

enum { PAGES_ALIGN = 128 };
void *pages_new(size_t size); /* aligned to PAGES_ALIGN bytes */
void pages_free(void *p);     /* p: from pages_new(), or NULL */
#define PAGES_ARRAY(T, n) ((T *)pages_new(sizeof(T) * (size_t)(n)))

/* Makes the empty arena allocate from such pages from now on, except for large pieces, which may
 * remain mostly untouched. */
void arena_use_pages(struct arena *a);

#endif
