/* Energy of caches and shared memory: tags are read at each try, data arrays at hits and after fills.
 * With power.data = counted, transitions on the trees of the arrays and in the crossbar have rows of
 * their own. Arrays are modelled in power/array.h, the table of rows in power/model.h. */
#include <string.h>
#include "power/model.h"

#define TAG_BITS 24.0 /* bits of tag and state per way */

struct cache_shape {
	enum power_component comp;
	const char *inst;
	uint32_t kind; /* enum cache_kind */
	double sets, ways, line, sector, mshrs;
	const char *event[7];
	enum power_split split;
	enum power_class cls;
};

static void add_cache_row(struct power_model *p, const struct cache_shape *s, unsigned k,
			  const char *counter, double fj, const char *formula)
{
	struct power_row *r = power_add(p, s->comp, s->event[k], s->inst, counter, fj, formula,
					k == 3 || k == 4 ? "assumed: 64-entry CAM"
							 : "array model, CACTI's tables");
	r->split = s->split;
	r->cls = s->cls;
}

static void add_cache(struct power_model *p, const struct cache_shape *s)
{
	if (s->kind == KIND_OFF)
		return;
	double unit = (s->sector > 0 ? s->sector : s->line) * 8,
	       bits = s->sets * s->ways * s->line * 8;
	struct array data = {.bits = bits, .width = unit};
	struct array tags = {.bits = s->sets * s->ways * TAG_BITS, .width = s->ways * TAG_BITS};
	/* Beyond 16 ways the tags are not all compared at once: 16 of them and a partial match. */
	if (s->ways > 16)
		tags.width = 16 * TAG_BITS;
	struct tech tech = p->m->power_data == DATA_COUNTED ? tech_still(&p->t) : p->t;
	struct array_cost d = array_cost(&tech, &data), t = array_cost(&p->t, &tags);
	/* Fetches read instructions: their energy contains array and tags. */
	/* With an L2 in two halves, every second access looks up in both and crosses between them. */
	double both = s->comp == COMP_l2 ? 2 - 1.0 / p->m->power_l2_halves : 1;
	if (s->comp != COMP_l1i) {
		add_cache_row(p, s, 0, "accesses+fails_mshr+fails_merge+fails_queue+fails_line",
			      both * t.read, "tags of a set");
		add_cache_row(p, s, 1, "data_reads", both * d.read, "data array, a line or sector");
	}
	add_cache_row(p, s, 2, "data_writes", d.write, "data array, a line or sector");
	if (p->m->power_data == DATA_COUNTED && s->comp != COMP_l1i) {
		double bit = array_toggle(&p->t, &data);
		add_cache_row(p, s, 5, "read_toggles", both * bit, "tree of the data array, a bit");
		add_cache_row(p, s, 6, "write_toggles", bit, "tree of the data array, a bit");
	}
	if (s->mshrs > 0) {
		add_cache_row(p, s, 3, "misses", 6e3 * p->t.logic * s->mshrs / 64,
			      "MSHR entered: 6 pJ x entries / 64");
		add_cache_row(p, s, 4, "fills", 3e3 * p->t.logic * s->mshrs / 64,
			      "MSHR left: 3 pJ x entries / 64");
	}
	if (s->comp != COMP_l1i)
		power_static(p, s->comp, s->inst, d.area + t.area, d.leak + t.leak);
}

/* power.data = counted: words pass the crossbar lane by lane; addresses and stored words are
 * operands of the load/store unit, loaded words its results. */
static void counted_shared(struct power_model *p, const struct array *bank)
{
	const struct machine *m = p->m;
	double cross = crossbar_toggle(&p->t, m->shared_banks, m->simd_width, 32);
	double tree = array_toggle(&p->t, bank);
	const struct {
		const char *event, *counter, *formula;
		enum power_component comp;
		int slot;
		enum power_class cls;
		double tree;
	} way[] = {{"shared_operand_toggle", "operand_toggles", "crossbar, a bit", COMP_shared,
		    OPC_shared, CLASS_shared, 0},
		   {"shared_result_toggle", "result_toggles", "tree of a bank + crossbar, a bit",
		    COMP_shared, OPC_shared, CLASS_shared, tree},
		   {"l1_deliver_toggle", "result_toggles", "crossbar from L1 to lanes, a bit",
		    COMP_lsu, OPC_global, CLASS_global, 0}};
	for (unsigned i = 0; i < (m->capability >= 70 ? 3 : 2); i++) {
		struct power_row *r = power_add(p, way[i].comp, way[i].event, "sm", way[i].counter,
						way[i].tree + cross, way[i].formula, "array model");
		r->slot = way[i].slot;
		r->cls = way[i].cls;
		if (way[i].tree > 0)
			power_term(r, "tree", way[i].tree);
		power_term(r, "crossbar", cross);
	}
}

