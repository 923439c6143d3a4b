/* Decides early that a launch of functional mode can never continue: nothing but polls happens, and
 * the state of every block comes back round after round. A loop that gives up after a number of
 * polls changes a register, so its state does not repeat. */
#ifndef FUNC_STILL_H
#define FUNC_STILL_H
#include "func/func.h"

/* State of the detection. Zero at the start of a launch. */
struct still {
	uint64_t state;  /* hash of all blocks in round `since` */
	uint64_t writes; /* still_writes() in that round */
	uint32_t since;  /* idle round that later ones are compared with; 0: none */
	uint32_t equal;  /* later rounds that ended in the same state */
};

/* A hash of the private state of a block or cluster: registers, paths, barriers, shared and local
 * memory. `b` is the first block of a cluster; h: the hash of the clusters before it. */
uint64_t still_hash(uint64_t h, const struct fblock *b);

/* Number of executed warp instructions of k that may have changed other memory, or anything else
 * that still_hash() does not see. */
uint64_t still_writes(const struct worker *k, const struct image *img);

/* Call it after the idle round number `idle`, counted from 1, with the hash of all blocks and the
 * writes of all workers. True: the launch can never continue. */
bool still_repeats(struct still *s, uint32_t idle, uint64_t state, uint64_t writes);

/* The first idle round that still_repeats() needs; before it, hashes need not be computed. */
enum { STILL_FIRST = 16 };

#endif
