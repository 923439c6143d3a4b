#include "power/array.h"

#include <math.h>

#define CELLS    0.53 /* fraction of the area that is cells */
#define OVERHEAD 2.2
#define WIRE     0.28 /* capacitance of a wire inside an array, fF/um */
#define SWING    0.15 /* bitline swing of a read, fraction of vdd */
#define PITCH    17.5 /* pitch of a crossbar's wires, F */
enum { MOST_ROWS = 256 };

static unsigned columns_a_bit(const struct array *a)
{
	if (a->mux)
		return a->mux;
	return a->width >= 128 || a->lane || a->bits <= 4096 * 8 ? 1 : 4;
}

struct array_cost array_cost(const struct tech *t, const struct array *a)
{
	double grow = 1 + 0.35 * (a->ports > 1 ? a->ports - 1 : 0), cell = t->cell * grow * grow;
	double width = sqrt(1.46 * cell), height = sqrt(cell / 1.46);
	double v2 = t->vdd * t->vdd;
	struct array_cost o = {.columns = a->width * columns_a_bit(a)};
	o.rows = fmax(1, a->bits / o.columns);
	o.subarrays = ceil(o.rows / MOST_ROWS);
	o.sub_rows = o.rows / o.subarrays;
	double bit = o.sub_rows * (1.31 * t->f * 0.6 + WIRE * height),
	       log_rows = ceil(log2(o.rows));
	double mm = sqrt(a->bits * cell / CELLS) * 1e-3, read_bit = bit * SWING * v2;
	o.wordline = OVERHEAD * o.columns * (2 * 1.31 * t->f * t->gate + WIRE * width) * v2;
	o.bitlines = OVERHEAD * o.columns * read_bit;
	o.sense = OVERHEAD * a->width * t->sense;
	o.decode = OVERHEAD *
		   (2 * log_rows * WIRE * o.sub_rows * height + 2 * sqrt(o.rows) * t->gate) * v2;
	o.tree = OVERHEAD * (t->activity * a->width + log_rows) * t->wire * mm;
	o.read = o.wordline + o.bitlines + o.sense + o.decode + o.tree;
	/* Written bits swing fully and cross the tree; the other columns cost as in a read. */
	o.write_bit = OVERHEAD * (bit * v2 - read_bit);
	o.write_none = o.read - o.sense;
	o.write = o.write_none + a->width * o.write_bit;
	o.leak = a->bits * t->vdd * t->ioff * 5 * t->f * t->longch * 1e-6;
	o.area = a->bits * cell / CELLS
	*1e-6;
	return o;
}

static struct tech tech_with(const struct tech *t, double activity)
{
	struct tech o = *t;
	o.activity = activity;
	return o;
}

struct tech tech_still(const struct tech *t) { return tech_with(t, 0); }

double array_toggle(const struct tech *t, const struct array *a)
{
	struct tech still = tech_still(t), each = tech_with(t, 1);
	return (array_cost(&each, a).tree - array_cost(&still, a).tree) / a->width;
}

double crossbar_toggle(const struct tech *t, double in, double out, double width)
{
	struct tech each = tech_with(t, 1);
	return crossbar_bit(&each, in, out, width);
}

double crossbar_bit(const struct tech *t, double in, double out, double width)
{
	return (in + out) * width * PITCH * t->f * 1e-3 * t->activity * t->wire;
}

double crossbar_area(const struct tech *t, double in, double out, double width)
{
	double pitch = PITCH * t->f;
	return in * out * width * width * pitch * pitch * 1e-6;
}
