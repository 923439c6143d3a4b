/* What is kept of a run beside its figures, for looking at one run or at two: what its source lines cost, the traffic of
 * each SM, L2 slice and DRAM channel, and the time series if the sweep asks for one.
 *
 *	{"lines": [{"kernel", "file", "line", "text", "issued", "lanes", "stall", "transactions", "joule"}],
 *	 "spread": {"l2.accesses": [..]}, "series": {"columns": [..], "end": [..], "rows": [[..]]}} */
#ifndef STUDY_DETAIL_H
#define STUDY_DETAIL_H
#include <jansson.h>

/* From the statistics of a run. */
json_t *detail_of(const json_t *stats);

#endif
