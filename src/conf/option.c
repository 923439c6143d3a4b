/* All options as one list, and conversion of their values from and to text. The list's order and
 * meaning are described in conf/option.h. */
#include "conf/option.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"
#include "conf/choices.h"
#include "conf/machine.h"
#include "conf/quirks.h"

static const struct option machine_rows[] = {
#define NUM(f, k, d, lo, hi, u, h)  OPTION_NUM(struct machine, f, k, d, lo, hi, u, h),
#define REAL(f, k, d, lo, hi, u, h) OPTION_REAL(struct machine, f, k, d, lo, hi, u, h),
#define BOOL(f, k, d, h)                                                                           \
	{k, OPT_BOOL, offsetof(struct machine, f), #d, 0, 1, "", h, NULL, FAMILIES},
#define CHOICE(f, k, d, list, h) OPTION_CHOICE(struct machine, f, k, d, list, h),
#define NAME(f, k, d, words, h)                                                                    \
	{k, OPT_NAME, offsetof(struct machine, f), d, 0, 0, "", h, words, FAMILIES},
#define POLICY(f, k, d, family, h)                                                                 \
	{k, OPT_POLICY, offsetof(struct machine, f), d, 0, 0, "", h, NULL, FAMILY_##family},
#define TABLE(f, k, lo, hi, u, h)                                                                  \
	{k, OPT_TABLE, offsetof(struct machine, f), "none", lo, hi, u, h, NULL, FAMILIES},
#define REALS(f, k, lo, hi, u, h)                                                                  \
	{k, OPT_REALS, offsetof(struct machine, f), "none", lo, hi, u, h, NULL, FAMILIES},
#define TEXT(f, k, d, h) {k, OPT_TEXT, offsetof(struct machine, f), d, 0, 0, "", h, NULL, FAMILIES},
#define QUIRKS(f, k, d, h)                                                                         \
	{k, OPT_QUIRKS, offsetof(struct machine, f), d, 0, 0, "", h, NULL, FAMILIES},
#include "conf/options.def"
};

/* ---- the list ---- */

enum { MAX_TABLES = 64, MAX_SECTIONS = 128, MAX_OPTIONS = 1024 };

/* A section while the list is made. */
struct section {
	const char *name;
	size_t length;
	bool of_policies; /* no row of the machine's own is in the section */
	unsigned n, at;   /* number of its options; index of the next one while sorting */
};

/* An option with its section, while options are being sorted. */
struct unsorted {
	const struct option *o;
	int table;
	struct section *section;
};

struct sections {
	struct section all[MAX_SECTIONS], *order[MAX_SECTIONS];
	unsigned n;
	struct unsorted row[MAX_OPTIONS];
	unsigned nrows;
};

static struct {
	struct known_option row[MAX_OPTIONS];
	unsigned n;
	const struct option_table *table[MAX_TABLES];
	unsigned ntables;
	struct arena words;
} all;

static const char *family_words(enum family f)
{
	const char *words = NULL;
	const struct policy *p;
	for (unsigned i = 0; (p = policy_at(f, i)); i++)
		words = words ? arena_printf(&all.words, "%s|%s", words, p->name) : p->name;
	return words;
}

bool policy_reads(const struct policy *p, const struct option_table *t)
{
	for (unsigned i = 0; i < POLICY_TABLES; i++)
		if (p->options[i] == t)
			return true;
	return false;
}

/* Index of the key's section in the order; s->n: absent. */
static unsigned find_section(const struct sections *s, const char *key)
{
	size_t length = (size_t)(strchr(key, '.') - key);
	unsigned i = s->n;
	while (i &&
	       (s->order[i - 1]->length != length || memcmp(s->order[i - 1]->name, key, length)))
		i--;
	return i ? i - 1 : s->n;
}

/* Inserts the key's section at index `at`. */
static void insert_section(struct sections *s, unsigned at, const char *key, bool of_policies)
{
	assert(s->n < MAX_SECTIONS);
	struct section *new = &s->all[s->n];
	*new = (struct section){
		.name = key, .length = strcspn(key, "."), .of_policies = of_policies};
	memmove(&s->order[at + 1], &s->order[at], (s->n++ - at) * sizeof *s->order);
	s->order[at] = new;
}

static void add_row(struct sections *s, const struct option *o, int table, unsigned section)
{
	assert(s->nrows < MAX_OPTIONS);
	s->order[section]->n++;
	s->row[s->nrows++] = (struct unsorted){o, table, s->order[section]};
}

/* The option that chooses a policy of the family. */
static const char *chooser_of(enum family f)
{
	for (unsigned i = 0; i < sizeof machine_rows / sizeof *machine_rows; i++)
		if (machine_rows[i].type == OPT_POLICY && machine_rows[i].family == f)
			return machine_rows[i].key;
	assert(!"every family has an option");
	return NULL;
}

/* The index for a section that only policies of the family have: after the section of the option that
 * chooses the family, and after such sections of earlier policies. */
static unsigned place_behind(const struct sections *s, enum family f)
{
	unsigned at = find_section(s, chooser_of(f)) + 1;
	while (at < s->n && s->order[at]->of_policies)
		at++;
	return at;
}

static void add_table(struct sections *s, enum family f, const struct option_table *t)
{
	for (unsigned i = 0; i < all.ntables; i++)
		if (all.table[i] == t)
			return;
	assert(all.ntables < MAX_TABLES);
	all.table[all.ntables] = t;
	for (unsigned i = 0; i < t->n; i++) {
		unsigned section = find_section(s, t->row[i].key);
		if (section == s->n)
			insert_section(s, section = place_behind(s, f), t->row[i].key, true);
		add_row(s, &t->row[i], (int)all.ntables, section);
	}
	all.ntables++;
}

static void add_tables(enum family f, const struct policy *p, void *arg)
{
	for (unsigned i = 0; i < POLICY_TABLES; i++)
		if (p->options[i])
			add_table(arg, f, p->options[i]);
}

/* Sorts the rows by section; the order within a section is kept. */
static void sort_rows(struct sections *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		s->order[i]->at = all.n;
		all.n += s->order[i]->n;
	}
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct option *o = s->row[i].o;
		all.row[s->row[i].section->at++] = (struct known_option){
			o, o->type == OPT_POLICY ? family_words(o->family) : o->words,
			s->row[i].table};
	}
}

