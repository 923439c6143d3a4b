#include "ir/type.h"

#include <string.h>

#define X(e, s, b, c) [T_##e] = {s, b, TC_##c},
const struct type_info type_info[T_COUNT] = {TYPES(X)};
#undef X

enum type type_find(const char *name, unsigned len)
{
	for (unsigned t = 1; t < T_COUNT; t++)
		if (strlen(type_info[t].name) == len && !memcmp(type_info[t].name, name, len))
			return (enum type)t;
	return T_NONE;
}
