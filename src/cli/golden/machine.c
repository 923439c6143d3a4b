/* Results where machine code may differ from the recorded GPU, because the older machine's
 * arithmetic does. On both machines any NaN of double precision stands for any other: the sign of a
 * negated one differs. sm_13 flushes subnormal singles, truncates the product of a multiply-add,
 * and changes a sign by a logical operation, which keeps a NaN's other bits. */
#include <string.h>
#include "cli/golden/bound.h"

static bool nan32(uint64_t x) { return (uint32_t)(x << 1) > 0xff000000u; }
static bool nan64(uint64_t x) { return x << 1 > 0xffe0000000000000ull; }
/* At most the least normal number: a result may be rounded up to it before it is flushed. */
static bool tiny(uint64_t x) { return (x & 0x7fffffff) <= 0x00800000; }
static bool subnormal(uint64_t x) { return (x & 0x7fffffff) && (x & 0x7fffffff) < 0x00800000; }

/* True if an operand of this kind is such a number. */
static bool any(const struct variant *v, const uint64_t *word, const char *kind,
		bool (*is)(uint64_t x))
{
	const char *k = v->kinds;
	for (unsigned i = 0; i < OPERANDS_MAX && k; i++) {
		if (!strncmp(k, kind, strlen(kind)) && is(word[i]))
			return true;
		k = strchr(k, ',');
		k = k ? k + 1 : NULL;
	}
	return false;
}

bool machine_accepts(bool tesla, const struct variant *v, const uint64_t *word, unsigned r,
		     uint64_t got, uint64_t recorded)
{
	unsigned bytes = v->res_bytes[r];
	if (bytes == 8 && strstr(v->name, "f64") && nan64(got))
		return nan64(recorded) || (tesla && any(v, word, "f64", nan64));
	if (!tesla || !strstr(v->name, "f32"))
		return false;
	if (!strncmp(v->name, "fma.", 4) || !strncmp(v->name, "mad.", 4))
		return true;
	return any(v, word, "f32", subnormal) ||
	       (bytes == 4 && (tiny(recorded) || (nan32(got) && nan32(recorded))));
}
