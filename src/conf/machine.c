/* Reading a machine: defaults, then its bases from the outermost in, then itself, then --set. */
#include "conf/machine.h"

#include <errno.h>
#include <ini.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/map.h"
#include "base/vec.h"
#include "conf/calibration.h"
#include "conf/find.h"
#include "gpu_dispatch.h"
#include "mem_coal.h"
#include "mem_dramsched.h"
#include "mem_icnt.h"
#include "sm_diverge.h"
#include "sm_lanes.h"
#include "sm_sched.h"

enum opt_type { OPT_NUM, OPT_REAL, OPT_BOOL, OPT_NAME, OPT_TABLE, OPT_REALS, OPT_TEXT };

struct option {
	const char *key;
	enum opt_type type;
	size_t offset;
	const char *def; /* as text */
	double min, max;
	const char *unit, *help, *family;
};

#define WORDS_(x) #x
#define WORDS(x)  WORDS_(x)
static const struct option options[] = {
#define NUM(f, k, d, lo, hi, u, h)                                                                 \
	{k, OPT_NUM, offsetof(struct machine, f), WORDS(d), lo, hi, u, h, NULL},
#define REAL(f, k, d, lo, hi, u, h)                                                                \
	{k, OPT_REAL, offsetof(struct machine, f), WORDS(d), lo, hi, u, h, NULL},
#define BOOL(f, k, d, h)      {k, OPT_BOOL, offsetof(struct machine, f), #d, 0, 1, "", h, NULL},
#define NAME(f, k, d, fam, h) {k, OPT_NAME, offsetof(struct machine, f), d, 0, 0, "", h, fam},
#define TABLE(f, k, lo, hi, u, h)                                                                  \
	{k, OPT_TABLE, offsetof(struct machine, f), "none", lo, hi, u, h, NULL},
#define REALS(f, k, lo, hi, u, h)                                                                  \
	{k, OPT_REALS, offsetof(struct machine, f), "none", lo, hi, u, h, NULL},
#define TEXT(f, k, d, h) {k, OPT_TEXT, offsetof(struct machine, f), d, 0, 0, "", h, NULL},
#include "conf/options.def"
#undef NUM
#undef REAL
#undef BOOL
#undef NAME
#undef TABLE
#undef REALS
#undef TEXT
};
enum { NOPTIONS = sizeof options / sizeof *options };

struct origin {
	const char *file; /* NULL: default; "--set" */
	unsigned line;
};

static bool is_table(const struct option *o)
{
	return o->type == OPT_TABLE || o->type == OPT_REALS;
}

/* The name of an entry in a table's key: NULL if it is none's. */
static const char *entry_name(const struct option *o, const char *key)
{
	size_t n = strlen(o->key) - 1; /* "section." */
	return is_table(o) && !strncmp(o->key, key, n) && key[n] ? key + n : NULL;
}

static const struct option *option_find(const char *key)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		if (!strcmp(options[i].key, key) || entry_name(&options[i], key))
			return &options[i];
	return NULL;
}

static const char *nearest_key(const char *key)
{
	const char *names[NOPTIONS];
	for (size_t i = 0; i < NOPTIONS; i++)
		names[i] = options[i].key;
	return nearest_name(key, names, NOPTIONS);
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

/* Is `word` one of "a|b|c"? */
static bool in_family(const char *family, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = family; n; p++) {
		const char *e = strchrnul(p, '|');
		if ((size_t)(e - p) == n && !memcmp(p, word, n))
			return true;
		if (!*e)
			return false;
		p = e;
	}
	return false;
}

static bool parse_number(const struct option *o, const char *key, const char *text, double *x,
			 const struct srcloc *at, struct diag *d)
{
	char *end;
	errno = 0;
	*x = strtod(text, &end);
	bool within = end != text && !*end && !errno && *x >= o->min && *x <= o->max;
	if (within && (o->type == OPT_REAL || o->type == OPT_REALS || *x == (double)(long long)*x))
		return true;
	diag_at(d, DIAG_ERROR, at, "%s = %s: expected a %snumber from %.15g to %.15g%s%s", key,
		text, o->type == OPT_REAL || o->type == OPT_REALS ? "" : "whole ", o->min, o->max,
		*o->unit ? " " : "", o->unit);
	return false;
}

