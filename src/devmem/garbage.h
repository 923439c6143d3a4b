/* --check init: contents of memory shared with the host before it is written. The host's own stores
 * are not seen, but they leave a trace: a word that no longer contains its garbage has been
 * written. Every word has different garbage, so that a copy of one word does not pass for another's
 * garbage, and no value of a program is mistaken for garbage. */
#ifndef DEVMEM_GARBAGE_H
#define DEVMEM_GARBAGE_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	GARBAGE_WORD = 8,
	GARBAGE_MAX = 256 << 20
}; /* bytes; after WATCHED, all words count as written */

/* Returns the garbage of word i of the allocation with this number. */
static inline uint64_t garbage(uint64_t number, uint64_t i)
{
	uint64_t x = (number << 32) + i + 1;
	x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* True if n bytes of one word, from byte `at` of the allocation on, still contain their garbage. */
static inline bool garbage_is_at(const uint8_t *host, uint64_t number, uint64_t at, uint64_t n)
{
	uint64_t x = garbage(number, at / GARBAGE_WORD);
	return !memcmp(host + at, (const uint8_t *)&x + at % GARBAGE_WORD, n);
}

static inline void garbage_fill(uint8_t *host, uint64_t number, uint64_t bytes)
{
	for (uint64_t i = 0; i * GARBAGE_WORD < bytes; i++) {
		uint64_t x = garbage(number, i);
		memcpy(host + i * GARBAGE_WORD, &x, sizeof x);
	}
}

#endif
