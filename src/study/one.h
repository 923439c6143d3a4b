/* One run of a sweep, wherever it runs. */
#ifndef STUDY_ONE_H
#define STUDY_ONE_H

/* Runs the task in WORK/tasks/KEY.json and leaves WORK/inbox/KEY.json, whole, or KEY.failed.
 * Returns an exit status. */
int one_run(const char *task);

#endif
