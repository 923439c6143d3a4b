/* Facts that the chosen policies state about the machine, for folders that do not know the
 * policies' families: the energy model, the check of options, reports. machine_read() fills in the
 * values of a machine whose policies state nothing, then calls each policy's describe()
 * (policy/policy.h). */
#ifndef CONF_FACTS_H
#define CONF_FACTS_H
#include <stdbool.h>
#include <stdint.h>

struct facts {
	/* lanes */
	uint32_t beat_lanes;     /* threads that pass the units in one cycle, side by side */
	uint32_t register_files; /* register files per SM, each of sm.register_banks banks */
	bool scalar_file;        /* the SM has a scalar unit with separate registers */
	/* threads of a warp are moved together, so that the warp passes in as few parts as possible */
	bool squeezes;
	/* all SMs issue at the same time, when the largest warp issued anywhere has passed */
	bool in_step;
	bool steps; /* the pipeline advances in these common steps */
	/* an SM that issues nothing makes the others wait for a full step */
	bool idle_holds;
	/* pipeline */
	/* thread instructions per cycle of an SM, if enough instructions can issue */
	double peak_ipc;
	/* cycles from issue to commit, if a group has at most one instruction in
	 * flight; 0: several are allowed */
	uint32_t locked_depth;
	/* groups split and merge while instructions are in flight, so there is one scoreboard bit
	 * per register and thread */
	bool thread_scoreboard;
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
