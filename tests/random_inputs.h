/* Inputs of the kernels of tests/random: all follow from the kernel's seed.
 *
 * Four bits of a word's hash select its kind: 64 random bits (0 to 3), a special double, a double
 * near 1, two singles, two pairs of halves, two small integers, two special integers, a double that
 * is a multiple of 1/4, a special 64-bit integer, or two pairs of bfloat16. The recorded results
 * depend on every bit of these tables. */
#ifndef TESTS_RANDOM_INPUTS_H
#define TESTS_RANDOM_INPUTS_H
#include <stdint.h>
#include <string.h>

static inline uint64_t random_mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static const uint32_t random_singles[] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
	0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001, 0x80000001, 0x007fffff,
	0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x4b000000,
	0x4b7fffff, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x5f000000, 0xdf000000,
	0x33800000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x3effffff,
	0x3f7fffff, 0x40490fdb, 0x00400000, 0x3fc00000, 0x40200000, 0xc0200000};
static const uint64_t random_doubles[] = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
	0xfff8123456789abc, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x41e0000000000000, 0xc1e0000000000000,
	0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x36a0000000000000,
	0x3810000000000000, 0x380fffffe0000000, 0x47efffffe0000000, 0x47efffffefffffff,
	0x47effffff0000000, 0x40effe0000000000, 0x3fe0000000000000, 0x3ff8000000000000,
	0x4004000000000000, 0x3cb0000000000000};
static const uint16_t random_halves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
					 0x7c01, 0xfe55, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff,
					 0xfbff, 0x3800, 0x3bff, 0x3c01, 0x4200, 0x3555};
static const uint16_t random_brains[] = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0,
					 0x7f81, 0xffd5, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f,
					 0xff7f, 0x3f00, 0x3f7f, 0x3f81, 0x4040, 0x3eab};
static const uint32_t random_words[] = {0x00000000, 0x00000001, 0xffffffff, 0x7fffffff, 0x80000000,
					0x0000ffff, 0x00010000, 0x00008000, 0x00007fff, 0x000000ff,
					0x00000080, 0x0000001f, 0x00000020, 0x00000021, 0x0000003f,
					0x00000040, 0x00000041, 0x55555555, 0xaaaaaaaa, 0xffff8000,
					0x00000002, 0x00000003};
static const uint64_t random_longs[] = {0x0000000000000000, 0x0000000000000001, 0xffffffffffffffff,
					0x8000000000000000, 0x7fffffffffffffff, 0x00000000ffffffff,
					0x0000000100000000, 0x0000000080000000, 0xffffffff80000000,
					0xffffffff00000000};
#define RANDOM_OF(table, v) (table)[(v) % (sizeof(table) / sizeof *(table))]

static inline uint32_t random_single(uint64_t v)
{
	unsigned kind = v & 3;
	v >>= 2;
	if (kind == 0)
		return RANDOM_OF(random_singles, v);
	if (kind == 1) {
		float x = (float)(int)(v % 4097 - 2048) * 0.25f;
		uint32_t bits;
		memcpy(&bits, &x, 4);
		return bits;
	}
	return (uint32_t)(v & 0x807fffff) | (uint32_t)(127 - 9 + (v >> 32) % 19) << 23;
}

/* Two halves, or two of bfloat16. */
static inline uint32_t random_pair(uint64_t v, bool brain)
{
	uint32_t r = 0;
	for (unsigned i = 0; i < 2; i++, v >>= 24) {
		uint32_t u = v & 0xffff, e = v >> 16 & 0xff;
		if (!(e & 3))
			u = brain ? RANDOM_OF(random_brains, u) : RANDOM_OF(random_halves, u);
		else if (brain)
			u = (u & 0x807f) | (127 - 6 + e % 13) << 7;
		else
			u = (u & 0x83ff) | (15 - 6 + e % 13) << 10;
		r |= u << 16 * i;
	}
	return r;
}

static inline uint64_t random_two(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static inline uint64_t random_quarters(uint64_t v)
{
	double x = ((double)(int)(v % 8193) - 4096) * 0.25;
	uint64_t bits;
	memcpy(&bits, &x, 8);
	return bits;
}

/* Word i of a seed's. */
static inline uint64_t random_word(uint64_t seed, uint64_t i)
{
	uint64_t h = random_mix(seed << 20 | i), v = random_mix(h), u = random_mix(v);
	switch (h & 15) {
	case 4:
	case 5: return RANDOM_OF(random_doubles, v);
	case 6: return (v & 0x800fffffffffffff) | (uint64_t)(1023 - 9 + u % 19) << 52;
	case 7:
	case 8:
	case 9: return random_two(random_single(v), random_single(u));
	case 10: return random_two(random_pair(v, false), random_pair(u, false));
	case 11: return random_two((uint32_t)(v % 33) - 16, (uint32_t)(u % 33) - 16);
	case 12: return random_two(RANDOM_OF(random_words, v), RANDOM_OF(random_words, u));
	case 13: return random_quarters(v);
	case 14: return RANDOM_OF(random_longs, v);
	case 15: return random_two(random_pair(v, true), random_pair(u, true));
	default: return v;
	}
}

#endif
