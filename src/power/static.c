/* Time-proportional energy: clock, leakage of arrays and logic, gating, idle SMs, the constant
 * part; and the areas that leakage depends on. Called last, when the components have added their
 * areas. The table of rows is in power/model.h. */
#include <assert.h>
#include <string.h>
#include "power/model.h"

/* Area of an SM's logic at 40 nm, mm^2, assumed: floating point units of published processors, the rest
 * from die photographs of Fermi. */
#define LANE_MM2  0.020 /* integer and f32 */
#define SFU_MM2   0.050
#define DP_MM2    0.030
#define MMA_MM2   0.030
#define FRONT_MM2 0.150 /* per scheduler */
#define LSU_MM2   0.100

static double scale_area(const struct power_model *p, double mm2)
{
	return mm2 * (p->t.f / 0.040) * (p->t.f / 0.040);
}

static double sm_logic(struct power_model *p, double *lanes)
{
	const struct machine *m = p->m;
	double sfu = m->sfu_units * m->simd_width / 8.0,
	       mma = m->capability >= 70 ? m->mma_units * m->simd_width : 0;
	*lanes = scale_area(p, m->simd_width * (LANE_MM2 * m->sp_units + DP_MM2 * m->dp_units) +
				       SFU_MM2 * sfu + MMA_MM2 * mma);
	double rest = scale_area(p, FRONT_MM2 * m->schedulers + LSU_MM2);
	if (m->facts.scalar_file) {
		double one = scale_area(p, LANE_MM2);
		power_static(p, COMP_scalar, "scalar unit", one, one * p->t.leak);
	}
	power_static(p, COMP_units, "arithmetic units", *lanes, *lanes * p->t.leak);
	power_static(p, COMP_logic, "front end, load/store unit", rest, rest * p->t.leak);
	return *lanes + rest;
}

static void add_timed(struct power_model *p, enum power_component c, const char *event,
		      const char *inst, const char *counter, double watts, const char *formula,
		      const char *source)
{
	double each = counter ? watts / p->hz : watts; /* counters of this file are core cycles */
	struct power_row *r = power_add(p, c, event, inst, counter, each * 1e15, formula, source);
	r->timed = true;
	r->hz = counter ? p->hz : 0;
}

/* Adds leakage of a component of an SM, W, less the gated part. */
static void sm_leak(struct power_model *p, enum power_component c, const char *event, double watts)
{
	const struct machine *m = p->m;
	const char *src = "leakage model, CACTI's tables";
	double kept = m->power_gate_residual;
	bool idle = m->power_idle_sm >= 0;
	/* idle SMs have a separate row; without such a row they cost as much as busy SMs */
	const char *counter = idle ? "busy_cycles" : "cycles";
	if (c == COMP_rf && m->power_gate_regs) {
		add_timed(p, c, event, "sm", counter, watts * kept, "leakage x gate_residual", src);
		add_timed(p, c, "rf_leak_allocated", "sm", "alloc_registers",
			  watts * (1 - kept) / m->registers,
			  "leakage x (1 - gate_residual) a register", src);
		return;
	}
	bool power = !strcmp(m->power_fu_gate, "power");
	if (c == COMP_units && (m->power_gate_lane || power)) {
		double lanes = (double)m->simd_width * m->sp_units;
		add_timed(p, c, event, "sm", counter, watts * kept, "leakage x gate_residual", src);
		add_timed(p, c, "units_leak_active", "sm", "lane_cycles",
			  watts * (1 - kept) / lanes, "leakage x (1 - gate_residual) a lane in use",
			  src);
		return;
	}
	add_timed(p, c, event, "sm", counter, watts, "leakage", src);
	if (m->power_gate_sm && !idle)
		add_timed(p, c, arena_printf(&p->arena, "%s_gated", event), "sm", "gated_cycles",
			  -watts * (1 - kept), "less (1 - gate_residual) while gated", src);
}

