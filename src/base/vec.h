/* Growable array of any type: struct { T *v; size_t n, cap; }, used through these macros. Growth never
 * fails (base/arena.h, xrealloc()). */
#ifndef BASE_VEC_H
#define BASE_VEC_H
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *v;                                                                              \
		size_t n, cap;                                                                     \
	}

#define vec_push(x, ...)                                                                           \
	do {                                                                                       \
		vec_reserve(x, (x)->n + 1);                                                        \
		(x)->v[(x)->n++] = __VA_ARGS__;                                                    \
	} while (0)

/* Capacity of a list of n elements when it first grows. In sanitizer builds short lists have no spare
 * capacity, so that an access after the last element is found. */
#ifdef __SANITIZE_ADDRESS__
#define VEC_ROOM(x) (x)->cap < 64 ? 0 : (x)->cap * 2
#else
#define VEC_ROOM(x) (x)->cap ? (x)->cap * 2 : 8
#endif

#define vec_reserve(x, want)                                                                       \
	do {                                                                                       \
		if ((x)->cap < (want)) {                                                           \
			size_t c_ = VEC_ROOM(x);                                                   \
			if (c_ < (want))                                                           \
				c_ = (want);                                                       \
			(x)->v = xrealloc((x)->v, c_ * sizeof(*(x)->v));                           \
			(x)->cap = c_;                                                             \
		}                                                                                  \
	} while (0)

#define vec_free(x) (free((x)->v), (x)->v = NULL, (x)->n = (x)->cap = 0)

#endif
