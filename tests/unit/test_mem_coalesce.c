/* Coalescing rules and shared-memory banks against references written from the rules' text, lane by
 * lane and byte by byte; strides in closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "mem/coalesce.h"
#include "sm/shared_banks.h"

static uint64_t rng_state = 88172645463325252ull;
static uint64_t rng(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return rng_state;
}

/* ---- references: sets of (address, bytes) segments, in any order ---- */

struct seg {
	uint64_t addr;
	unsigned bytes;
	uint64_t lanes;
};

/* CUDA C programming guide 4.2, sections F.3.2, F.4.2 and F.5.2, as loops. */
static unsigned ref_cc2x(const struct coal_access *a, struct seg *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->lanes; i++) {
		if (!(a->mask >> i & 1))
			continue;
		uint64_t base = a->addr[i] / a->line * a->line;
		unsigned k = 0;
		while (k < n && out[k].addr != base)
			k++;
		if (k == n)
			out[n++] = (struct seg){base, a->line, 0};
		out[k].lanes |= 1ull << i;
	}
	return n;
}

/* Segments of size0 bytes for `group` lanes at a time, shrunk to what is used. */
static unsigned ref_shrinking(const struct coal_access *a, unsigned group, unsigned size0,
			      struct seg *out)
{
	unsigned n = 0;
	for (unsigned h = 0; h < a->lanes; h += group) {
		uint64_t left = a->mask & (group == 64 ? UINT64_MAX : (1ull << group) - 1) << h;
		while (left) {
			unsigned first = (unsigned)__builtin_ctzll(left), size = size0;
			uint64_t base = a->addr[first] / size * size, lanes = 0, lo = UINT64_MAX,
				 hi = 0;
			for (unsigned i = h; i < h + group && i < a->lanes; i++) {
				if (!(left >> i & 1) || a->addr[i] / size * size != base)
					continue;
				lanes |= 1ull << i;
				lo = a->addr[i] < lo ? a->addr[i] : lo;
				hi = a->addr[i] + a->size > hi ? a->addr[i] + a->size : hi;
			}
			while (size > 32 && (hi <= base + size / 2 || lo >= base + size / 2)) {
				size /= 2;
				if (lo >= base + size)
					base += size;
			}
			out[n++] = (struct seg){base, size, lanes};
			left &= ~lanes;
		}
	}
	return n;
}

static unsigned ref_cc12(const struct coal_access *a, struct seg *out)
{
	return ref_shrinking(a, 16, a->size == 1 ? 32 : a->size == 2 ? 64 : 128, out);
}

/* As cc12, for whole warps, in segments no longer than a line; past the cache in segments of 32
 * bytes. */
static unsigned ref_cc2x_halves(const struct coal_access *a, struct seg *out)
{
	unsigned size = a->past || a->size == 1 ? 32 : a->size == 2 ? 64 : 128;
	return ref_shrinking(a, 64, size < a->line ? size : a->line, out);
}

static unsigned ref_cc10(const struct coal_access *a, struct seg *out)
{
	unsigned n = 0;
	for (unsigned h = 0; h < a->lanes; h += 16) {
		uint64_t left = a->mask & 0xffffull << h;
		if (!left)
			continue;
		/* true if there is a block start such that every active lane k accesses word k */
		unsigned first = (unsigned)__builtin_ctzll(left);
		uint64_t start = a->addr[first] - (first - h) * (uint64_t)a->size;
		bool ok = a->size >= 4 && start % (16u * a->size) == 0;
		for (unsigned i = h; i < h + 16 && i < a->lanes; i++)
			ok = ok && (!(left >> i & 1) ||
				    a->addr[i] == start + (i - h) * (uint64_t)a->size);
		if (!ok) {
			for (unsigned i = h; i < h + 16 && i < a->lanes; i++)
				if (left >> i & 1)
					out[n++] =
						(struct seg){a->addr[i] / 32 * 32, 32, 1ull << i};
			continue;
		}
		unsigned bytes = a->size == 4 ? 64 : 128, per = bytes / a->size;
		for (unsigned k = 0; k < 16; k += per) {
			uint64_t lanes = left & ((1ull << per) - 1) << (h + k);
			if (lanes)
				out[n++] =
					(struct seg){start + k * (uint64_t)a->size, bytes, lanes};
		}
	}
	return n;
}

static bool byte_touched(const struct coal_access *a, uint64_t addr)
{
	for (unsigned i = 0; i < a->lanes; i++)
		if (a->mask >> i & 1 && addr >= a->addr[i] && addr < a->addr[i] + a->size)
			return true;
	return false;
}

