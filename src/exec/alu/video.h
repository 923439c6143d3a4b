/* Video instructions on two or four elements of a word; the scalar ones are in video.c. */
#ifndef EXEC_VIDEO_H
#define EXEC_VIDEO_H
#include "exec/lanes.h"

bind_fn bind_video_simd;

/* Bits [at, at + n) as a number, signed if the type is. */
static inline int64_t video_part(uint32_t x, unsigned at, unsigned n, bool sign)
{
	uint32_t v = x << (32 - n - at);
	return sign ? (int32_t)v >> (32 - n) : (int64_t)(v >> (32 - n));
}

/* v limited to the range of an n-bit number, signed or not. */
static inline int64_t video_clamp(__int128 v, unsigned n, bool sign)
{
	int64_t lo = sign ? -(INT64_C(1) << (n - 1)) : 0;
	int64_t hi = (INT64_C(1) << (sign ? n - 1 : n)) - 1;
	return v < lo ? lo : v > hi ? hi : (int64_t)v;
}

static inline bool video_compare(unsigned cmp, int64_t a, int64_t b)
{
	switch (cmp) {
	case CMP_EQ: return a == b;
	case CMP_NE: return a != b;
	case CMP_LT:
	case CMP_LO: return a < b;
	case CMP_LE:
	case CMP_LS: return a <= b;
	case CMP_GT:
	case CMP_HI: return a > b;
	default: /* CMP_GE, CMP_HS */ return a >= b;
	}
}

#endif
