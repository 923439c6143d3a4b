/* Energy of the register file by its layout: physical arrays, the operand crossbar, the wire to the
 * units. A logical bank is simd_width x 32 / rf_width arrays side by side. A read activates whole
 * arrays (or words, power.rf_gate = lane); a write swings only the columns of active threads. A scalar
 * register file consists of banks of one word. Accesses are counted by the pipeline (sm.rf_reads, ...). */
#include "power/rf.h"

#include <string.h>
#include "power/model.h"

#define LATCH 10.0 /* energy per bit at 40 nm of a collector's or a lane register's latch, fJ */

unsigned rf_array_lanes(const struct machine *m)
{
	unsigned beat = m->facts.beat_lanes, n = 1;
	unsigned most = !strcmp(m->power_rf_layout, "lanes") ? m->power_rf_width / 32 : beat;
	while (2 * n <= most && beat % (2 * n) == 0)
		n *= 2;
	return n;
}

static void scalar_file(struct power_model *p)
{
	const struct tech *t = &p->t;
	struct array a = {.bits = 8192, .width = 32, .lane = true};
	struct array_cost c = array_cost(t, &a);
	double wire = 32 * t->activity * t->wire, latch = LATCH * t->logic;
	struct power_row *r =
		power_add(p, COMP_scalar, "scalar_read", "sm", "scalar_reads", c.read + 32 * latch,
			  "array 1 kB x 32 + 32 latches", "array model");
	power_term(r, "array", c.read);
	power_term(r, "latch", 32 * latch);
	r->split = SPLIT_OPS;
	r = power_add(p, COMP_scalar, "scalar_write", "sm", "scalar_writes", c.write,
		      "array 1 kB x 32", "array model");
	r->split = SPLIT_OPS;
	if (p->m->facts.scalar_file) /* one word per warp and bank */
		power_static(p, COMP_scalar, "scalar file", 4 * c.area, 4 * c.leak);
	/* half a millimetre of lanes per 16 of them, like the wire to the units */
	r = power_add(p, COMP_scalar, "broadcast", "sm", "broadcasts",
		      wire * p->m->simd_width / 32.0,
		      "32 bit x activity x e_t x (simd_width / 32 mm)", "wire model");
	r->split = SPLIT_OPS;
}

/* power.data = counted: the energy of one bit transition of an operand or result on its way. */
static void counted_bits(struct power_model *p, const struct array *a, double n_in, double n_out,
			 double cross_width, double mm)
{
	double tree = array_toggle(&p->t, a);
	double cross = crossbar_toggle(&p->t, n_in, n_out, cross_width), wire = mm * p->t.wire;
	static const struct {
		const char *event, *counter, *formula;
		double cross;
	} way[] = {
		{"operand_toggle", "operand_toggles", "tree + crossbar + wire, a bit", 1},
		{"result_toggle", "result_toggles", "tree + half a crossbar + wire, a bit", 0.5}};
	for (unsigned i = 0; i < STAT_COUNT_OF(way); i++) {
		struct power_row *r = power_add(p, COMP_rf, way[i].event, "sm", way[i].counter,
						tree + way[i].cross * cross + wire, way[i].formula,
						"array and wire models");
		r->split = SPLIT_SLOT;
		power_term(r, "tree", tree);
		power_term(r, "crossbar", way[i].cross * cross);
		power_term(r, "wire", wire);
	}
}

void power_add_rf(struct power_model *p)
{
	const struct machine *m = p->m;
	bool counted = m->power_data == DATA_COUNTED;
	struct tech tech = counted ? tech_still(&p->t) : p->t; /* data have rows of their own */
	const struct tech *t = &tech;
	bool lanes = !strcmp(m->power_rf_layout, "lanes");
	double row = m->simd_width * 32.0, width = 32.0 * rf_array_lanes(m);
	double files = m->facts.register_files, banks = m->reg_banks;
	double arrays = row / width; /* arrays per bank */
	struct array a = {.bits = 32.0 * m->registers / (files * banks * arrays),
			  .width = width,
			  .lane = true};
	struct array_cost c = array_cost(t, &a);
	double cross = crossbar_bit(t, banks, m->power_rf_ports, lanes ? 32 : row);
	double mm = lanes && width <= 32 ? 0.25 : 0.5, wire = mm * t->activity * t->wire;
	bool word = m->power_rf_gate == GATE_LANE;
	double read = word ? 32 : width, latch = LATCH * t->logic;
	struct power_row *r;

	r = power_add(p, COMP_rf, "rf_read", "sm", "rf_reads",
		      c.read * read / width + read * (cross + wire + latch),
		      "array + width x (crossbar + wire + latch)", "array model, CACTI's tables");
	r->split = SPLIT_SLOT;
	power_term(r, "array", c.read * read / width);
	power_term(r, "crossbar", read * cross);
	power_term(r, "wire", read * wire);
	power_term(r, "latch", read * latch);
	r = power_add(p, COMP_rf, "rf_write", "sm", "rf_writes", c.write_none,
		      "array, no bit written", "array model, CACTI's tables");
	r->split = SPLIT_SLOT;
	r = power_add(p, COMP_rf, "rf_word", "sm", "rf_words",
		      32 * (c.write_bit + cross / 2 + wire),
		      "32 x (bit written + half a crossbar + wire)", "array model, CACTI's tables");
	r->split = SPLIT_SLOT;
	power_term(r, "bits written", 32 * c.write_bit);
	power_term(r, "crossbar", 16 * cross);
	power_term(r, "wire", 32 * wire);
	if (counted)
		counted_bits(p, &a, banks, m->power_rf_ports, lanes ? 32 : row, mm);

	power_static(p, COMP_rf, "register arrays", c.area * files * banks * arrays,
		     c.leak * files * banks * arrays);
	power_static(p, COMP_rf, "operand crossbars",
		     files * (lanes ? crossbar_area(t, banks, m->power_rf_ports, 32) * m->simd_width
				    : crossbar_area(t, banks, m->power_rf_ports, row)),
		     0);
	scalar_file(p);
	r = power_add(p, COMP_lanes, "lane_load", "lanes", "instructions", 96 * latch,
		      "96 bit of instruction and mask x 10 fJ", "design: a lane's registers");
	r->split = SPLIT_OPS;
	unsigned beat = m->facts.beat_lanes;
	if (beat < m->simd_width) { /* each lane has arrays of its own */
		struct array regs = {.bits = 96.0 * m->simd_width / beat, .width = 96, .ports = 2};
		struct array_cost l = array_cost(t, &regs);
		power_static(p, COMP_lanes, "instruction registers", l.area, l.leak);
	}
}
