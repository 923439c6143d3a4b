/* Inlined calls, as clang describes them behind the PTX of a module: sections of DWARF 2 whose addresses are labels of the text.
 *
 *   subprogram inner, line 1                     functions: who owns a line of a file
 *   subprogram outer, line 2
 *   subprogram k, line 4, from L0 to L9
 *     inlined outer, from L1 to L4, at 4:29      calls: a tree for each function that there is code of
 *       inlined inner, from L1 to L2, at 2:56
 *       inlined inner, from L3 to L4, at 3:14
 */
#ifndef NVCC_DEBUG_INFO_H
#define NVCC_DEBUG_INFO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_place {
	uint32_t file, line, column;
};
struct debug_function {
	uint32_t die; /* its place in the section */
	uint32_t file, line;
	const char *name;
};
/* An inlined call, or a function itself: the root of those in its code. */
struct debug_call {
	uint64_t low,
		high; /* of its code: offsets in the text; instructions of others may be between */
	uint32_t of;  /* the function: its die */
	struct debug_place at;
	int32_t up; /* the call that it is part of, or the function; -1: it is a function */
};
struct debug_info {
	struct debug_function *function, *by_line; /* by die; by file and line */
	struct debug_call *call;                   /* each behind the one that it is part of */
	size_t functions, calls;
	uint8_t *bytes; /* names are in here */
};

/* False: there are no sections in the text, or not all is understood. */
bool debug_info_read(struct debug_info *d, const char *text);
void debug_info_free(struct debug_info *d);
/* The function that a line belongs to, the last one that begins before it; NULL: none. Instances of a template
 * are one. */
const struct debug_function *debug_owner(const struct debug_info *d, uint32_t file, uint32_t line);
const struct debug_function *debug_function(const struct debug_info *d, uint32_t die);

#endif
