/* Static variables of separately compiled code. Files may have statics of the same name, so clang
 * renames each one that the host refers to, to NAME__static__ID, and registers it under that. Old
 * versions rename the definition but not the kernels' references, which then name an extern
 * variable that nobody defines:
 *
 *   .extern .const .align 4 .b8 _ZL5table[16];
 *   .visible .const .align 4 .b8 _ZL5table__static__fbbe710a5dff205a[16];
 *   ld.const.u32 %r1, [_ZL5table+4];
 *
 * This file removes the declaration and gives the references the definition's name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"

static const char mark[] = "__static__";

static bool is_name(char c) { return isalnum((unsigned char)c) || strchr("_$.%", c); }

struct statics {
	struct name {
		const char *name, *full; /* ranges of the PTX text, not NUL-terminated */
		size_t len, full_len;
	} * v;
	size_t n;
};

static void find_statics(const char *text, struct statics *s)
{
	for (const char *p = text; (p = strstr(p, mark)); p += strlen(mark)) {
		const char *from = p, *to = p, *line = p;
		while (from > text && is_name(from[-1]))
			from--;
		while (is_name(*to))
			to++;
		while (line > text && line[-1] != '\n')
			line--;
		if (strncmp(line, ".visible", 8) && strncmp(line, ".weak", 5))
			continue; /* a use, not a declaration */
		struct name *more = realloc(s->v, (s->n + 1) * sizeof *s->v);
		if (!more)
			return;
		s->v = more;
		s->v[s->n++] = (struct name){from, from, (size_t)(p - from), (size_t)(to - from)};
	}
}

static const struct name *find_name(const struct statics *s, const char *p, size_t len)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].len == len && !memcmp(s->v[i].name, p, len))
			return &s->v[i];
	return NULL;
}

/* True if this line declares one of the renamed statics. */
static bool is_declaration(const struct statics *s, const char *line)
{
	size_t end = strcspn(line, "\n");
	if (strncmp(line, ".extern .", 9) || !strncmp(line, ".extern .func", 13))
		return false;
	for (const char *p = line; p < line + end; p++)
		if (is_name(*p)) {
			size_t len = 0;
			while (is_name(p[len]))
				len++;
			if (find_name(s, p, len))
				return true;
			p += len - 1;
		}
	return false;
}

/* Writes the text with the names replaced; returns its length. */
static size_t replace_names(const struct statics *s, const char *text, char *out)
{
	size_t used = 0;
	bool start = true;
	for (const char *p = text; *p;) {
		if (start && is_declaration(s, p)) {
			p += strcspn(p, "\n");
			p += *p == '\n';
			/* the newline is kept, so that line numbers do not change */
			out[used++] = '\n';
			continue;
		}
		size_t len = 0;
		while (is_name(p[len]))
			len++;
		const struct name *name = len ? find_name(s, p, len) : NULL;
		const char *from = name ? name->full : p;
		size_t n = name ? name->full_len : len ? len : 1;
		memcpy(out + used, from, n);
		used += n;
		start = !len && *p == '\n';
		p += len ? len : 1;
	}
	return used;
}

bool cc_join_statics(const struct cc *cc, const char *ptx)
{
	size_t n, longest = 0, uses = 0;
	struct statics s = {0};
	if (!cc->rdc || cc->dry_run)
		return true;
	char *text = cc_slurp(ptx, &n);
	if (text && strstr(text, mark))
		find_statics(text, &s);
	for (size_t i = 0; i < s.n; i++) {
		longest = s.v[i].full_len > longest ? s.v[i].full_len : longest;
		char *name = cc_format("%.*s", (int)s.v[i].len, s.v[i].name);
		for (const char *p = text; (p = strstr(p, name)); p++)
			uses++;
		free(name);
	}
	bool ok = true;
	if (s.n) {
		char *out = malloc(n + uses * longest + 1);
		ok = out && cc_spill(ptx, out, replace_names(&s, text, out));
		free(out);
	}
	free(s.v);
	free(text);
	return ok;
}
