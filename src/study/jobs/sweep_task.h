/* One run of a sweep, on whatever computer it runs. */
#ifndef STUDY_JOBS_SWEEP_TASK_H
#define STUDY_JOBS_SWEEP_TASK_H

/* Runs the task in WORK/tasks/KEY.json and leaves either WORK/inbox/KEY.json, complete, or
 * KEY.failed. Returns an exit status. */
int sweep_task_run(const char *task);

#endif
