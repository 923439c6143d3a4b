/* The shape of the register file, for its energy (rf.c) and for the pipeline, which counts its
 * accesses. */
#ifndef POWER_RF_H
#define POWER_RF_H
#include "conf/machine.h"

/* Lanes whose registers are in one physical array, a power of two that divides sm.simd_width. */
unsigned rf_array_lanes(const struct machine *m);

#endif