/* Holds for every rule: each active lane is in one transaction, its bytes lie inside the pieces,
 * and `full` is right. */
static void check_cover(const struct coal_access *a, const struct coal_tx *t, unsigned n)
{
	uint64_t seen = 0;
	for (unsigned k = 0; k < n; k++) {
		assert_true(t[k].lanes && !(seen & t[k].lanes));
		seen |= t[k].lanes;
		assert_int_equal(t[k].bytes, 32 * __builtin_popcount(t[k].pieces));
		for (unsigned i = 0; i < a->lanes; i++) {
			if (!(t[k].lanes >> i & 1))
				continue;
			uint64_t off = a->addr[i] - t[k].addr;
			assert_true(off < 1024 && t[k].pieces >> off / 32 & 1);
		}
		bool full = true;
		for (unsigned b = 0; b < 1024; b++)
			if (t[k].pieces >> b / 32 & 1)
				full = full && byte_touched(a, t[k].addr + b);
		if (a->size >= 4 && a->line <= 256 && n == 1)
			assert_int_equal(t[k].full, full);
		if (t[k].full && a->size >= 4)
			assert_true(full);
	}
	assert_true(seen == a->mask);
}

static void compare(const struct coal_access *a, const struct coal_tx *t, unsigned n,
		    const struct seg *r, unsigned m)
{
	assert_int_equal(n, m);
	for (unsigned k = 0; k < n; k++) {
		assert_true(t[k].addr == r[k].addr);
		assert_int_equal(t[k].bytes, r[k].bytes);
		assert_true(t[k].lanes == r[k].lanes);
	}
	check_cover(a, t, n);
}

static void check_sector(const struct coal_access *a, const struct coal_tx *t, unsigned n)
{
	struct seg r[COAL_MAX];
	assert_int_equal(n, ref_cc2x(a, r));
	for (unsigned k = 0; k < n; k++) {
		uint32_t pieces = 0;
		for (unsigned b = 0; b < a->line; b++)
			if (byte_touched(a, t[k].addr + b))
				pieces |= 1u << b / 32;
		assert_true(t[k].addr == r[k].addr && t[k].lanes == r[k].lanes);
		assert_int_equal(t[k].pieces, pieces);
	}
	check_cover(a, t, n);
}

static void check_all(const struct coal_access *a)
{
	struct coal_tx t[COAL_MAX];
	struct seg r[COAL_MAX];
	unsigned n = coal_find("cc10")->split(a, t);
	compare(a, t, n, r, ref_cc10(a, r));
	n = coal_find("cc12")->split(a, t);
	compare(a, t, n, r, ref_cc12(a, r));
	n = coal_find("cc2x")->split(a, t);
	compare(a, t, n, r, ref_cc2x(a, r));
	n = coal_find("sector")->split(a, t);
	check_sector(a, t, n);
	for (int past = 0; past < 2; past++) {
		struct coal_access b = *a;
		b.past = past;
		n = coal_find("cc2x-halves")->split(&b, t);
		compare(&b, t, n, r, ref_cc2x_halves(&b, r));
	}
}

static uint64_t all_lanes(unsigned n) { return n == 64 ? UINT64_MAX : (1ull << n) - 1; }

static void strides(void **state)
{
	(void)state;
	uint64_t addr[64];
	struct coal_tx t[COAL_MAX];
	for (unsigned stride = 0; stride <= 32; stride++) {
		for (unsigned i = 0; i < 32; i++)
			addr[i] = 0x10000 + (uint64_t)4 * stride * i;
		struct coal_access a = {addr, UINT32_MAX, 32, 4, 128};
		/* 32 lanes 4*stride bytes apart from an aligned start touch `stride` lines of 128
		 * bytes, one at 0 */
		assert_int_equal(coal_find("cc2x")->split(&a, t), stride ? stride : 1);
		unsigned cc10 = coal_find("cc10")->split(&a, t);
		assert_int_equal(cc10, stride == 1 ? 2 : 32);
		/* half warps: 64 * stride bytes each */
		unsigned half = stride < 2 ? 1 : (stride + 1) / 2;
		if (stride % 2 == 0 || stride == 1)
			assert_int_equal(coal_find("cc12")->split(&a, t), 2 * half);
		unsigned n = coal_find("sector")->split(&a, t), sectors = 0;
		for (unsigned k = 0; k < n; k++)
			sectors += (unsigned)__builtin_popcount(t[k].pieces);
		assert_int_equal(sectors, stride == 0 ? 1 : stride >= 8 ? 32 : 4 * stride);
		check_all(&a);
	}
}

