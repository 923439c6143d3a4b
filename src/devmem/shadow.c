#include "devmem/shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/arena.h"
#include "devmem/garbage.h"

/* Maps of this size and more are pages that cost nothing until they are used. */
enum { LARGE_MAP = 1 << 24 };

/* NULL: the host has no addresses for it; all bytes then count as written. */
static uint64_t *new_map(const struct shadow *s)
{
	uint64_t bytes = shadow_words(s) * sizeof *s->init;
	if (bytes < LARGE_MAP)
		return xcalloc(shadow_words(s), sizeof *s->init);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void free_map(const struct shadow *s, uint64_t *map)
{
	uint64_t bytes = shadow_words(s) * sizeof *map;
	if (map && bytes >= LARGE_MAP)
		munmap(map, bytes);
	else
		free(map);
}

struct shadow *shadow_new(uint64_t size, bool initialised)
{
	struct shadow *s = xcalloc(1, sizeof *s);
	s->size = size;
	if (!initialised)
		s->init = new_map(s);
	return s;
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	if (s->marks)
		s->marks_ops->free(s->marks);
	free_map(s, s->init);
	free(s->forbidden);
	free(s);
}

static void clear_bits(uint64_t *bits, uint64_t from, uint64_t to)
{
	for (uint64_t i = from / SHADOW_WORD; i * SHADOW_WORD < to; i++)
		bits[i] &= ~shadow_bits_of(i, from, to);
}

void shadow_written(struct shadow *s, uint64_t off, uint64_t n)
{
	if (!s || !s->init || off >= s->size)
		return;
	if (!off && n >= s->size) {
		free_map(s, s->init); /* all bytes are written, so the map is not needed any more */
		s->init = NULL;
	} else {
		shadow_set(s->init, off, n < s->size - off ? off + n : s->size);
	}
}

void shadow_of_host(struct shadow *s, uint8_t *host, uint64_t number)
{
	uint64_t n = s->size < GARBAGE_MAX ? s->size : GARBAGE_MAX;
	if (!s->init)
		return;
	garbage_fill(host, number, n);
	s->host = host;
	s->number = number;
	if (n < s->size)
		shadow_set(s->init, n, s->size);
}

void shadow_look_at_host(struct shadow *s, uint64_t off, uint64_t n)
{
	uint64_t end = off + n < s->size ? off + n : s->size;
	if (!s->host || !s->init)
		return;
	for (uint64_t i = off / GARBAGE_WORD; i * GARBAGE_WORD < end; i++) {
		uint64_t from = i * GARBAGE_WORD,
			 to = from + GARBAGE_WORD < s->size ? from + GARBAGE_WORD : s->size;
		uint64_t part =
			shadow_any(s, s->init, from, to - from) ? GARBAGE_WORD / 2 : GARBAGE_WORD;
		for (uint64_t at = from; at < to; at += part)
			if (!garbage_is_at(s->host, s->number, at, part) ||
			    shadow_any(s, s->init, at, part))
				shadow_set(s->init, at, at + part < s->size ? at + part : s->size);
	}
}

bool shadow_any_written(struct shadow *s, uint64_t off, uint64_t n)
{
	if (s)
		shadow_look_at_host(s, off, n);
	return !s || !s->init || shadow_any(s, s->init, off, n);
}

/* Returns the bits of up to a word's bytes from `at` on; the lowest bit is the first byte's. */
static uint64_t bits_from(const uint64_t *bits, uint64_t at, uint64_t n)
{
	unsigned shift = at % SHADOW_WORD;
	uint64_t low = bits[at / SHADOW_WORD] >> shift;
	return shift && n > SHADOW_WORD - shift
		       ? low | bits[at / SHADOW_WORD + 1] << (SHADOW_WORD - shift)
		       : low;
}

/* All bits of the source are read before any is changed, because both places may be in one
 * allocation. */
void shadow_copied(struct shadow *s, uint64_t off, struct shadow *from, uint64_t from_off,
		   uint64_t n)
{
	if (from)
		shadow_look_at_host(from, from_off, n);
	if (!s || !from || !from->init || shadow_all(from->init, from_off, from_off + n)) {
		shadow_written(s, off, n);
		return;
	}
	uint64_t words = n / SHADOW_WORD + 1, *bits = xcalloc(words, sizeof *bits);
	for (uint64_t i = 0; i * SHADOW_WORD < n; i++)
		bits[i] = bits_from(from->init, from_off + i * SHADOW_WORD, n - i * SHADOW_WORD);
	if (!s->init) {
		s->init = new_map(s);
		if (!s->init) {
			free(bits);
			return;
		}
		shadow_set(s->init, 0, s->size);
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t bit = 1ull << (off + i) % SHADOW_WORD,
			 *to = &s->init[(off + i) / SHADOW_WORD];
		*to = bits[i / SHADOW_WORD] >> i % SHADOW_WORD & 1 ? *to | bit : *to & ~bit;
	}
	free(bits);
}

void shadow_forbid(struct shadow *s, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	if (!s->forbidden)
		s->forbidden = xcalloc(shadow_words(s), sizeof *s->forbidden);
	shadow_set(s->forbidden, from, to < s->size ? to : s->size);
}

void shadow_reset(struct shadow *s)
{
	if (s->init)
		memset(s->init, 0, shadow_words(s) * sizeof *s->init);
	if (s->marks)
		s->marks_ops->forget_all(s->marks);
}

void shadow_renew(struct shadow *s, uint64_t lo, uint64_t used, uint64_t end)
{
	if (s->init)
		clear_bits(s->init, lo, end);
	if (s->forbidden)
		clear_bits(s->forbidden, lo, used);
	shadow_forbid(s, used, end);
	for (uint64_t i = lo / SHADOW_WORD; s->marks && i * SHADOW_WORD < end; i++)
		s->marks_ops->forget(s->marks, i, shadow_bits_of(i, lo, end));
}
