/* Atomics: declarations shared by the general form (atom.c) and the fast one (atom_cells.c). */
#ifndef EXEC_ATOM_H
#define EXEC_ATOM_H
#include "exec/alu/float.h"

/* Global memory adds floats at the L2: f32 flushes denormals there, f64 passes a signalling NaN of
 * either operand unquieted. Shared memory uses the SM's ordinary adder. */
static inline uint32_t atom_add_f32(uint32_t a, uint32_t b, bool shared)
{
	return f32_add_bits(a, b, !shared);
}
static inline uint64_t atom_add_f64(uint64_t a, uint64_t b, bool shared)
{
	if (!f64_is_nan(a) && !f64_is_nan(b))
		return f64_add_bits(a, b);
	return shared ? f64_nan2(a, b) : f64_is_nan(b) ? b : a;
}

/* The new value of a cell of at most 64 bits that held `a`, after an atomic operation (enum atom);
 * c: the new value of a compare-and-swap. `shared`: adds as shared memory does. */
uint64_t atom_combine(unsigned mode, unsigned type, uint64_t a, uint64_t b, uint64_t c,
		      bool shared);

exec_fn atom_any;        /* any operation by lanes w->mask, wherever their cells are */
bind_fn bind_atom_cells; /* false: not one of atom_cells.c */

#endif
