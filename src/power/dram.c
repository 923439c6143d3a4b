/* DRAM from a chip's data sheet: each command's charge above what stands by, the standby currents by state,
 * termination by bits; the controller and its PHY. mA x V x ns = pJ. */
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

static struct power_row *command(struct power_model *p, const char *event, const char *counter,
				 double pj, const struct chip *d, const char *formula)
{
	struct power_row *r =
		power_add(p, COMP_dram, event, "dram", counter, pj * 1e3, formula, d->source);
	r->split = SPLIT_MEMORY;
	return r;
}

static void state(struct power_model *p, const char *event, const char *counter, double watts,
		  const struct chip *d, const char *formula)
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
	command(p, "dram_activate", "activates",
		chips * d->v * (d->idd0 * (d->ras + d->rp) - d->idd3n * d->ras - d->idd2n * d->rp) *
			d->tck,
		d, "chips x V (IDD0 tRC - IDD3N tRAS - IDD2N tRP)");
	double rd = chips * bursts * d->v * (d->idd4r - d->idd3n) * data;
	double wr = chips * bursts * d->v * (d->idd4w - d->idd3n) * data;
	struct power_row *r = command(p, "dram_read", "read_bursts", rd + bits * d->term, d,
				      "chips x V (IDD4R - IDD3N) BL/rate tCK + termination");
	power_term(r, "array and bus", rd * 1e3);
	power_term(r, "termination", bits * d->term * 1e3);
	r = command(p, "dram_write", "write_bursts", wr + bits * d->term, d,
		    "chips x V (IDD4W - IDD3N) BL/rate tCK + termination");
	power_term(r, "array and bus", wr * 1e3);
	power_term(r, "termination", bits * d->term * 1e3);
	command(p, "dram_refresh", "refreshes",
		chips * d->v * (d->idd5 - d->idd2n) * d->rfc * d->tck, d,
		"chips x V (IDD5 - IDD2N) tRFC")
		->timed = true;
	p->rows.v[p->rows.n - 1].split = SPLIT_CLASS;
	state(p, "dram_open", "open_cycles", chips * d->v * d->idd3n * 1e-3, d, "chips x V IDD3N");
	state(p, "dram_closed", "closed_cycles", chips * d->v * d->idd2n * 1e-3, d,
	      "chips x V IDD2N");
	state(p, "dram_idle", "idle_cycles", chips * d->v * d->idd2p * 1e-3, d, "chips x V IDD2P");

	double phy = d->phy * sqrt(p->t.nm / 90) * bits; /* 1 mW a Gb/s is 1 pJ a bit */
	r = power_add(p, COMP_mc, "phy_burst", "dram", "read_bursts+write_bursts", phy * 1e3,
		      "bits x PHY x sqrt(F / 90)", "McPAT: 10 mW a Gb/s at 90 nm");
	r->split = SPLIT_MEMORY;
	r = power_add(p, COMP_mc, "mc_request", "dram", "reads+writes", 20e3 * p->t.logic, "queue",
		      "assumed");
	r->split = SPLIT_MEMORY;
}
