/* A process at an operating point: what energies, leakage and areas are computed from. */
#ifndef POWER_NODE_H
#define POWER_NODE_H
#include "conf/machine.h"

struct tech {
	double nm, f;        /* the name; what lengths of the layout go with, um */
	double vdd, nominal; /* V: in use; the node's own */
	double cell;         /* um^2 of an SRAM bit */
	double gate;         /* fF/um of transistor width */
	double sense;        /* fJ of a sense amplifier, at vdd */
	double ioff;         /* uA/um at the temperature */
	double longch;       /* what long-channel devices leave of it */
	double leak;         /* W/mm^2 of logic, at vdd and temperature */
	double wire;         /* fJ/mm of a transition on a repeated wire */
	double logic;        /* energy of logic, relative to 40 nm and 0.96 V */
	double activity;
	const char *source;
};

/* The machine's [power] node, supply and temperature. `vdd` follows power.vdd_curve at gpu.core_mhz
 * if there is one. False and an error in d: the curve cannot be read. */
bool tech_of(struct tech *t, const struct machine *m, struct diag *d);
/* I_off relative to 380 K. */
double tech_temperature(double kelvin);

#endif
