#include "stat/stat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/arena.h"
#include "base/assert.h"
#include "base/vec.h"
#include "stat/json.h"

/* Memory for values, newest first. */
struct chunk {
	struct chunk *next;
	size_t cap; /* values */
	uint64_t v[];
};

/* Reports that are no longer used, for the next copies of their view: a program may launch ten thousand
 * kernels, and each launch takes two copies. */
struct pool {
	struct stat_report *first;
	unsigned n;    /* reports in the list */
	unsigned refs; /* the view and its copies in use */
};

struct entry_list {
	struct stat_entry *v;
	size_t n, cap;
};

struct stat_report {
	struct entry_list entries;
	struct entry_list next_entries; /* list in which stat_report_total() builds `entries` */
	struct chunk *chunk;
	size_t used;          /* values used of the newest chunk */
	size_t ncopied;       /* number of copied entries, which come first */
	VEC(uint64_t *) unit; /* copies: values of each unit */
	VEC(uint32_t)
	alike; /* copies: units with these values, counted at the first; 0: at an earlier one */
	unsigned units; /* views: number of units */
	bool live;
	struct pool *pool;         /* NULL: neither a view nor a copy */
	struct stat_report *later; /* in the pool: the next report */
};

size_t stat_slots(const struct stat_table *t)
{
	size_t n = 0;
	for (unsigned i = 0; i < t->n; i++)
		n += t->def[i].slots;
	return n;
}

static bool has_kind(const struct stat_table *t, enum stat_kind kind)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->def[i].kind == kind)
			return true;
	return false;
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

static void add_sums(uint64_t *a, const uint64_t *b, unsigned n, uint64_t times)
{
	if (times == 1)
		for (unsigned k = 0; k < n; k++)
			a[k] += b[k];
	else
		for (unsigned k = 0; k < n; k++)
			a[k] += times * b[k];
}

/* Adds `times` instances of equal values. */
static void merge_times(const struct stat_table *t, uint64_t *a, const uint64_t *b, uint32_t times)
{
	for (unsigned i = 0; i < t->n;) {
		enum stat_kind kind = t->def[i].kind;
		unsigned n = take_run(t, &i);
		if (kind == STAT_SUM)
			add_sums(a, b, n, times);
		else if (kind == STAT_REAL && times == 1)
			for (unsigned k = 0; k < n; k++)
				a[k] = stat_of_real(stat_real(a[k]) + stat_real(b[k]));
		else if (kind == STAT_REAL)
			for (unsigned k = 0; k < n; k++)
				a[k] = stat_of_real(stat_real(a[k]) + times * stat_real(b[k]));
		else
			for (unsigned k = 0; k < n; k++)
				a[k] = b[k] > a[k] ? b[k] : a[k];
		a += n;
		b += n;
	}
}

