/* Parses lists of launches: numbers, ranges and names. The grammar is in choice.h. */
#include "base/choice.h"
#include <stdlib.h>
#include <string.h>

/* Reads a number of digits only: strtoull() alone accepts signs and blanks. */
static bool read_number(const char **s, uint32_t *n)
{
	char *end;
	if (**s < '0' || **s > '9')
		return false;
	unsigned long long x = strtoull(*s, &end, 10);
	*n = (uint32_t)x;
	*s = end;
	return x <= UINT32_MAX;
}

bool choice_range(const char **s, uint32_t *from, uint32_t *to)
{
	const char *at = *s;
	if (!read_number(&at, from))
		return false;
	*to = *from;
	if (*at == '-' && (at++, !read_number(&at, to)))
		return false;
	if (*to < *from || (*at && *at != ',') || (*at == ',' && !at[1]))
		return false;
	*s = at + (*at == ',');
	return true;
}

bool choice_is_ranges(const char *s)
{
	uint32_t from, to;
	bool any = false;
	while (choice_range(&s, &from, &to))
		any = true;
	return any && !*s;
}

bool choice_is_names(const char *s)
{
	for (;; s++) {
		size_t n = strcspn(s, ",");
		if (!n)
			return false;
		s += n;
		if (!*s)
			return true;
	}
}
