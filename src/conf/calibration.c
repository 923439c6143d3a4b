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
	bool bad; /* an error was reported; its consequences are not */
	FILE *f;
};

static char *next_line(char *buf, int n, void *user)
{
	struct reading *r = user;
	r->line++;
	return fgets(buf, n, r->f);
}

static void report_error(struct reading *r, unsigned line, const char *what, const char *word)
{
	struct srcloc at = {.file = r->path, .line = line, .col = 1};
	r->bad = true;
	diag_at(r->d, DIAG_ERROR, &at, "%s%s", word, what);
}

enum { MOST = 1 << 16 }; /* bytes; a file with every option takes a tenth */

static const struct entry *find_entry(const struct entry *v, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].key, key))
			return &v[i];
	return NULL;
}

static int on_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	if (r->bad)
		return 1;
	struct entry e = {xstrdup(name), xstrdup(value), r->line};
	if (!strcmp(section, "power")) {
		if (find_entry(r->numbers.v, r->numbers.n, name))
			report_error(r, r->line, " occurs twice", name);
		vec_push(&r->numbers, e);
		return 1;
	}
	if (!strcmp(section, "origin")) {
		if (find_entry(r->origins.v, r->origins.n, name))
			report_error(r, r->line, " occurs twice in [origin]", name);
		vec_push(&r->origins, e);
		return 1;
	}
	char *end;
	if (!*section && !strcmp(name, "error")) {
		r->error = strtod(value, &end);
		if (end == value || *end || !(r->error >= 0 && r->error <= 10))
			report_error(r, r->line, ": expected an error from 0 to 10", value);
	} else {
		report_error(r, r->line, ": expected error, [power] or [origin]", name);
	}
	free(e.key);
	free(e.value);
	return 1;
}

/* Computes the hash of the file's bytes. Returns why the file cannot be a calibration (a byte 0, too long);
 * NULL: it can. */
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

/* Reports entries of v that are missing in `of`, or empty there: in one message, because a truncated
 * file lacks many. */
static void report_missing(struct reading *r, const struct entry *v, size_t n,
			   const struct entry *of, size_t nof, const char *has, const char *have)
{
	const struct entry *first = NULL;
	unsigned more = 0;
	char what[128];
	for (size_t i = 0; i < n; i++) {
		const struct entry *o = find_entry(of, nof, v[i].key);
		if (o && *o->value)
			continue;
		more += first != NULL;
		first = first ? first : &v[i];
	}
	if (!first)
		return;
	snprintf(what, sizeof what, " and %u more%s", more, have);
	report_error(r, first->line, more ? what : has, first->key);
}

static void apply_calibration(struct machine *m, struct reading *r)
{
	char key[256];
	report_missing(r, r->numbers.v, r->numbers.n, r->origins.v, r->origins.n,
		       " has no line in [origin]", " have no line in [origin]");
	report_missing(r, r->origins.v, r->origins.n, r->numbers.v, r->numbers.n,
		       " in [origin] has no number in [power]",
		       " in [origin] have no number in [power]");
	for (size_t i = 0; !r->bad && i < r->numbers.n; i++) {
		const struct entry *e = &r->numbers.v[i];
		if (!strcmp(e->key, "calibration")) {
			report_error(r, e->line, ": a calibration names no other", e->key);
			return;
		}
		snprintf(key, sizeof key, "power.%s", e->key);
		machine_set(m, key, e->value, r->path, e->line, r->d);
	}
	if (!r->numbers.n && !r->bad)
		report_error(r, 0, "no number in [power]: nothing is calibrated", "");
}

static void free_entries(struct entry *v, size_t n)
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
		report_error(&r, 0, other, "");
	else if (bad && !r.bad)
		report_error(&r, bad > 0 ? (unsigned)bad : 0,
			     bad > 0 ? "expected [section], key = value or a comment"
				     : "cannot be read",
			     "");
	else if (!r.bad)
		apply_calibration(m, &r);
	free_entries(r.numbers.v, r.numbers.n);
	free_entries(r.origins.v, r.origins.n);
	m->cal = (struct calibration){arena_strdup(&m->arena, m->power_cal), hash, r.error};
	free(path);
}
