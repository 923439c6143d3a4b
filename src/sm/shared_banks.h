/* Bank conflicts of shared memory: how many passes an access takes. Banks are four bytes wide; word
 * w lies in bank w mod banks. */
#ifndef MEM_SHARED_H
#define MEM_SHARED_H
#include <stdbool.h>
#include <stdint.h>

struct shared_access {
	const uint64_t *addr; /* of each lane, any base; inactive ones are not looked at */
	uint64_t mask;
	uint8_t lanes; /* of the warp, up to 64 */
	uint8_t size;  /* bytes: 1, 2, 4, 8, 16 */
};

/* Whole warps (capability 2.0 and later): a pass serves one word of every bank to all lanes that
 * want it; accesses of 8 and 16 bytes go by halves and quarters of the warp. Half warps (capability
 * 1.x): each 16 lanes on their own; a pass serves one word to all lanes that want it, that of the
 * lowest lane left, and one lane of each other bank. 0 if no lane is active. *words: words that
 * banks deliver or take, one for all lanes of a pass that want it. */
unsigned shared_passes(const struct shared_access *a, unsigned banks, bool half_warp,
		       unsigned *words);

#endif