static void random_accesses(void **state)
{
	(void)state;
	static const uint8_t sizes[] = {1, 2, 4, 8, 16}, lanes[] = {1, 2, 4, 8, 16, 24, 32, 48, 64};
	uint64_t addr[64];
	for (unsigned round = 0; round < 20000; round++) {
		struct coal_access a = {addr, 0, lanes[rng() % 9], sizes[rng() % 5],
					(uint16_t)(32u << rng() % 5)};
		unsigned shape = (unsigned)(rng() % 6);
		uint64_t base = (rng() % (1u << 20)) * a.size, span = 1ull << (4 + rng() % 16);
		for (unsigned i = 0; i < 64; i++) {
			if (shape < 2)
				addr[i] = base + (uint64_t)i * a.size * (shape ? 1 + round % 5 : 1);
			else if (shape == 2)
				addr[i] = base / 256 * 256 + (uint64_t)i * a.size;
			else if (shape == 3)
				addr[i] = base + (uint64_t)(63 - i) * a.size;
			else
				addr[i] = (base + rng() % span) / a.size * a.size;
		}
		a.mask = all_lanes(a.lanes) & (round % 3 ? UINT64_MAX : rng());
		if (!a.mask)
			a.mask = 1;
		if (round % 7 == 0 && a.lanes > 4) /* two lanes changed round */
			addr[1] = addr[3];
		check_all(&a);
	}
}

static void one_segment_is_fast(void **state)
{
	(void)state;
	uint64_t addr[64];
	struct coal_tx t[COAL_MAX];
	const struct coal_ops *ops = coal_find("cc2x");
	for (int shape = 0; shape < 2; shape++) {
		struct timespec s, e;
		unsigned sum = 0, n = 200000;
		for (unsigned i = 0; i < 64; i++)
			addr[i] = shape ? (rng() & 0xffffff) * 4 : 4096 + 4 * i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s);
		for (unsigned i = 0; i < n; i++) {
			struct coal_access a = {addr, UINT32_MAX, 32, 4, 128};
			sum += ops->split(&a, t);
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &e);
		print_message(
			"%s: %.1f ns\n", shape ? "32 segments" : "one segment",
			((double)(e.tv_sec - s.tv_sec) * 1e9 + (double)(e.tv_nsec - s.tv_nsec)) /
				n);
		assert_true(sum >= n);
	}
}

/* ---- shared memory ---- */

/* Simulates the passes of whole warps. Each pass selects for every bank the word of the first
 * unserved lane. */
static unsigned ref_multicast(const struct shared_access *a, unsigned banks)
{
	unsigned passes = 0, group = a->size <= 4   ? a->lanes
				     : a->size == 8 ? a->lanes / 2
						    : a->lanes / 4;
	unsigned per = a->size < 4 ? 1 : a->size / 4;
	if (!group)
		group = 1;
	for (unsigned f = 0; f < a->lanes; f += group) {
		unsigned most = 0;
		for (unsigned b = 0; b < banks; b++) {
			uint64_t words[256];
			unsigned n = 0;
			for (unsigned i = f; i < f + group && i < a->lanes; i++)
				for (unsigned k = 0; k < per && a->mask >> i & 1; k++) {
					uint64_t w = a->addr[i] / 4 + k;
					unsigned j = 0;
					while (j < n && words[j] != w)
						j++;
					if (w % banks == b && j == n)
						words[n++] = w;
				}
			most = n > most ? n : most;
		}
		passes += most;
	}
	return passes;
}

static unsigned passes_of(const struct shared_access *a, unsigned banks, bool half_warp)
{
	unsigned words;
	return shared_passes(a, banks, half_warp, &words);
}

static unsigned words_of(const struct shared_access *a, unsigned banks, bool half_warp)
{
	unsigned words;
	shared_passes(a, banks, half_warp, &words);
	return words;
}

