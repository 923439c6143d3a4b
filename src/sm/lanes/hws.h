/* Options of sm.lanes = hws: squeezing warps, and SMs that keep step. */
#ifndef SM_LANES_HWS_H
#define SM_LANES_HWS_H
#include "conf/machine.h"

#define SQUEEZE_WHEN(X) X(BEFORE_MERGE, "before-merge") X(AFTER_MERGE, "after-merge")
enum { SQUEEZE_WHEN(CHOICE_ENUM) };
#define SCALE_SCOPES(X) X(SCALE_SM, "sm") X(SCALE_GPU, "gpu")
enum { SCALE_SCOPES(CHOICE_ENUM) };
#define SCALE_PIPELINES(X) X(SCALE_CYCLES, "cycles") X(SCALE_STEPS, "steps")
enum { SCALE_PIPELINES(CHOICE_ENUM) };
struct hws_options {
	bool squeeze, as_printed;
	uint32_t when, scope, pipeline;
	bool idle_holds;
};
extern const struct option_table hws_options;
static inline const struct hws_options *hws_of(const struct machine *m)
{
	return machine_own(m, &hws_options);
}

#endif
