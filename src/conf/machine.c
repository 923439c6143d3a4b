/* Reads a machine: defaults, then its bases from the outermost in, then the file, then --set. Every error
 * names the file and line. Options are listed in conf/option.h. */
#include "conf/machine.h"

#include <assert.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/map.h"
#include "base/vec.h"
#include "conf/calibration.h"
#include "conf/find.h"

struct origin {
	const char *file; /* file that set the value; NULL: default; "--set": the command line */
	unsigned line;
};

/* Pointer to an option's value in the machine. */
static void *value_of(const struct machine *m, const struct known_option *k)
{
	return (char *)(k->table < 0 ? (void *)m : m->own[k->table]) + k->o->offset;
}

/* The policy that a row of type OPT_POLICY has chosen. */
static const struct policy *chosen_policy(const struct machine *m, const struct known_option *k)
{
	return *(const struct policy *const *)value_of(m, k);
}

/* Calls fn for each policy that the machine has chosen, until an answer is not NULL. */
static const char *each_chosen(const struct machine *m,
			       const char *(*fn)(const struct policy *p, enum family f, void *arg),
			       void *arg)
{
	unsigned n;
	const struct known_option *o = options_all(&n);
	const char *answer = NULL;
	for (unsigned i = 0; i < n && !answer; i++)
		if (o[i].o->type == OPT_POLICY)
			answer = fn(chosen_policy(m, &o[i]), o[i].o->family, arg);
	return answer;
}

void machine_set(struct machine *m, const char *key, const char *text, const char *file,
		 unsigned line, struct diag *d)
{
	struct srcloc at = {.file = file, .line = line, .col = 1};
	const struct known_option *k = option_find(key);
	unsigned n;
	char quirk[160];
	if (!k && quirk_of_option(key, quirk, sizeof quirk)) {
		diag_at(d, DIAG_ERROR, &at, "%s is a quirk (heddle config explain sm.quirks): %s",
			key, quirk);
		return;
	}
	if (!k) {
		const char *near = option_nearest(key);
		diag_at(d, DIAG_ERROR, &at, "unknown option %s%s%s%s", key,
			near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		return;
	}
	if (option_read(k, value_of(m, k), key, text, &m->arena, &at, d))
		m->origin[k - options_all(&n)] =
			(struct origin){arena_strdup(&m->arena, file), line};
}

const void *machine_own(const struct machine *m, const struct option_table *t)
{
	unsigned n;
	const struct option_table *const *table = option_tables(&n);
	for (unsigned i = 0; i < n; i++)
		if (table[i] == t)
			return m->own[i];
	assert(!"no policy has the table");
	return NULL;
}

double machine_number(const struct machine *m, const char *key)
{
	const struct known_option *k = option_find(key);
	assert(k && (k->o->type == OPT_NUM || k->o->type == OPT_REAL));
	const void *v = value_of(m, k);
	return k->o->type == OPT_NUM ? *(const uint32_t *)v : *(const double *)v;
}

const char *machine_text(const struct machine *m, const char *key, char *buf, size_t n)
{
	const struct known_option *k = option_find(key);
	assert(k);
	option_print(k, value_of(m, k), buf, n);
	return buf;
}

void machine_check_own(const struct machine *m, struct diag *d)
{
	unsigned n;
	const struct option_table *const *table = option_tables(&n);
	char why[256];
	for (unsigned i = 0; i < n; i++)
		if (table[i]->refuses && table[i]->refuses(m, why, sizeof why))
			diag_error(d, "%s", why);
}

/* ---- files ---- */

enum { MAX_BASES = 8 };

struct entry {
	char *key, *value;
	unsigned line;
};
typedef VEC(struct entry) entry_vec;

struct reading {
	entry_vec entries;
	char *base;
	FILE *f;
	unsigned line;
};

/* Reads a line and counts it: the ini library does not report the line of an entry. */
static char *next_line(char *buf, int n, void *user)
{
	struct reading *r = user;
	r->line++;
	return fgets(buf, n, r->f);
}

static int on_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	if (!*section && !strcmp(name, "base")) {
		free(r->base);
		r->base = xstrdup(value);
		return 1;
	}
	char key[1024]; /* names of kernels are long */
	snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", name);
	vec_push(&r->entries, (struct entry){xstrdup(key), xstrdup(value), r->line});
	return 1;
}

static void reading_free(struct reading *r)
{
	for (size_t i = 0; i < r->entries.n; i++) {
		free(r->entries.v[i].key);
		free(r->entries.v[i].value);
	}
	vec_free(&r->entries);
	free(r->base);
}

