/* Facts that the chosen policies state about the machine, for rooms that do not know the policies'
 * families: the energy model, the check of options, reports. machine_read() fills in the
 * values of a machine whose policies state nothing, then calls each policy's describe()
 * (policy/policy.h). */
#ifndef CONF_FACTS_H
#define CONF_FACTS_H
#include <stdbool.h>
#include <stdint.h>

struct facts {
	/* lanes */
	uint32_t beat_lanes;     /* threads that pass the units side by side */
	uint32_t register_files; /* register files per SM, each of sm.register_banks banks */
	bool scalar_file;        /* the SM has a scalar unit with registers of its own */
	bool squeezes;           /* threads of a warp move to as few parts as possible */
	bool in_step;            /* all SMs issue together, when the largest warp has passed */
	bool steps;              /* the pipeline moves in such common steps */
	bool idle_holds;         /* an SM that issues nothing holds the others to a full step */
	/* pipeline */
	double peak_ipc; /* thread instructions per cycle of an SM, given enough issues */
	/* cycles from issue to commit, if a group has at most one instruction in
	 * flight; 0: several are allowed */
	uint32_t locked_depth;
	bool thread_scoreboard; /* groups part and merge while instructions are in flight: one
				 * scoreboard bit per register and thread */
	bool compares_values; /* scalar instructions are found by comparing results (sm/equal.h) */
	bool control_bits;    /* instructions issue by the control bits of machine code */
	/* divergence, lanes */
	bool regroups; /* threads change their group or lane, so tables record where they are */
	/* network */
	bool hops; /* flits cross several links and are counted on each */
	/* dispatcher */
	bool buffers; /* SMs have a buffer of blocks whose warps they start themselves */
};

#endif
