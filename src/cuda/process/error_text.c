/* Error codes, names and texts: one row of errors.def each. */
#include "cuda/process/process.h"

static const struct {
	int code;
	const char *name, *driver, *text;
} table[] = {
#define E(code, name, driver, text) {code, #name, driver, text},
#include "cuda/process/errors.def"
#undef E
};

static int row_of(int e)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == e)
			return (int)i;
	return -1;
}

const char *error_name(int e)
{
	int i = row_of(e);
	return i < 0 ? NULL : table[i].name;
}

const char *error_text(int e)
{
	int i = row_of(e);
	return i < 0 ? NULL : table[i].text;
}

const char *error_driver_name(int e)
{
	int i = row_of(e);
	return i < 0 ? NULL : table[i].driver;
}
