/* Exact matrix products of golden vectors: the warp's fragments gathered into A (16 x K), B (K x 8)
 * and C (16 x 8), multiplied in double precision, which represents every product exactly; its error
 * is small compared with the tolerance. The variants give A = {a, b}, B = {c}, and C = {d, 0, d, 0}
 * (f32) or {d, 0} (f16 pairs).
 *
 * Fragments, with group = lane / 4 and t = lane % 4:
 *   A register j: row group + 8 j; columns 2 t, 2 t + 1 (pairs) or t (tf32)
 *   B register:   column group;    rows    2 t, 2 t + 1 (pairs) or t (tf32)
 *   C number j:   row group + 8 (j / 2), column 2 t + j % 2 */
#include <math.h>
#include <string.h>
#include "cli/golden/bound.h"

struct shape {
	const char *prefix;
	unsigned k, parts; /* parts: numbers per register of A and B */
	struct numformat in;
	bool half; /* true: C and D are f16 */
};
static const struct shape shapes[] = {
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 8, 2, {16, 5, 10, 2}, false},
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 8, 2, {16, 5, 10, 2}, true},
	{"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 8, 2, {16, 8, 7, 2}, false},
	{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, 1, {32, 8, 23, 1}, false},
};

/* Returns number `col` of the fragment register `operand` of a lane in `group`. */
static double read_element(const struct shape *s, const uint64_t *warp, unsigned group,
			   unsigned col, unsigned operand)
{
	unsigned lane = group * 4 + col / s->parts;
	uint64_t w = warp[OPERANDS_MAX * lane + operand];
	if (s->parts == 2)
		w = w >> (16 * (col % 2)) & 0xffff;
	else
		w &= 0xffffe000u; /* tf32 has ten fraction bits */
	return (double)num_value(s->in, w);
}

bool mma_exact(const char *name, const struct operands *g, const uint64_t *words, uint32_t i,
	       unsigned r, unsigned part, double *exact, double *magnitude)
{
	const struct shape *s = NULL;
	for (unsigned n = 0; n < sizeof shapes / sizeof *shapes; n++)
		if (!strcmp(shapes[n].prefix, name))
			s = &shapes[n];
	if (!s || g->count != 4)
		return false;
	const uint64_t *warp = words + OPERANDS_MAX * (i & ~31u);
	unsigned lane = i % 32, j = s->half ? 2 * r + part : r, group = lane / 4,
		 col = 2 * (lane % 4) + j % 2;
	uint64_t d = warp[OPERANDS_MAX * lane + 3];
	double c = 0;
	if (s->half && j < 2)
		c = (double)num_value((struct numformat){16, 5, 10, 2}, d >> (16 * j) & 0xffff);
	else if (!s->half && j % 2 == 0)
		c = (double)num_value((struct numformat){32, 8, 23, 1}, d & 0xffffffffu);
	*exact = c;
	*magnitude = fabs(c);
	for (unsigned k = 0; k < s->k; k++) {
		double p =
			read_element(s, warp, group, k, j / 2) * read_element(s, warp, col, k, 2);
		*exact += p;
		*magnitude += fabs(p);
	}
	return true;
}
