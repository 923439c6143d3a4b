/* Scalar video instructions as the manual defines them (PTX ISA 9.7.18.1), to judge variants that
 * the GPU's assembler emulates differently. The instruction is read from the variant's name, such
 * as vadd.u32.s32.u32.sat:d.b0,a.h1,b,c; the arithmetic shares nothing with the executor's. */
#include <string.h>
#include "cli/golden/bound.h"

enum op { VADD, VSUB, VABSDIFF, VMIN, VMAX, VSHL, VSHR, VMAD, VSET, OPS };
static const char *const op_name[OPS] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax",
					 "vshl", "vshr", "vmad",     "vset"};
enum word { SAT, PO, WRAP, CLAMP, SHR7, SHR15, ADD, MIN, MAX, EQ, NE, LT, LE, GT, GE, WORDS };
static const char *const word_name[WORDS] = {"sat",   "po",  "wrap", "clamp", "shr7",
					     "shr15", "add", "min",  "max",   "eq",
					     "ne",    "lt",  "le",   "gt",    "ge"};

struct subword {
	unsigned at, bits;
};
struct video {
	enum op op;
	bool is_signed[3]; /* per d, a, b, in the order of the name */
	unsigned types;
	bool has[WORDS];
	bool merge, neg[3]; /* neg: for a, b, c */
	struct subword d, src[2];
};

/* Returns the index of the table entry equal to the n characters at s, or count. */
static unsigned find_word(const char *s, size_t n, const char *const *table, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (strlen(table[i]) == n && !memcmp(table[i], s, n))
			return i;
	return count;
}

static bool parse_words(struct video *v, const char *s, const char *end)
{
	for (unsigned k = 0; s < end; k++) {
		size_t n = strcspn(s, ".:");
		if (k == 0) {
			v->op = find_word(s, n, op_name, OPS);
			if (v->op == OPS)
				return false;
		} else if (n == 3 && !memcmp(s + 1, "32", 2) && v->types < 3) {
			v->is_signed[v->types++] = *s == 's';
		} else {
			unsigned w = find_word(s, n, word_name, WORDS);
			if (w == WORDS)
				return false;
			v->has[w] = true;
		}
		s += n + 1;
	}
	/* vset names no result type: its result is unsigned */
	if (v->op == VSET && v->types == 2) {
		v->is_signed[2] = v->is_signed[1];
		v->is_signed[1] = v->is_signed[0];
		v->is_signed[0] = false;
		v->types = 3;
	}
	return v->types == 3;
}

/* Reads "b2", "h1" or nothing. */
static bool parse_subword(const char *s, size_t n, struct subword *p)
{
	*p = (struct subword){0, 32};
	if (!n)
		return true;
	if (n != 2 || (*s != 'b' && *s != 'h') || s[1] < '0' || s[1] > (*s == 'b' ? '3' : '1'))
		return false;
	p->bits = *s == 'b' ? 8 : 16;
	p->at = p->bits * (unsigned)(s[1] - '0');
	return true;
}

static bool parse_operands(struct video *v, const char *s)
{
	for (; *s; s += *s == ',') {
		bool neg = *s == '-';
		char which = *(s += neg);
		size_t n = strcspn(s, ",");
		size_t skip = n > 1 && s[1] == '.' ? 2 : 1;
		struct subword p;
		if (which < 'a' || which > 'd' || (n > 1 && skip == 1) ||
		    !parse_subword(s + skip, n - skip, &p))
			return false;
		if (which == 'd') {
			v->merge = p.bits < 32;
			v->d = p;
		} else {
			v->neg[which - 'a'] = neg;
			if (which < 'c')
				v->src[which - 'a'] = p;
		}
		s += n;
	}
	return true;
}

static bool parse_name(struct video *v, const char *name)
{
	const char *colon = strchr(name, ':');
	*v = (struct video){.d = {0, 32}, .src = {{0, 32}, {0, 32}}};
	return colon && parse_words(v, name, colon) && parse_operands(v, colon + 1);
}

/* partSelectSignExtend of the manual. */
static int64_t select_and_extend(uint64_t word, struct subword p, bool is_signed)
{
	uint64_t mask = (UINT64_C(1) << p.bits) - 1, x = word >> p.at & mask;
	bool negative = is_signed && x >> (p.bits - 1);
	return negative ? (int64_t)(x | ~mask) : (int64_t)x;
}

static __int128 clamp(__int128 x, unsigned bits, bool is_signed)
{
	__int128 top = (__int128)1 << (is_signed ? bits - 1 : bits), low = is_signed ? -top : 0;
	return x < low ? low : x >= top ? top - 1 : x;
}

static bool compare_values(const struct video *v, int64_t a, int64_t b)
{
	return (v->has[EQ] && a == b) || (v->has[NE] && a != b) || (v->has[LT] && a < b) ||
	       (v->has[LE] && a <= b) || (v->has[GT] && a > b) || (v->has[GE] && a >= b);
}

static __int128 first_stage(const struct video *v, int64_t a, int64_t b)
{
	int64_t n = v->has[WRAP] ? b & 31 : b > 32 ? 32 : b;
	switch (v->op) {
	case VADD: return a + b;
	case VSUB: return a - b;
	case VABSDIFF: return a > b ? a - b : b - a;
	case VMIN: return a < b ? a : b;
	case VMAX: return a > b ? a : b;
	case VSHL: return (__int128)a * ((__int128)1 << n);
	case VSHR: return a >> n;
	default: return compare_values(v, a, b);
	}
}

/* The last stage of the manual's pseudocode: works on 32 bits with the destination's sign. */
static uint32_t second_stage(const struct video *v, uint32_t t, uint32_t c)
{
	if (v->merge) {
		uint32_t mask = (uint32_t)((UINT64_C(1) << v->d.bits) - 1) << v->d.at;
		return (t << v->d.at & mask) | (c & ~mask);
	}
	uint32_t flip = v->is_signed[0] ? 0x80000000u : 0;
	bool less = (t ^ flip) < (c ^ flip);
	if (v->has[ADD])
		return t + c;
	return (v->has[MIN] && !less) || (v->has[MAX] && less) ? c : t;
}

/* vmad, section 9.7.18.1.3 of the manual. */
static uint32_t multiply_add(const struct video *v, int64_t a, int64_t b, uint32_t c)
{
	bool negate = v->neg[0] != v->neg[1];
	bool is_signed = v->is_signed[1] || v->is_signed[2] || negate || v->neg[2];
	__int128 t = (__int128)a * b;
	if (negate)
		t = ~t;
	else if (v->neg[2])
		c = ~c;
	t += is_signed ? (__int128)(int32_t)c : (__int128)c;
	t += v->has[PO] || negate || v->neg[2];
	t >>= v->has[SHR7] ? 7 : v->has[SHR15] ? 15 : 0;
	return (uint32_t)(v->has[SAT] ? clamp(t, 32, is_signed) : t);
}

bool video_exact(const char *name, const uint64_t *operand, uint32_t *result)
{
	struct video v;
	if (!parse_name(&v, name))
		return false;
	int64_t a = select_and_extend(operand[0], v.src[0], v.is_signed[1]);
	int64_t b = select_and_extend(operand[1], v.src[1], v.is_signed[2]);
	uint32_t c = (uint32_t)operand[2];
	if (v.op == VMAD) {
		*result = multiply_add(&v, a, b, c);
		return true;
	}
	__int128 t = first_stage(&v, a, b);
	if (v.has[SAT])
		t = clamp(t, v.d.bits, v.is_signed[0]);
	*result = second_stage(&v, (uint32_t)t, c);
	return true;
}
