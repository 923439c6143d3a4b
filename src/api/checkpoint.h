/* Checkpoints of a program inside the library (checkpoint.c). */
#ifndef API_CHECKPOINT_H
#define API_CHECKPOINT_H
#include <stdbool.h>
#include "base/vec.h"
#include "gpu/warm.h"
#include "heddle.h"

struct grid_result;
struct launch;
struct prof;

/* Compressed changes of memory, as they lie in the file. */
struct saved_pieces {
	long at;
	uint64_t bytes, size, hash; /* size: uncompressed; hash: of the compressed bytes */
};

/* A launch's entry in the file. */
struct effects {
	/* number of the first block that the file lacks; equal to the number of blocks: the file
	 * has all of them */
	uint64_t next;
	struct prof *prof;     /* execution counts per pc */
	uint64_t instructions; /* warp instructions executed, all pcs together */
	/* [block]: warp instructions of each block; NULL: unknown */
	uint64_t *block_instructions;
	bool has_lines; /* `lines` is known */
	warm_lines lines;
	VEC(struct saved_pieces) pieces; /* in the order in which they are applied */
	/* offset of the launch's first frame in the file that is being written */
	long out;
};

/* A range of blocks that has been executed. */
struct saved_range {
	/* numbers of the first block and of the block after the last */
	uint64_t first, next;
	const struct prof *prof; /* execution counts per pc */
	/* [block - first]: warp instructions; NULL: unknown */
	const uint64_t *block_instructions;
	/* cache lines that the blocks use, for warming; NULL: unknown */
	const warm_lines *lines;
};

/* Opens the files of the options save and restore. */
enum heddle_status api_checkpoint_open(struct heddle *h);
void api_checkpoint_free(struct heddle *h);
/* True if the effects of launches are written to a file (option save). */
bool api_checkpoint_writes(const struct heddle *h);
/* Nothing is written between the two calls: a launch that a kernel waits for is part of that
 * kernel's launch, and is executed again with it. */
void api_checkpoint_pause(struct heddle *h);
void api_checkpoint_resume(struct heddle *h);
/* True if the kernel changes nothing but memory, so that a file can hold its effects. */
bool api_checkpoint_covers(const struct launch *l);
/* Returns the file's next launch, which must be this launch, malloc'ed; NULL: the file has no
 * further launch, or *st is an error, whose message is set. compare: memory must equal the memory
 * that the file's launch began with. */
struct effects *api_checkpoint_find(struct heddle *h, const struct heddle_launch *hl,
				    const struct launch *l, bool compare, enum heddle_status *st);
/* Returns the number of the launch that api_checkpoint_find() would return. */
uint64_t api_checkpoint_next(const struct heddle *h);
/* Undoes api_checkpoint_find(): this launch and all later ones are executed, and the part of this
 * launch that has been copied is removed from the file that is being written. */
enum heddle_status api_checkpoint_drop(struct heddle *h, const struct effects *e);
/* Applies a saved launch's changes to memory. */
enum heddle_status api_checkpoint_apply(struct heddle *h, const struct effects *e);
void api_effects_free(struct effects *e);
/* Records the state of memory before a launch is executed, so that its changes can be found. after:
 * the launch's first blocks have been taken from the file. */
void api_checkpoint_before(struct heddle *h, const struct launch *l, bool after);
/* Appends a range of blocks of the launch to the file. */
enum heddle_status api_checkpoint_save(struct heddle *h, const struct heddle_launch *hl,
				       const struct launch *l, const struct saved_range *r);

#endif
