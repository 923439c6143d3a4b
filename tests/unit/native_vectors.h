/* Reads the ISA vector files: word(s), pc, text and style of each line. */
#ifndef TEST_NATIVE_VECTORS_H
#define TEST_NATIVE_VECTORS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/native.h"

struct vector {
	uint64_t word;
	uint32_t pc;
	enum native_style style;
	char text[160];
};

/* Reads the next vector of the file; false at its end. Lines for Tesla have two words ('-':
 * none). */
static inline bool vector_next(FILE *f, enum native_isa isa, struct vector *v)
{
	char line[512];
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		line[strcspn(line, "\r\n")] = 0;
		char *save, *p = strtok_r(line, "\t", &save);
		if (!p)
			continue;
		v->word = strtoull(p, NULL, 16);
		if (isa == NATIVE_TESLA) {
			p = strtok_r(NULL, "\t", &save);
			if (*p != '-')
				v->word |= strtoull(p, NULL, 16) << 32;
		}
		v->pc = (uint32_t)strtoul(strtok_r(NULL, "\t", &save), NULL, 16);
		snprintf(v->text, sizeof(v->text), "%s", strtok_r(NULL, "\t", &save));
		p = strtok_r(NULL, "\t", &save);
		v->style = native_default_style(isa);
		if (p)
			native_style_named(p, strlen(p), &v->style);
		/* files for Tesla mix two spacings */
		if (isa == NATIVE_TESLA && (strstr(v->text, "c [") || strstr(v->text, "o [") ||
					    strstr(v->text, "global14 [")))
			v->style = NSTYLE_CUDA4;
		return true;
	}
	return false;
}

/* Fields the text of an old listing cannot show: Tesla's EXIT tail, .W of constant shifts. */
static inline uint64_t vector_hidden(enum native_isa isa, const struct ninst *in)
{
	if (isa == NATIVE_TESLA)
		return in->row && in->exit ? 3ull << 32 : 0;
	return in->op == NI_SHL || in->op == NI_SHR ? 1ull << 9 : 0;
}
#endif
