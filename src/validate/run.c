#include <math.h>
#include <string.h>
#include "api/api.h"
#include "validate/validate.h"
#include "conf/machine.h"

/* Returns an entry of the whole GPU's report; NULL: none. */
static const uint64_t *find_entry(const struct stat_report *r, const char *component,
				  const char *name)
{
	const struct stat_entry *e;
	unsigned slots;
	for (size_t i = 0; (e = stat_report_at(r, i)); i++) {
		int k = strcmp(e->name, component) ? -1 : stat_find(e->t, name, &slots);
		if (k >= 0 && e->index < 0)
			return &e->values[k];
	}
	return NULL;
}

static double value_of(const struct stat_report *r, const char *component, const char *name)
{
	const uint64_t *v = find_entry(r, component, name);
	return v ? stat_real(*v) : NAN;
}

static double count_of(const struct stat_report *r, const char *component, const char *name)
{
	const uint64_t *v = find_entry(r, component, name);
	return v ? (double)*v : NAN;
}

static void take_sums(struct measure *m, const struct stat_report *r)
{
	m->joule = value_of(r, "energy", "total");
	m->seconds = value_of(r, "energy", "seconds");
	m->mean = value_of(r, "power", "mean");
	m->peak = value_of(r, "power", "peak");
	m->least = value_of(r, "power", "least");
	m->missed = count_of(r, "l1d", "read_misses") + count_of(r, "l1d", "hits_reserved");
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		char name[64];
		snprintf(name, sizeof name, "%s.dynamic", power_components[c].name);
		m->of.dynamic[c] = value_of(r, "energy", name);
		snprintf(name, sizeof name, "%s.static", power_components[c].name);
		m->of.timed[c] = value_of(r, "energy", name);
	}
}

static bool idle_of(const struct machine *machine, double *watts)
{
	struct diag d = {0};
	struct power_model *p = power_new(machine, &d);
	if (p)
		*watts = power_idle(p);
	power_free(p);
	diag_free(&d);
	return p;
}

/* Fills the buffer with bits of a fixed generator (xorshift). The buffer is written directly, not
 * by a host copy, so no cache of the machine contains its lines. */
static void fill_buffer(struct heddle *h, uint64_t buffer)
{
	const struct alloc *a = devmem_find(&h->mem, buffer);
	uint64_t x = 88172645463325252ull;
	for (uint64_t i = 0; a && i + sizeof x <= a->size; i += sizeof x) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(a->host + i, &x, sizeof x);
	}
}

static size_t count_event(const char *const *set)
{
	size_t k = 0;
	while (set && set[k])
		k++;
	return k;
}

const char **validate_settings(const struct verdicts *n, const char *const *set)
{
	size_t a = count_event(set), b = count_event(n->set);
	const char **all = xcalloc(a + b + 1, sizeof *all);
	for (size_t i = 0; i < a + b; i++)
		all[i] = i < a ? set[i] : n->set[i - a];
	return all;
}

bool validate_run(const struct verdicts *n, const struct probe *p, struct measure *m)
{
	const char **set = validate_settings(n, p->set);
	struct heddle_options o = {.config = p->machine, .set = set, .timing = true};
	struct heddle_text text = {.name = "probe", .data = p->ptx, .size = strlen(p->ptx)};
	struct {
		uint64_t buffer;
		uint32_t word[4];
	} params = {0};
	struct heddle *h = NULL;
	struct heddle_module *module;
	memcpy(params.word, p->word, sizeof params.word);
	bool ok = heddle_open(&h, &o) == HEDDLE_OK &&
		  heddle_load(h, &text, 1, &module) == HEDDLE_OK &&
		  (!p->bytes || heddle_malloc(h, p->bytes, &params.buffer) == HEDDLE_OK);
	if (ok && p->random)
		fill_buffer(h, params.buffer);
	if (ok && p->copied)
		ok = heddle_write(h, params.buffer, devmem_find(&h->mem, params.buffer)->host,
				  p->copied) == HEDDLE_OK;
	if (ok) {
		struct heddle_launch l = {.kernel = heddle_kernel_at(module, 0),
					  .grid = {p->grid, p->rows ? p->rows : 1, 1},
					  .block = {p->block, p->depth ? p->depth : 1, 1},
					  .params = &params};
		ok = heddle_launch(h, &l) == HEDDLE_OK && h->launches.n == 1 &&
		     idle_of(h->machine, &m->idle);
		if (ok)
			take_sums(m, h->launches.v[0].report);
	}
	heddle_close(h);
	free(set);
	return ok;
}
