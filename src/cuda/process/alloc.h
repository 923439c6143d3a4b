/* Allocation that cannot fail: if the host has no memory, the process ends with a message. */
#ifndef CUDA_ALLOC_H
#define CUDA_ALLOC_H
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn static inline void rt_no_memory(void)
{
	static const char text[] = "heddle: the host has no memory left\n";
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(2);
	_exit(1);
}

static inline void *rt_alloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);
	if (!p)
		rt_no_memory();
	return p;
}
static inline void *rt_copy(const void *p, size_t n) { return memcpy(rt_alloc(n), n ? p : "", n); }
static inline char *rt_string(const char *s) { return rt_copy(s, strlen(s) + 1); }
static inline void *rt_grow(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		rt_no_memory();
	return p;
}

#endif
