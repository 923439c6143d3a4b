#include "conf/calibration.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/vec.h"
#include "conf/find.h"

struct entry {
	char *key, *value;
	unsigned line;
};

struct reading {
	VEC(struct entry) numbers, origins;
	const char *path;
	struct diag *d;
	double error;
	unsigned line;
	FILE *f;
};

static char *next_line(char *buf, int n, void *user)
{
	struct reading *r = user;
	r->line++;
	return fgets(buf, n, r->f);
}

static void complain(struct reading *r, unsigned line, const char *what, const char *word)
{
	struct srcloc at = {.file = r->path, .line = line, .col = 1};
	diag_at(r->d, DIAG_ERROR, &at, "%s%s", word, what);
}

enum { MOST = 1 << 16 }; /* bytes; all there is to calibrate takes a tenth */

static const struct entry *find(const struct entry *v, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].key, key))
			return &v[i];
	return NULL;
}

static int on_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	struct entry e = {xstrdup(name), xstrdup(value), r->line};
	if (!strcmp(section, "power")) {
		if (find(r->numbers.v, r->numbers.n, name))
			complain(r, r->line, " occurs twice", name);
		vec_push(&r->numbers, e);
		return 1;
	}
	if (!strcmp(section, "origin")) {
		if (find(r->origins.v, r->origins.n, name))
			complain(r, r->line, " occurs twice in [origin]", name);
		vec_push(&r->origins, e);
		return 1;
	}
	char *end;
	if (!*section && !strcmp(name, "error")) {
		r->error = strtod(value, &end);
		if (end == value || *end || !(r->error >= 0 && r->error <= 10))
			complain(r, r->line, ": expected an error from 0 to 10", value);
	} else {
		complain(r, r->line, ": expected error, [power] or [origin]", name);
	}
	free(e.key);
	free(e.value);
	return 1;
}

/* What the file is instead of a text of a calibration's length, or NULL; *hash: of its bytes. */
static const char *hash_of(FILE *f, uint64_t *hash)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
	unsigned n = 0;
	for (int c; (c = getc(f)) != EOF;) {
		h = (h ^ (unsigned char)c) * 0x100000001b3u;
		if (!c)
			return "a byte 0: expected text";
		if (++n > MOST)
			return "more than 64 KB: no calibration";
	}
	rewind(f);
	*hash = h;
	return NULL;
}

static void apply(struct machine *m, struct reading *r)
{
	char key[256];
	for (size_t i = 0; i < r->numbers.n; i++) {
		const struct entry *e = &r->numbers.v[i],
				   *o = find(r->origins.v, r->origins.n, e->key);
		if (!o || !*o->value)
			complain(r, e->line, " has no line in [origin]", e->key);
		if (!strcmp(e->key, "calibration")) {
			complain(r, e->line, ": a calibration names no other", e->key);
			continue;
		}
		snprintf(key, sizeof key, "power.%s", e->key);
		machine_set(m, key, e->value, r->path, e->line, r->d);
	}
	for (size_t i = 0; i < r->origins.n; i++)
		if (!find(r->numbers.v, r->numbers.n, r->origins.v[i].key))
			complain(r, r->origins.v[i].line, " in [origin] has no number in [power]",
				 r->origins.v[i].key);
	if (!r->numbers.n)
		complain(r, 0, "no number in [power]: nothing is calibrated", "");
}

static void drop(struct entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(v[i].key);
		free(v[i].value);
	}
	free(v);
}

void calibration_read(struct machine *m, struct diag *d)
{
	char *path = conf_find_calibration(m->power_cal);
	struct reading r = {.path = path, .d = d, .error = -1, .f = path ? fopen(path, "r") : NULL};
	if (!r.f) {
		diag_error(
			d,
			"power.calibration = %s: neither a readable file nor one of power/ beside the machines",
			m->power_cal);
		free(path);
		return;
	}
	uint64_t hash = 0;
	const char *other = hash_of(r.f, &hash);
	int bad = other ? 0 : ini_parse_stream(next_line, &r, on_entry, &r);
	if (ferror(r.f))
		bad = -1;
	fclose(r.f);
	if (other)
		complain(&r, 0, other, "");
	else if (bad)
		complain(&r, bad > 0 ? (unsigned)bad : 0,
			 bad > 0 ? "expected [section], key = value or a comment"
				 : "cannot be read",
			 "");
	else
		apply(m, &r);
	drop(r.numbers.v, r.numbers.n);
	drop(r.origins.v, r.origins.n);
	m->cal = (struct calibration){arena_strdup(&m->arena, m->power_cal), hash, r.error};
	free(path);
}
