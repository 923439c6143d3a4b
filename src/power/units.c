/* Energy of an instruction outside memories: fetch, control, its unit, and the mechanisms that form
 * groups. Energies are given for 40 nm and 0.96 V and scaled like logic. Classes are in
 * power/opclass.h, register accesses in rf.c. */
#include <string.h>
#include "power/model.h"
#include "power/rf.h"

static const struct {
	const char *event, *counter, *help, *source;
	double pj;
	enum power_class cls;
} unit[OPC_COUNT] = {
#define UNIT(name, report, pj, help, source)                                                       \
	{"unit_" #name, "op_threads", help, source, pj, CLASS_##report},
	OPCLASSES(UNIT)
#undef UNIT
};

static void add_control(struct power_model *p)
{
	static const struct {
		const char *name;
		double pj;
	} part[] = {{"decode", 8},
		    {"instruction buffer", 5.3},
		    {"scoreboard", 6},
		    {"select", 20},
		    {"stack", 2}};
	double sum = 0, wire = 100 * p->t.activity * p->t.wire * 3;
	for (unsigned i = 0; i < STAT_COUNT_OF(part); i++)
		sum += part[i].pj * 1e3 * p->t.logic;
	struct power_row *r = power_add(p, COMP_control, "control", "sm", "warp_instructions",
					sum + wire, "logic + 100 bit x activity x e_t x 3 mm",
					"GPUWattch 58.5, parts assumed");
	r->split = SPLIT_OPS;
	for (unsigned i = 0; i < STAT_COUNT_OF(part); i++)
		power_term(r, part[i].name, part[i].pj * 1e3 * p->t.logic);
	power_term(r, "broadcast to the lanes", wire);
}

void power_add_front(struct power_model *p)
{
	const struct machine *m = p->m;
	double bits = 8.0 * m->l1i_sets * m->l1i_ways * m->l1i_line;
	struct array a = {.bits = bits, .width = m->fetch_bytes * 8.0};
	struct array_cost c = array_cost(&p->t, &a);
	double tag = 1e3 * p->t.logic;
	struct power_row *r = power_add(p, COMP_fetch, "fetch", "sm", "fetches", c.read + tag,
					"L1I array + tags", "array model; GPUWattch 63.4");
	r->split = SPLIT_OPS;
	power_term(r, "array", c.read);
	power_term(r, "tags", tag);
	power_static(p, COMP_fetch, "L1I", c.area, c.leak);
	add_control(p);
}

/* 32-bit words of a thread's operands, if all are registers. With power.data = counted, transitions of
 * these words carry the part of a unit's energy that is not power.data_fixed, so that random operands
 * cost the mean. */
static const uint8_t operand_words[OPC_COUNT] = {
	[OPC_move] = 2,     [OPC_int_add] = 2,  [OPC_int_mul] = 3,  [OPC_cvt] = 2,
	[OPC_fp32_add] = 2, [OPC_fp32_mul] = 2, [OPC_fp32_fma] = 3, [OPC_sfu] = 1,
	[OPC_fp64_add] = 4, [OPC_fp64_mul] = 4, [OPC_fp64_fma] = 6, [OPC_shuffle] = 2,
};

static void counted_unit(struct power_model *p, unsigned i, double fj)
{
	static const char *const event[OPC_COUNT] = {
#define TOGGLE(name, report, pj, help, source) "toggle_" #name,
		OPCLASSES(TOGGLE)
#undef TOGGLE
	};
	struct power_row *r = power_add(
		p, COMP_units, event[i], "sm", "operand_toggles", fj / (16.0 * operand_words[i]),
		"rest of the unit's / half of its operands' bits", unit[i].source);
	r->slot = (int)i;
	r->cls = unit[i].cls;
	r->split = SPLIT_CLASS;
}

/* Adds the units' rows. Inactive lanes cost as much as active ones with power.fu_gate = none. */
void power_add_units(struct power_model *p)
{
	bool gated = strcmp(p->m->power_fu_gate, "none");
	struct power_row *r;
	for (unsigned i = 0; i < OPC_COUNT; i++) {
		double thread = unit[i].pj * 1e3 * p->t.logic, fj = thread;
		if (p->m->power_data == DATA_COUNTED && operand_words[i]) {
			fj *= p->m->power_fixed;
			counted_unit(p, i, thread - fj);
		}
		fj *= gated ? 1 : p->m->facts.beat_lanes;
		r = power_add(p, COMP_units, unit[i].event, "sm",
			      gated ? "unit_threads" : "op_parts", fj,
			      gated ? "logic" : "logic x simd_width", unit[i].source);
		r->slot = (int)i;
		r->cls = unit[i].cls;
		r->split = SPLIT_CLASS;
	}
	r = power_add(p, COMP_units, "mma_product", "sm", "mma_products", 0.3 * 13e3 * p->t.logic,
		      "0.3 of an f32 fma", "assumed");
	r->cls = CLASS_mma;
	r = power_add(p, COMP_lsu, "mem_instruction", "sm", "mem_instructions", 64e3 * p->t.logic,
		      "address comparison", "assumed");
	r->split = SPLIT_CLASS;
	r->cls = CLASS_global;
	r = power_add(p, COMP_lsu, "transaction", "sm", "transactions", 12e3 * p->t.logic,
		      "packing", "assumed");
	r->cls = CLASS_global;
}

/* Mechanisms that regroup threads store which thread each of a group's lanes has, and the group's
 * program counter: warps x (lanes x 10 + 32) bits. */
static void add_tables(struct power_model *p)
{
	const struct machine *m = p->m;
	if (!m->facts.regroups)
		return;
	double width = 10.0 * m->warp_size + 32;
	struct array a = {.bits = width * m->max_warps, .width = width, .mux = 1};
	struct array_cost c = array_cost(&p->t, &a);
	power_static(p, COMP_divergence, "tables of threads", c.area, c.leak);
}

/* A bit per register and thread beside the registers: an instruction reads the bits of three operands for all
 * threads, and the bits of its result are set and cleared. */
static void add_thread_scoreboard(struct power_model *p)
{
	const struct machine *m = p->m;
	if (!m->facts.thread_scoreboard)
		return;
	struct array a = {.bits = m->registers, .width = m->warp_size, .mux = 1};
	struct array_cost c = array_cost(&p->t, &a);
	struct power_row *r =
		power_add(p, COMP_divergence, "thread_scoreboard", "sm", "warp_instructions",
			  5 * c.read, "3 rows of bits read, 2 written", "array model");
	r->split = SPLIT_OPS;
	power_static(p, COMP_divergence, "scoreboard of threads", c.area, c.leak);
}

/* Scalar execution by value: a bit per register and thread, and a comparison of each word that is written. */
static void add_value_tags(struct power_model *p)
{
	const struct machine *m = p->m;
	if (!m->facts.compares_values)
		return;
	struct array a = {.bits = m->registers, .width = m->warp_size, .mux = 1};
	struct array_cost c = array_cost(&p->t, &a);
	struct power_row *r = power_add(p, COMP_scalar, "value_compare", "equal", "compares",
					0.5e3 * p->t.logic, "32-bit comparison", "assumed: 0.5 pJ");
	r->split = SPLIT_OPS;
	r = power_add(p, COMP_scalar, "value_bits", "sm", "warp_instructions", 4 * c.read,
		      "three rows of bits read, one written", "array model");
	r->split = SPLIT_OPS;
	power_static(p, COMP_scalar, "bits of equal values", c.area, c.leak);
}

/* Adds the rows of mechanisms that move threads between groups: energy per thread moved and per merge
 * tried. A mechanism without such events costs nothing. */
void power_add_policies(struct power_model *p)
{
	static const struct {
		enum power_component comp;
		const char *event, *inst, *counter, *what;
		double pj;
	} mech[] = {
		{COMP_divergence, "merge_try", "regroup", "merges_tried", "one compare in the pool",
		 20},
		{COMP_divergence, "pool_enter", "regroup", "entered", "an entry of the pool", 6},
		{COMP_divergence, "thread_move", "regroup", "moved_threads",
		 "lane and mask of a thread", 6},
		{COMP_divergence, "thread_squeeze", "regroup", "squeezed_threads",
		 "the same by a squeezer", 6},
		{COMP_divergence, "issue_squeeze", "sm", "squeezed_threads",
		 "the same for the time of an issue", 6},
		{COMP_divergence, "tbc_in", "tbc", "warps_in",
		 "a warp's masks into the block stack", 20},
		{COMP_divergence, "tbc_out", "tbc", "warps_out", "a compacted warp: 32 threads",
		 192},
	};
	for (unsigned i = 0; i < STAT_COUNT_OF(mech); i++) {
		struct power_row *r = power_add(p, mech[i].comp, mech[i].event, mech[i].inst,
						mech[i].counter, mech[i].pj * 1e3 * p->t.logic,
						mech[i].what, "assumed: 6 pJ a thread, 20 a merge");
		r->cls = CLASS_control;
	}
	add_tables(p);
	add_thread_scoreboard(p);
	add_value_tags(p);
	if (!p->m->facts.buffers)
		return;
	/* dispatch by warps: the buffer is read when a warp ends */
	struct array buffer = {.bits = 40, .width = 40, .mux = 1};
	struct array_cost c = array_cost(&p->t, &buffer);
	struct power_row *r = power_add(p, COMP_dispatch, "workload_buffer", "sm", "warps", c.read,
					"array 40 bit", "Xiang 2014: 40 bit an SM");
	r->cls = CLASS_control;
	power_static(p, COMP_dispatch, "workload buffers", c.area * p->m->sms, c.leak * p->m->sms);
}
