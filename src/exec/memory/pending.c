/* The table of the bytes that an SM has written in the current window (pending.h). */
#include "exec/memory/pending.h"

#include <string.h>

enum { FIRST_SIZE = 256 };

static uint32_t bits_of(uint32_t first, uint32_t n)
{
	return (n == PENDING_BYTES ? ~0u : (1u << n) - 1) << first;
}

static uint32_t place_of(const struct pending *p, uintptr_t at)
{
	uint32_t i = pending_place(p, at);
	while (p->sector[i].at && p->sector[i].at != at)
		i = (i + 1) & (p->size - 1);
	return i;
}

static void grow_table(struct pending *p)
{
	struct pending old = *p;
	p->size = old.size ? old.size * 2 : FIRST_SIZE;
	p->sector = xcalloc(p->size, sizeof *p->sector);
	p->used = xrealloc(p->used, p->size / 2 * sizeof *p->used);
	for (uint32_t k = 0; k < p->n; k++) {
		const struct sector *s = &old.sector[p->used[k]];
		p->used[k] = place_of(p, s->at);
		p->sector[p->used[k]] = *s;
	}
	free(old.sector);
}

/* The sector at `at`, made empty if there was none. */
static struct sector *take_sector(struct pending *p, uintptr_t at)
{
	if (2 * p->n >= p->size)
		grow_table(p);
	uint32_t i = place_of(p, at);
	struct sector *s = &p->sector[i];
	if (!s->at) {
		s->at = at;
		s->stored = s->seen = 0;
		p->lo = !p->n || at < p->lo ? at : p->lo;
		p->hi = !p->n || at >= p->hi ? at + PENDING_BYTES : p->hi;
		p->used[p->n++] = i;
	}
	return s;
}

void pending_store(struct pending *p, const uint8_t *at, const void *from, uint32_t n)
{
	const uint8_t *bytes = from;
	for (uintptr_t a = (uintptr_t)at; n;) {
		uint32_t first = a % PENDING_BYTES,
			 k = PENDING_BYTES - first < n ? PENDING_BYTES - first : n;
		struct sector *s = take_sector(p, a - first);
		if (k == PENDING_BYTES)
			memcpy(s->bytes, bytes, PENDING_BYTES);
		else
			memcpy(s->bytes + first, bytes, k);
		s->stored |= bits_of(first, k);
		s->seen |= bits_of(first, k);
		a += k, bytes += k, n -= k;
	}
}

void pending_load(const struct pending *p, const uint8_t *at, void *bytes, uint32_t n)
{
	uint8_t *to = bytes;
	for (uintptr_t a = (uintptr_t)at; n && p->n;) {
		uint32_t first = a % PENDING_BYTES,
			 k = PENDING_BYTES - first < n ? PENDING_BYTES - first : n;
		const struct sector *s = pending_find(p, a - first);
		uint32_t m = s ? s->seen & bits_of(first, k) : 0;
		if (s && m == bits_of(first, k))
			memcpy(to, s->bytes + first, k);
		else
			for (; m; m &= m - 1)
				to[(uint32_t)__builtin_ctz(m) - first] = s->bytes[__builtin_ctz(m)];
		a += k, to += k, n -= k;
	}
}

bool pending_meets(const struct pending *p, const uint8_t *at, uint64_t n)
{
	uintptr_t a = (uintptr_t)at / PENDING_BYTES * PENDING_BYTES, end = (uintptr_t)at + n;
	if (!p->n || end <= p->lo || a >= p->hi)
		return false;
	for (; a < end; a += PENDING_BYTES)
		if (pending_find(p, a))
			return true;
	return false;
}

/* A cell that the SM has stored in part counts as stored, because memory has no complete value to
 * reduce. */
void pending_show(struct pending *p, const uint8_t *cell, uint64_t value, uint32_t n)
{
	uint32_t first = (uintptr_t)cell % PENDING_BYTES;
	if (first + n > PENDING_BYTES) { /* misaligned: checks are off */
		pending_store(p, cell, &value, n);
		return;
	}
	struct sector *s = take_sector(p, (uintptr_t)cell - first);
	memcpy(s->bytes + first, &value, n);
	s->seen |= bits_of(first, n);
	if (s->stored & bits_of(first, n))
		s->stored |= bits_of(first, n);
}

static void write_sector(const struct sector *s)
{
	uint8_t *to = (uint8_t *)s->at;
	if (s->stored == ~0u) {
		memcpy(to, s->bytes, PENDING_BYTES);
		return;
	}
	/* bytes between stored bytes are left alone, because the host program may write them */
	for (uint32_t m = s->stored; m;) {
		uint32_t first = (uint32_t)__builtin_ctz(m), run = ~(m >> first);
		uint32_t n = run ? (uint32_t)__builtin_ctz(run) : PENDING_BYTES - first;
		memcpy(to + first, s->bytes + first, n);
		m &= ~bits_of(first, n);
	}
}

void pending_flush(struct pending *p)
{
	for (uint32_t k = 0; k < p->n; k++) {
		struct sector *s = &p->sector[p->used[k]];
		write_sector(s);
		s->at = 0;
	}
	p->n = 0;
	p->lo = p->hi = 0;
}

void pending_free(struct pending *p)
{
	free(p->sector);
	free(p->used);
	vec_free(&p->late);
}
