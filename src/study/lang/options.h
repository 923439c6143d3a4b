/* Checks the options of a study file one by one, so that an error names the line with the mistake
 * and not just the combination in which the mistake appears. Texts are in the arena. */
#ifndef STUDY_LANG_OPTIONS_H
#define STUDY_LANG_OPTIONS_H
#include "base/arena.h"

/* Returns NULL if the machine exists; otherwise the expected names. */
const char *options_no_machine(struct arena *a, const char *machine);
/* Returns NULL if `word` is key=value with an existing option and a value that it accepts;
 * otherwise the expected form. */
const char *options_wrong(struct arena *a, const char *machine, const char *word);
/* Returns the first line of a message of heddle_config_show(), without its origin. */
const char *options_why(struct arena *a, const char *text);

#endif
