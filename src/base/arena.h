/* Arena: memory that is given back all at once. Allocation never fails: running out of memory
 * ends the process with one message (the host is out of memory, not the user's input at fault). */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include <stddef.h>

struct arena {
	struct arena_chunk *head;
	size_t used; /* bytes used in head */
};

void *arena_alloc(struct arena *a, size_t size); /* zeroed, 16-byte aligned */
/* The same, aligned to ARENA_LINES bytes: what different host threads write shares no lines of
 * their caches. */
enum { ARENA_LINES = 128 };
void *arena_alloc_apart(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a); /* all of it; reusable afterwards */

/* malloc and friends that do not return on failure. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
/* xcalloc(), from the start of one of the host's cache lines on. */
enum { HOST_LINE = 64 };
void *xcalloc_lines(size_t n, size_t size);

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))
#define ARENA_APART(a, T, n) ((T *)arena_alloc_apart((a), sizeof(T) * (size_t)(n)))

#endif