static bool read_file(struct machine *m, const char *name, int depth, struct diag *d)
{
	char *path = conf_find(name);
	if (!path) {
		const char *names = conf_names(&m->arena);
		if (*names)
			diag_error(d, "no configuration %s: neither a readable file nor one of %s",
				   name, names);
		else
			diag_error(d,
				   "no configuration %s: no readable file, and no machines are "
				   "beside the program (HEDDLE_CONF names their folder)",
				   name);
		return false;
	}
	struct reading r = {.f = fopen(path, "r")};
	int bad = r.f ? ini_parse_stream(next_line, &r, on_entry, &r) : -1;
	if (r.f && ferror(r.f)) /* a folder can be opened but not read */
		bad = -1;
	if (r.f)
		fclose(r.f);
	if (bad) {
		struct srcloc at = {.file = path, .line = bad > 0 ? (unsigned)bad : 0, .col = 1};
		diag_at(d, DIAG_ERROR, &at,
			bad > 0 ? "expected [section], key = value or a comment"
				: "cannot be read");
	}
	bool ok = !bad;
	if (ok && !r.base && !r.entries.n) {
		diag_error(d, "%s: empty; expected [section], key = value", path);
		ok = false;
	}
	if (ok && r.base) {
		if (depth == MAX_BASES) {
			diag_error(d, "%s: more than %d configurations based on each other", path,
				   MAX_BASES);
			ok = false;
		} else {
			ok = read_file(m, r.base, depth + 1, d);
		}
	}
	for (size_t i = 0; ok && i < r.entries.n; i++)
		machine_set(m, r.entries.v[i].key, r.entries.v[i].value, path, r.entries.v[i].line,
			    d);
	reading_free(&r);
	free(path);
	return ok;
}

/* ---- options that must fit together ---- */

static bool power_of_two(uint32_t x) { return x && !(x & (x - 1)); }

static void check_options(const struct machine *m, struct diag *d)
{
	if (m->warp_size % m->simd_width)
		diag_error(d, "sm.simd_width = %u does not divide gpu.warp_size = %u",
			   m->simd_width, m->warp_size);
	if (m->max_threads < m->warp_size)
		diag_error(d, "sm.max_threads = %u is less than one warp of %u", m->max_threads,
			   m->warp_size);
	const struct {
		const char *key;
		uint32_t line, sector, sets;
	} c[] = {
		{"l1d", m->l1d_line, m->l1d_sector, m->l1d_sets},
		{"l1i", m->l1i_line, m->l1i_sector, m->l1i_sets},
		{"l1c", m->l1c_line, m->l1c_sector, m->l1c_sets},
		{"l1t", m->l1t_line, m->l1t_sector, m->l1t_sets},
		{"l2", m->l2_line, m->l2_sector, m->l2_sets},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		if (!power_of_two(c[i].line))
			diag_error(d, "%s.line = %u must be a power of two", c[i].key, c[i].line);
		if (c[i].sector &&
		    (!power_of_two(c[i].sector) || c[i].sector > c[i].line || c[i].sector < 32))
			diag_error(
				d,
				"%s.sector = %u must be a power of two from 32 to the line of %u",
				c[i].key, c[i].sector, c[i].line);
	}
	if (m->l2_home && (!power_of_two(m->l2_home) || m->l2_home < m->part_step))
		diag_error(
			d,
			"l2.home_bytes = %u must be a power of two and at least mem.interleave = %u",
			m->l2_home, m->part_step);
	if (!power_of_two(m->part_step))
		diag_error(d, "mem.interleave = %u must be a power of two", m->part_step);
	if (!power_of_two(m->shared_banks))
		diag_error(d, "shared.banks = %u must be a power of two", m->shared_banks);
	if (m->power_vdd > 0 && m->power_vdd < 0.3)
		diag_error(d, "power.vdd = %.10g: expected 0 or 0.3 to 1.5 V", m->power_vdd);
	if (m->power_rf_width % 32)
		diag_error(d, "power.rf_width = %u is not a multiple of 32", m->power_rf_width);
	if (m->dram_banks % m->dram_groups)
		diag_error(d, "dram.bank_groups = %u does not divide dram.banks = %u",
			   m->dram_groups, m->dram_banks);
}

static void apply_settings(struct machine *m, const char *const *set, struct diag *d)
{
	for (; set && *set; set++) {
		const char *eq = strchr(*set, '=');
		if (!eq) {
			diag_error(d, "--set %s: expected key=value", *set);
			continue;
		}
		char *key = arena_strndup(&m->arena, *set, (size_t)(eq - *set));
		machine_set(m, key, eq + 1, "--set", 0, d);
	}
}

/* False if the default is a policy that this program is built without. */
static bool has_default(const struct known_option *k)
{
	return k->o->type != OPT_POLICY || policy_find(k->o->family, k->o->def);
}