static void bank_conflict_degrees(void **state)
{
	(void)state;
	uint64_t addr[64];
	for (unsigned stride = 0; stride <= 64; stride++) {
		for (unsigned i = 0; i < 64; i++)
			addr[i] = 4ull * stride * i;
		struct shared_access a = {addr, UINT32_MAX, 32, 4, false};
		/* lanes i and j meet in a bank if stride * (i - j) is a multiple of the number of
		 * banks: gcd lanes per bank */
		unsigned g32 = 32, g16 = 16;
		for (unsigned b = stride; b;) {
			unsigned t = g32 % b;
			g32 = b;
			b = t;
		}
		for (unsigned b = stride; b;) {
			unsigned t = g16 % b;
			g16 = b;
			b = t;
		}
		unsigned want32 = stride ? g32 : 1, want16 = stride ? g16 : 1;
		assert_int_equal(passes_of(&a, 32, false), want32);
		assert_int_equal(passes_of(&a, 16, true), 2 * want16);
		/* conflicts cost passes, not words; one word for all lanes is read once */
		assert_int_equal(words_of(&a, 32, false), stride ? 32 : 1);
		assert_int_equal(words_of(&a, 16, true), stride ? 32 : 2);
	}
	for (unsigned i = 0; i < 64; i++)
		addr[i] = 8 * i;
	struct shared_access d = {addr, UINT32_MAX, 32, 8, false};
	assert_int_equal(passes_of(&d, 32, false), 2);
	assert_int_equal(words_of(&d, 32, false), 64);
	assert_int_equal(passes_of(&d, 16, true), 4);
	for (unsigned i = 0; i < 64; i++)
		addr[i] = 16 * i;
	struct shared_access q = {addr, UINT32_MAX, 32, 16, false};
	assert_int_equal(passes_of(&q, 32, false), 4);
	/* halves, and pairs of quarters, without a conflict pass together if the machine does that */
	for (unsigned pairs = 0; pairs < 2; pairs++) {
		static const struct {
			unsigned step, size, apart, together;
		} rows[] = {{0, 8, 2, 1}, {8, 8, 2, 2}, {0, 16, 4, 2}, {16, 16, 4, 4}};
		for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
			for (unsigned i = 0; i < 64; i++)
				addr[i] = rows[k].step * i;
			struct shared_access w = {addr, UINT32_MAX, 32, (uint8_t)rows[k].size,
						  pairs};
			assert_int_equal(passes_of(&w, 32, false),
					 pairs ? rows[k].together : rows[k].apart);
		}
		/* sixteen pairs of lanes, each with 8 bytes of a row */
		for (unsigned i = 0; i < 64; i++)
			addr[i] = i / 2 * 8;
		struct shared_access w = {addr, UINT32_MAX, 32, 8, pairs};
		assert_int_equal(passes_of(&w, 32, false), pairs ? 1 : 2);
		assert_int_equal(words_of(&w, 32, false), 32);
		w.mask = 0xffff0000;
		assert_int_equal(passes_of(&w, 32, false), 1);
		w.mask = 0;
		assert_int_equal(passes_of(&w, 32, false), 0);
	}
	/* two broadcast words in one bank: two passes everywhere; in different banks: one pass on
	 * 2.x, and on 1.x the second word is served lane by lane */
	for (unsigned i = 0; i < 64; i++)
		addr[i] = i & 1 ? 4 : 0;
	/* addresses of inactive lanes are ignored: a word of the same row, or of another row */
	for (unsigned i = 0; i < 32; i++)
		addr[i] = 256 + 4 * (i / 2);
	for (unsigned behind = 0; behind < 2; behind++) {
		struct shared_access half = {addr, UINT32_MAX, 32, 4, false};
		addr[32] = behind ? 256 + 4 * 20 : 1 << 20;
		assert_int_equal(passes_of(&half, 32, false), 1);
		assert_int_equal(words_of(&half, 32, false), 16);
	}
	struct shared_access two = {addr, 0xffff, 16, 4, false};
	assert_int_equal(passes_of(&two, 32, false), 1);
	assert_int_equal(passes_of(&two, 16, true), 2);
	two.mask = 0;
	assert_int_equal(passes_of(&two, 32, false), 0);
}

static void random_banks(void **state)
{
	(void)state;
	static const uint8_t sizes[] = {1, 2, 4, 8, 16}, lanes[] = {1, 4, 8, 16, 32, 64};
	uint64_t addr[64];
	for (unsigned round = 0; round < 5000; round++) {
		struct shared_access a = {addr, 0, lanes[rng() % 6], sizes[rng() % 5], false};
		unsigned banks = 1 + (unsigned)(rng() % 64);
		for (unsigned i = 0; i < 64; i++)
			addr[i] = rng() % (64u << round % 8) / a.size * a.size;
		a.mask = rng() & all_lanes(a.lanes);
		assert_int_equal(passes_of(&a, banks, false), ref_multicast(&a, banks));
		if (a.size == 4 && a.lanes <= 16) /* broadcasting one word can only be slower */
			assert_true(passes_of(&a, banks, true) >= passes_of(&a, banks, false));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strides),
		cmocka_unit_test(random_accesses),
		cmocka_unit_test(one_segment_is_fast),
		cmocka_unit_test(bank_conflict_degrees),
		cmocka_unit_test(random_banks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
