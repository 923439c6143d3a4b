/* Every row of both decoders' tables with random operands: the instruction either loads and its kernel can
 * be built, or is refused by name and address. What is made of it is never found wrong by a later stage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "front/native/native.h"
#include "front/native/table.h"
#include "heddle.h"

enum { TRIES = 10 };

static uint64_t seed = 88172645463325252u;
static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static char *constants(void)
{
	char *s = malloc(1 << 20), *p = s;
	for (int bank = 0; bank < 32; bank++) {
		p += sprintf(p, ".const %d", bank);
		for (int i = 0; i < 64; i++)
			p += sprintf(p, " 0x0");
		p += sprintf(p, "\n");
	}
	return s;
}

static bool try_word(struct heddle *h, const struct native_tab *t, uint64_t w, const char *consts, char *why, size_t nwhy)
{
	struct ninst in;
	char text[256], file[1 << 15];
	if (!native_decode(t->isa, w, 0, &in))
		return true;
	native_print(&in, NSTYLE_FULL, text, sizeof text);
	bool tesla = t->isa == NATIVE_TESLA;
	int n = snprintf(file, sizeof file, "code for %s\nFunction : k\n.shared 16384\n.local 4096\n%s%s;\n%s%s\n", tesla ? "sm_13" : "sm_20", consts,
			 text, in.size == 4 ? text : "", in.size == 4 ? ";" : "");
	n += snprintf(file + n, sizeof file - (size_t)n, "%s;\n", tesla ? "NOP" : "EXIT");
	struct heddle_text ht = {"k.sass", file, (size_t)n};
	struct heddle_module *m;
	if (heddle_load(h, &ht, 1, &m)) {
		const char *msg = heddle_message(h);
		/* the listing reader's own refusals (targets outside) are not this test's matter */
		bool fair = strstr(msg, "is not supported") || strstr(msg, "outside the code") || strstr(msg, "operands do not fit") ||
			    strstr(msg, "no label") || strstr(msg, "bad ") || strstr(msg, "expected");
		fair &= !strstr(msg, "instruction ") || strstr(msg, "outside the code") != NULL || strstr(msg, "operands do not fit") != NULL;
		snprintf(why, nwhy, "%s\n%s", text, msg);
		return fair;
	}
	struct heddle_kernel_info info;
	heddle_kernel_info(heddle_kernel_at(m, 0), &info);
	heddle_unload(h, m);
	return true;
}

static void all_rows(const struct native_tab *t)
{
	char *consts = constants(), why[2048];
	struct heddle_options o = {0};
	unsigned bad = 0;
	for (unsigned i = 0; i < t->nrow; i++) {
		struct heddle *h;
		assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
		for (unsigned k = 0; k < TRIES; k++) {
			const struct native_row *r = &t->row[i];
			uint64_t w = (random64() & ~r->mask) | r->match | r->set;
			if (t->isa == NATIVE_FERMI && k % 2)
				w = (w & ~(0xfull << 10)) | 7ull << 10; /* unguarded */
			if (!try_word(h, t, w, consts, why, sizeof why) && bad++ < 20)
				fprintf(stderr, "%s\n", why);
		}
		heddle_close(h);
	}
	free(consts);
	assert_int_equal(bad, 0);
}

static void fermi(void **state)
{
	(void)state;
	all_rows(native_tab(NATIVE_FERMI));
}

static void tesla(void **state)
{
	(void)state;
	all_rows(native_tab(NATIVE_TESLA));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fermi), cmocka_unit_test(tesla)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
