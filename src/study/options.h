/* Options of a study file, one by one: a mistake is the line's that has it, not the combination's in which it is seen. Texts
 * are in the arena. */
#ifndef STUDY_OPTIONS_H
#define STUDY_OPTIONS_H
#include "base/arena.h"

/* NULL: it is a machine; else what is expected. */
const char *options_no_machine(struct arena *a, const char *machine);
/* NULL: `word`, key=value, is an option with a value that it takes; else what is expected. */
const char *options_wrong(struct arena *a, const char *machine, const char *word);
/* The first line of a message of heddle_config_show(), without where it comes from. */
const char *options_why(struct arena *a, const char *text);

#endif
