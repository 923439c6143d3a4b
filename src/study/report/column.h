/* A column of the explorer's page: one value per run, as bytes that a browser unpacks by itself.
 * Numbers are 32-bit integers if all of them are integers, else doubles with NaN for none. Texts
 * are indices from 1 into the column's words, 0 for none, in as few bytes as their number needs.
 * The bytes are stored in planes (all first bytes, all second ones, ...), which compress better,
 * then compressed by zlib and written in base 64. */
#ifndef STUDY_REPORT_COLUMN_H
#define STUDY_REPORT_COLUMN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/vec.h"

struct column {
	const char *name, *kind; /* "run", "axis" or "figure" */
	bool text;
	double *number;  /* one per run */
	uint32_t *index; /* of texts */
	VEC(char *) words;
	void *tree; /* words by text */
	size_t n;
};

void column_init(struct column *c, const char *name, const char *kind, bool text, size_t n);
void column_free(struct column *c);
/* True if a value of a numeric column is not 0. */
bool column_any(const struct column *c);
void column_put_text(struct column *c, size_t run, const char *word);
/* True if runs differ in it. */
bool column_varies(const struct column *c);
/* {"name", "kind", "type": "i32" | "f64" | "u8" | "u16" | "u32", "words": [..], "same": true if
 * runs do not differ} */
void column_print(const struct column *c, FILE *f);
/* Its values. */
void column_print_data(const struct column *c, FILE *f);

/* Quotes text for a page's script: "</script>" must not end it. */
void column_quote(FILE *f, const char *s);
void column_base64(FILE *f, const void *data, size_t n);

#endif
