/* What the policies that a machine has chosen say about it, for rooms that do not know their
 * families: the energy model, the check of options, reports. machine_read() fills it in: first with
 * the values of a machine whose policies say nothing, then by each policy's describe()
 * (policy/policy.h). */
#ifndef CONF_FACTS_H
#define CONF_FACTS_H
#include <stdbool.h>
#include <stdint.h>

struct facts {
	/* lanes */
	uint32_t beat_lanes;     /* threads that go through the units side by side */
	uint32_t register_files; /* of an SM, each of sm.register_banks banks */
	bool scalar_file;        /* a scalar unit with registers of its own */
	bool squeezes;           /* threads of a warp move to as few parts as possible */
	bool in_step;            /* all SMs issue together, when the largest warp has gone */
	bool steps;              /* the pipeline moves in such common steps */
	bool idle_holds;         /* an SM that issues nothing holds the others to a full step */
	/* pipeline */
	double peak_ipc;       /* thread instructions per cycle of an SM, given enough issues */
	uint32_t locked_depth; /* cycles from issue to commit, if a group has one instruction in
				  flight; 0: it may have several */
	/* divergence, lanes */
	bool regroups; /* threads change their group or lane: tables say where they are */
	/* network */
	bool hops; /* flits take several links, and are counted on each */
	/* dispatcher */
	bool buffers; /* an SM has a buffer of what it may start */
};

#endif
