/* Meaning and unit of each figure, read from the manual that the statistics' own tables print,
 * so that a page says what `heddle config statistics` says. */
#ifndef STUDY_REPORT_MEANING_H
#define STUDY_REPORT_MEANING_H
#include "base/arena.h"
#include "base/vec.h"

struct meaning {
	const char *name; /* "cycles", "issue.score_sp" */
	const char *unit,
		*help; /* "slots", "operands come from an ALU"; unit: "" for a pure number */
};

struct meanings {
	struct arena arena;
	VEC(struct meaning) list; /* sorted by name */
};

void meanings_open(struct meanings *m);
void meanings_close(struct meanings *m);
/* NULL: no statistic of that name. */
const struct meaning *meaning_of(const struct meanings *m, const char *name);

#endif
