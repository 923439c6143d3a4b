/* Helpers of the energy model's tests: a machine by name, its model, and approximate comparison of
 * numbers. */
#ifndef TESTS_POWER_RIG_H
#define TESTS_POWER_RIG_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "power/energy.h"

/* Relative difference of at most one in a thousand. */
#define near_to(have, want) near_(have, want, __LINE__)
static inline void near_(double have, double want, int line)
{
	if (fabs(have - want) > 1e-3 * fabs(want)) {
		print_error("line %d: have %.10g, want %.10g\n", line, have, want);
		fail();
	}
}

static inline struct machine *machine(const char *name, const char *const *set)
{
	struct diag d = {0};
	struct machine *m = machine_read(name, set, &d);
	if (!m)
		print_error("%s\n", d.msg[0].text);
	assert_non_null(m);
	diag_free(&d);
	return m;
}

static inline struct power_model *model(const struct machine *m)
{
	struct diag d = {0};
	struct power_model *p = power_new(m, &d);
	if (!p)
		print_error("%s\n", d.msg[0].text);
	assert_non_null(p);
	diag_free(&d);
	return p;
}

static inline double pj(const struct power_model *p, const char *event)
{
	assert_non_null(power_find(p, event));
	return power_event(p, event) * 1e12;
}

#endif
