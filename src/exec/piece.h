/* Pieces of a row as wide as the host's vectors. The next operation reads a row in such pieces. A
 * row stored in narrower pieces cannot be forwarded from the host's store buffer: the read waits
 * until all of them are written. So rows gathered four lanes at a time are joined in registers
 * first. */
#ifndef EXEC_PIECE_H
#define EXEC_PIECE_H
#include "exec/lanes.h"
#if defined __AVX2__
#include <immintrin.h>
#endif

/* Through pointers to these a copy is one vector load and store; gcc makes two of a memcpy of 16
 * bytes. */
typedef uint32_t vec4 __attribute__((vector_size(16)));
typedef vec4 vec4_at __attribute__((aligned(4), may_alias));

static inline bool vec4_any(vec4 x)
{
	typedef uint64_t vec2 __attribute__((vector_size(16)));
	vec2 y = (vec2)x;
	return (y[0] | y[1]) != 0;
}

/* PIECE_OF(quad, host, off) joins quad(host, off), quad(host, off + 4), ... A quad() returns the
 * vec4 of the four lanes whose bytes are at host + off[0], ... */
#if defined __AVX512F__
enum { PIECE = 16 };
typedef uint32_t piece __attribute__((vector_size(64)));
ALWAYS_INLINE piece piece_join(vec4 a, vec4 b, vec4 c, vec4 d)
{
	__m512i x = _mm512_inserti32x4(_mm512_castsi128_si512((__m128i)a), (__m128i)b, 1);
	return (piece)_mm512_inserti32x4(_mm512_inserti32x4(x, (__m128i)c, 2), (__m128i)d, 3);
}
ALWAYS_INLINE bool piece_any(piece x) { return _mm512_test_epi32_mask((__m512i)x, (__m512i)x); }
#define PIECE_OF(quad, host, off)                                                                  \
	piece_join(quad(host, off), quad(host, (off) + 4), quad(host, (off) + 8),                  \
		   quad(host, (off) + 12))
#elif defined __AVX2__
enum { PIECE = 8 };
typedef uint32_t piece __attribute__((vector_size(32)));
ALWAYS_INLINE piece piece_join(vec4 a, vec4 b)
{
	return (piece)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)a), (__m128i)b, 1);
}
ALWAYS_INLINE bool piece_any(piece x) { return !_mm256_testz_si256((__m256i)x, (__m256i)x); }
#define PIECE_OF(quad, host, off) piece_join(quad(host, off), quad(host, (off) + 4))
#else
enum { PIECE = 4 };
typedef vec4 piece;
ALWAYS_INLINE bool piece_any(piece x) { return vec4_any(x); }
#define PIECE_OF(quad, host, off) quad(host, off)
#endif
typedef piece piece_at __attribute__((aligned(4), may_alias));

static const uint32_t lane_number[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Mask with all ones in those of the lanes from j on that are in `mask`. */
ALWAYS_INLINE piece piece_on(int j, uint32_t mask)
{
	if (__builtin_constant_p(mask) && mask == ~0u)
		return ~(piece){0};
	return (piece)((*(const piece_at *)(lane_bit + j) & mask) != 0);
}

/* Writes lanes j to j + PIECE - 1 of a row; unless `full`, only the lanes in the mask. */
ALWAYS_INLINE void piece_put(uint32_t *row, int j, piece x, bool full, uint32_t mask)
{
	piece_at *d = (piece_at *)(row + j);
	if (!full) {
		piece on = piece_on(j, mask);
		x = (x & on) | (*d & ~on);
	}
	*d = x;
}

/* Writes the row of all lanes, or of the mask's lanes. It may be the row of the offsets: the
 * offsets of a piece are read before it is written. */
#define ROW_OF(row, quad, host, off, full, mask)                                                   \
	do {                                                                                       \
		uint32_t *row_ =                                                                   \
			(row); /* evaluated once: to the compiler the write may change anything */ \
		for (int j = 0; j < LANES; j += PIECE)                                             \
			piece_put(row_, j, PIECE_OF(quad, host, (off) + j), full, mask);           \
	} while (0)

#endif
