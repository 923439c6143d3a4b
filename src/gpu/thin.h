/* Thinning of a long launch: ranges of blocks are not simulated but run functionally, between two windows,
 * while resident blocks, caches, queues and DRAM stay as they are. The machine never drains and no block
 * starts afresh; the end of the launch is its real end.
 *
 *	head      skip     stretch      skip         stretch        ...   stretch   tail
 *	|--####|..........|--####|................|--####|................|--####|-------|
 *
 * The measurement of a stretch (####) begins when the block at one third of the stretch starts, and ends when
 * the last block starts. A skipped range gets the figures of the two adjacent measurements, in proportion to
 * instructions, which are known exactly. The length of skips doubles while enough stretches remain for
 * the requested error, which is estimated from the variation of the stretches measured so far. Decisions depend on simulated counts alone. */
#ifndef GPU_THIN_H
#define GPU_THIN_H
#include <stdbool.h>
#include <stdint.h>
#include "stat/stat.h"

struct launch;
struct prof;
struct run;
struct timed_launch;

/* A measured part of a launch. */
struct thin_part {
	struct stat_report *report; /* totals, with energy */
	double cycles, instructions;
	double skipped; /* instructions of skipped blocks that get this part's figures */
};

struct thin {
	/* the launch, set up for functional mode; NULL: skipped blocks are not run, because a checkpoint has
	 * their effects */
	struct launch *functional;
	/* without `functional`: warp instructions of each block; counts of each pc over all
	 * blocks */
	const uint64_t *block_instructions;
	const struct prof *prof;
	bool by_threads;   /* instructions are thread instructions, otherwise warp instructions */
	double error;      /* target half-width of the cycles' confidence interval, as a fraction
			    * of the cycles */
	uint64_t l2_bytes; /* size of the L2 */
	/* Set by the run: */
	struct thin_part *part;
	unsigned parts;
	uint64_t blocks; /* number of blocks that were skipped */
	double skipped;  /* instructions of the skipped blocks */
	/* per pc: counts of the skipped blocks */
	uint64_t *issued, *lanes, *divergent;
	/* For thin.c: */
	uint64_t window; /* length of a window: error of a measured part's start and end, in
			  * cycles */
	uint64_t wave;   /* blocks that the GPU holds */
	uint64_t from,
		mark_at;  /* numbers of placed blocks at which the stretch began and at which its
			   * measurement begins */
	uint64_t stop_at; /* block before which the stretch ends; UINT64_MAX: the rest of the
			   * launch is simulated */
	uint64_t skip;    /* blocks of the last skip; 0: none yet */
	double last_gap;  /* instructions of the last skip, half of which the next part gets */
	uint64_t marked;  /* cycle at which the measurement began; 0: it has not begun */
	struct stat_report *mark;
};

enum { THIN_WAVES = 40 }; /* shorter launches are not thinned */

/* Called before a block is placed: measures, and skips blocks from j->k.next on. False: a skipped block
 * failed, and the run ends. */
bool thin_blocks(struct run *r, struct timed_launch *j);
/* Adds the counts of skipped blocks to the launch's profile. */
void thin_report(struct timed_launch *j);
void thin_free(struct thin *t);

#endif
