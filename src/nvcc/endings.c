/* Files in which some lines end with a carriage return and some do not. Clang assumes one kind of
 * ending per file when it inlines the includes and counts lines by it, so messages, line tables and
 * __LINE__ would be wrong. Clang gets copies of such files with one kind of ending, under the
 * original names (-ivfsoverlay). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nvcc/cc.h"

static bool is_mixed(const char *s, size_t n)
{
	bool with = false, without = false;
	for (const char *p = s; (p = memchr(p, '\n', n - (size_t)(p - s))); p++) {
		bool cr = p > s && p[-1] == '\r';
		with |= cr;
		without |= !cr;
	}
	return with && without;
}

/* Copies a file with one kind of ending and returns the copy's name. NULL: the file's endings are
 * not mixed. */
static char *even_copy(struct cc *cc, const char *name)
{
	size_t n, m = 0;
	char *text = cc_slurp(name, &n), *copy = NULL;
	if (text && is_mixed(text, n)) {
		for (size_t i = 0; i < n; i++)
			if (text[i] != '\r' || i + 1 == n || text[i + 1] != '\n')
				text[m++] = text[i];
		copy = cc_temp(cc, ".even");
		if (!cc_spill(copy, text, m)) {
			free(copy);
			copy = NULL;
		}
	}
	free(text);
	return copy;
}

void cc_quote(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

/* Collects the names of files in line markers, as in a string: # 12 "name" 2. */
static void collect_files(const char *text, struct words *names)
{
	char name[4096];
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, "# ", 2))
			continue;
		const char *from = p + 2 + strspn(p + 2, "0123456789");
		if (strncmp(from, " \"", 2))
			continue;
		size_t n = 0;
		for (from += 2; *from && *from != '"' && *from != '\n' && n + 1 < sizeof name;
		     from++) {
			from += *from == '\\' && from[1];
			name[n++] = *from;
		}
		name[n] = 0;
		if (*from == '"' && n && name[0] != '<' && !words_have(names, name, n))
			words_add(names, name);
	}
}

char *cc_even_endings(struct cc *cc, const char *text)
{
	struct words names = {0};
	char *list = NULL, *path = NULL, cwd[4096];
	size_t size;
	unsigned count = 0;
	if (!strstr(text, "\r\n") || !getcwd(cwd, sizeof cwd))
		return NULL;
	FILE *f = open_memstream(&list, &size);
	if (!f)
		return NULL;
	fputs("{\"version\": 0, \"use-external-names\": false, \"roots\": [", f);
	collect_files(text, &names);
	for (size_t i = 0; i < names.n; i++) {
		char *copy = even_copy(cc, names.v[i]);
		if (!copy)
			continue;
		char *whole = names.v[i][0] == '/' ? cc_format("%s", names.v[i])
						   : cc_format("%s/%s", cwd, names.v[i]);
		fputs(count++ ? ",\n" : "\n", f);
		fputs("{\"type\": \"file\", \"name\": ", f);
		cc_quote(f, whole);
		fputs(", \"external-contents\": ", f);
		cc_quote(f, copy);
		fputs("}", f);
		free(whole);
		free(copy);
	}
	fputs("]}\n", f);
	fclose(f);
	if (count && list) {
		path = cc_temp(cc, ".overlay");
		if (!cc_spill(path, list, size)) {
			free(path);
			path = NULL;
		}
	}
	free(list);
	words_free(&names);
	return path;
}