static void make_list(void)
{
	struct sections *s = xcalloc(1, sizeof *s);
	for (unsigned i = 0; i < sizeof machine_rows / sizeof *machine_rows; i++) {
		unsigned section = find_section(s, machine_rows[i].key);
		if (section == s->n)
			insert_section(s, section, machine_rows[i].key, false);
		add_row(s, &machine_rows[i], -1, section);
	}
	policies_each(add_tables, s);
	sort_rows(s);
	free(s);
}

static void need_list(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_list);
}

const struct known_option *options_all(unsigned *n)
{
	need_list();
	*n = all.n;
	return all.row;
}

const struct option_table *const *option_tables(unsigned *n)
{
	need_list();
	*n = all.ntables;
	return all.table;
}

const char *option_entry(const struct option *o, const char *key)
{
	size_t n = strlen(o->key) - 1; /* key prefix "section." */
	return option_is_table(o) && !strncmp(o->key, key, n) && key[n] ? key + n : NULL;
}

const struct known_option *option_find(const char *key)
{
	need_list();
	for (unsigned i = 0; i < all.n; i++)
		if (!strcmp(all.row[i].o->key, key) || option_entry(all.row[i].o, key))
			return &all.row[i];
	return NULL;
}

const char *option_nearest(const char *key)
{
	const char *names[MAX_OPTIONS];
	need_list();
	for (unsigned i = 0; i < all.n; i++)
		names[i] = all.row[i].o->key;
	return nearest_name(key, names, all.n);
}

/* ---- values ---- */

static bool parse_bool(const char *s, bool *out)
{
	static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false",
										    "off", "0"};
	for (int i = 0; i < 4; i++) {
		if (!strcmp(s, yes[i]) || !strcmp(s, no[i])) {
			*out = !strcmp(s, yes[i]);
			return true;
		}
	}
	return false;
}

/* Index of a word in "a|b|c"; -1: absent. */
static int word_number(const char *words, const char *word)
{
	size_t n = strlen(word);
	int i = 0;
	for (const char *p = words; n; p++, i++) {
		const char *e = strchrnul(p, '|');
		if ((size_t)(e - p) == n && !memcmp(p, word, n))
			return i;
		if (!*e)
			return -1;
		p = e;
	}
	return -1;
}

