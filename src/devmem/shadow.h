/* Bit maps of memory: the bytes that have been written, and the bytes that no access may touch. The
 * memory is an allocation (--check race,init) or the shared memory of a block.
 *
 *   init       the host or a kernel has written the byte. In memory shared with the host, bytes without
 *              a bit are checked first (shadow_look_at_host), because the host's stores are not seen.
 *   forbidden  the byte lies between two shared variables, or after a block of malloc
 *
 * The race checker keeps its record of accesses here too, as `marks`; it is told when bytes
 * become new memory. check/ has the checks. */
#ifndef DEVMEM_SHADOW_H
#define DEVMEM_SHADOW_H
#include <stdbool.h>
#include <stdint.h>

enum { SHADOW_WORD = 64 }; /* bytes per word of a map */

/* A race checker's record of accesses to the bytes. */
struct marks;
struct marks_ops {
	void (*free)(struct marks *m);
	/* Called when bytes of one word of the map (mask `bytes`) become new memory. */
	void (*forget)(struct marks *m, uint64_t word, uint64_t bytes);
	void (*forget_all)(struct marks *m);
};

struct shadow {
	uint64_t size;       /* bytes */
	uint64_t *init;      /* map of written bytes; NULL: all bytes are written */
	uint64_t *forbidden; /* map of forbidden bytes; NULL: none */
	const uint8_t *host; /* the memory's bytes, if the host may store to them unobserved;
			      * otherwise NULL */
	/* allocation number, from which the initial garbage follows (devmem/garbage.h) */
	uint64_t number;
	struct marks *marks; /* NULL: no access recorded yet */
	const struct marks_ops *marks_ops;
};

struct shadow *shadow_new(uint64_t size, bool initialised);
void shadow_free(struct shadow *s); /* NULL is allowed */
/* Returns the number of words of a map. */
static inline uint64_t shadow_words(const struct shadow *s) { return s->size / SHADOW_WORD + 1; }

/* Marks n bytes as written by the host or a kernel. */
void shadow_written(struct shadow *s, uint64_t off, uint64_t n);
/* Copies the bits of n bytes of `from` to s; either may be NULL. Bytes that are unwritten in the
 * source become unwritten in the copy. */
void shadow_copied(struct shadow *s, uint64_t off, struct shadow *from, uint64_t from_off,
		   uint64_t n);
bool shadow_any_written(struct shadow *s, uint64_t off, uint64_t n);
/* For memory that the host shares and stores to unseen: fills it with garbage, which later shows
 * the unwritten bytes. */
void shadow_of_host(struct shadow *s, uint8_t *host, uint64_t number);
/* Marks the bytes, among n, that the host has written. A word that no longer has its garbage counts
 * as written as a whole; if the device has written a part of it, each half is checked
 * separately. */
void shadow_look_at_host(struct shadow *s, uint64_t off, uint64_t n);
/* Forbids all accesses to the bytes. */
void shadow_forbid(struct shadow *s, uint64_t from, uint64_t to);
/* Begins a new block's shared memory: all bytes are unwritten. */
void shadow_reset(struct shadow *s);
/* Begins a new block of malloc from lo to end: its bytes are unwritten and have no record of
 * accesses; those from `used` on were not requested. */
void shadow_renew(struct shadow *s, uint64_t lo, uint64_t used, uint64_t end);

/* ---- bits of a map ---- */

/* Returns the bits of a word's bytes from `from` to before `to`, both relative to its first
 * byte. */
static inline uint64_t shadow_bits(int64_t from, int64_t to)
{
	from = from < 0 ? 0 : from;
	to = to > SHADOW_WORD ? SHADOW_WORD : to;
	return from >= to ? 0 : ~0ull >> (SHADOW_WORD - (to - from)) << from;
}

/* Returns the bits of word i for bytes `from` to before `to` of the memory. */
static inline uint64_t shadow_bits_of(uint64_t i, uint64_t from, uint64_t to)
{
	return shadow_bits((int64_t)(from - i * SHADOW_WORD), (int64_t)(to - i * SHADOW_WORD));
}

static inline void shadow_set(uint64_t *bits, uint64_t from, uint64_t to)
{
	for (uint64_t i = from / SHADOW_WORD; i * SHADOW_WORD < to; i++)
		bits[i] |= shadow_bits_of(i, from, to);
}

static inline bool shadow_all(const uint64_t *bits, uint64_t from, uint64_t to)
{
	for (uint64_t i = from / SHADOW_WORD; i * SHADOW_WORD < to; i++)
		if (shadow_bits_of(i, from, to) & ~bits[i])
			return false;
	return true;
}

/* True if the bit of any of n bytes before the memory's end is set. */
static inline bool shadow_any(const struct shadow *s, const uint64_t *bits, uint64_t off,
			      uint64_t n)
{
	uint64_t end = off + n < s->size ? off + n : s->size;
	for (uint64_t i = off / SHADOW_WORD; i * SHADOW_WORD < end; i++)
		if (bits[i] & shadow_bits_of(i, off, end))
			return true;
	return false;
}

#endif
