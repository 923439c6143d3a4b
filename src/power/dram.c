/* Energy of DRAM from a chip's data sheet: each command's charge above standby, the standby currents
 * by state, termination by bits; then the controller and its PHY. Units: mA x V x ns = pJ. The
 * currents are in the machine's [power] section, the table of rows in power/model.h. */
#include <math.h>
#include <string.h>
#include "power/model.h"

static const struct chip {
	const char *name;
	double v, idd0, idd2p, idd2n, idd3n, idd4r, idd4w, idd5, tck, ras, rp, rfc, burst, rate,
		width, term, phy;
	const char *source;
} known[] = {
#define CHIP(name, ...) {#name, __VA_ARGS__},
#include "power/dram.def"
#undef CHIP
};

static const struct chip *chip_of(const struct machine *m)
{
	const char *name = m->power_dram;
	if (!strcmp(name, "auto"))
		name = m->capability < 20 ? "gddr3" : m->capability < 60 ? "gddr5" : "hbm2";
	for (size_t i = 0; i < STAT_COUNT_OF(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return &known[0];
}

static struct power_row *add_command_row(struct power_model *p, const char *event,
					 const char *counter, double pj, const struct chip *d,
					 const char *formula)
{
	struct power_row *r =
		power_add(p, COMP_dram, event, "dram", counter, pj * 1e3, formula, d->source);
	r->split = SPLIT_MEMORY;
	return r;
}

static void add_state_row(struct power_model *p, const char *event, const char *counter,
			  double watts, const struct chip *d, const char *formula)
{
	double seconds = 1 / (p->m->dram_mhz * 1e6);
	struct power_row *r = power_add(p, COMP_dram, event, "dram", counter,
					watts * seconds * 1e15, formula, d->source);
	r->timed = true;
	r->hz = p->m->dram_mhz * 1e6;
}

void power_add_dram(struct power_model *p, struct diag *diag)
{
	const struct machine *m = p->m;
	const struct chip *d = chip_of(m);
	(void)diag;
	if (p->sm_only)
		return;
	/* A channel's burst may be longer or wider than a chip's: it takes several chips and
	 * several of their bursts. */
	double bits = m->dram_bus * 8.0 * m->dram_burst,
	       chips = fmax(1, m->dram_bus * 8.0 / d->width);
	double bursts = bits / (chips * d->width * d->burst), data = d->burst / d->rate * d->tck;
	add_command_row(
		p, "dram_activate", "activates",
		chips * d->v * (d->idd0 * (d->ras + d->rp) - d->idd3n * d->ras - d->idd2n * d->rp) *
			d->tck,
		d, "chips x V (IDD0 tRC - IDD3N tRAS - IDD2N tRP)");
	/* power.data = counted: the fraction power.data_fixed of a column access and of the PHY does not
	 * depend on data; the rest is proportional to transitions. Low bits cost termination, and inversion
	 * keeps them near half, so termination stays constant. */
	bool counted = m->power_data == DATA_COUNTED;
	double fixed = counted ? m->power_fixed : 1, moving = (1 - fixed) / (bits / 2);
	double rd = chips * bursts * d->v * (d->idd4r - d->idd3n) * data;
	double wr = chips * bursts * d->v * (d->idd4w - d->idd3n) * data;
	struct power_row *r =
		add_command_row(p, "dram_read", "read_bursts", fixed * rd + bits * d->term, d,
				"chips x V (IDD4R - IDD3N) BL/rate tCK + termination");
	power_term(r, "array and bus", fixed * rd * 1e3);
	power_term(r, "termination", bits * d->term * 1e3);
	r = add_command_row(p, "dram_write", "write_bursts", fixed * wr + bits * d->term, d,
			    "chips x V (IDD4W - IDD3N) BL/rate tCK + termination");
	power_term(r, "array and bus", fixed * wr * 1e3);
	power_term(r, "termination", bits * d->term * 1e3);
	if (counted) {
		static const char rest[] = "rest of the column access / half of its bits";
		add_command_row(p, "dram_read_toggle", "read_toggles", moving * rd, d, rest);
		add_command_row(p, "dram_write_toggle", "write_toggles", moving * wr, d, rest);
	}
	add_command_row(p, "dram_refresh", "refreshes",
			chips * d->v * (d->idd5 - d->idd2n) * d->rfc * d->tck, d,
			"chips x V (IDD5 - IDD2N) tRFC")
		->timed = true;
	p->rows.v[p->rows.n - 1].split = SPLIT_CLASS;
	add_state_row(p, "dram_open", "open_cycles", chips * d->v * d->idd3n * 1e-3, d,
		      "chips x V IDD3N");
	add_state_row(p, "dram_closed", "closed_cycles", chips * d->v * d->idd2n * 1e-3, d,
		      "chips x V IDD2N");
	add_state_row(p, "dram_idle", "idle_cycles", chips * d->v * d->idd2p * 1e-3, d,
		      "chips x V IDD2P");

	double phy = d->phy * sqrt(p->t.nm / 90) * bits; /* 1 mW per Gb/s is 1 pJ per bit */
	r = power_add(p, COMP_mc, "phy_burst", "dram", "read_bursts+write_bursts",
		      fixed * phy * 1e3, "bits x PHY x sqrt(F / 90)",
		      "McPAT: 10 mW a Gb/s at 90 nm");
	r->split = SPLIT_MEMORY;
	if (counted) {
		r = power_add(p, COMP_mc, "phy_toggle", "dram", "read_toggles+write_toggles",
			      moving * phy * 1e3, "rest of the PHY's / half of its bits",
			      "McPAT: 10 mW a Gb/s at 90 nm");
		r->split = SPLIT_MEMORY;
	}
	r = power_add(p, COMP_mc, "mc_request", "dram", "reads+writes", 20e3 * p->t.logic, "queue",
		      "assumed");
	r->split = SPLIT_MEMORY;
}
