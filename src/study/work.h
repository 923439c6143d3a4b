/* The folder STORE.work beside a store, through which runs and the sweep talk. It is all that computers have to share:
 *
 *	tasks/    what to run
 *	inbox/    KEY.json: a result, written whole and renamed; KEY.failed: why there is none
 *	log/      what runs print
 *
 * The sweep takes results into the store and removes them, also those of earlier sweeps that were killed. */
#ifndef STUDY_WORK_H
#define STUDY_WORK_H
#include "base/arena.h"
#include "study/db.h"

struct work {
	struct arena arena;
	const char *dir;
	struct db *db;
	unsigned added; /* results taken */
};

/* Makes the folder; false: errno, and dir says which. */
bool work_open(struct work *w, struct db *db, const char *store);
void work_close(struct work *w);
/* All results in the inbox, whoever wrote them. */
void work_take(struct work *w);
/* Removes what processes left that are no more. Those of other computers are unknown: what they left goes when the store
 * has their run. */
void work_clean(struct work *w);
/* Has the run left something in the inbox, or is it stored? *status: 0, or 1 if it failed. */
bool work_arrived(struct work *w, const char *key, int *status);
/* Why a run has no result, in the arena; NULL: it did not say. The note is removed. */
const char *work_why(struct work *w, const char *key);
/* Is "HOST.PID..." of this computer and of a process that is no more? */
bool work_owner_ended(const char *name);
/* A name that no other process anywhere uses: "DIR/FOLDER/KEY.HOST.PID", and what. */
char *work_path(struct arena *a, const char *dir, const char *folder, const char *key,
		const char *what);

#endif
