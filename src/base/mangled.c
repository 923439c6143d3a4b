#include "base/mangled.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a name as a length and that many letters: 5queen. NULL: no such name at p. */
static const char *read_component(const char *p, const char **name, size_t *n)
{
	char *end;
	p += *p == 'L'; /* L: a name with internal linkage */
	if (*p < '1' || *p > '9')
		return NULL;
	unsigned long len = strtoul(p, &end, 10);
	if (len > strlen(end))
		return NULL;
	*name = end;
	*n = len;
	return end + len;
}

/* Reads a variable of a function: _ZZ, the function, E, the variable, and a number if there are
 * several. */
static bool local_name(const char *name, struct plain_name *out)
{
	const char *s, *end;
	size_t n;
	for (const char *p = name + strlen(name); --p > name;)
		if (*p == 'E' && (end = read_component(p + 1, &s, &n)) &&
		    strspn(end, "_0123456789") == strlen(end)) {
			snprintf(out->text, sizeof out->text, "%.*s", (int)n, s);
			return true;
		}
	return false;
}

struct plain_name plain_name(const char *name)
{
	struct plain_name out;
	const char *s, *p = name + 2;
	size_t n, at = 0;
	snprintf(out.text, sizeof out.text, "%s", name);
	if (strncmp(name, "_Z", 2) || (*p == 'Z' && local_name(name, &out)))
		return out;
	bool nested = *p == 'N';
	p += nested ? 1 + strspn(p + 1, "rVK") : 0;
	for (; (p = read_component(p, &s, &n)) && at < sizeof out.text;) {
		if (n >= 12 && !strncmp(s, "_GLOBAL__N_1", 12))
			continue; /* the anonymous namespace */
		at += (size_t)snprintf(out.text + at, sizeof out.text - at, "%s%.*s",
				       at ? "::" : "", (int)n, s);
		if (!nested)
			break;
	}
	return out;
}
