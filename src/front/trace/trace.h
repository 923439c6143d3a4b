/* Reads a kernel's trace as Accel-Sim's tracer writes it (.traceg, versions 3 to 6 of the tracer): a header of
 * `-key = value` lines, then for each thread block and warp the instructions it executed.
 *
 *	-kernel name = add            #BEGIN_TB
 *	-grid dim = (2,1,1)           thread block = 0,0,0
 *	-block dim = (32,1,1)         warp = 0
 *	...                           insts = 2
 *	                              0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4 0
 *	                              0020 ffffffff 0 EXIT 0 0
 *	                              #END_TB
 *
 * A trace lacks predicates, uniform registers, constants, all but the first register of an operand,
 * control bits, data. Version 6 adds clusters, values and a second immediate, which are skipped. */
#ifndef FRONT_TRACE_TRACE_H
#define FRONT_TRACE_TRACE_H
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "ir/replay.h"

enum { TRACE_OPERANDS = 8, TRACE_RZ = 255 };

/* An instruction of the code, taken from the first line with its address. */
struct trace_inst {
	uint32_t address;
	uint32_t line;      /* number of that first line */
	const char *opcode; /* with its modifiers: LDG.E.128 */
	uint8_t nd, ns;     /* numbers of registers written and read */
	uint8_t d[TRACE_OPERANDS],
		s[TRACE_OPERANDS]; /* numbers of these registers; TRACE_RZ: reads as zero */
	uint8_t width;             /* bytes accessed per lane; 0: no access */
};

struct trace {
	const char *kernel; /* mangled name */
	unsigned registers; /* registers per thread */
	unsigned target;    /* architecture: 80 for sm_80 */
	uint64_t shared,
		local; /* generic addresses at which shared and local memory begin; 0: not given */
	struct replay
		/* the warps' paths; arrays: those of the vectors below; step.pc: index in `inst` */
		replay;
	VEC(struct trace_inst) inst; /* in the order of addresses after trace_read() */
	VEC(struct replay_step) step;
	VEC(int64_t) address;
	VEC(struct replay_warp) warp;
	struct arena arena; /* memory of names and opcodes */
};

/* True for a text that begins as a trace does. */
bool trace_recognise(const char *text, size_t n);
/* Reads a trace. False: the text is not a valid trace; d has errors with file and line. Call
 * trace_free() in any case. */
bool trace_read(struct trace *t, const char *file, const char *text, size_t n, struct diag *d);
void trace_free(struct trace *t);

#endif
