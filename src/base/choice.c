/* Parses lists of launches: numbers, ranges and kernels. The grammar is in choice.h. */
#include "base/choice.h"
#include <stdlib.h>
#include <string.h>
#include "base/mangled.h"

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

/* Reads "7" or "7-9"; the caller handles the text after it. */
static bool read_range(const char **s, uint32_t *from, uint32_t *to)
{
	if (!read_number(s, from))
		return false;
	*to = *from;
	if (**s == '-' && ((*s)++, !read_number(s, to)))
		return false;
	return *from <= *to;
}

bool choice_range(const char **s, uint32_t *from, uint32_t *to)
{
	const char *at = *s;
	if (!read_range(&at, from, to) || (*at && *at != ',') || (*at == ',' && !at[1]))
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

/* Compiles an item's pattern so that it has to match a whole name. */
static bool compile_pattern(struct choice_kernel *k)
{
	size_t n = strlen(k->name) + sizeof "^()$";
	char *whole = malloc(n);
	if (!whole)
		return false;
	/* tested alone first: "a)(b" is a pattern only between the parentheses added here */
	bool good = !regcomp(&k->pattern, k->name, REG_EXTENDED | REG_NOSUB);
	if (good) {
		regfree(&k->pattern);
		memcpy(whole, "^(", 2);
		memcpy(whole + 2, k->name, n - sizeof "^()$");
		memcpy(whole + n - 3, ")$", 3);
		good = !regcomp(&k->pattern, whole, REG_EXTENDED | REG_NOSUB);
	}
	free(whole);
	return good;
}

/* Parses an item of n bytes. False, with nothing kept: the text is not an item. */
static bool parse_kernel(struct choice_kernel *k, const char *s, size_t n)
{
	*k = (struct choice_kernel){.text = strndup(s, n), .to = UINT32_MAX};
	if (!k->text)
		return false;
	const char *name = strchr(k->text, '@'), *at = k->text;
	k->name = name ? name + 1 : k->text;
	if (*k->name && (!name || (read_range(&at, &k->from, &k->to) && at == name)) &&
	    compile_pattern(k))
		return true;
	free(k->text);
	return false;
}

bool choice_kernels_parse(choice_kernels *list, const char *s)
{
	for (;; s++) {
		size_t n = strcspn(s, ",");
		struct choice_kernel k;
		if (!parse_kernel(&k, s, n)) {
			choice_kernels_free(list);
			return false;
		}
		vec_push(list, k);
		s += n;
		if (!*s)
			return true;
	}
}

void choice_kernels_free(choice_kernels *list)
{
	for (size_t i = 0; i < list->n; i++) {
		regfree(&list->v[i].pattern);
		free(list->v[i].text);
	}
	vec_free(list);
	*list = (choice_kernels){0};
}

static bool is_name(const struct choice_kernel *item, const char *name)
{
	return !strcmp(name, item->name) || !regexec(&item->pattern, name, 0, NULL, 0);
}

bool choice_kernel_is(const struct choice_kernel *item, const char *kernel)
{
	if (is_name(item, kernel))
		return true;
	struct plain_name plain = plain_name(kernel);
	for (const char *s = plain.text;; s += 2) {
		if (is_name(item, s))
			return true;
		s = strstr(s, "::");
		if (!s)
			return false;
	}
}

bool choice_kernels_have(const choice_kernels *list, const char *kernel, uint64_t number)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct choice_kernel *k = &list->v[i];
		if (number >= k->from && number <= k->to && choice_kernel_is(k, kernel))
			return true;
	}
	return false;
}
