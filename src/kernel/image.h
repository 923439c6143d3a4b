/* Building an image: one kernel and all functions it can call, from decoded program to executable form. A
 * kernel that cannot run is refused with an error. The image is declared in exec/image.h; lowering is in lower.c. */
#ifndef KERNEL_IMAGE_H
#define KERNEL_IMAGE_H
#include "exec/image.h"

struct image_opts {
	bool native_pdom; /* run native code by the post-dominator stack, not the token stack */
	bool check_race, check_init; /* bind the observed forms of loads and stores */
	/* Scalarization (enum scalar_rule in pass/scalar.h) and registers allocated by
	 * pass/alloc.h, at most max_regs per thread (0: what the target can name) and max_preds
	 * predicates (0: no limit). check_scalar: scalar instructions are checked when they are
	 * executed. */
	uint8_t scalar;
	bool check_scalar, allocate;
	bool by_value; /* marks instructions that are scalar if their operands' values are equal */
	uint32_t max_regs, max_preds;
	bool own_rows; /* for tests: each register has a row of its own instead of a shared one */
	/* For a debugger: each register has a separate row (image_func.row_of), and instructions
	 * are marked UOP_SHOWN. */
	bool debug;
	/* Only functional mode executes the image: lanes of a warp take turns at the ends of
	 * straight runs only (pass/brief.h). */
	bool functional;
};

/* Requires that variables have addresses (var->addr). NULL and errors in `d`: part of the kernel cannot run. */
struct image *image_build(const struct func *kernel, const struct image_opts *o, struct diag *d);
void image_free(struct image *img);

/* False, and an error with the instruction's place in the text: the instruction cannot be executed. */
bool image_check_inst(const struct func *f, const struct inst *in, struct diag *d);

/* priority_order.c: [pc]: position in the order of priorities, in arena a. */
const uint32_t *image_order(const struct image *img, struct arena *a);

/* gives_way.c: marks stores before which the block's other warps run (UOP_GIVES_WAY). */
void image_mark_gives_way(struct image *img);

/* constant_stores.c: finds stores of constants (image.constant). */
void image_find_constants(struct image *img);

/* lock_loop.c: marks SSY in front of loops that take locks; in checked images no loop runs as a whole. */
void image_mark_lock_loops(struct image *img, bool checked);

/* lower.c: lowers one function's code into img->code[start ..]. */
struct allocation;
struct lower {
	struct image *img;
	const struct image_opts *opts;
	struct diag *d;
	struct map consts;         /* 64-bit value -> constant rows */
	VEC(uint64_t) const_value; /* the values, two rows each, in order of their rows */
	VEC(uint32_t)
	shared_rows; /* per constant that is an address of shared memory: its lower
				    * row */
	VEC(struct param_row) params;
	/* per function: its registers; NULL: registers are not allocated */
	const struct allocation *alloc;
	bool fix_rows;       /* registers may be constant rows (fixed.h) */
	uint32_t *shared_at; /* var index -> offset in shared memory */
};
struct pass_info;
bool lower_func(struct lower *l, struct image_func *f, const struct pass_info *p);
/* The row operand of an immediate: two constant rows that hold it as 64 bits. */
int32_t lower_const(struct lower *l, uint64_t value);

#endif