static void add_shared(struct power_model *p)
{
	const struct machine *m = p->m;
	if (!m->shared_bytes)
		return;
	struct array a = {
		.bits = 8.0 * m->shared_bytes / m->shared_banks, .width = 32, .lane = true};
	bool counted = m->power_data == DATA_COUNTED;
	struct tech tech = counted ? tech_still(&p->t) : p->t;
	struct array_cost c = array_cost(&p->t, &a);
	double read = array_cost(&tech, &a).read;
	double mean = 32 * crossbar_bit(&p->t, m->shared_banks, m->simd_width, 32);
	double cross = counted ? 0 : mean;
	struct power_row *r =
		power_add(p, COMP_shared, "shared_read", "sm", "shared_words", read + 2 * cross,
			  "bank + crossbar both ways", "array model, CACTI's tables");
	r->cls = CLASS_shared;
	r->slot = 0;
	power_term(r, "bank", read);
	power_term(r, "crossbar", 2 * cross);
	r = power_add(p, COMP_shared, "shared_write", "sm", "shared_words", c.write + 2 * cross,
		      "bank + crossbar both ways", "array model, CACTI's tables");
	r->cls = CLASS_shared;
	r->slot = 1;
	power_term(r, "bank", c.write);
	power_term(r, "crossbar", 2 * cross);
	/* Copies pass the crossbar once but no lanes; mean activity is assumed for their data. */
	const struct {
		const char *event;
		double bank;
	} copy[] = {{"copy_read", c.read}, {"copy_write", c.write}};
	for (int i = 0; i < 2; i++) {
		r = power_add(p, COMP_shared, copy[i].event, "sm", "copied_words",
			      copy[i].bank + mean, "bank + crossbar once",
			      "array model, CACTI's tables");
		r->cls = CLASS_global;
		r->slot = i;
		power_term(r, "bank", copy[i].bank);
		power_term(r, "crossbar", mean);
	}
	r = power_add(p, COMP_shared, "shuffle", "sm", "op_threads", mean, "crossbar, 32 bit",
		      "array model");
	r->slot = OPC_shuffle;
	r->cls = CLASS_int;
	/* From Volta on the L1's data are in these banks and pass this crossbar to the lanes. */
	if (m->capability >= 70 && !counted) {
		r = power_add(p, COMP_lsu, "l1_deliver", "sm", "rf_words", cross,
			      "crossbar from L1 to lanes, 32 bit", "array model");
		r->slot = OPC_global;
		r->cls = CLASS_global;
	}
	if (counted)
		counted_shared(p, &a);
	power_static(p, COMP_shared, "shared banks", c.area * m->shared_banks,
		     c.leak * m->shared_banks);
	power_static(p, COMP_shared, "shared crossbar",
		     crossbar_area(&p->t, m->shared_banks, m->simd_width, 32), 0);
}

void power_add_caches(struct power_model *p)
{
	const struct machine *m = p->m;
#define SHAPE(name) m->name##_kind, m->name##_sets, m->name##_ways, m->name##_line, m->name##_sector
#define EVENTS(name)                                                                               \
	{                                                                                          \
		name "_lookup", name "_read", name "_write", name "_mshr", name "_fill",           \
			name "_read_toggle", name "_write_toggle"                                  \
	}
	const struct cache_shape l1[] = {
		{COMP_l1d, "l1d", SHAPE(l1d), m->l1d_mshrs, EVENTS("l1d"), SPLIT_CLASS,
		 CLASS_global},
		{COMP_l1c, "l1c", SHAPE(l1c), m->l1c_mshrs, EVENTS("l1c"), SPLIT_CLASS,
		 CLASS_const},
		{COMP_l1t, "l1t", SHAPE(l1t), m->l1t_mshrs, EVENTS("l1t"), SPLIT_CLASS,
		 CLASS_texture},
		{COMP_l1i, "l1i", SHAPE(l1i), m->l1i_mshrs, EVENTS("l1i"), SPLIT_OPS,
		 CLASS_control},
	};
	/* The L2's misses wait in the slice's table, whose energy is part of the lookup's. */
	const struct cache_shape l2 = {COMP_l2, "l2", SHAPE(l2), 0, EVENTS("l2"), SPLIT_MEMORY, 0};
	for (unsigned i = 0; i < STAT_COUNT_OF(l1); i++)
		add_cache(p, &l1[i]);
	/* four f32 fma per quad of texels that an access delivers */
	struct power_row *r =
		power_add(p, COMP_l1t, "texture_filter", "sm", "op_threads",
			  4 * 13e3 / 4 * p->t.logic, "4 f32 fma a quad of texels", "assumed");
	r->slot = OPC_texture;
	r->cls = CLASS_texture;
	add_shared(p);
	if (!p->sm_only)
		add_cache(p, &l2);
}
