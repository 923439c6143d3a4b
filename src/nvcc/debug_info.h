/* Inlined calls, as clang describes them after the PTX of a module: sections of DWARF 2 whose
 * addresses are labels of the text.
 *
 *   subprogram inner, line 1                     functions: the owners of a file's lines
 *   subprogram outer, line 2
 *   subprogram k, line 4, from L0 to L9
 *     inlined outer, from L1 to L4, at 4:29      calls: a tree for each function with code
 *       inlined inner, from L1 to L2, at 2:56
 *       inlined inner, from L3 to L4, at 3:14 */
#ifndef NVCC_DEBUG_INFO_H
#define NVCC_DEBUG_INFO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_place {
	uint32_t file, line, column;
};
struct debug_function {
	uint32_t die; /* offset of the function's DIE in the section */
	uint32_t file, line;
	const char *name;
};
/* An inlined call; or a function with code, which is the root of the calls in its code. */
struct debug_call {
	uint64_t low,
		/* range of the code, offsets in the text; instructions of other calls may be
		 * inside */
		high;
	uint32_t of; /* function called, as offset of its DIE */
	struct debug_place at;
	int32_t up; /* index of the enclosing call or function; -1: the entry is a function */
};
struct debug_info {
	/* functions sorted by DIE; functions sorted by file and line */
	struct debug_function *function, *by_line;
	/* each call comes after the call that contains it */
	struct debug_call *call;
	size_t functions, calls;
	uint8_t *bytes; /* bytes of the string section; names point into it */
};

/* False: the text has no debug sections, or they cannot be read completely. */
bool debug_info_read(struct debug_info *d, const char *text);
void debug_info_free(struct debug_info *d);
/* Returns the function that a line belongs to: the last function that begins before it; NULL: none.
 * All instances of a template are one function. */
const struct debug_function *debug_owner(const struct debug_info *d, uint32_t file, uint32_t line);
const struct debug_function *debug_function(const struct debug_info *d, uint32_t die);

#endif
