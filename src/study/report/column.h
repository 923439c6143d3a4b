/* A column of the explorer's page: one value per run, as bytes that a browser can unpack. Numbers
 * are 32-bit integers if all are integers, otherwise doubles with NaN for none. Texts are indices
 * into the column's words, from 1 on, 0 for none, in as few bytes as possible. The bytes are stored
 * in planes (all first bytes, all second bytes, ...), which compress better, then compressed by
 * zlib and written in base 64. */
#ifndef STUDY_REPORT_COLUMN_H
#define STUDY_REPORT_COLUMN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/vec.h"

struct column {
	const char *name, *kind; /* kind: "run", "axis" or "figure" */
	const char *unit, *help; /* unit, "slots", and meaning; NULL: unknown */
	bool text;
	double *number;  /* one per run */
	uint32_t *index; /* one index per run, for texts */
	VEC(char *) words;
	void *tree; /* search tree of the words */
	size_t n;
};

void column_init(struct column *c, const char *name, const char *kind, bool text, size_t n);
void column_free(struct column *c);
/* True if a numeric column has a value other than 0. */
bool column_any(const struct column *c);
void column_put_text(struct column *c, size_t run, const char *word);
/* True if the column's values differ between runs. */
bool column_varies(const struct column *c);
/* Prints {"name", "kind", "unit", "help", "type": "i32" | "f64" | "u8" | "u16" | "u32", "words": [..], "same": true
 * if all runs have one value}. */
void column_print(const struct column *c, FILE *f);
/* Prints the column's values. */
void column_print_data(const struct column *c, FILE *f);

/* Quotes text for a page's script: "</script>" must not end the script. */
void column_quote(FILE *f, const char *s);
void column_base64(FILE *f, const void *data, size_t n);

#endif
