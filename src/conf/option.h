/* The options of a machine, as rows of tables. The machine's own rows are options.def. A policy
 * with options has a struct for their values and a table of rows in its file, and names the table
 * in its struct policy; the registry adds it to the list. The parser, the manual and `heddle
 * config` follow from the rows. Values are in conf/machine.h.
 *
 * Options are ordered by section (the part of the key before the first dot); within a section the
 * machine's own rows come first, then those of policies by family and file. A section that only
 * policies have follows the section of the option that chooses their family. */
#ifndef CONF_OPTION_H
#define CONF_OPTION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"
#include "policy/registry.h"

enum opt_type {
	OPT_NUM,    /* uint32_t */
	OPT_REAL,   /* double */
	OPT_BOOL,   /* bool */
	OPT_CHOICE, /* uint32_t: index of the word in `words`, an enumeration in that order */
	OPT_NAME,   /* const char *: one of `words` */
	OPT_POLICY, /* const struct FAMILY_ops *: a policy of the family */
	OPT_TABLE,  /* struct named_num *: whole numbers by name */
	OPT_REALS,  /* struct named_num *: real numbers by name */
	OPT_TEXT,   /* const char * */
	OPT_QUIRKS, /* uint32_t: a set of quirks (conf/quirks.h) */
};

struct option {
	const char *key;
	enum opt_type type;
	size_t offset;   /* offset of the value in its struct */
	const char *def; /* default, as text */
	double min, max;
	const char *unit, *help;
	const char *words; /* the words allowed: "a|b|c" */
	enum family family;
};

struct machine;
struct option_table {
	const struct option *row;
	unsigned n;
	size_t size; /* size of the struct of values, in bytes */
	/* the options have an effect only if a policy that uses the table is chosen */
	bool alone;
	/* MAY. Writes into buf why a value conflicts with the machine's other options; returns
	 * NULL: no conflict. Called for every table, whether or not its policy is chosen, before
	 * anything is built. */
	const char *(*refuses)(const struct machine *m, char *buf, size_t n);
};

/* Rows: the struct, its field, key, default, ... in the order of options.def. */
#define OPTION_WORDS_(x) #x
#define OPTION_WORDS(x)  OPTION_WORDS_(x)
#define OPTION_NUM(s, f, k, d, lo, hi, u, h)                                                       \
	{                                                                                          \
		k, OPT_NUM, offsetof(s, f), OPTION_WORDS(d), lo, hi, u, h, NULL, FAMILIES          \
	}
#define OPTION_REAL(s, f, k, d, lo, hi, u, h)                                                      \
	{                                                                                          \
		k, OPT_REAL, offsetof(s, f), OPTION_WORDS(d), lo, hi, u, h, NULL, FAMILIES         \
	}
#define OPTION_BOOL(s, f, k, d, h)                                                                 \
	{                                                                                          \
		k, OPT_BOOL, offsetof(s, f), #d, 0, 1, "", h, NULL, FAMILIES                       \
	}
/* list(X) is X(ENUMERATOR, "word") ...; the enumeration is enum { list(CHOICE_ENUM) }. */
#define OPTION_CHOICE(s, f, k, d, list, h)                                                         \
	{                                                                                          \
		k, OPT_CHOICE, offsetof(s, f), d, 0, 0, "", h, ("" list(CHOICE_WORD)) + 1,         \
			FAMILIES                                                                   \
	}
#define CHOICE_ENUM(e, word) e,
#define CHOICE_WORD(e, word) "|" word
#define OPTION_TABLE(rows, values)                                                                 \
	.row = rows, .n = sizeof(rows) / sizeof *(rows), .size = sizeof(values)

/* True if the policy uses the table. */
bool policy_reads(const struct policy *p, const struct option_table *t);

/* ---- all options, in the order of `heddle config show` ---- */
struct known_option {
	const struct option *o;
	const char *words; /* words that a NAME, CHOICE or POLICY can be */
	int table; /* index in option_tables() of the table whose struct holds the value; -1: struct machine */
};
const struct known_option *options_all(unsigned *n);
const struct option_table *const *option_tables(unsigned *n);
/* Returns the option of a key (registers.KERNEL belongs to registers.*); NULL: unknown key. */
const struct known_option *option_find(const char *key);
const char *
option_nearest(const char *key); /* the known key that is most similar; NULL: none is similar */

static inline bool option_is_table(const struct option *o)
{
	return o->type == OPT_TABLE || o->type == OPT_REALS;
}
/* Returns the NAME in a key of a table's entry (registers.NAME); NULL: the key is no entry of the
 * table. */
const char *option_entry(const struct option *o, const char *key);
/* Reads a text into `value`; texts are kept in arena a. Errors, with the place, in d. */
bool option_read(const struct known_option *k, void *value, const char *key, const char *text,
		 struct arena *a, const struct srcloc *at, struct diag *d);
/* Writes the value as a text that option_read() accepts. */
void option_print(const struct known_option *k, const void *value, char *buf, size_t n);

/* `heddle config explain KEY`: false if there is no such key (the nearest is suggested in d). */
bool option_explain(const char *key, FILE *f, struct diag *d);
void options_print_manual(FILE *f); /* the option chapter of the manual, Markdown */

#endif