void stat_merge(const struct stat_table *t, void *into, const void *from)
{
	merge_times(t, into, from, 1);
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

/* ---- memory ---- */

static struct chunk *chunk_new(size_t cap, struct chunk *next)
{
	struct chunk *c = xmalloc(sizeof *c + cap * sizeof *c->v);
	c->next = next;
	c->cap = cap;
	return c;
}

/* Values without defined contents. */
static uint64_t *take_values(struct stat_report *r, size_t slots)
{
	enum { LEAST = 4096 };
	if (!r->chunk || r->chunk->cap - r->used < slots) {
		r->chunk = chunk_new(slots > LEAST ? slots : LEAST, r->chunk);
		r->used = 0;
	}
	uint64_t *v = r->chunk->v + r->used;
	r->used += slots;
	return v;
}

static size_t free_chunks(struct stat_report *r)
{
	size_t cap = 0;
	for (struct chunk *c = r->chunk, *next; c; c = next) {
		next = c->next;
		cap += c->cap;
		free(c);
	}
	r->chunk = NULL;
	r->used = 0;
	return cap;
}

static void destroy_report(struct stat_report *r)
{
	vec_free(&r->entries);
	vec_free(&r->next_entries);
	vec_free(&r->unit);
	vec_free(&r->alike);
	free_chunks(r);
	free(r);
}

/* Keeps a report's memory for the next copy; several chunks become one. */
static void keep_report(struct pool *p, struct stat_report *r)
{
	if (r->chunk && r->chunk->next)
		r->chunk = chunk_new(free_chunks(r), NULL);
	r->used = r->ncopied = r->entries.n = r->next_entries.n = r->unit.n = r->alike.n = 0;
	r->later = p->first;
	p->first = r;
	p->n++;
}

struct stat_report *stat_report_new(void) { return xcalloc(1, sizeof(struct stat_report)); }

struct stat_report *stat_report_live(void)
{
	struct stat_report *r = stat_report_new();
	r->live = true;
	r->pool = xcalloc(1, sizeof *r->pool);
	r->pool->refs = 1;
	return r;
}

static struct stat_report *take_report(struct pool *p)
{
	struct stat_report *r = p->first;
	p->refs++;
	if (!r) {
		r = stat_report_new();
		r->pool = p;
		return r;
	}
	p->first = r->later;
	p->n--;
	return r;
}

static void leave_pool(struct pool *p)
{
	if (--p->refs)
		return;
	for (struct stat_report *r = p->first, *later; r; r = later) {
		later = r->later;
		destroy_report(r);
	}
	free(p);
}

void stat_report_free(struct stat_report *r)
{
	enum { MOST_KEPT = 4 };
	if (!r)
		return;
	struct pool *p = r->pool;
	if (p && !r->live && p->n < MOST_KEPT)
		keep_report(p, r);
	else
		destroy_report(r);
	if (p)
		leave_pool(p);
}

/* ---- copies ---- */

void stat_report_unit(struct stat_report *live) { live->units++; }

/* Reserves the values of unit `unit`, or finds those of the unit that it is like. */
static uint64_t *place_unit(struct stat_report *r, uint32_t unit, size_t slots,
			    const uint32_t *like)
{
	uint32_t first = like ? like[unit] : unit;
	assert(unit == r->unit.n && first <= unit);
	vec_push(&r->alike, 0);
	r->alike.v[first]++;
	return first == unit ? take_values(r, slots) : r->unit.v[first];
}

/* Copies an entry of a view, or its difference to `before`. Sums are subtracted as they are copied. */
static void copy_entry(const struct stat_entry *to, const struct stat_entry *e,
		       const uint64_t *before)
{
	if (before && e->sums) {
		for (uint32_t k = 0; k < e->slots; k++)
			to->values[k] = e->values[k] - before[k];
		return;
	}
	memcpy(to->values, e->values, e->slots * sizeof *e->values);
	if (before)
		stat_since(e->t, to->values, before);
}

static struct stat_report *copy_view(const struct stat_report *live, const uint32_t *like,
				     const struct stat_report *before)
{
	struct stat_report *r = take_report(live->pool);
	size_t n = live->entries.n;
	vec_reserve(&r->entries, 2 * n + 1); /* room for further entries */
	vec_reserve(&r->next_entries, 2 * n + 1);
	for (size_t i = 0, end; i < n; i = end) {
		const struct stat_entry *e = live->entries.v;
		uint32_t unit = e[i].unit;
		for (end = i; end < n && e[end].unit == unit;)
			end++;
		uint64_t *to = place_unit(r, unit, e[end - 1].place + e[end - 1].slots, like);
		vec_push(&r->unit, to);
		bool own = r->alike.v[unit];
		for (size_t k = i; k < end; k++) {
			struct stat_entry *c = &r->entries.v[r->entries.n++];
			*c = e[k];
			c->values = to + c->place;
			if (own)
				copy_entry(c, &e[k],
					   before ? before->unit.v[unit] + c->place : NULL);
			assert_hot(before ||
				   !memcmp(c->values, e[k].values, c->slots * sizeof *c->values));
		}
	}
	r->ncopied = n;
	return r;
}

struct stat_report *stat_report_copy(const struct stat_report *live, const uint32_t *like)
{
	return copy_view(live, like, NULL);
}

struct stat_report *stat_report_copy_since(const struct stat_report *live, const uint32_t *like,
					   const struct stat_report *before)
{
	return copy_view(live, like, before);
}

const uint64_t *const *stat_report_units(const struct stat_report *r)
{
	return r->ncopied ? (const uint64_t *const *)r->unit.v : NULL;
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

void stat_report_add(struct stat_report *r, const struct stat_table *t, const char *name, int index,
		     const void *values)
{
	const struct stat_entry *last = r->entries.n ? &r->entries.v[r->entries.n - 1] : NULL;
	bool again = last && last->t == t; /* instances are mostly added in rows */
	struct stat_entry e = {.t = t,
			       .name = name,
			       .index = index,
			       .slots = again ? last->slots : (uint32_t)stat_slots(t),
			       .sums = again ? last->sums
					     : !has_kind(t, STAT_REAL) && !has_kind(t, STAT_MAX)};
	if (r->live) {
		e.unit = r->units ? r->units - 1 : 0;
		e.place = last && last->unit == e.unit ? last->place + last->slots : 0;
		e.values = (uint64_t *)(uintptr_t)values;
	} else {
		e.values = memcpy(take_values(r, e.slots), values, e.slots * sizeof *e.values);
	}
	vec_push(&r->entries, e);
}

/* Entries of two copies of a view are in the view's order. */
static void copy_since(struct stat_report *r, const struct stat_report *before)
{
	for (size_t i = 0; i < r->ncopied; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		const uint64_t *b = before->unit.v[e->unit] + e->place;
		if (!r->alike.v[e->unit])
			continue;
		if (!e->sums)
			stat_since(e->t, e->values, b);
		for (uint32_t k = 0; e->sums && k < e->slots; k++)
			e->values[k] -= b[k];
	}
}

void stat_report_since(struct stat_report *r, const struct stat_report *before)
{
	if (r->ncopied && before->ncopied) {
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
	bool exact; /* the order of additions matters: some values are doubles */
};

static bool is_component(const struct component *c, const struct stat_entry *e)
{
	return c->t == e->t && (c->name == e->name || !strcmp(c->name, e->name));
}

/* Returns the number of units whose values the entry represents in sums; 0: an earlier entry
 * represents it. */
static uint32_t entry_times(const struct stat_report *r, size_t i)
{
	return i < r->ncopied ? r->alike.v[r->entries.v[i].unit] : 1;
}

/* Adds the instance to the total as often as it counts. */
static void add_instance(const struct stat_entry *total, const struct stat_entry *e, uint32_t times)
{
	if (times && e->sums)
		add_sums(total->values, e->values, e->slots, times);
	else if (times)
		merge_times(e->t, total->values, e->values, times);
}

void stat_report_total(struct stat_report *r)
{
	VEC(struct component) known = {0};
	r->next_entries.n = 0;
	for (size_t i = 0; i < r->entries.n; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		size_t k = 0;
		while (e->index >= 0 && k < known.n && !is_component(&known.v[k], e))
			k++;
		if (e->index >= 0 && k == known.n) {
			struct stat_entry sum = *e;
			sum.index = -1;
			sum.values =
				memset(take_values(r, e->slots), 0, e->slots * sizeof *sum.values);
			vec_push(&known, (struct component){e->t, e->name, r->next_entries.n,
							    !e->sums && has_kind(e->t, STAT_REAL)});
			vec_push(&r->next_entries, sum);
		}
		if (e->index >= 0)
			add_instance(&r->next_entries.v[known.v[k].total], e,
				     known.v[k].exact ? 1 : entry_times(r, i));
		vec_push(&r->next_entries, *e);
	}
	vec_free(&known);
	struct entry_list old = r->entries;
	r->entries = r->next_entries;
	r->next_entries = old;
}

void stat_report_reduce(struct stat_report *r)
{
	struct stat_report few = {.pool = r->pool}, *big = stat_report_new();
	size_t n = 0, slots = 0;
	for (size_t i = 0; i < r->entries.n; i++)
		if (r->entries.v[i].index < 0) {
			n++;
			slots += r->entries.v[i].slots;
		}
	vec_reserve(&few.entries, n + 1);
	few.chunk = chunk_new(slots, NULL);
	for (size_t i = 0; i < r->entries.n; i++) {
		const struct stat_entry *e = &r->entries.v[i];
		if (e->index < 0)
			stat_report_add(&few, e->t, e->name, e->index, e->values);
	}
	*big = *r;
	*r = few;
	if (big->pool)
		big->pool->refs++;
	stat_report_free(big);
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
