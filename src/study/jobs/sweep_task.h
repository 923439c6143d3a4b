/* One run of a sweep, wherever it runs. */
#ifndef STUDY_JOBS_SWEEP_TASK_H
#define STUDY_JOBS_SWEEP_TASK_H

/* Runs the task in WORK/tasks/KEY.json and leaves WORK/inbox/KEY.json, whole, or KEY.failed.
 * Returns an exit status. */
int sweep_task_run(const char *task);

#endif
