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

/* Compressed changes of memory in the file. */
struct saved_pieces {
	long at;
	uint64_t bytes, size, hash; /* size: uncompressed; hash: of the compressed bytes */
};

/* A launch's entry in the file. */
struct effects {
	uint64_t next;         /* first block that is not in the file; the number of blocks: none */
	struct prof *prof;     /* what each pc did */
	uint64_t instructions; /* warp instructions, their sum */
	uint64_t *block_instructions; /* of each block; NULL: unknown */
	bool has_lines;               /* `lines` is known */
	warm_lines lines;
	VEC(struct saved_pieces) pieces; /* in order */
	long out;                        /* place of its first frame in the file that is written */
};

/* A range of blocks that has been executed. */
struct saved_range {
	uint64_t first, next;               /* blocks from first to before next */
	const struct prof *prof;            /* what each pc did */
	const uint64_t *block_instructions; /* of these blocks; NULL: unknown */
	const warm_lines *lines;            /* NULL: unknown */
};

/* Opens the files of the options save and restore. */
enum heddle_status api_checkpoint_open(struct heddle *h);
void api_checkpoint_free(struct heddle *h);
/* True if launches' effects are written. */
bool api_checkpoint_writes(const struct heddle *h);
/* Between the two calls nothing is written: launches that a kernel waits for are part of it, and are executed with
 * it again. */
void api_checkpoint_pause(struct heddle *h);
void api_checkpoint_resume(struct heddle *h);
/* True if the kernel's effects are all in memory, so that a file may have them. */
bool api_checkpoint_covers(const struct launch *l);
/* Returns the file's next launch, which must be this one, malloc'ed; NULL: the file has none, or *st is an
 * error, whose message is set. compare: memory must equal the launch's in the file. */
struct effects *api_checkpoint_find(struct heddle *h, const struct heddle_launch *hl,
				    const struct launch *l, bool compare, enum heddle_status *st);
/* The number of the launch that api_checkpoint_find() would return. */
uint64_t api_checkpoint_next(const struct heddle *h);
/* Gives the launch back: it and all later ones are executed, and what has been copied of it is taken out of the file
 * that is written. */
enum heddle_status api_checkpoint_drop(struct heddle *h, const struct effects *e);
/* Changes memory as the launch did. */
enum heddle_status api_checkpoint_apply(struct heddle *h, const struct effects *e);
void api_effects_free(struct effects *e);
/* Notes memory before a launch that is executed. after: its first blocks have been taken from the file. */
void api_checkpoint_before(struct heddle *h, const struct launch *l, bool after);
/* Appends a range of blocks of the launch to the file. */
enum heddle_status api_checkpoint_save(struct heddle *h, const struct heddle_launch *hl,
				       const struct launch *l, const struct saved_range *r);

#endif
