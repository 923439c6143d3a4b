/* Arena: memory that is freed all at once. Allocation never fails: running out of memory
 * ends the process with one message (the host is out of memory, the user's input is not at fault).
 * Pieces are zeroed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include <stddef.h>

struct arena {
	struct arena_chunk *head;
	size_t used; /* bytes used in head */
};

void *arena_alloc(struct arena *a, size_t size); /* zeroed, 16-byte aligned */
/* arena_alloc() aligned to ARENA_LINES bytes, so that data that different host threads write share no
 * cache lines. */
enum { ARENA_LINES = 128 };
void *arena_alloc_apart(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a); /* frees everything; the arena is reusable afterwards */

/* malloc() and relatives; they do not return on failure. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
/* xcalloc() aligned to a cache line of the host. */
enum { HOST_LINE = 64 };
void *xcalloc_lines(size_t n, size_t size);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))
#define ARENA_APART(a, T, n) ((T *)arena_alloc_apart((a), sizeof(T) * (size_t)(n)))

#endif
