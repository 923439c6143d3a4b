/* Bit maps beside memory: which bytes something has written, and which no access may touch. The
 * memory is an allocation (--check race,init) or the shared memory of a block.
 *
 *   init       the host or a kernel has written the byte. Of memory that the host shares, bytes with
 *              no bit are looked at first (shadow_look_at_host): the host's stores are not seen.
 *   forbidden  the byte lies between two shared variables, or behind a block of malloc
 *
 * A checker of races keeps what it remembers of accesses here too, as `marks`; it is told when bytes
 * become new memory. check/ has the checks themselves. */
#ifndef DEVMEM_SHADOW_H
#define DEVMEM_SHADOW_H
#include <stdbool.h>
#include <stdint.h>

enum { SHADOW_WORD = 64 }; /* bytes that one word of a map stands for */

/* What a race checker remembers of accesses to the bytes. */
struct marks;
struct marks_ops {
	void (*free)(struct marks *m);
	/* Bytes of one word of the map (a bit each) are new memory. */
	void (*forget)(struct marks *m, uint64_t word, uint64_t bytes);
	void (*forget_all)(struct marks *m);
};

struct shadow {
	uint64_t size;       /* bytes */
	uint64_t *init;      /* NULL: all bytes are written */
	uint64_t *forbidden; /* NULL: none */
	const uint8_t *host; /* the bytes, if the host stores to them unseen; else NULL */
	uint64_t number;     /* of the garbage that they began with (devmem/garbage.h) */
	struct marks *marks; /* NULL: none yet */
	const struct marks_ops *marks_ops;
};

struct shadow *shadow_new(uint64_t size, bool initialised);
void shadow_free(struct shadow *s); /* NULL: nothing to free */
/* Words of a map. */
static inline uint64_t shadow_words(const struct shadow *s) { return s->size / SHADOW_WORD + 1; }

/* The host or a kernel has written n bytes. */
void shadow_written(struct shadow *s, uint64_t off, uint64_t n);
/* n bytes of `from` are copied to s, either of which may be NULL. What nothing has written there is
 * unwritten here too. */
void shadow_copied(struct shadow *s, uint64_t off, struct shadow *from, uint64_t from_off,
		   uint64_t n);
bool shadow_any_written(struct shadow *s, uint64_t off, uint64_t n);
/* The host shares the memory and stores to it unseen: fills it with garbage, which tells later what
 * nobody has written. */
void shadow_of_host(struct shadow *s, uint8_t *host, uint64_t number);
/* Sets the bits of what the host has written of n bytes. A word that has lost its garbage counts as
 * written as a whole; if the device wrote a part of it, its halves are looked at by themselves. */
void shadow_look_at_host(struct shadow *s, uint64_t off, uint64_t n);
/* No access may touch the bytes. */
void shadow_forbid(struct shadow *s, uint64_t from, uint64_t to);
/* A new block's shared memory: nothing is written. */
void shadow_reset(struct shadow *s);
/* From lo to end is a new block of malloc: its bytes are unwritten, nothing is remembered of them,
 * and those from `used` on were not asked for. */
void shadow_renew(struct shadow *s, uint64_t lo, uint64_t used, uint64_t end);

/* ---- bits of a map ---- */

/* Of one word's bytes those from `from` to before `to`, both relative to its first byte. */
static inline uint64_t shadow_bits(int64_t from, int64_t to)
{
	from = from < 0 ? 0 : from;
	to = to > SHADOW_WORD ? SHADOW_WORD : to;
	return from >= to ? 0 : ~0ull >> (SHADOW_WORD - (to - from)) << from;
}

/* The same for word i and bytes of the memory. */
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

/* True if any of n bytes before the end of the memory is set. */
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
