/* Demangled C++ names as messages show them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "base/mangled.h"

static void is(const char *mangled, const char *plain)
{
	assert_string_equal(plain_name(mangled).text, plain);
}

static void names(void **state)
{
	(void)state;
	is("vecadd", "vecadd");
	is("_Z6queensPKii", "queens");
	is("_ZN2ns3runIiEEvv", "ns::run");
	is("_Z4fillILi100EEvPi", "fill");
	is("_ZL7c_Table", "c_Table");
	is("_ZNK1a3runEv", "a::run");
	is("_ZN12_GLOBAL__N_13runEv", "run");
	/* Members of class templates, behind their arguments: types, values, lists. */
	is("_ZN4poolIiE4fillEPi", "pool::fill");
	is("_ZN4poolIfE4fillIiEEvPT_", "pool::fill");
	is("_ZN2ns4poolILj4ELb1ELin3EE4fillEPi", "ns::pool::fill");
	is("_ZN4poolINS_4itemIiEE4tailLN2ns4kindE3EE5drainEv", "pool::drain");
	is("_ZN4poolIJiPKfA4_dSt4pairIiiEDF16_FviEEE5drainEv", "pool::drain");
	is("_ZN4poolIXsr1aE1bEE5drainEv", "pool"); /* an expression is not decoded */
	is("_ZZ6reducePfE4tile", "tile");
	is("_ZZ6reducePfE4tile_0", "tile");
	is("_ZZN2ns1kEvE1s", "s");
}

/* A text that is not a mangled name stays unchanged, and nothing is read beyond its end. */
static void broken(void **state)
{
	(void)state;
	is("", "");
	is("_Z", "_Z");
	is("_ZN", "_ZN");
	is("_ZZ", "_ZZ");
	is("_Z99short", "_Z99short");
	is("_Z99999999999999999999x", "_Z99999999999999999999x");
	is("_ZZE", "_ZZE");
	for (const char *tail = "IJiPKfA4_dSt4pairIiiEDF16_FviELN1aEE3EEE"; *tail; tail++) {
		char name[80];
		for (size_t n = 0; n <= strlen(tail); n++) {
			snprintf(name, sizeof name, "_ZN4pool%.*s", (int)n, tail);
			(void)plain_name(name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(broken)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
