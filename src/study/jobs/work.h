/* The folder STORE.work beside a store, through which runs and the sweep communicate. It is all
 * that computers have to share:
 *
 *	tasks/    what to run
 *	inbox/    KEY.json: a result, written whole and renamed; KEY.failed: why there is none
 *	log/      what runs print
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
	unsigned added; /* results taken */
};

/* Makes the folder; false: errno, and dir says which. */
bool work_open(struct work *w, struct db *db, const char *store);
void work_close(struct work *w);
/* Stores all results in the inbox, whoever wrote them. */
void work_take(struct work *w);
/* Removes what dead processes of this computer left. Processes of other computers cannot be
 * checked: what they left is removed when the store has their run. */
void work_clean(struct work *w);
/* True if the run has left something in the inbox or is stored. *status: 0, or 1 if it failed. */
bool work_arrived(struct work *w, const char *key, int *status);
/* Why a run has no result, in the arena; NULL: no reason given. The note is removed. */
const char *work_why(struct work *w, const char *key);
/* True if "HOST.PID..." names a dead process of this computer. */
bool work_owner_ended(const char *name);
/* A path that no other process uses: "DIR/FOLDER/KEY.HOST.PID" and `what`. */
char *work_path(struct arena *a, const char *dir, const char *folder, const char *key,
		const char *what);

#endif
