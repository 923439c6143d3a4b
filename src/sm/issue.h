/* One instruction of a group that is ready (issue.c), called by the schedulers (schedulers.c). */
#ifndef SM_ISSUE_H
#define SM_ISSUE_H
#include "sm/sm.h"

/* Issues the next instruction of group k of scheduler `sched`. False: the group waits for lanes of
 * its warp instead, and is no longer ready. */
bool issue_group(struct sm *sm, unsigned sched, int k);

#endif
