/* The executable form of a kernel: its code and that of every function it can reach, pre-decoded,
 * with the constant rows they read. kernel/image.h builds it; nothing changes it afterwards. */
#ifndef EXEC_IMAGE_H
#define EXEC_IMAGE_H
#include "exec/uop.h"
#include "ir/module.h"

/* A function inside an image. */
struct image_func {
	const struct func *f;
	uint32_t start, end;    /* pcs */
	uint32_t nrows, npreds; /* frame size */
	uint32_t frame_bytes;   /* local frame */
	uint32_t *zero, nzero;  /* rows that must read zero when the function is entered */
	/* checked images: .local variables in order, with forbidden bytes after each */
	struct local_var {
		uint32_t at, size; /* offset in the frame; size, both in bytes */
		const char *name;
	} * local;
	uint32_t nlocal;
	uint8_t *used; /* [register]: enum reg_use of check.h */
	/* images for a debugger, [register]: first row, or number of the predicate; -1: no instruction
	 * names it; otherwise NULL */
	int32_t *row_of;
};
/* Bytes between two variables of a checked image, so that an index a few elements out of range does
 * not reach the next variable. */
enum { VAR_GAP = 256 };

struct param_row { /* a constant row that is filled from the parameter block */
	uint32_t row, offset;
	uint8_t size; /* bytes, 1..4 */
	bool sext;
};

/* One kernel with every function it can reach, pre-decoded. Shared by all warps and launches. */
/* How often a warp executes an instruction: once per thread; once, by the compiler's facts (pass/scalar.h); or once
 * where the values of its operands are equal (sm/equal.h). */
enum scalar_mark { SCALAR_NEVER, SCALAR_BY_FACT, SCALAR_BY_VALUE };

struct image {
	const struct func *kernel;
	struct uop *code;
	uint32_t ncode;
	struct image_func *funcs;
	uint32_t nfuncs;
	int32_t *func_of; /* module func index -> image func, -1: not in this image */
	uint8_t *crows;   /* constant rows that each launch copies */
	uint32_t ncrows;
	uint32_t *shared_rows, nshared_rows; /* constant rows with addresses of shared memory */
	struct param_row *params;
	uint32_t nparams;
	uint32_t nwindows;                       /* memory windows: one per memory instruction */
	uint32_t rows_max, preds_max, local_max; /* rows, predicates and local bytes of the deepest
	                                          * call chain, without recursion */
	/* the code uses alloca: frames end with a word that keeps wstate.dyn during calls */
	bool has_alloca;
	/* recursion, indirect calls or alloca: frames grow up to the stack limit */
	bool recursive;
	uint32_t shared_base;  /* bytes at the start of shared memory that the system reserves */
	uint32_t shared_bytes; /* static shared memory, bytes from address 0 on */
	uint32_t shared_gaps;  /* bytes of shared_bytes that only separate checked variables */
	/* checked images: shared variables lie apart, with forbidden bytes after each */
	struct shared_var {
		uint32_t at, size;
		const char *name;
	} * shared_var;
	uint32_t nshared;
	uint64_t stores; /* checked images: pointers that the kernel stores through
	                  * (pass/stores.h) */
	/* checked images, [pc]: for a store of constants, a number that identifies its values; 0:
	 * others */
	uint64_t *constant;
	bool barriers; /* the code has instructions on barriers */
	bool products; /* checked images of PTX: the code has wgmma */
	bool proxies;  /* checked images of PTX: the code has instructions of the async proxy */
	/* the code asks for the address of the system's part of shared memory, so the launch must
	 * reserve that part */
	bool reserved_smem;
	uint32_t dyn_align;
	uint32_t registers; /* registers per thread, estimate for occupancy */
	uint32_t scheduled; /* registers per thread of code that is scheduled for latency
	                     * (pass/pressure.h) */
	/* Allocated code: registers per thread, scalar registers per warp, bytes of local memory
	 * for spills. */
	uint32_t vector_regs, scalar_regs, spill_bytes;
	uint8_t *scalar;     /* [pc]: enum scalar_mark; NULL: not analysed */
	struct once *once;   /* [pc]: data for `scalar` instructions; NULL: they are executed for
	                      * each thread */
	bool ordered;        /* the code has operations that communicate between blocks */
	bool legacy_barrier; /* target below sm_70: barriers count warps */
	/* Fermi or Tesla code, run by the token stack (kernel/token_flow.h) */
	bool native;
	bool converges;          /* code for sm_70 and later, run by convergence barriers
	                          * (kernel/converge.c) */
	lock_loop_fn *lock_loop; /* executes the lock loop after an SSY whose reconv is not NO_PC */
	struct arena arena;
};

/* Function pointers: FUNC_BASE + number of the function in its module * FUNC_STEP. */
#define FUNC_BASE 0x00100000ull
#define FUNC_STEP 16

#endif
