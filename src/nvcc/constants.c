/* Stores through a pointer to a constant variable (`((int *)table)[i] = 1`). nvcc generates a store
 * that faults when it is executed; clang writes `st.const`, which is no PTX, so that the whole
 * program could not be loaded. This file replaces such stores. */
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"

static bool changes_memory(const char *op)
{
	return !strncmp(op, "st.", 3) || !strncmp(op, "atom.", 5) || !strncmp(op, "red.", 4);
}

/* Finds the opcode of a line, after its guard. */
static const char *opcode_of(const char *line)
{
	line += strspn(line, " \t{");
	if (*line == '@') {
		line += strcspn(line, " \t\n");
		line += strspn(line, " \t");
	}
	return line;
}

bool cc_constant_stores(const struct cc *cc, const char *ptx)
{
	static const char from[] = ".const", to[] = ".global";
	size_t n, used = 0, stores = 0;
	char *text = cc->dry_run ? NULL : cc_slurp(ptx, &n);
	if (!text)
		return true; /* the next reader of the file reports the error */
	for (const char *p = text; (p = strstr(p, from)); p++)
		stores++;
	char *out = malloc(n + stores + 1);
	bool any = false;
	for (const char *line = text; out && *line;) {
		size_t length = strcspn(line, "\n");
		const char *op = opcode_of(line), *at = NULL;
		if (changes_memory(op))
			at = memmem(op, strcspn(op, " \t\n"), from, strlen(from));
		if (at) {
			memcpy(out + used, line, (size_t)(at - line));
			used += (size_t)(at - line);
			memcpy(out + used, to, strlen(to));
			used += strlen(to);
			length -= (size_t)(at - line) + strlen(from);
			line = at + strlen(from);
			any = true;
		}
		length += line[length] == '\n';
		memcpy(out + used, line, length);
		used += length;
		line += length;
	}
	bool ok = out && (!any || cc_spill(ptx, out, used));
	free(out);
	free(text);
	return ok;
}
