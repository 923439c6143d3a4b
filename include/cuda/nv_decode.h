/* Demangles names of CUDA, which are those of the host's C++ ABI. */
#ifndef __HEDDLE_NV_DECODE_H
#define __HEDDLE_NV_DECODE_H

#ifdef __cplusplus
#include <cxxabi.h>
#include <stddef.h>

/* The result is in `buffer`, which malloc gave and which may grow, or in memory of its own; status: 0, -1 no memory,
 * -2 not a mangled name, -3 bad arguments. */
static inline char *__cu_demangle(const char *__id, char *__buffer, size_t *__length, int *__status)
{
	return abi::__cxa_demangle(__id, __buffer, __length, __status);
}
#endif

#endif
