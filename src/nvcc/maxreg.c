/* -maxrregcount: kernels without launch bounds get .maxnreg in their PTX, which limits the
 * registers that occupancy and the timing model count. Kernels with launch bounds keep their
 * bounds, as in nvcc. */
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"

/* Skips blanks, comments and whole parameter lists up to the start of the next word, '{' or ';'. */
static const char *next_word(const char *p)
{
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (p[0] == '/' && p[1] == '/')
			p += strcspn(p, "\n");
		else if (*p == '(')
			p += strcspn(p, ")") + (strchr(p, ')') != NULL);
		else
			return p;
	}
}

static size_t word_length(const char *p) { return strcspn(p, " \t\r\n({;"); }

/* p is after ".entry". Returns the start of the kernel's body; NULL: no body, or bounds exist
 * already. */
static const char *unbounded_body(const char *p)
{
	static const char *const bounds[] = {".maxntid", ".reqntid", ".minnctapersm",
					     ".maxnctapersm", ".maxnreg"};
	for (p = next_word(p); *p && *p != '{' && *p != ';'; p = next_word(p + word_length(p)))
		for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
			if (word_length(p) == strlen(bounds[i]) &&
			    !memcmp(p, bounds[i], strlen(bounds[i])))
				return NULL;
	return *p == '{' ? p : NULL;
}

bool cc_limit_registers(const struct cc *cc, const char *ptx)
{
	size_t n, used = 0, kernels = 0;
	if (!cc->max_regs || cc->dry_run)
		return true;
	char *text = cc_slurp(ptx, &n), *out = NULL;
	if (!text) {
		cli_error("cc", "cannot read %s", ptx);
		return false;
	}
	for (const char *p = text; (p = strstr(p, ".entry")); p++)
		kernels++;
	out = malloc(n + kernels * 32 + 1);
	const char *from = text;
	for (const char *p = text; out && (p = strstr(p, ".entry"));) {
		p += strlen(".entry");
		const char *body = unbounded_body(p);
		if (!body)
			continue;
		memcpy(out + used, from, (size_t)(body - from));
		used += (size_t)(body - from);
		char *line = cc_format(".maxnreg %d\n", cc->max_regs);
		memcpy(out + used, line, strlen(line));
		used += strlen(line);
		free(line);
		from = p = body;
	}
	bool ok = out != NULL;
	if (ok) {
		memcpy(out + used, from, n - (size_t)(from - text));
		ok = cc_spill(ptx, out, used + n - (size_t)(from - text));
	}
	free(out);
	free(text);
	return ok;
}