/* A machine with every option at its default. */
static struct machine *machine_new(const char *name, struct diag *d)
{
	struct machine *m = xcalloc(1, sizeof *m);
	unsigned n, ntables;
	const struct known_option *o = options_all(&n);
	const struct option_table *const *table = option_tables(&ntables);
	m->origin = xcalloc(n, sizeof *m->origin);
	m->own = xcalloc(ntables + 1, sizeof *m->own);
	for (unsigned i = 0; i < ntables; i++)
		m->own[i] = xcalloc(1, table[i]->size);
	m->name = arena_strdup(&m->arena, name ? name : "default");
	for (unsigned i = 0; i < n; i++)
		if (!option_is_table(o[i].o) && has_default(&o[i]))
			option_read(&o[i], value_of(m, &o[i]), o[i].o->key, o[i].o->def, &m->arena,
				    NULL, d);
	return m;
}

static const char *describe_policy(const struct policy *p, enum family f, void *arg)
{
	struct machine *m = arg;
	(void)f;
	if (p->describe)
		p->describe(m, &m->facts);
	return NULL;
}

static void find_facts(struct machine *m)
{
	m->facts = (struct facts){.beat_lanes = m->simd_width, .register_files = 1};
	each_chosen(m, describe_policy, m);
}

/* Reports a chosen policy that is missing: an option's default may be a policy that this program is built
 * without. */
static void check_chosen(const struct machine *m, struct diag *d)
{
	unsigned n;
	const struct known_option *o = options_all(&n);
	for (unsigned i = 0; i < n; i++)
		if (o[i].o->type == OPT_POLICY && !chosen_policy(m, &o[i]))
			diag_error(
				d,
				"%s = %s, its default: this program has no such policy, set one of %s",
				o[i].o->key, o[i].o->def, o[i].words ? o[i].words : "none");
}

struct machine *machine_read(const char *name, const char *const *set, struct diag *d)
{
	struct machine *m = machine_new(name, d);
	if (name)
		read_file(m, name, 0, d);
	apply_settings(m, set, d);
	if (strcmp(m->power_cal, "none") && !d->errors) {
		calibration_read(m, d);
		if (!d->errors)
			apply_settings(m, set,
				       d); /* the base's settings come before the file's own */
	}
	check_chosen(m, d);
	if (!d->errors)
		check_options(m, d);
	if (!d->errors) {
		find_facts(m);
		return m;
	}
	machine_free(m);
	return NULL;
}

/* The most registers per thread that a PTX kernel gets, because instructions cannot name more: a compiler
 * for the machine spills the rest. Machines of capability 1.x come from studies that run PTX for
 * later ones; their kernels keep the registers they need. */
static uint32_t most_registers(const struct machine *m)
{
	return m->capability >= 20 && m->capability < 32 ? 63 : 255;
}

uint32_t machine_registers(const struct machine *m, const char *kernel, uint32_t estimate)
{
	estimate = estimate < most_registers(m) ? estimate : most_registers(m);
	for (struct named_num *e = m->named_regs ? m->kernel_regs : NULL; e; e = e->next)
		if (!strcmp(e->name, kernel)) {
			e->used = true;
			return e->value;
		}
	return m->thread_regs ? m->thread_regs : estimate ? estimate : 1;
}

bool machine_is_set(const struct machine *m, const char *key)
{
	const struct known_option *k = option_find(key);
	unsigned n;
	return k && m->origin[k - options_all(&n)].file;
}

/* Why an option of a policy's own table has no effect: the machine has another policy. NULL: the machine
 * has that policy. */
static const char *other_policy(const struct machine *m, const struct known_option *k, char *buf,
				size_t size)
{
	unsigned n, i;
	const struct known_option *o = options_all(&n);
	const struct option_table *table = k->table < 0 ? NULL : option_tables(&i)[k->table];
	if (!table || !table->alone)
		return NULL;
	for (i = 0; i < n; i++) {
		const struct policy *p;
		if (o[i].o->type != OPT_POLICY || policy_reads(chosen_policy(m, &o[i]), table))
			continue;
		for (unsigned j = 0; (p = policy_at(o[i].o->family, j)); j++)
			if (policy_reads(p, table)) {
				snprintf(buf, size, "%s = %s has no such option", o[i].o->key,
					 chosen_policy(m, &o[i])->name);
				return buf;
			}
	}
	return NULL;
}

struct option_set {
	const struct machine *m;
	const char *key;
};

static const char *policy_ignores(const struct policy *p, enum family f, void *arg)
{
	const struct option_set *q = arg;
	(void)f;
	return p->unused ? p->unused(q->m, q->key) : NULL;
}

