/* The details of a run that are stored in addition to its figures: the cost of its source lines,
 * the traffic of each SM, L2 slice and DRAM channel, and the time series if the sweep asks for
 * one.
 *
 * 	{"lines": [{"kernel", "file", "line", "text", "issued", "lanes", "stall", "transactions",
 * 	            "joule"}],
 * 	 "spread": {"l2.accesses": [..]}, "series": {"columns": [..], "end": [..], "rows":
 * [[..]]}} */
#ifndef STUDY_REPORT_DETAIL_H
#define STUDY_REPORT_DETAIL_H
#include <jansson.h>

/* Extracts the details from the statistics of a run. */
json_t *detail_of(const json_t *stats);

#endif
