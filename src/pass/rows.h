/* Rows for registers: where the executor keeps each virtual register of a function.
 *
 * Requires: cfg, live. Provides: row numbers. The executor reads rows in exec/lanes.h.
 *
 * 	 0  mov.u32 %a, %tid.x     %a  row 0
 * 	 1  mul.lo  %b, %a, 4      %b  row 0     %a dies here, the operation is simple
 * 	 2  cvt.u64 %c, %b         %c  rows 2-3  %b dies, but rows 0-1 would overlap it in part
 * 	 3  ld.v2   {%d, %e}, [%c] %d  row 0, %e row 1
 *
 * PTX has a new register for nearly each value; registers whose lives do not overlap share rows, so
 * that a warp's state stays in the host's cache. A register of 64 (128) bits has two (four) rows at
 * a multiple of two (four). Predicates have words of their own.
 *
 * The executor may rely on this: - a destination shares rows with another register's source of the
 * same instruction only if the
 *   operation is simple (rows_simple: one destination, each lane's result computed from that lane's
 *   sources alone) and both have the same number of rows: then both are exactly the same rows;
 * - a guard never shares with a destination;
 * - a register that may be read before it is written reads zero, if the executor clears the rows
 *   and predicates in zero_row, zero_pred when the function is entered;
 * - registers that other lanes may look at while their own lane is elsewhere (the source of shfl)
 *   share with no other and are cleared too, so that even those values do not depend on sharing.
 * Running a program with rows_identity, where nothing is shared, gives the same results. */
#ifndef PASS_ROWS_H
#define PASS_ROWS_H
#include "pass/live.h"

struct rows {
	/* register -> first row, or predicate number; -1: no instruction names it */
	int32_t *row;
	unsigned nrows, npreds;
	uint32_t *zero_row, nzero_row; /* rows to clear at entry, ascending */
	uint32_t *zero_pred, nzero_pred;
	unsigned nbrief; /* number of rows, at the end, that hold brief registers alone */
};

/* brief: registers whose rows no other register may share (pass/brief.h); NULL: none. */
void rows_alloc(struct rows *out, struct arena *a, const struct func *f, const struct live *l,
		const bool *brief);
/* The segments of l under the rules above: a source that must not share with a destination of its last
 * reader lives one point longer. In arena a, in l's order. */
struct seg *rows_segments(struct arena *a, const struct func *f, const struct live *l);
void rows_identity(struct rows *out, struct arena *a, const struct func *f);
bool rows_simple(const struct inst *in);

#endif
