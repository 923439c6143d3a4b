/* Allocation that cannot fail: the process ends when the host has no memory. */
#ifndef CUDA_ALLOC_H
#define CUDA_ALLOC_H
#include <stdlib.h>
#include <string.h>

static inline void *rt_alloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);
	if (!p)
		abort();
	return p;
}
static inline void *rt_copy(const void *p, size_t n) { return memcpy(rt_alloc(n), n ? p : "", n); }
static inline char *rt_string(const char *s) { return rt_copy(s, strlen(s) + 1); }
static inline void *rt_grow(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		abort();
	return p;
}

#endif
