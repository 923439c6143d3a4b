/* The folder STORE.work beside a store, through which runs and the sweep communicate. Computers
 * need to share nothing else:
 *
 * 	tasks/    tasks to run
 * 	inbox/    KEY.json: a result, written completely and then renamed; KEY.failed: why there is none
 * 	log/      output of runs
 * 	passes/   KEY.ck: checkpoints from which sampled runs start; KEY.HOST.PID.part: being written;
 * 	          KEY.HOST.PID.use: a sweep needs them
 *
 * The sweep stores results and removes them here, also those of earlier sweeps that were killed. */
#ifndef STUDY_JOBS_WORK_H
#define STUDY_JOBS_WORK_H
#include "base/arena.h"
#include "study/store/db.h"

struct work {
	struct arena arena;
	const char *dir;
	struct db *db;
	unsigned added; /* number of results stored */
};

/* Makes the folder; false: errno has the error, dir the path. */
bool work_open(struct work *w, struct db *db, const char *store);
void work_close(struct work *w);
/* Stores all results in the inbox, of any sweep. */
void work_take(struct work *w);
/* Removes files of dead processes of this computer. Processes of other computers cannot be checked:
 * their files are removed when the store has their run. */
void work_clean(struct work *w);
/* True if the run has left a file in the inbox or is stored. *status: 0; 1: the run failed. */
bool work_arrived(struct work *w, const char *key, int *status);
/* Returns the recorded reason why a run has no result, in the arena; NULL: none. Removes the
 * record. */
const char *work_why(struct work *w, const char *key);
/* True if "HOST.PID..." names a dead process of this computer. */
bool work_owner_ended(const char *name);
/* Returns the path of a pass's checkpoints, in the arena. */
char *work_pass(struct arena *a, const char *dir, const char *key);
/* Marks the pass's checkpoints as used by this process. Other sweeps do not remove them until
 * work_leave_pass(). */
void work_use_pass(struct arena *a, const char *dir, const char *key);
/* Removes this process's mark. If no mark of another sweep is left, removes the checkpoints. Marks
 * of processes on other computers count, because this computer cannot tell whether those processes
 * still run. */
void work_leave_pass(struct arena *a, const char *dir, const char *key);
/* Continues a partial checkpoint file of a pass that an ended process of this computer left:
 * renames the file to `path`. False: there is no such file. */
bool work_take_pass(struct arena *a, const char *dir, const char *key, const char *path);
/* Returns a path that no other process uses: "DIR/FOLDER/KEY.HOST.PID" followed by `what`. */
char *work_path(struct arena *a, const char *dir, const char *folder, const char *key,
		const char *what);

#endif
