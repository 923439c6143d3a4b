/* Clock domains. Each part of the machine counts its own cycles; the edge of cycle t of a clock of
 * f MHz is at t / f. Times are converted between domains by exact rational ratios, so there is no
 * drift in a long run. */
#ifndef MEM_CLOCK_H
#define MEM_CLOCK_H
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t cycle_t;
#define CYCLE_NEVER UINT64_MAX

struct ratio {
	/* num / den: cycles of the target domain per cycle of the source domain, reduced */
	uint64_t num, den;
	uint64_t limit; /* largest cycle whose products fit into 64 bits */
	int shift;      /* log2 of den; -1: not a power of two */
};

/* The ratio from a clock of `from` MHz to one of `to` MHz; both are rounded to kilohertz. */
static inline struct ratio ratio_make(double from, double to)
{
	struct ratio r = {(uint64_t)(to * 1000 + 0.5), (uint64_t)(from * 1000 + 0.5), 0, -1};
	uint64_t a = r.num, b = r.den;
	while (b) {
		uint64_t t = a % b;
		a = b;
		b = t;
	}
	r.num /= a;
	r.den /= a;
	r.limit = UINT64_MAX / (r.num > r.den ? r.num : r.den) - 1;
	if (!(r.den & (r.den - 1)))
		r.shift = __builtin_ctzll(r.den);
	return r;
}

static inline uint64_t ratio_quotient(const struct ratio *r, uint64_t p)
{
	return r->shift >= 0 ? p >> r->shift : p / r->den;
}

/* The first edge of the target domain at or after edge t. */
static inline cycle_t ratio_up(struct ratio r, cycle_t t)
{
	if (t <= r.limit)
		return ratio_quotient(&r, t * r.num + r.den - 1);
	return t == CYCLE_NEVER ? t : (cycle_t)(((unsigned __int128)t * r.num + r.den - 1) / r.den);
}

/* The last edge of the target domain at or before edge t. */
static inline cycle_t ratio_down(struct ratio r, cycle_t t)
{
	if (t <= r.limit)
		return ratio_quotient(&r, t * r.num);
	return t == CYCLE_NEVER ? t : (cycle_t)((unsigned __int128)t * r.num / r.den);
}

/* True if edge a of the source domain is at or before edge b of the target domain. */
static inline bool ratio_not_after(struct ratio r, cycle_t a, cycle_t b)
{
	if (a <= r.limit && b <= r.limit)
		return a * r.num <= b * r.den;
	if (b == CYCLE_NEVER || a == CYCLE_NEVER)
		return b == CYCLE_NEVER;
	return (unsigned __int128)a * r.num <= (unsigned __int128)b * r.den;
}

#endif
