/* Comparison of kernels' names: see profile.h. A demangled name is
 *
 *   [result type ] {component[<arguments>]::} own name[<arguments>][(parameters)]
 *
 * "void (anonymous namespace)::pool<float>::fill<(int)4>(float *)" has the components pool and fill.
 * Arguments are not compared: tools write them differently, (int)4 and 4. */
#include <ctype.h>
#include <string.h>
#include "cli/profile/profile.h"

enum { COMPONENTS = 32 };

struct component {
	const char *at;
	size_t n;
};

/* The text after the bracket that closes the one at p; an arrow's > closes nothing. */
static const char *skip_brackets(const char *p)
{
	unsigned depth = 0, parentheses = 0;
	for (; *p; p++) {
		if (*p == '(')
			parentheses++;
		else if (*p == ')' && parentheses)
			parentheses--;
		else if (!parentheses && *p == '<')
			depth++;
		else if (!parentheses && *p == '>' && p[-1] != '-' && depth)
			depth--;
		if (!depth && !parentheses)
			return p + 1;
	}
	return p;
}

/* Splits a name; returns the number of components. Unnamed namespaces are none. */
static unsigned split_name(const char *name, struct component *out)
{
	unsigned n = 0;
	for (const char *p = name; *p;) {
		size_t length = strcspn(p, "<(: ");
		const char *end = p + length;
		if (!strncmp(p, "operator", 8) &&
		    (length == 8 || (!isalnum((unsigned char)p[8]) && p[8] != '_'))) {
			end += strspn(end, "<>");
			end += !strncmp(end, "()", 2) ? 2 : 0;
			length = (size_t)(end - p);
		}
		bool named = length > 0;
		if (named && n < COMPONENTS)
			out[n++] = (struct component){p, length};
		if (*end == '<')
			end = skip_brackets(end);
		if (*end == '(' && !named && p == end)
			end = skip_brackets(end);
		if (!strncmp(end, "::", 2)) {
			p = end + 2;
		} else if (*end == ' ' && named) { /* the result type ends */
			n = 0;
			p = end + strspn(end, " *&");
		} else {
			break;
		}
	}
	return n;
}

bool kernels_match(const char *a, const char *b)
{
	struct component x[COMPONENTS], y[COMPONENTS];
	unsigned n = split_name(a, x), m = split_name(b, y), both = n < m ? n : m;
	for (unsigned i = 1; i <= both; i++)
		if (x[n - i].n != y[m - i].n || strncmp(x[n - i].at, y[m - i].at, x[n - i].n) != 0)
			return false;
	return both > 0;
}
