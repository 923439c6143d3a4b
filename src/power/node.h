/* A process at an operating point: the base of energies, leakage and areas. tech_of() reads it from the
 * machine's [power] section; all energies scale with it. The array model (power/array.h) and the
 * components' files use it. */
#ifndef POWER_NODE_H
#define POWER_NODE_H
#include "conf/machine.h"

struct tech {
	/* nominal feature size, nm; half pitch that lengths of the layout scale with, um */
	double nm, f;
	double vdd, nominal; /* supply voltage in use, V; nominal supply of the node, V */
	double cell;         /* area of an SRAM bit, um^2 */
	double gate;         /* gate capacitance per transistor width, fF/um */
	double sense;        /* energy of a sense amplifier at vdd, fJ */
	double ioff;         /* off current at the temperature, uA/um */
	double longch;       /* off current of long-channel devices, as a fraction of ioff */
	double leak;         /* leakage of logic at vdd and temperature, W/mm^2 */
	double wire;         /* energy of a transition on a repeated wire, fJ/mm */
	double logic;        /* energy of logic, relative to 40 nm and 0.96 V */
	double activity;
	const char *source;
};

/* The machine's [power] node, supply and temperature. `vdd` follows power.vdd_curve at gpu.core_mhz
 * if a curve is given. False and an error in d: the curve cannot be read. */
bool tech_of(struct tech *t, const struct machine *m, struct diag *d);
/* I_off relative to 380 K. */
double tech_temperature(double kelvin);

#endif