/* Later ones win. */
static void set_entry(struct machine *m, const struct option *o, const char *name, double value)
{
	struct named_num **p = (struct named_num **)((char *)m + o->offset);
	while (*p && strcmp((*p)->name, name))
		p = &(*p)->next;
	if (!*p) {
		*p = ARENA_NEW(&m->arena, struct named_num);
		(*p)->name = arena_strdup(&m->arena, name);
	}
	(*p)->value = (uint32_t)value;
	(*p)->real = value;
}

static bool set_value(struct machine *m, const struct option *o, const char *key, const char *text,
		      const struct srcloc *at, struct diag *d)
{
	void *field = (char *)m + o->offset;
	double x;
	switch (o->type) {
	case OPT_TABLE:
	case OPT_REALS: {
		const char *name = entry_name(o, key);
		if (!name || !parse_number(o, key, text, &x, at, d))
			return false;
		set_entry(m, o, name, x);
		return true;
	}
	case OPT_NUM:
	case OPT_REAL: {
		if (!parse_number(o, key, text, &x, at, d))
			return false;
		if (o->type == OPT_NUM)
			*(uint32_t *)field = (uint32_t)x;
		else
			*(double *)field = x;
		return true;
	}
	case OPT_BOOL:
		if (parse_bool(text, field))
			return true;
		diag_at(d, DIAG_ERROR, at, "%s = %s: expected yes or no", o->key, text);
		return false;
	case OPT_TEXT: *(const char **)field = arena_strdup(&m->arena, text); return true;
	default:
		if (!in_family(o->family, text)) {
			diag_at(d, DIAG_ERROR, at, "%s = %s: expected one of %s", o->key, text,
				o->family);
			return false;
		}
		*(const char **)field = arena_strdup(&m->arena, text);
		return true;
	}
}

