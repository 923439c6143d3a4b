/* One small model for all memories: a bank of `bits` that delivers `width` of them at a time. Each
 * bit of a word has `mux` columns; the resulting rows are divided into subarrays of at most 256,
 * one of which is active at a time. Energies are fJ and contain drivers, latches, timing and the
 * array's own clock (a factor of 2.2). Against eight arrays of CACTI at 65 nm the geometric mean of
 * published/model is 0.99, one sigma a factor of 1.32. Users are the components' files (rf.c,
 * cache.c); the technology is in power/node.h. */
#ifndef POWER_ARRAY_H
#define POWER_ARRAY_H
#include "power/node.h"

struct array {
	double bits, width;
	unsigned mux;   /* columns per bit; 0: by rule, see array_cost() */
	bool lane;      /* true: a register or shared memory bank */
	unsigned ports; /* ports per cell; 0: one */
};

struct array_cost {
	double columns, rows, subarrays, sub_rows;
	double wordline, bitlines, sense, decode, tree; /* parts of a read's energy, fJ */
	double read, write;                             /* energy of a read, of a write, fJ */
	double write_bit;  /* energy per written bit, on top of write_none, fJ */
	double write_none; /* energy of a write that writes no bit, fJ */
	double leak;       /* leakage, W */
	double area;       /* area, mm^2 */
};

struct array_cost array_cost(const struct tech *t, const struct array *a);
/* power.data = counted: tech_still() is the technology without energy that depends on data;
 * array_toggle() and crossbar_toggle() are fJ per bit transition on an array's tree or in a crossbar. */
struct tech tech_still(const struct tech *t);
double array_toggle(const struct tech *t, const struct array *a);
double crossbar_toggle(const struct tech *t, double in, double out, double width);
/* A crossbar's energy for one bit, fJ, and its area, mm^2. */
double crossbar_bit(const struct tech *t, double in, double out, double width);
double crossbar_area(const struct tech *t, double in, double out, double width);

#endif
