#include "stat/stat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/arena.h"
#include "base/vec.h"
#include "stat/json.h"

struct stat_report {
	struct arena arena;
	VEC(struct stat_entry) entries;
	uint64_t *copied; /* values of the entries of a copy, in their order; NULL: not a copy */
	size_t ncopied;   /* number of copied entries, which come first */
	bool whole;       /* a copy of all entries of a view */
	bool live;
};

size_t stat_slots(const struct stat_table *t)
{
	size_t n = 0;
	for (unsigned i = 0; i < t->n; i++)
		n += t->def[i].slots;
	return n;
}

/* Number of slots from statistic *i on that are of its kind; moves *i past them. Most tables are few such
 * runs, so that the loops over slots are long. */
static unsigned take_run(const struct stat_table *t, unsigned *i)
{
	enum stat_kind kind = t->def[*i].kind;
	unsigned n = 0;
	for (; *i < t->n && t->def[*i].kind == kind; ++*i)
		n += t->def[*i].slots;
	return n;
}

void stat_merge(const struct stat_table *t, void *into, const void *from)
{
	uint64_t *a = into;
	const uint64_t *b = from;
	for (unsigned i = 0; i < t->n;) {
		enum stat_kind kind = t->def[i].kind;
		unsigned n = take_run(t, &i);
		if (kind == STAT_SUM)
			for (unsigned k = 0; k < n; k++)
				a[k] += b[k];
		else if (kind == STAT_REAL)
			for (unsigned k = 0; k < n; k++)
				a[k] = stat_of_real(stat_real(a[k]) + stat_real(b[k]));
		else
			for (unsigned k = 0; k < n; k++)
				a[k] = b[k] > a[k] ? b[k] : a[k];
		a += n;
		b += n;
	}
}

void stat_since(const struct stat_table *t, void *into, const void *before)
{
	uint64_t *a = into;
	const uint64_t *b = before;
	for (unsigned i = 0; i < t->n;) {
		enum stat_kind kind = t->def[i].kind;
		unsigned n = take_run(t, &i);
		if (kind == STAT_SUM)
			for (unsigned k = 0; k < n; k++)
				a[k] -= b[k];
		else if (kind == STAT_REAL)
			for (unsigned k = 0; k < n; k++)
				a[k] = stat_of_real(stat_real(a[k]) - stat_real(b[k]));
		a += n;
		b += n;
	}
}

struct stat_report *stat_report_new(void) { return xcalloc(1, sizeof(struct stat_report)); }

struct stat_report *stat_report_live(void)
{
	struct stat_report *r = stat_report_new();
	r->live = true;
	return r;
}

static bool is_zero(const uint64_t *v, size_t n)
{
	uint64_t any = 0;
	for (size_t i = 0; i < n; i++)
		any |= v[i];
	return !any;
}

struct stat_report *stat_report_copy(const struct stat_report *live, bool all)
{
	struct stat_report *r = stat_report_new();
	size_t n = live->entries.n, slots = 0;
	r->entries.v = xmalloc((2 * n + 1) * sizeof *r->entries.v); /* room for further entries */
	r->entries.cap = 2 * n + 1;
	for (size_t i = 0; i < n; i++) {
		const struct stat_entry *e = &live->entries.v[i];
		if (!all && is_zero(e->values, e->slots))
			continue;
		r->entries.v[r->entries.n++] = *e;
		slots += e->slots;
	}
	r->ncopied = r->entries.n;
	r->copied = xmalloc(slots * sizeof *r->copied);
	r->whole = all;
	uint64_t *to = r->copied;
	for (size_t i = 0; i < r->ncopied; i++) {
		struct stat_entry *e = &r->entries.v[i];
		e->values = memcpy(to, e->values, e->slots * sizeof *to);
		to += e->slots;
	}
	return r;
}

const uint64_t *stat_report_values(const struct stat_report *r)
{
	return r->whole ? r->copied : NULL;
}

const struct stat_entry *stat_report_at(const struct stat_report *r, size_t i)
{
	return i < r->entries.n ? &r->entries.v[i] : NULL;
}

int stat_find(const struct stat_table *t, const char *name, unsigned *slots)
{
	int at = 0;
	for (unsigned i = 0; i < t->n; at += (int)t->def[i++].slots)
		if (!strcmp(t->def[i].name, name)) {
			*slots = t->def[i].slots;
			return at;
		}
	return -1;
}