static void clock_tree(struct power_model *p)
{
	double busy = 450e3 * p->t.logic, idle = 150e3 * p->t.logic;
	power_add(p, COMP_clock, "clock_busy", "sm", "busy_cycles", busy, "logic",
		  "assumed; GPUWattch 25.5 W x duty")
		->timed = true;
	if (p->m->power_idle_sm < 0)
		power_add(p, COMP_clock, "clock_idle", "sm", "idle_cycles", idle, "logic",
			  "assumed: a third")
			->timed = true;
	else
		add_timed(p, COMP_idle_sm, "idle_sm", "sm", "idle_cycles", p->m->power_idle_sm,
			  "power.idle_sm", "option");
	if (p->m->power_active_sms > 0)
		add_timed(p, COMP_logic, "sm_active", "sm", "busy_cycles",
			  p->m->power_active_sms / p->m->sms, "power.active_sms / SMs", "option");
	/* the registers of lanes that hold an instruction of their own are clocked */
	power_add(p, COMP_lanes, "lane_clock", "lanes", "busy", 96 * 10.0 * p->t.logic,
		  "96 bit x 10 fJ", "assumed")
		->timed = true;
}

void power_add_static(struct power_model *p)
{
	const struct machine *m = p->m;
	double lanes, mm2[HOME_COUNT] = {0}, watts[COMP_COUNT] = {0}, leak = 0;
	sm_logic(p, &lanes);
	for (size_t i = 0; i < p->areas.n; i++) {
		const struct power_area *a = &p->areas.v[i];
		enum power_home h = power_components[a->comp].home;
		mm2[h] += a->mm2;
		watts[a->comp] += a->watts;
	}
	for (unsigned h = 0; h < HOME_COUNT; h++)
		p->modelled += mm2[h] * p->count[h];
	for (unsigned c = 0; c < COMP_COUNT; c++)
		leak += watts[c] * p->count[power_components[c].home];
	p->die = m->power_die > 0 ? m->power_die : p->modelled;
	/* With a published die size the whole die leaks at the node's density; the arrays take the
	 * share of their bits. */
	double other = m->power_die > 0 ? p->t.leak * p->die - leak : 0, shrink = 1;
	if (other < 0) {
		shrink = p->t.leak * p->die / leak;
		other = 0;
	}
	static const char *const event[COMP_COUNT] = {
		[COMP_fetch] = "l1i_leak",
		[COMP_rf] = "rf_leak",
		[COMP_scalar] = "scalar_leak",
		[COMP_units] = "units_leak",
		[COMP_shared] = "shared_leak",
		[COMP_l1d] = "l1d_leak",
		[COMP_l1c] = "l1c_leak",
		[COMP_l1t] = "l1t_leak",
		[COMP_logic] = "logic_leak",
		[COMP_l2] = "l2_leak",
		[COMP_divergence] = "divergence_leak",
		[COMP_lanes] = "lanes_leak",
		[COMP_dispatch] = "dispatch_leak",
	};
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		if (!(watts[c] > 0))
			continue;
		assert(event[c]);
		if (power_components[c].home == HOME_SM)
			sm_leak(p, c, event[c], watts[c] * shrink);
		else
			add_timed(p, c, event[c], NULL, NULL, watts[c] * shrink, "leakage",
				  "leakage model");
	}
	if (other > 0)
		add_timed(p, COMP_other, "other_leak", NULL, NULL, other,
			  "leak_density x die - all modelled leakage", p->t.source);
	add_timed(p, COMP_constant, "constant", NULL, NULL, p->sm_only ? 0 : m->power_constant,
		  "power.constant", "option");
	clock_tree(p);
}

/* How often a row's event happens per second of a machine that has long been idle: SMs are gated
 * and DRAM is powered down where the machine has these features. */
static double at_rest(const struct power_model *p, const struct power_row *r)
{
	static const char *const sm[] = {"cycles", "idle_cycles", "gated_cycles"};
	if (!r->inst) /* the row is in watts */
		return 1;
	if (!strcmp(r->inst, "dram"))
		return strcmp(r->counter, p->m->power_dram_idle ? "idle_cycles" : "closed_cycles")
			       ? 0
			       : r->hz;
	for (size_t i = 0; !strcmp(r->inst, "sm") && i < STAT_COUNT_OF(sm); i++)
		if (!strcmp(r->counter, sm[i]))
			return p->hz;
	return 0;
}

double power_idle(const struct power_model *p)
{
	double watts = 0;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct power_row *r = &p->rows.v[i];
		double n = p->count[power_components[r->comp].home];
		watts += r->timed ? n * at_rest(p, r) * r->joule : 0;
	}
	return watts;
}
