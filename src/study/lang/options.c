/* Checks options of study files through the library, which distinguishes a wrong option from one
 * that conflicts with others. */
#include "study/lang/options.h"
#include <stdlib.h>
#include <string.h>
#include "heddle.h"

static const char from_set[] = "--set: ", error[] = "error: ";

static const char *without(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) ? text : text + strlen(prefix);
}

const char *options_why(struct arena *a, const char *text)
{
	const char *why = without(without(text, from_set), error);
	return arena_strndup(a, why, strcspn(why, "\n"));
}

const char *options_no_machine(struct arena *a, const char *machine)
{
	static const char *const none[] = {NULL};
	char *text;
	const char *why = heddle_config_show(machine, none, &text) ? NULL : options_why(a, text);
	free(text);
	return why;
}

const char *options_wrong(struct arena *a, const char *machine, const char *word)
{
	const char *const set[] = {word, NULL}, *why = NULL;
	char *text;
	/* Reads the machine without building it: a study has hundreds of settings. */
	if (!heddle_config_possible(machine, set, &text) &&
	    !strncmp(text, from_set, strlen(from_set)))
		why = options_why(a, text);
	free(text);
	return why;
}