void stat_report_free(struct stat_report *r)
{
	if (!r)
		return;
	vec_free(&r->entries);
	arena_free(&r->arena);
	free(r->copied);
	free(r);
}

static uint64_t *values_new(struct stat_report *r, size_t slots, const void *from)
{
	uint64_t *v = ARENA_ARRAY(&r->arena, uint64_t, slots);
	if (from)
		memcpy(v, from, slots * sizeof *v);
	return v;
}

void stat_report_add(struct stat_report *r, const struct stat_table *t, const char *name, int index,
		     const void *values)
{
	const struct stat_entry *last = r->entries.n ? &r->entries.v[r->entries.n - 1] : NULL;
	struct stat_entry e = {t, name, index, (uint32_t)stat_slots(t), 0, NULL};
	e.place = last ? last->place + last->slots : 0;
	e.values = r->live ? (uint64_t *)(uintptr_t)values : values_new(r, e.slots, values);
	vec_push(&r->entries, e);
}

/* Entries of two copies of a view are in the view's order. */
static void copy_since(struct stat_report *r, const struct stat_report *before)
{
	size_t k = 0;
	for (size_t i = 0; i < r->ncopied && k < before->ncopied; i++)
		if (r->entries.v[i].place == before->entries.v[k].place)
			stat_since(r->entries.v[i].t, r->entries.v[i].values,
				   before->entries.v[k++].values);
}

void stat_report_since(struct stat_report *r, const struct stat_report *before)
{
	if (r->copied && before->copied) {
		copy_since(r, before);
		return;
	}
	for (size_t i = 0; i < r->entries.n; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		for (size_t k = 0; k < before->entries.n; k++) {
			const struct stat_entry *b = &before->entries.v[k];
			if (b->t == e->t && b->index == e->index && !strcmp(b->name, e->name))
				stat_since(e->t, e->values, b->values);
		}
	}
}

/* Instances of one component, and the place of their total in the list that is being made. */
struct component {
	const struct stat_table *t;
	const char *name;
	size_t total;
};

void stat_report_total(struct stat_report *r)
{
	VEC(struct stat_entry) out = {0};
	VEC(struct component) known = {0};
	for (size_t i = 0; i < r->entries.n; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		size_t k = 0;
		while (e->index >= 0 && k < known.n &&
		       (known.v[k].t != e->t || strcmp(known.v[k].name, e->name) != 0))
			k++;
		if (e->index >= 0 && k == known.n) {
			struct stat_entry sum = {e->t, e->name, -1, e->slots, 0, NULL};
			sum.values = values_new(r, e->slots, NULL);
			vec_push(&known, (struct component){e->t, e->name, out.n});
			vec_push(&out, sum);
		}
		if (e->index >= 0)
			stat_merge(e->t, out.v[known.v[k].total].values, e->values);
		vec_push(&out, *e);
	}
	vec_free(&known);
	vec_free(&r->entries);
	r->entries.v = out.v;
	r->entries.n = out.n;
	r->entries.cap = out.cap;
}

void stat_report_reduce(struct stat_report *r)
{
	struct stat_report few = {0};
	for (size_t i = 0; i < r->entries.n; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		if (e->index < 0)
			stat_report_add(&few, e->t, e->name, e->index, e->values);
	}
	vec_free(&r->entries);
	arena_free(&r->arena);
	free(r->copied);
	*r = few;
}

/* ---- printing ---- */

/* The printed name of an entry: "l1d.3" for a numbered instance, "l1d" for a total or a single one. */
static const char *entry_name(const struct stat_entry *e, char *buf, size_t size)
{
	if (e->index < 0)
		snprintf(buf, size, "%s", e->name);
	else
		snprintf(buf, size, "%s.%d", e->name, e->index);
	return buf;
}

static void print_histogram(const struct stat_def *d, const uint64_t *v, FILE *f)
{
	for (unsigned k = 0; k < d->slots; k++)
		if (v[k])
			fprintf(f, " %u:%" PRIu64, k, v[k]);
}