/* Why an option that was set has no effect on this machine; NULL: it has an effect. */
static const char *why_unused(const struct machine *m, const char *key)
{
	static const char *const beyond[] = {"l1i.",         "l1t.",       "l2.",
					     "icnt.",        "mem.",       "dram.",
					     "gpu.icnt_mhz", "gpu.l2_mhz", "gpu.dram_mhz"};
	if (!m->perfect_mem && !strncmp(key, "perfect.", 8))
		return "gpu.perfect_memory = no";
	for (size_t i = 0; m->perfect_mem && i < sizeof beyond / sizeof *beyond; i++)
		if (!strncmp(key, beyond[i], strlen(beyond[i])))
			return "gpu.perfect_memory = yes: memory answers at once";
	const char *why = each_chosen(m, policy_ignores, &(struct option_set){m, key});
	if (!why && m->perfect_mem && !strncmp(key, "l1c.", 4) &&
	    !(m->perfect_const && machine_quirk(m, QUIRK_CONSTANT_LINES) &&
	      !strcmp(key, "l1c.line")))
		return "gpu.perfect_memory = yes: the constant cache is not simulated";
	return why;
}

void machine_unused(const struct machine *m, struct diag *d)
{
	unsigned n;
	const struct known_option *o = options_all(&n);
	for (unsigned i = 0; i < n; i++) {
		const char *from = m->origin[i].file, *why;
		char buf[160];
		if (from && !strcmp(from, "--set") &&
		    ((why = why_unused(m, o[i].o->key)) ||
		     (why = other_policy(m, &o[i], buf, sizeof buf))))
			diag_at(d, DIAG_WARNING, NULL, "%s has no effect: %s", o[i].o->key, why);
	}
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	unsigned n;
	option_tables(&n);
	for (unsigned i = 0; i < n; i++)
		free(m->own[i]);
	free(m->own);
	arena_free(&m->arena);
	free(m->origin);
	free(m);
}

/* ---- printing ---- */

static void print_table(const struct named_num *e, const struct option *o, const char *from,
			FILE *f)
{
	fprintf(f, "; *: %s\n", o->help);
	const char *name =
		strchr(o->key, '.') + 1; /* prefix of an entry's key: power.scale.*: scale. */
	for (; e; e = e->next)
		fprintf(f, "%.*s%-20s = %-12.10g ; %s%s%s\n", (int)strlen(name) - 1, name, e->name,
			e->real, o->unit, *o->unit ? ", " : "", from);
}

static void print_l2(const struct machine *m, FILE *f)
{
	uint64_t slice = (uint64_t)m->l2_sets * m->l2_ways * m->l2_line;
	if (m->l2_kind == KIND_OFF)
		fprintf(f, "# L2                       none\n");
	else
		fprintf(f, "# L2                       %.10g KB in %u slices\n",
			(double)(slice * m->parts * m->slices) / 1024, m->parts * m->slices);
}

static void print_derived(const struct machine *m, FILE *f)
{
	double ipc = m->facts.peak_ipc * m->sms;
	double dram = (double)m->parts * m->dram_bus * m->dram_rate * m->dram_mhz * 1e6;
	fprintf(f, "\n# derived\n");
	fprintf(f, "# peak IPC                 %.10g thread instructions per core cycle\n", ipc);
	fprintf(f, "# peak f32 rate            %.10g Gflop/s (fma counts two)\n",
		ipc * 2 * m->core_mhz * 1e-3);
	fprintf(f, "# peak DRAM bandwidth      %.10g GB/s\n", dram * 1e-9);
	print_l2(m, f);
	fprintf(f, "# resident                 %u threads, %u warps, %u blocks per SM\n",
		m->max_threads, m->max_warps, m->max_blocks);
	fprintf(f, "# registers                %u per thread at full occupancy\n",
		m->registers / m->max_threads);
}

void machine_print(const struct machine *m, FILE *f)
{
	const char *section = "";
	size_t slen = 0;
	fprintf(f, "# machine %s\n", m->name);
	unsigned n;
	const struct known_option *all = options_all(&n);
	for (unsigned i = 0; i < n; i++) {
		const struct option *o = all[i].o;
		const void *v = value_of(m, &all[i]);
		const char *dot = strchr(o->key, '.');
		char value[512], from[160] = "default";
		if ((size_t)(dot - o->key) != slen || memcmp(section, o->key, slen)) {
			section = o->key;
			slen = (size_t)(dot - o->key);
			fprintf(f, "\n[%.*s]\n", (int)slen, section);
		}
		if (m->origin[i].file && m->origin[i].line)
			snprintf(from, sizeof from, "%s:%u", m->origin[i].file, m->origin[i].line);
		else if (m->origin[i].file)
			snprintf(from, sizeof from, "%s", m->origin[i].file);
		if (option_is_table(o)) {
			print_table(*(struct named_num *const *)v, o, from, f);
			continue;
		}
		option_print(&all[i], v, value, sizeof value);
		fprintf(f, "%-20s = %-12s ; %s%s%s\n", dot + 1, value, o->unit,
			*o->unit ? ", " : "", from);
	}
	print_derived(m, f);
}
