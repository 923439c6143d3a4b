#include "base/mangled.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Template arguments that are longer are not decoded: each of their letters may open a level. */
enum { LONGEST = 8192 };

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

static const char *skip_arguments(const char *p);

/* An earlier part of the name, S_, S1_ or T0_, or a short name of the standard library's, St or Sa. */
static const char *skip_reference(const char *p)
{
	size_t n = strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return p[1 + n] == '_' ? p + n + 2 : p[1] ? p + 2 : NULL;
}

/* The end of a type among template arguments; NULL: of a kind that is not decoded. */
static const char *skip_type(const char *p)
{
	const char *s;
	size_t n;
	p += strspn(p, "PROVKr");
	if (*p >= 'a' && *p <= 'z')
		return p + 1;
	if (*p == 'D' && p[1] == 'F') { /* DF16_, DF16b */
		p += 2 + strspn(p + 2, "0123456789");
		return *p ? p + 1 : NULL;
	}
	if (*p == 'D')
		return p[1] == 'p' ? skip_type(p + 2) : p[1] ? p + 2 : NULL;
	if (*p == 'A') { /* A4_i: four int */
		p += 1 + strspn(p + 1, "0123456789");
		return *p == '_' ? skip_type(p + 1) : NULL;
	}
	bool nested = *p == 'N', list = *p == 'F';
	p += nested || list;
	do {
		if (list)
			p = skip_type(p);
		else if (*p == 'S' || *p == 'T')
			p = skip_reference(p);
		else if (*p == 'I')
			p = skip_arguments(p);
		else
			p = read_component(p, &s, &n);
	} while (p && (nested || list ? *p != 'E' : *p == 'I'));
	return p ? p + (nested || list) : NULL;
}

/* The end of a list of template arguments: I, types and values, E. Lj4E is the value 4 of type j,
 * J...E a list inside the list. NULL: the list has an argument that is not decoded. */
static const char *skip_arguments(const char *p)
{
	p++;
	while (p && *p != 'E') {
		if (*p == 'L') {
			p = skip_type(p + 1);
			p = p ? p + strspn(p, "n0123456789abcdef") : NULL;
			p = p && *p == 'E' ? p + 1 : NULL;
		} else {
			p = *p == 'J' ? skip_arguments(p) : skip_type(p);
		}
	}
	return p ? p + 1 : NULL;
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
		if (*p == 'I' && (strlen(p) > LONGEST || !(p = skip_arguments(p))))
			break;
	}
	return out;
}
