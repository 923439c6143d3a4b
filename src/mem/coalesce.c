#include "mem/coalesce.h"

#include <string.h>

static uint64_t low_bits(unsigned n) { return n >= 64 ? UINT64_MAX : (1ull << n) - 1; }

static uint64_t words_of(uint64_t off, unsigned size)
{
	unsigned first = (unsigned)off / 4, n = size < 4 ? 1 : size / 4;
	return first < 64 ? low_bits(n) << first : 0;
}

/* True if every byte of the pieces is covered. The words decide; for accesses of 1 and 2 bytes the
 * number of lanes does. */
static bool is_covered(const struct coal_access *a, const struct coal_tx *t, unsigned segment)
{
	if (a->size < 4)
		return (unsigned)__builtin_popcountll(t->lanes) * a->size >= t->bytes;
	if (segment > 256)
		return false;
	for (uint32_t p = t->pieces; p; p &= p - 1)
		if ((t->words >> 8 * __builtin_ctz(p) & 0xff) != 0xff)
			return false;
	return true;
}

static void finish_transaction(const struct coal_access *a, struct coal_tx *t, unsigned segment,
			       bool whole)
{
	if (whole)
		t->pieces = (uint32_t)low_bits(segment / 32);
	t->bytes = (uint16_t)(32 * __builtin_popcount(t->pieces));
	t->full = is_covered(a, t, segment);
}

static void add_lane(struct coal_tx *t, uint64_t addr, unsigned size, unsigned lane)
{
	uint64_t off = addr - t->addr;
	t->lanes |= 1ull << lane;
	t->pieces |= 1u << off / 32;
	t->words |= words_of(off, size);
}

/* True in the common case, which is split without a look at each lane: consecutive addresses from an aligned
 * start, all lanes active. */
static bool is_contiguous(const struct coal_access *a, uint64_t mask)
{
	if (mask != low_bits(a->lanes))
		return false;
	uint64_t first = a->addr[0], diff = 0;
	for (unsigned i = 0; i < a->lanes; i++)
		diff |= a->addr[i] ^ (first + (uint64_t)i * a->size);
	return !diff;
}

static unsigned split_contiguous(const struct coal_access *a, unsigned segment, bool whole,
				 struct coal_tx *out)
{
	uint64_t at = a->addr[0], end = at + (uint64_t)a->lanes * a->size;
	unsigned n = 0, lane = 0;
	while (at < end) {
		struct coal_tx *t = &out[n++];
		uint64_t base = at & ~(uint64_t)(segment - 1),
			 stop = base + segment < end ? base + segment : end;
		unsigned count = (unsigned)(stop - at) / a->size, first = (unsigned)(at - base),
			 last = (unsigned)(stop - base);
		*t = (struct coal_tx){.addr = base, .lanes = low_bits(count) << lane};
		t->pieces = (uint32_t)(low_bits((last + 31) / 32) & ~low_bits(first / 32));
		if (first / 4 < 64)
			t->words = low_bits((last + 3) / 4) & ~low_bits(first / 4);
		if (whole)
			t->pieces = (uint32_t)low_bits(segment / 32);
		t->bytes = (uint16_t)(32 * __builtin_popcount(t->pieces));
		t->full = last - first == t->bytes &&
			  (a->size < 4 || segment <= 256); /* the condition of is_covered() */
		lane += count;
		at = stop;
	}
	return n;
}

unsigned coal_segments(const struct coal_access *a, uint64_t mask, unsigned segment, bool whole,
		       struct coal_tx *out)
{
	uint8_t slot[128]; /* hash table: index + 1 of a segment's transaction; 0: empty */
	unsigned n = 0;
	if (is_contiguous(a, mask))
		return split_contiguous(a, segment, whole, out);
	memset(slot, 0, sizeof slot);
	struct coal_tx *t = NULL;
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(m);
		uint64_t base = a->addr[lane] & ~(uint64_t)(segment - 1);
		if (!t || t->addr != base) {
			unsigned h = (unsigned)((base / segment) * 0x9e3779b97f4a7c15ull >> 57);
			while (slot[h] && out[slot[h] - 1].addr != base)
				h = (h + 1) & 127;
			if (!slot[h]) {
				out[n] = (struct coal_tx){.addr = base};
				slot[h] = (uint8_t)++n;
			}
			t = &out[slot[h] - 1];
		}
		add_lane(t, a->addr[lane], a->size, lane);
	}
	for (unsigned i = 0; i < n; i++)
		finish_transaction(a, &out[i], segment, whole);
	return n;
}

void coal_shrink(struct coal_tx *t, unsigned segment)
{
	while (segment > 32) {
		unsigned half = segment / 64; /* half a segment, in 32-byte pieces */
		uint32_t low = t->pieces & ((1u << half) - 1), high = t->pieces >> half;
		if (low && high)
			break;
		segment /= 2;
		if (!low) {
			t->addr += segment;
			t->pieces = high;
			t->words >>= segment / 4;
		}
	}
	uint32_t touched = t->pieces;
	t->full = t->full && touched == (1u << segment / 32) - 1;
	t->pieces = (1u << segment / 32) - 1;
	t->bytes = (uint16_t)segment;
}