static bool parse_number(const struct option *o, const char *key, const char *text, double *x,
			 const struct srcloc *at, struct diag *d)
{
	char *end;
	bool real = o->type == OPT_REAL || o->type == OPT_REALS;
	errno = 0;
	*x = strtod(text, &end);
	bool within = end != text && !*end && !errno && *x >= o->min && *x <= o->max;
	if (within && (real || *x == (double)(long long)*x))
		return true;
	diag_at(d, DIAG_ERROR, at, "%s = %s: expected a %snumber from %.15g to %.15g%s%s", key,
		text, real ? "" : "whole ", o->min, o->max, *o->unit ? " " : "", o->unit);
	return false;
}

/* Sets an entry of a table; a later entry of a name replaces an earlier one. */
static void set_entry(struct named_num **p, const char *name, double value, struct arena *a)
{
	while (*p && strcmp((*p)->name, name))
		p = &(*p)->next;
	if (!*p) {
		*p = ARENA_NEW(a, struct named_num);
		(*p)->name = arena_strdup(a, name);
	}
	(*p)->value = (uint32_t)value;
	(*p)->real = value;
}

/* Reads a value that is one of the option's words: a number, a name or a policy. */
static bool read_word(const struct known_option *k, void *value, const char *text, struct arena *a,
		      const struct srcloc *at, struct diag *d)
{
	int i = word_number(k->words, text);
	if (i < 0) {
		diag_at(d, DIAG_ERROR, at, "%s = %s: expected one of %s", k->o->key, text,
			k->words);
		return false;
	}
	if (k->o->type == OPT_CHOICE)
		*(uint32_t *)value = (uint32_t)i;
	else if (k->o->type == OPT_POLICY)
		*(const void **)value = policy_at(k->o->family, (unsigned)i);
	else
		*(const char **)value = arena_strdup(a, text);
	return true;
}

static bool read_quirks(const struct option *o, uint32_t *set, const char *text,
			const struct srcloc *at, struct diag *d)
{
	char bad[64];
	if (quirks_read(set, text, bad, sizeof bad))
		return true;
	diag_at(d, DIAG_ERROR, at, "%s = %s: no quirk is called %s; expected a list of %s", o->key,
		text, bad, quirks_words());
	return false;
}

bool option_read(const struct known_option *k, void *value, const char *key, const char *text,
		 struct arena *a, const struct srcloc *at, struct diag *d)
{
	const struct option *o = k->o;
	double x;
	switch (o->type) {
	case OPT_TABLE:
	case OPT_REALS: {
		const char *name = option_entry(o, key);
		if (!name || !parse_number(o, key, text, &x, at, d))
			return false;
		set_entry(value, name, x, a);
		return true;
	}
	case OPT_NUM:
	case OPT_REAL:
		if (!parse_number(o, key, text, &x, at, d))
			return false;
		if (o->type == OPT_NUM)
			*(uint32_t *)value = (uint32_t)x;
		else
			*(double *)value = x;
		return true;
	case OPT_BOOL:
		if (parse_bool(text, value))
			return true;
		diag_at(d, DIAG_ERROR, at, "%s = %s: expected yes or no", o->key, text);
		return false;
	case OPT_TEXT: *(const char **)value = arena_strdup(a, text); return true;
	case OPT_QUIRKS: return read_quirks(o, value, text, at, d);
	default: return read_word(k, value, text, a, at, d);
	}
}

static void print_word(const char *words, unsigned i, char *buf, size_t n)
{
	while (i--)
		words = strchrnul(words, '|') + 1;
	snprintf(buf, n, "%.*s", (int)(strchrnul(words, '|') - words), words);
}

void option_print(const struct known_option *k, const void *value, char *buf, size_t n)
{
	switch (k->o->type) {
	case OPT_NUM: snprintf(buf, n, "%u", *(const uint32_t *)value); break;
	case OPT_REAL: snprintf(buf, n, "%.10g", *(const double *)value); break;
	case OPT_BOOL: snprintf(buf, n, "%s", *(const bool *)value ? "yes" : "no"); break;
	case OPT_CHOICE: print_word(k->words, *(const uint32_t *)value, buf, n); break;
	case OPT_POLICY: snprintf(buf, n, "%s", policy_name(*(const void *const *)value)); break;
	case OPT_QUIRKS: quirks_print(*(const uint32_t *)value, buf, n); break;
	case OPT_TABLE:
	case OPT_REALS: *buf = 0; break;
	default: snprintf(buf, n, "%s", *(const char *const *)value); break;
	}
}
