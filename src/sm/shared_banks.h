/* Bank conflicts of shared memory: how many passes an access takes. Banks are four bytes wide; word
 * w lies in bank w mod banks. */
#ifndef MEM_SHARED_H
#define MEM_SHARED_H
#include <stdbool.h>
#include <stdint.h>

struct shared_access {
	const uint64_t *addr; /* per lane, any base; those of inactive lanes are ignored */
	uint64_t mask;
	uint8_t lanes; /* lanes of the warp, up to 64 */
	uint8_t size;  /* bytes per lane: 1, 2, 4, 8, 16 */
	bool pairs; /* two neighbouring parts of the warp pass together if their words have no conflict */
};

/* Passes of an access. Whole warps (capability 2.0 and later): a pass serves one word of every bank
 * to all lanes that want it; accesses of 8 and 16 bytes go by halves and quarters of the warp. Half
 * warps (capability 1.x): 16 lanes at a time; a pass serves the word of the lowest remaining lane
 * to all lanes that want it, and one lane of each other bank. 0 if no lane is active. *words: words
 * that banks deliver or take; a word that several lanes share in a pass counts once. */
unsigned shared_passes(const struct shared_access *a, unsigned banks, bool half_warp,
		       unsigned *words);

#endif
