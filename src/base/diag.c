#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

/* A copy of line number `line`; long lines are cut so that a message stays readable. */
static const char *source_line(struct arena *a, const struct srcloc *at)
{
	if (!at->text || !at->line)
		return NULL;
	const char *p = at->text;
	for (unsigned l = 1; l < at->line && p < at->end; l++) {
		const char *nl = memchr(p, '\n', (size_t)(at->end - p));
		if (!nl)
			return NULL;
		p = nl + 1;
	}
	const char *e = memchr(p, '\n', (size_t)(at->end - p));
	size_t n = (size_t)((e ? e : at->end) - p);
	return arena_strndup(a, p, n < 240 ? n : 240);
}

void diag_vat(struct diag *d, enum diag_kind k, const struct srcloc *at, const char *fmt,
	      va_list ap)
{
	if (k == DIAG_ERROR)
		d->errors++;
	if (d->n == DIAG_MAX) {
		d->dropped++;
		return;
	}
	char buf[1024];
	vsnprintf(buf, sizeof buf, fmt, ap);
	struct diag_msg *m = &d->msg[d->n++];
	*m = (struct diag_msg){.kind = k, .text = arena_strdup(&d->arena, buf)};
	if (at) {
		m->file = at->file ? arena_strdup(&d->arena, at->file) : NULL;
		m->line = at->line;
		m->col = at->col;
		m->source = source_line(&d->arena, at);
	}
}

void diag_at(struct diag *d, enum diag_kind k, const struct srcloc *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_vat(d, k, at, fmt, ap);
	va_end(ap);
}

void diag_error(struct diag *d, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	diag_vat(d, DIAG_ERROR, NULL, fmt, ap);
	va_end(ap);
}

static void print_caret(const struct diag_msg *m, FILE *f)
{
	fprintf(f, "%6u | ", m->line);
	/* control bytes of binary input must not reach terminals */
	for (const char *p = m->source; *p; p++)
		fputc((unsigned char)*p < 32 && *p != '\t' ? '?' : *p == 127 ? '?' : *p, f);
	fputs("\n       | ", f);
	for (unsigned i = 1; i < m->col && m->source[i - 1]; i++)
		fputc(m->source[i - 1] == '\t' ? '\t' : ' ', f);
	fputs("^\n", f);
}

void diag_print(const struct diag *d, FILE *f)
{
	static const char *const kind[] = {"error", "warning", "note"};
	for (unsigned i = 0; i < d->n; i++) {
		const struct diag_msg *m = &d->msg[i];
		if (m->file)
			fprintf(f, "%s:", m->file);
		if (m->line)
			fprintf(f, "%u:%u:", m->line, m->col);
		fprintf(f, "%s%s: %s\n", m->file || m->line ? " " : "", kind[m->kind], m->text);
		if (m->source)
			print_caret(m, f);
	}
	if (d->dropped)
		fprintf(f, "%u further messages not shown\n", d->dropped);
}

char *diag_string(const struct diag *d)
{
	char *s = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&s, &n);
	if (!f)
		return xstrdup("out of memory");
	diag_print(d, f);
	fclose(f);
	return s;
}

void diag_free(struct diag *d)
{
	arena_free(&d->arena);
	d->n = d->errors = d->dropped = 0;
}
