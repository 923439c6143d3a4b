/* Judges results of machine code that may differ from the recorded GPU's because the older
 * machine's arithmetic does. On both machines an atomic sum of doubles, which is a loop around an
 * addition, makes a NaN quiet. sm_13 flushes subnormal singles, truncates the product of a
 * multiply-add, and changes a single's sign by a logical operation, which keeps a NaN's other bits;
 * PTX leaves open which NaN abs and neg give. On sm_13, conversions from singles to doubles and
 * approximations of doubles have NaNs of their own. */
#include <string.h>
#include "cli/golden/bound.h"

static bool is_nan32(uint64_t x) { return (uint32_t)(x << 1) > 0xff000000u; }
static bool nan64(uint64_t x) { return x << 1 > 0xffe0000000000000ull; }
/* True for numbers up to the least normal one, because a result may be rounded up to it before it
 * is flushed. */
static bool is_tiny(uint64_t x) { return (x & 0x7fffffff) <= 0x00800000; }
static bool subnormal(uint64_t x) { return (x & 0x7fffffff) && (x & 0x7fffffff) < 0x00800000; }

/* True if an operand of this kind is is_tiny(). */
static bool any_operand(const struct variant *v, const uint64_t *word, const char *kind,
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
	if (strstr(v->name, ".add.f64"))
		return nan64(got) && nan64(recorded);
	if (!tesla)
		return false;
	if (strstr(v->name, ".approx.ftz.f64"))
		return nan64(got) && any_operand(v, word, "f64", nan64);
	if (!strncmp(v->name, "cvt.f64.f", 9) && nan64(got))
		return nan64(recorded);
	if (!strstr(v->name, "f32"))
		return false;
	if (!strncmp(v->name, "fma.", 4) || !strncmp(v->name, "mad.", 4))
		return true;
	if (!strcmp(v->name, "abs.f32") || !strcmp(v->name, "neg.f32"))
		return is_nan32(got) && is_nan32(recorded);
	return any_operand(v, word, "f32", subnormal) || (bytes == 4 && is_tiny(recorded));
}
