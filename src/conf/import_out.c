/* The INI file that an importer makes: entries in order of reading, written by section. A later entry of a
 * key replaces an earlier one. The importers are in conf/importer.h. */
#include "conf/importer.h"

#include <stdlib.h>
#include <string.h>

void ini_put(struct import *im, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');
	char *section = xmalloc((size_t)(dot - key) + 1);
	memcpy(section, key, (size_t)(dot - key));
	section[dot - key] = 0;
	for (size_t i = 0; i < im->out.n; i++)
		if (!strcmp(im->out.v[i].section, section) && !strcmp(im->out.v[i].key, dot + 1)) {
			free(section);
			free(im->out.v[i].value);
			im->out.v[i].value = xstrdup(value);
			return; /* a later entry replaces an earlier one */
		}
	vec_push(&im->out, (struct ini_entry){section, xstrdup(dot + 1), xstrdup(value)});
}

void ini_put_num(struct import *im, const char *key, long v)
{
	char buf[32];
	snprintf(buf, sizeof buf, "%ld", v);
	ini_put(im, key, buf);
}

static int by_section(const void *a, const void *b)
{
	const struct ini_entry *x = a, *y = b;
	int c = strcmp(x->section, y->section);
	return c ? c : strcmp(x->key, y->key);
}

void ini_write(struct import *im, FILE *out)
{
	const char *section = "";
	qsort(im->out.v, im->out.n, sizeof *im->out.v, by_section);
	fprintf(out, "; made from %s\n", im->file);
	for (size_t i = 0; i < im->out.n; i++) {
		const struct ini_entry *e = &im->out.v[i];
		if (strcmp(section, e->section))
			fprintf(out, "[%s]\n", e->section);
		section = e->section;
		fprintf(out, "%s = %s\n", e->key, e->value);
	}
	for (size_t i = 0; i < im->unknown.n; i++)
		fprintf(out, "; not used: %s\n", im->unknown.v[i]);
}

void import_free(struct import *im)
{
	for (size_t i = 0; i < im->out.n; i++) {
		free(im->out.v[i].section);
		free(im->out.v[i].key);
		free(im->out.v[i].value);
	}
	for (size_t i = 0; i < im->ignored.n; i++)
		free(im->ignored.v[i]);
	for (size_t i = 0; i < im->unknown.n; i++)
		free(im->unknown.v[i]);
	vec_free(&im->out);
	vec_free(&im->ignored);
	vec_free(&im->unknown);
}
