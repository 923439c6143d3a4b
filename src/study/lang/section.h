/* One section of a study file while it is read, and the values of its keys.
 *
 *   read.c           the file: lines to sections, each with its keys in the order of the file
 *   section.c        the value of a key: a word, a number, an expression, a text; errors with a line
 *   section_kinds.c  the meaning of each kind of section: the table of kinds and their keys */
#ifndef STUDY_LANG_SECTION_H
#define STUDY_LANG_SECTION_H
#include "study/lang/study.h"

enum { SECTION_KEYS = 16, SECTION_SETTINGS = 32 };
struct section {
	const char *kind, *name;
	unsigned line;
	struct {
		const char *key, *value;
		unsigned line;
	} k[SECTION_KEYS];
	unsigned n;
};

struct reading {
	struct study *s;
	struct diag *d;
	FILE *f;
	unsigned line;
	bool continues;               /* the line begins with a blank */
	struct section current, head; /* the current section; the section [study] */
};

/* Returns the line of a key, or of the section if it lacks the key or key is NULL. */
unsigned section_line(const struct section *c, const char *key);
/* Returns the text of a key, or `fallback`. */
const char *section_get(const struct section *c, const char *key, const char *fallback);

/* The following functions read the current section. Errors are reported at the line of the key. */
void section_complain(struct reading *r, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns the text of a key; "": the key is missing, which has been reported. */
const char *section_need(struct reading *r, const char *key);
double section_number(struct reading *r, const char *key, const char *fallback, double least,
		      double most, bool whole);
const struct expr *section_expr(struct reading *r, const char *key, const char *text);
/* Parses an expression that has a single value for all programs. */
const struct expr *section_one_value(struct reading *r, const char *key, const char *text);
/* Checks that the expressions {...} in a text can be parsed; returns the text. */
const char *section_prose(struct reading *r, const char *text);
/* Splits the settings of a key `set` into at most `room` elements. Returns their number. */
unsigned section_settings(struct reading *r, const char *list, const char **set, unsigned room);

/* Returns the next word of a list and advances *s; NULL: the list has ended. */
char *section_word(struct reading *r, const char **s);

/* section_mechanisms.c: add the current section, a [base] or a [mechanism] */
void section_add_base(struct reading *r);
void section_add_mechanism(struct reading *r);
/* Checks the current section's keys and adds the section to the study. */
void section_end(struct reading *r);
#endif