static void print_entry(const struct stat_entry *e, FILE *f)
{
	char name[128], full[256];
	const uint64_t *v = e->values;
	entry_name(e, name, sizeof name);
	for (unsigned i = 0; i < e->t->n; v += e->t->def[i].slots, i++) {
		const struct stat_def *d = &e->t->def[i];
		snprintf(full, sizeof full, "%s.%s", name, d->name);
		fprintf(f, "%-36s", full);
		if (d->kind == STAT_REAL)
			fprintf(f, " %14.6g", stat_real(*v));
		else if (d->slots == 1)
			fprintf(f, " %14" PRIu64, *v);
		else
			print_histogram(d, v, f);
		fprintf(f, "  %s\n", d->unit);
	}
	for (unsigned i = 0; i < e->t->nderived; i++) {
		snprintf(full, sizeof full, "%s.%s", name, e->t->derived[i].name);
		fprintf(f, "%-36s %14.6g  %s\n", full, e->t->derived[i].value(e->values),
			e->t->derived[i].unit);
	}
}

void stat_print_text(const struct stat_report *r, FILE *f, int instances)
{
	for (size_t i = 0; i < r->entries.n; i++)
		if (instances || r->entries.v[i].index < 0)
			print_entry(&r->entries.v[i], f);
}

void stat_print_csv(const struct stat_report *r, FILE *f, const char *prefix)
{
	for (size_t i = 0; i < r->entries.n; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		const uint64_t *v = e->values;
		for (unsigned k = 0; k < e->t->n; k++) {
			const struct stat_def *d = &e->t->def[k];
			for (unsigned b = 0; b < d->slots; b++, v++)
				if (d->kind == STAT_REAL)
					fprintf(f, "%s%s,%d,%s,%u,%.17g,%s\n", prefix, e->name,
						e->index, d->name, b, stat_real(*v), d->unit);
				else
					fprintf(f, "%s%s,%d,%s,%u,%" PRIu64 ",%s\n", prefix,
						e->name, e->index, d->name, b, *v, d->unit);
		}
		for (unsigned k = 0; k < e->t->nderived; k++)
			fprintf(f, "%s%s,%d,%s,0,%.17g,%s\n", prefix, e->name, e->index,
				e->t->derived[k].name, e->t->derived[k].value(e->values),
				e->t->derived[k].unit);
	}
}

static json_t *entry_json(const struct stat_entry *e)
{
	json_t *o = json_object();
	const uint64_t *v = e->values;
	for (unsigned i = 0; i < e->t->n; i++) {
		const struct stat_def *d = &e->t->def[i];
		if (d->kind == STAT_REAL) {
			json_object_set_new(o, d->name, json_real(stat_real(*v++)));
			continue;
		}
		if (d->slots == 1) {
			json_object_set_new(o, d->name, json_integer((json_int_t)*v++));
			continue;
		}
		json_t *a = json_array();
		for (unsigned k = 0; k < d->slots; k++)
			json_array_append_new(a, json_integer((json_int_t)*v++));
		json_object_set_new(o, d->name, a);
	}
	for (unsigned i = 0; i < e->t->nderived; i++)
		json_object_set_new(o, e->t->derived[i].name,
				    json_real(e->t->derived[i].value(e->values)));
	return o;
}

json_t *stat_json(const struct stat_report *r)
{
	json_t *root = json_object();
	char name[128];
	for (size_t i = 0; i < r->entries.n; i++) {
		entry_name(&r->entries.v[i], name, sizeof name);
		json_object_set_new(root, name, entry_json(&r->entries.v[i]));
	}
	return root;
}

int stat_print_json(const struct stat_report *r, FILE *f)
{
	json_t *root = stat_json(r);
	int rc = json_dumpf(root, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	json_decref(root);
	return rc || fputc('\n', f) == EOF ? -1 : 0;
}

void stat_print_manual(const struct stat_table *t, FILE *f)
{
	fprintf(f, "| statistic | unit | meaning |\n| --- | --- | --- |\n");
	for (unsigned i = 0; i < t->n; i++) {
		char buckets[16] = "";
		if (t->def[i].slots > 1)
			snprintf(buckets, sizeof buckets, "[%u]", t->def[i].slots);
		fprintf(f, "| `%s`%s | %s | %s%s |\n", t->def[i].name, buckets, t->def[i].unit,
			t->def[i].help, t->def[i].kind == STAT_MAX ? " (peak)" : "");
	}
	for (unsigned i = 0; i < t->nderived; i++)
		fprintf(f, "| `%s` | %s | %s (computed) |\n", t->derived[i].name,
			t->derived[i].unit, t->derived[i].help);
	fputc('\n', f);
}
