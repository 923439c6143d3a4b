#include "base/arena.h"
#include "base/pages.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In sanitizer builds a red zone follows each piece, and arrays of whole lines: accesses to it are
 * errors. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { CHUNK = 64 * 1024, GAP = 16 };
#define CLOSE(p, n) __asan_poison_memory_region(p, n)
#define OPEN(p, n)  __asan_unpoison_memory_region(p, n)
#else
enum { CHUNK = 64 * 1024, GAP = 0 };
#define CLOSE(p, n) ((void)0)
#define OPEN(p, n)  ((void)0)
#endif

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	bool pages;     /* the chunk is from pages_new() */
	bool use_pages; /* the next chunk will come from pages_new() */
	_Alignas(16) unsigned char data[];
};

static void *check_allocated(void *p)
{
	if (!p) {
		fputs("heddle: out of memory\n", stderr);
		exit(3);
	}
	return p;
}

void *xmalloc(size_t size) { return check_allocated(malloc(size ? size : 1)); }
void *xcalloc(size_t n, size_t size) { return check_allocated(calloc(n ? n : 1, size ? size : 1)); }
void *xrealloc(void *p, size_t size) { return check_allocated(realloc(p, size ? size : 1)); }
char *xstrdup(const char *s) { return check_allocated(strdup(s)); }

void *xcalloc_lines(size_t n, size_t size)
{
	size_t bytes = (n * size + HOST_LINE) &
		       ~(size_t)(HOST_LINE - 1); /* rounds up, to at least one line */
	unsigned char *p = memset(check_allocated(aligned_alloc(HOST_LINE, bytes)), 0, bytes);
	CLOSE(p + n * size, bytes - n * size);
	return p;
}

enum { MOST_IN_PAGES = 64 * 1024 };

static void push_chunk(struct arena *a, size_t size, bool pages)
{
	size_t bytes = sizeof(struct arena_chunk) + size;
	struct arena_chunk *c = pages ? pages_new(bytes) : xcalloc(1, bytes);
	c->size = size;
	c->pages = pages;
	c->next = a->head;
	a->head = c;
	a->used = 0;
}

void arena_use_pages(struct arena *a)
{
	push_chunk(a, 0, false);
	a->head->use_pages = true;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t piece = ((size + 15) & ~(size_t)15) + GAP;
	if (!a->head || a->head->size - a->used < piece) {
		bool pages = a->head && a->head->use_pages;
		push_chunk(a, piece > CHUNK ? piece : CHUNK, pages && piece <= MOST_IN_PAGES);
		a->head->use_pages = pages;
	}
	unsigned char *p = a->head->data + a->used;
	a->used += piece;
	CLOSE(p + size, piece - size);
	return p;
}

void *arena_alloc_apart(struct arena *a, size_t size)
{
	uintptr_t p = (uintptr_t)arena_alloc(a, size + 2 * ARENA_LINES);
	return (void *)((p + ARENA_LINES - 1) & ~(uintptr_t)(ARENA_LINES - 1));
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, ap2;
	va_start(ap, fmt);
	va_copy(ap2, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap2);
	va_end(ap2);
	return p;
}

void arena_free(struct arena *a)
{
	for (struct arena_chunk *c = a->head; c;) {
		struct arena_chunk *next = c->next;
		OPEN(c->data, c->size);
		if (c->pages)
			pages_free(c);
		else
			free(c);
		c = next;
	}
	a->head = NULL;
	a->used = 0;
}
