/* Lists of strings, reading of whole files, and formatted strings. */
#include "nvcc/cc.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"

static void *check_memory(void *p)
{
	if (!p) {
		cli_error("cc", "out of memory");
		exit(CLI_FAILED);
	}
	return p;
}

static void words_take(struct words *w, char *s)
{
	if (w->n + 2 > w->cap) {
		w->cap = w->cap ? 2 * w->cap : 16;
		w->v = check_memory(realloc(w->v, w->cap * sizeof *w->v));
	}
	w->v[w->n++] = s;
	w->v[w->n] = NULL;
}

void words_add(struct words *w, const char *s) { words_take(w, check_memory(strdup(s))); }

static char *format_words(const char *fmt, va_list ap)
{
	char *s = NULL;
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return check_memory(s);
}

char *cc_format(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = format_words(fmt, ap);
	va_end(ap);
	return s;
}

void words_addf(struct words *w, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	words_take(w, format_words(fmt, ap));
	va_end(ap);
}

void words_add_all(struct words *w, const struct words *more)
{
	for (size_t i = 0; i < more->n; i++)
		words_add(w, more->v[i]);
}

void words_split(struct words *w, const char *s, const char *seps)
{
	while (*s) {
		size_t n = strcspn(s, seps);
		if (n)
			words_addf(w, "%.*s", (int)n, s);
		s += n + (s[n] != 0);
	}
}

void words_unquote(struct words *w, char *text)
{
	for (char *s = text; *s;) {
		s += strspn(s, " \t\r\n");
		char *word = s, *to = s, quote = 0;
		bool any = *s;
		for (; *s && (quote || !strchr(" \t\r\n", *s)); s++) {
			if (*s == quote)
				quote = 0;
			else if (!quote && (*s == '"' || *s == '\''))
				quote = *s;
			else if (*s == '\\' && quote != '\'' && s[1])
				*to++ = *++s;
			else
				*to++ = *s;
		}
		bool last = !*s;
		*to = 0;
		if (any)
			words_add(w, word);
		s = last ? s : s + 1;
		if (last)
			break;
	}
}

bool words_have(const struct words *w, const char *s, size_t len)
{
	for (size_t i = 0; i < w->n; i++)
		if (strlen(w->v[i]) == len && !memcmp(w->v[i], s, len))
			return true;
	return false;
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct words){0};
}

char *cc_slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	size_t cap = 1 << 16, len = 0, got;
	char *s = check_memory(malloc(cap));
	while ((got = fread(s + len, 1, cap - len - 1, f)) > 0) {
		len += got;
		if (cap - len < 2)
			s = check_memory(realloc(s, cap *= 2));
	}
	bool failed = ferror(f); /* a folder can be opened but not read */
	fclose(f);
	if (failed) {
		free(s);
		return NULL;
	}
	s[len] = 0;
	*n = len;
	return s;
}

bool cc_spill(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(data, 1, n, f) == n;
	if (f && fclose(f))
		ok = false;
	if (!ok)
		cli_error("cc", "cannot write %s: %s", path, strerror(errno));
	return ok;
}
