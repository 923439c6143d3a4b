/* Quirks of imitated programs: rows of quirks.def, chosen by the option sm.quirks. Without quirks the
 * machine is as hardware; every quirk names its source.
 *
 *	sm.quirks = none                       as hardware (the default)
 *	sm.quirks = gpgpu-sim                  all rows of that group
 *	sm.quirks = fence-loads,late-lookup    these two
 *	sm.quirks = gpgpu-sim,-fence-loads     all of the group but one
 *	sm.quirks = +fence-loads               the quirks of the machine's base, and this one */
#ifndef CONF_QUIRKS_H
#define CONF_QUIRKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum quirk {
#define QUIRK(id, name, group, option, value, hardware, imitated, source) QUIRK_##id,
#include "conf/quirks.def"
#undef QUIRK
	QUIRK_COUNT
};

static inline bool quirk_in(uint32_t set, enum quirk q) { return set >> q & 1; }

/* Changes a set as the text says. False: `bad` has the unknown word, and the set is unchanged. */
bool quirks_read(uint32_t *set, const char *text, char *bad, size_t n);
/* Writes the set as a text that quirks_read() accepts. */
void quirks_print(uint32_t set, char *buf, size_t n);
/* Returns all words that sm.quirks may contain, separated by "|". */
const char *quirks_words(void);
/* Writes the value of sm.quirks that replaces option `key` of an earlier version; false: the option
 * was not replaced by a quirk. */
bool quirk_of_option(const char *key, char *buf, size_t n);
void quirks_print_manual(FILE *f); /* prints the table as Markdown */
void quirks_explain(FILE *f);      /* prints the table for a terminal */

#endif