void machine_set(struct machine *m, const char *key, const char *text, const char *file,
		 unsigned line, struct diag *d)
{
	struct srcloc at = {.file = file, .line = line, .col = 1};
	const struct option *o = option_find(key);
	if (!o) {
		const char *near = nearest_key(key);
		diag_at(d, DIAG_ERROR, &at, "unknown option %s%s%s%s", key,
			near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		return;
	}
	if (set_value(m, o, key, text, &at, d))
		m->origin[o - options] = (struct origin){arena_strdup(&m->arena, file), line};
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

/* The library does not say which line an entry is on: count them as it reads. */
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
	if (r.f && ferror(r.f)) /* a folder opens and does not read */
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
		diag_error(d, "%s: nothing in it; expected [section], key = value", path);
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

/* ---- what fits together ---- */

static bool power_of_two(uint32_t x) { return x && !(x & (x - 1)); }

static void check(const struct machine *m, struct diag *d)
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
	if (!power_of_two(m->part_step))
		diag_error(d, "mem.interleave = %u must be a power of two", m->part_step);
	if (!power_of_two(m->shared_banks))
		diag_error(d, "shared.banks = %u must be a power of two", m->shared_banks);
	if (m->power_vdd > 0 && m->power_vdd < 0.3)
		diag_error(d, "power.vdd = %.10g: expected 0 or 0.3 to 1.5 V", m->power_vdd);
	if (m->power_rf_width % 32)
		diag_error(d, "power.rf_width = %u is no multiple of 32", m->power_rf_width);
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

struct machine *machine_read(const char *name, const char *const *set, struct diag *d)
{
	struct machine *m = xcalloc(1, sizeof *m);
	m->origin = xcalloc(NOPTIONS, sizeof *m->origin);
	m->name = arena_strdup(&m->arena, name ? name : "default");
	for (size_t i = 0; i < NOPTIONS; i++)
		if (!is_table(&options[i]))
			set_value(m, &options[i], options[i].key, options[i].def, NULL, d);
	if (name)
		read_file(m, name, 0, d);
	apply_settings(m, set, d);
	if (strcmp(m->power_cal, "none") && !d->errors) {
		calibration_read(m, d);
		if (!d->errors)
			apply_settings(m, set, d); /* they go before its numbers */
	}
	if (!d->errors)
		check(m, d);
	if (!d->errors)
		return m;
	machine_free(m);
	return NULL;
}

/* What a thread of PTX gets at most, since more cannot be named: a compiler for the machine spills
 * the rest. Machines of capability 1.x are those of studies that run PTX of later ones: their
 * kernels keep what they need. */
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
	const struct option *o = option_find(key);
	return o && m->origin[o - options].file;
}

/* Why an option that was set does nothing on this machine; NULL: it does something. */
static const char *why_unused(const struct machine *m, const char *key)
{
	static const char *const beyond[] = {"l1i.",         "l1t.",       "l2.",
					     "icnt.",        "mem.",       "dram.",
					     "gpu.icnt_mhz", "gpu.l2_mhz", "gpu.dram_mhz"};
	bool locked = !strcmp(m->pipeline, "locked");
	if (!m->perfect_mem)
		return strncmp(key, "perfect.", 8) ? NULL : "gpu.perfect_memory = no";
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
		if (!strncmp(key, beyond[i], strlen(beyond[i])))
			return "gpu.perfect_memory = yes: memory answers at once";
	if (!strcmp(key, "perfect.bank_conflicts") && !locked)
		return "the scoreboard pipeline always takes the cycles of bank conflicts";
	if (!strncmp(key, "shared.", 7) && locked && !m->perfect_banks)
		return "gpu.perfect_memory = yes; with perfect.bank_conflicts = yes conflicts count";
	if (!strncmp(key, "l1c.", 4) && !(m->perfect_const && !strcmp(key, "l1c.access")))
		return "gpu.perfect_memory = yes: the constant cache is not simulated";
	if ((!strncmp(key, "lsu.", 4) || !strncmp(key, "l1d.", 4)) && locked && !m->perfect_coal)
		return "gpu.perfect_memory = yes; with perfect.coalescing = yes transactions count";
	return NULL;
}

void machine_unused(const struct machine *m, struct diag *d)
{
	for (size_t i = 0; i < NOPTIONS; i++) {
		const char *from = m->origin[i].file, *why;
		if (from && !strcmp(from, "--set") && (why = why_unused(m, options[i].key)))
			diag_at(d, DIAG_WARNING, NULL, "%s has no effect: %s", options[i].key, why);
	}
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	free(m->origin);
	free(m);
}

/* ---- printing ---- */

static void print_value(const struct machine *m, const struct option *o, char *buf, size_t n)
{
	const void *field = (const char *)m + o->offset;
	switch (o->type) {
	case OPT_NUM: snprintf(buf, n, "%u", *(const uint32_t *)field); break;
	case OPT_REAL: snprintf(buf, n, "%.10g", *(const double *)field); break;
	case OPT_BOOL: snprintf(buf, n, "%s", *(const bool *)field ? "yes" : "no"); break;
	case OPT_TABLE:
	case OPT_REALS: break;
	default: snprintf(buf, n, "%s", *(const char *const *)field); break;
	}
}

static void print_table(const struct machine *m, const struct option *o, const char *from, FILE *f)
{
	const struct named_num *e = *(struct named_num *const *)((const char *)m + o->offset);
	fprintf(f, "; *: %s\n", o->help);
	const char *name = strchr(o->key, '.') + 1; /* of power.scale.*: scale. */
	for (; e; e = e->next)
		fprintf(f, "%.*s%-20s = %-12.10g ; %s%s%s\n", (int)strlen(name) - 1, name, e->name,
			e->real, o->unit, *o->unit ? ", " : "", from);
}

/* Thread instructions that an SM can do in a cycle: what its lanes take, if they are issued. The
 * locked pipeline is one of simd_width lanes for each scheduler. */
static double peak_ipc(const struct machine *m)
{
	double locked = (double)m->simd_width * m->schedulers;
	double lanes = (double)m->simd_width * m->sp_units;
	double issue = (double)m->schedulers * m->issue_width * m->warp_size;
	return !strcmp(m->pipeline, "locked") ? locked : lanes < issue ? lanes : issue;
}

static void print_l2(const struct machine *m, FILE *f)
{
	uint64_t slice = (uint64_t)m->l2_sets * m->l2_ways * m->l2_line;
	if (!strcmp(m->l2_kind, "off"))
		fprintf(f, "# L2                       none\n");
	else
		fprintf(f, "# L2                       %.10g KB in %u slices\n",
			(double)(slice * m->parts * m->slices) / 1024, m->parts * m->slices);
}

static void print_derived(const struct machine *m, FILE *f)
{
	double ipc = peak_ipc(m) * m->sms;
	double dram = (double)m->parts * m->dram_bus * m->dram_rate * m->dram_mhz * 1e6;
	fprintf(f, "\n# derived\n");
	fprintf(f, "# peak IPC                 %.10g thread instructions a core cycle\n", ipc);
	fprintf(f, "# peak f32 rate            %.10g Gflop/s (fma counts two)\n",
		ipc * 2 * m->core_mhz * 1e-3);
	fprintf(f, "# peak DRAM bandwidth      %.10g GB/s\n", dram * 1e-9);
	print_l2(m, f);
	fprintf(f, "# resident                 %u threads, %u warps, %u blocks an SM\n",
		m->max_threads, m->max_warps, m->max_blocks);
	fprintf(f, "# registers                %u a thread at full occupancy\n",
		m->registers / m->max_threads);
}

void machine_print(const struct machine *m, FILE *f)
{
	const char *section = "";
	size_t slen = 0;
	fprintf(f, "# machine %s\n", m->name);
	for (size_t i = 0; i < NOPTIONS; i++) {
		const struct option *o = &options[i];
		const char *dot = strchr(o->key, '.');
		char value[256], from[160] = "default";
		if ((size_t)(dot - o->key) != slen || memcmp(section, o->key, slen)) {
			section = o->key;
			slen = (size_t)(dot - o->key);
			fprintf(f, "\n[%.*s]\n", (int)slen, section);
		}
		if (m->origin[i].file && m->origin[i].line)
			snprintf(from, sizeof from, "%s:%u", m->origin[i].file, m->origin[i].line);
		else if (m->origin[i].file)
			snprintf(from, sizeof from, "%s", m->origin[i].file);
		if (is_table(o)) {
			print_table(m, o, from, f);
			continue;
		}
		print_value(m, o, value, sizeof value);
		fprintf(f, "%-20s = %-12s ; %s%s%s\n", dot + 1, value, o->unit,
			*o->unit ? ", " : "", from);
	}
	print_derived(m, f);
}

bool machine_explain(const char *key, FILE *f, struct diag *d)
{
	const struct option *o = option_find(key);
	if (!o) {
		const char *near = nearest_key(key);
		diag_error(d, "unknown option %s%s%s%s", key, near ? "; did you mean " : "",
			   near ? near : "", near ? "?" : "");
		return false;
	}
	fprintf(f, "%s\n  %s\n  default %s%s%s\n", o->key,
		*o->help ? o->help : "see the option before it in `config show`", o->def,
		*o->unit ? " " : "", o->unit);
	if (o->type == OPT_NAME)
		fprintf(f, "  one of %s\n", o->family);
	else if (o->type != OPT_BOOL && o->type != OPT_TEXT)
		fprintf(f, "  from %.15g to %.15g\n", o->min, o->max);
	return true;
}

void machine_print_options(FILE *f)
{
	fprintf(f,
		"# Options of a machine\n\nGenerated by `heddle config options`; the table is `src/conf/options.def`.\n\n");
	fprintf(f,
		"| option | default | range | unit | what it is |\n| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < NOPTIONS; i++) {
		const struct option *o = &options[i];
		fprintf(f, "| `%s` | %s | ", o->key, o->def);
		if (o->type == OPT_NAME) {
			for (const char *p = o->family; *p; p++)
				fputs(*p == '|' ? ", " : (char[]){*p, 0}, f);
		} else if (o->type == OPT_BOOL) {
			fputs("yes, no", f);
		} else if (o->type != OPT_TEXT) {
			fprintf(f, "%.15g .. %.15g", o->min, o->max);
		}
		fprintf(f, " | %s | %s |\n", o->unit, o->help);
	}
}
