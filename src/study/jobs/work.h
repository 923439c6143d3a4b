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
/* True if the run has left something in the inbox or is stored. *status: 0, or 1 if it failed. */
bool work_arrived(struct work *w, const char *key, int *status);
/* Returns why a run has no result, in the arena; NULL: no reason given. Removes the note. */
const char *work_why(struct work *w, const char *key);
/* True if "HOST.PID..." names a dead process of this computer. */
bool work_owner_ended(const char *name);
/* Returns the path of a pass's checkpoints, in the arena. */
char *work_pass(struct arena *a, const char *dir, const char *key);
/* This process needs the pass's checkpoints, which no other sweep removes until it calls work_leave_pass(). */
void work_use_pass(struct arena *a, const char *dir, const char *key);
/* This process needs them no longer; they are removed if no sweep does. The mark of a process of another computer
 * counts, because nothing tells whether the process runs. */
void work_leave_pass(struct arena *a, const char *dir, const char *key);
/* Takes over what a process of this computer that has ended has written of a pass: renames it to `path`. False:
 * there is nothing. */
bool work_take_pass(struct arena *a, const char *dir, const char *key, const char *path);
/* Returns a path that no other process uses: "DIR/FOLDER/KEY.HOST.PID" and `what`. */
char *work_path(struct arena *a, const char *dir, const char *folder, const char *key,
		const char *what);

#endif
